"""The closed vocabularies of the logs and of the tables."""

from enum import StrEnum


class Role(StrEnum):
    """Who a message is from. Text that an application injects is `system`, even where an export calls it `user`."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Status(StrEnum):
    """How an assistant message ended."""

    OK = "ok"
    STOPPED = "stopped"
    PARTIAL = "partial"
    ERROR = "error"


class EventKind(StrEnum):
    """What the interface recorded beside the messages."""

    THUMBS_DOWN = "thumbs_down"
    THUMBS_UP = "thumbs_up"
    THUMBS_CLEAR = "thumbs_clear"
    STOP = "stop"
    REGENERATE = "regenerate"
    EDIT = "edit"
    COPY = "copy"
    SHARE = "share"
    CLOSE = "close"
    VISIBLE = "visible"
    HIDDEN = "hidden"
    SCROLLED_TO_END = "scrolled_to_end"
    DISCONNECT = "disconnect"


class Signal(StrEnum):
    """The six kinds of negative feedback, strongest first: `primary` picks by this order."""

    DISLIKE = "dislike"
    COMPLAIN = "complain"
    DISMISS = "dismiss"
    REPEAT = "repeat"
    REPHRASE = "rephrase"
    SKIM = "skim"


class Script(StrEnum):
    """The writing system that a text is mostly in."""

    LATIN = "latin"
    HAN = "han"
    MIXED = "mixed"
    OTHER = "other"
    NONE = "none"


class Outcome(StrEnum):
    """What the user did after a reply: wrote again, left, or the log ends before that can be known."""

    FOLLOWED = "followed"
    LEFT = "left"
    CENSORED = "censored"


class FollowUp(StrEnum):
    """How the next user message came about. Only `message` can be Repeat or Rephrase."""

    MESSAGE = "message"
    REGENERATE = "regenerate"
    EDIT = "edit"
    RETRY_AFTER_ERROR = "retry_after_error"
    DOUBLE_SUBMIT = "double_submit"
    RECONNECT = "reconnect"


class ClockQuality(StrEnum):
    """Which clocks bound the time in which the reply could be read.

    `full`: end of the reply, its first token and the next act are known. `no_end`: only the first token of the reply
    is known, so the time to read is an upper bound. `none`: nothing can be said about time.
    """

    FULL = "full"
    NO_END = "no_end"
    NONE = "none"


class Trigger(StrEnum):
    """What a detection was read from."""

    TEXT = "text"
    EVENT = "event"
    TIMING = "timing"


class Severity(StrEnum):
    """What a failed check does: `fail` stops the publish, `warn` is recorded."""

    FAIL = "fail"
    WARN = "warn"
