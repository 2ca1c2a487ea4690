"""Thresholds and speeds of linking and detection, in two frozen dataclasses that the configuration fills."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """How messages become exchanges.

    Attributes:
        left_after_s: Silence after which a user counts as having left, where the source's log goes on beyond it.
        session_gap_s: Silence that ends a session in a conversation that was made of all that a user wrote, since the
            source names no conversations.
        conversation_gap_s: Silence that ends a session in a conversation that the source names. At the default, two
            days, no more is cut than what the window of a day (until the end of the next) could not pair anyway.
        double_submit_s: The same text sent again within this time is one request, sent twice.
        look_back: How many earlier user messages a request is compared with.
        turn_messages: How many user messages in a row are read as one reaction to the reply before them.
        turn_s: User messages in a row that are further apart are requests of their own: the reply between them is
            missing from the log.
        idle_s: A longer gap says nothing about reading: the user was elsewhere.
        words_per_minute: A fast reader's speed in scripts that are written in words.
        han_per_minute: A fast reader's speed in Chinese characters.
        code_share: Share of code and tables that is read as prose is.
        typed_per_s: Characters a fast typist writes a second.
        han_typed_per_s: The same for Chinese characters.
        typing_cap_s: Longer messages are pasted or were written elsewhere; no more than this is taken off.
        pace_replies: So many replies that a user had time for tell the user's own pace.
        pace_reading_s: Replies that take a fast reader less time than this tell nothing about it.
        pace_quantile: Of the shares of a fast reader's time that a user took, the one that is the user's pace: low,
            since people also pause, and not the lowest, since they also skim.
        pace_least: No user is taken to read faster than this share of a fast reader's time.
        instant_chars: A longer reply cannot have been streamed in no time: its clock lacks one end.
    """

    left_after_s: float = 12 * 3600.0
    session_gap_s: float = 1800.0
    conversation_gap_s: float = 2 * 24 * 3600.0
    double_submit_s: float = 2.0
    look_back: int = 5
    turn_messages: int = 3
    turn_s: float = 600.0
    idle_s: float = 1800.0
    words_per_minute: float = 400.0
    han_per_minute: float = 700.0
    code_share: float = 0.0
    typed_per_s: float = 8.0
    han_typed_per_s: float = 3.0
    typing_cap_s: float = 20.0
    pace_replies: int = 20
    pace_reading_s: float = 5.0
    pace_quantile: float = 0.25
    pace_least: float = 0.6
    instant_chars: int = 40


@dataclass(frozen=True, slots=True)
class DetectSettings:
    """When a probability becomes a detection.

    Attributes:
        complain: Least probability of a detection; null takes the one that cross-validation chose.
        dismiss: The same.
        repeat: The same.
        rephrase: The same.
        skim: Least probability of a detection.
        skim_fraction: Share of the reading time at which Skim is as likely as not.
        skim_spread: How fast that probability falls around it.
        least_reading_s: Replies that take less time to read decide nothing about Skim or a quick close.
        early_stop_s: A stream stopped within this time was hardly looked at.
        close_after_stop_s: Closing within this time after a stop belongs to it.
        same_topic: Cosine from which the message after a stop stays with the topic.
        toggling_sources: Sources in which a second equal vote takes the first one back.
    """

    complain: float | None = None
    dismiss: float | None = None
    repeat: float | None = None
    rephrase: float | None = None
    skim: float = 0.5
    skim_fraction: float = 0.5
    skim_spread: float = 0.08
    least_reading_s: float = 5.0
    early_stop_s: float = 5.0
    close_after_stop_s: float = 30.0
    same_topic: float = 0.45
    toggling_sources: frozenset[str] = field(default_factory=frozenset)
