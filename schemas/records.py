"""The native records that every reader produces. They hold raw text, which stays there and in `anonymize`."""

from datetime import datetime

import msgspec

from schemas.enums import EventKind, Role, Status


class Message(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message as it was logged.

    `content` is None where the source did not capture it. `conversation_id` is None where the source knows only its
    users: the conversation is then the user's own stream, to be divided by silence. `aliases` are other ids by which
    the source's feedback may name the message, such as those of the call or the trace that made it.
    """

    source: str
    conversation_id: str | None
    message_id: str
    parent_id: str | None = None
    seq: int | None = None
    role: Role
    content: str | None
    created_at: datetime | None = None
    completed_at: datetime | None = None
    status: Status = Status.OK
    user_id: str | None = None
    model: str | None = None
    has_attachment: bool = False
    aliases: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


class Event(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An interface event. `text` is a free-text comment, personal data like any content.

    `conversation_id` is None where the source names only the message that it is about, by an id that is unique in the
    source.
    """

    source: str
    conversation_id: str | None
    message_id: str | None = None
    event: EventKind
    at: datetime
    user_id: str | None = None
    text: str | None = None
    flags: tuple[str, ...] = ()
