"""What a reader says beside a message: what it mended, and what it had to infer."""

from enum import StrEnum


class Flag(StrEnum):
    """Flags of messages."""

    SURROGATE_REPLACED = "surrogate_replaced"
    OFF_BRANCH = "off_branch"
    PATH_INFERRED = "path_inferred"
    SESSION_INFERRED = "session_inferred"
    ORDER_INFERRED = "order_inferred"
    RESTATED = "restated"
    TIME_INFERRED = "time_inferred"
    ID_FROM_CONTENT = "id_from_content"
    CLICKED = "clicked"


FLAG_MEANING: dict[Flag, str] = {
    Flag.SURROGATE_REPLACED: "a lone surrogate in its text was replaced by U+FFFD",
    Flag.OFF_BRANCH: "the source states that it is not on the branch that the user ended on",
    Flag.PATH_INFERRED: "the source states no usable branch, so the newest was taken",
    Flag.SESSION_INFERRED: "the source names no conversation: it is the user's stream, divided by silence",
    Flag.ORDER_INFERRED: "the source keeps no history: it was put in order by time",
    Flag.RESTATED: "known only from the history that a later call sent",
    Flag.TIME_INFERRED: "the source states no time for the act, so that of its reply was taken",
    Flag.ID_FROM_CONTENT: "the source has no id, so one was made from the content",
    Flag.CLICKED: "the user clicked a button: there are no words",
}
