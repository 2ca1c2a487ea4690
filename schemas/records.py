"""The native records that every reader produces. They hold raw text, which stays there and in `anonymize`."""

from datetime import datetime

import msgspec

from schemas.enums import EventKind, Role, Status


class Message(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message as it was logged. `content` is None where the source did not capture it."""

    source: str
    conversation_id: str
    message_id: str
    parent_id: str | None
    seq: int | None
    role: Role
    content: str | None
    created_at: datetime | None
    completed_at: datetime | None
    status: Status
    user_id: str | None
    model: str | None
    has_attachment: bool
    flags: tuple[str, ...] = ()


class Event(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An interface event. `text` is a free-text comment, personal data like any content."""

    source: str
    conversation_id: str
    message_id: str | None
    event: EventKind
    at: datetime
    user_id: str | None
    text: str | None
    flags: tuple[str, ...] = ()
