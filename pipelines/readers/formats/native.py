"""The native log format: one message or event a record (`docs/landing-format.md`)."""

from collections.abc import Iterator
from typing import Any

from pipelines.readers import fields
from pipelines.readers.content import read_content
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.formats.native_fast import fast
from pipelines.readers.items import Item
from schemas.enums import EventKind, Role, Signal, Status
from schemas.reasons import Reason
from schemas.records import Event, Message

_MESSAGE_KEYS = frozenset(
    [
        "kind",
        "conversation_id",
        "message_id",
        "parent_id",
        "seq",
        "role",
        "content",
        "created_at",
        "completed_at",
        "status",
        "user_id",
        "model",
        "has_attachment",
        "source",
    ]
)
_EVENT_KEYS = frozenset(["kind", "conversation_id", "message_id", "event", "at", "user_id", "source", "text"])
_ROLES = {str(m): m for m in Role}
_STATUSES = {str(m): m for m in Status}
_EVENTS = {str(m): m for m in EventKind}


def _recognise(glimpse: Glimpse) -> str | None:
    kinds = [r.get("kind") for r in glimpse.records if type(r) is dict]
    if any(k in ("message", "event") for k in kinds):
        return "records say `kind`: message or event"
    return None


def _reader(context: Context) -> Reader:
    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        if type(record) is not dict:
            raise Refused(Reason.NOT_AN_OBJECT)
        kind = record.get("kind")
        if kind == "message":
            context.unknown_keys += len(record.keys() - _MESSAGE_KEYS)
            yield _message(record, flags, context)
        elif kind == "event":
            context.unknown_keys += len(record.keys() - _EVENT_KEYS)
            yield _event(record, flags, context)
        else:
            raise Refused(Reason.MISSING_KEY if "kind" not in record else Reason.UNKNOWN_KIND, "kind")

    return read


def _message(r: Record, flags: tuple[str, ...], context: Context) -> Message:
    # The order of the checks decides which fault a record with several is quarantined for.
    seq = fields.integer(r, "seq")
    attachment = fields.boolean(r, "has_attachment")
    if "content" not in r:
        raise Refused(Reason.MISSING_KEY, "content")
    given = r["content"]
    if type(given) is list and any(type(part) is str for part in given):
        raise Refused(Reason.WRONG_TYPE, "content")  # parts say what they are; loose strings may be anything
    content = read_content(given)
    return Message(
        source=fields.optional_id(r, "source") or context.name,
        conversation_id=fields.need_id(r, "conversation_id"),
        message_id=fields.need_id(r, "message_id"),
        parent_id=fields.optional_id(r, "parent_id"),
        seq=seq,
        role=fields.member(r, "role", _ROLES),
        content=content.text,
        created_at=fields.time(r, "created_at", context.clock),
        completed_at=fields.time(r, "completed_at", context.clock),
        status=fields.member(r, "status", _STATUSES) if r.get("status") is not None else Status.OK,
        user_id=fields.text(r, "user_id"),
        model=fields.optional_id(r, "model"),
        has_attachment=attachment or content.has_attachment,
        flags=flags,
    )


def _event(r: Record, flags: tuple[str, ...], context: Context) -> Event:
    return Event(
        source=fields.optional_id(r, "source") or context.name,
        conversation_id=fields.need_id(r, "conversation_id"),
        message_id=fields.optional_id(r, "message_id"),
        event=fields.member(r, "event", _EVENTS),
        at=fields.need_time(r, "at", context.clock),
        user_id=fields.text(r, "user_id"),
        text=fields.text(r, "text"),
        flags=flags,
    )


NATIVE = Format(
    name="native",
    title="Tacit's own format",
    seen="1",
    shapes=frozenset({Shape.LINES, Shape.DOCUMENT, Shape.ROWS}),
    recognise=_recognise,
    reader=_reader,
    quick=fast,
    user_time="sent",
    reply_time="first and last token",
    conversation="`conversation_id`",
    finds={
        **TEXT_SIGNALS,
        Signal.DISMISS: "text, `stop`, `close`",
        Signal.DISLIKE: "`thumbs_down` and its like",
        Signal.SKIM: "`created_at`, `completed_at`, `visible`, `hidden`",
    },
)
