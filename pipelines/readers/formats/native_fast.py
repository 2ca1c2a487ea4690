"""A fast way for clean native records: decoded and checked in one pass. What is not clean takes the careful way.

Both ways give the same record, which a test holds them to; only the careful one knows why a record is refused.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

import msgspec

from pipelines.readers.format import Context
from pipelines.readers.items import Item
from pipelines.readers.times import EARLIEST
from schemas.enums import EventKind, Role, Status
from schemas.records import Event, Message

_Id = Annotated[str, msgspec.Meta(min_length=1, max_length=512)]
_Time = Annotated[datetime, msgspec.Meta(tz=True)]
_Seq = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]


class _Message(msgspec.Struct, tag_field="kind", tag="message", forbid_unknown_fields=True, gc=False):
    conversation_id: _Id
    message_id: _Id
    role: Role
    content: str | None
    parent_id: _Id | None = None
    seq: _Seq | None = None
    created_at: _Time | None = None
    completed_at: _Time | None = None
    status: Status | None = None
    user_id: str | None = None
    model: _Id | None = None
    has_attachment: bool | None = None
    source: _Id | None = None


class _Event(msgspec.Struct, tag_field="kind", tag="event", forbid_unknown_fields=True, gc=False):
    conversation_id: _Id
    event: EventKind
    at: _Time
    message_id: _Id | None = None
    user_id: str | None = None
    text: str | None = None
    source: _Id | None = None


# Finer digits than microseconds are to be cut off, and the decoder rounds them.
_FINER = re.compile(rb"\.\d{7}")
_decode = msgspec.json.Decoder(_Message | _Event).decode


def fast(context: Context) -> Callable[[bytes], Item | None]:
    """The fast way for one file.

    Args:
        context: Its source's name and clock.

    Returns:
        From the bytes of a record to the record, or None where the careful way has to look at it.
    """
    latest, name = context.clock.latest, context.name

    def possible(time: datetime | None) -> bool:
        return time is None or EARLIEST <= time < latest

    def message(r: _Message) -> Message | None:
        ids = (r.conversation_id, r.message_id, r.parent_id, r.model, r.source)
        if not (possible(r.created_at) and possible(r.completed_at) and all(map(_clean, ids))):
            return None
        return Message(
            source=r.source or name,
            conversation_id=r.conversation_id,
            message_id=r.message_id,
            parent_id=r.parent_id,
            seq=r.seq,
            role=r.role,
            content=r.content,
            created_at=_utc(r.created_at),
            completed_at=_utc(r.completed_at),
            status=r.status or Status.OK,
            user_id=r.user_id,
            model=r.model,
            has_attachment=bool(r.has_attachment),
        )

    def event(r: _Event) -> Event | None:
        if not (possible(r.at) and all(map(_clean, (r.conversation_id, r.message_id, r.source)))):
            return None
        return Event(
            source=r.source or name,
            conversation_id=r.conversation_id,
            message_id=r.message_id,
            event=r.event,
            at=r.at.astimezone(UTC),
            user_id=r.user_id,
            text=r.text,
        )

    def read(data: bytes) -> Item | None:
        if _FINER.search(data):
            return None
        try:
            r = _decode(data)
        except (msgspec.MsgspecError, RecursionError):
            return None
        return message(r) if isinstance(r, _Message) else event(r)

    return read


def _clean(value: str | None) -> bool:
    """Whether an id is surely one: printable and not blank. Odd but lawful ones take the careful way."""
    return value is None or (value.isprintable() and not value.isspace())


def _utc(time: datetime | None) -> datetime | None:
    return time if time is None or time.tzinfo is UTC else time.astimezone(UTC)
