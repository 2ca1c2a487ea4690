"""Rasa: trackers, rows of the tracker store, and the events that its broker publishes one by one."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from pipelines.readers import fields
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.items import Item
from pipelines.readers.parts import each, numbered
from pipelines.readers.wrapped import embedded_list, embedded_object, unwrapped
from schemas.enums import Role
from schemas.flags import Flag
from schemas.ids import content_id
from schemas.reasons import Reason
from schemas.records import Message

_SPOKEN = {"user": Role.USER, "bot": Role.ASSISTANT}
_NAMES = frozenset(["user", "bot", "action", "slot", "session_started", "restart"])  # some stand in every tracker
_CLICK = re.compile(r"/[^\s{}@/()]+(?:@[\d.]+)?(?: ?\{.*\}|\(.*\))?", re.DOTALL)
_INJECTED = ("/session_start", "EXTERNAL: ")
_FILES = ("image", "attachment", "elements")


def _recognise(glimpse: Glimpse) -> str | None:
    if {"events.sender_id", "events.type_name", "events.data"} <= set(glimpse.columns):
        return "a table `events` with `sender_id`, `type_name` and `data`"
    for record in glimpse.records:
        for r in record[:20] if type(record) is list else [record]:
            if type(r) is not dict:
                continue
            if r.keys() & {"sender_id", "name"} and any(_is_event(e) for e in _glimpsed(r.get("events"))):
                return "a tracker with `sender_id` and `events`"
            if "sender_id" in r and _is_event(r):
                return "events with their `sender_id`"
            if r.keys() >= {"sender_id", "type_name", "data"}:
                return "rows of the table `events` with `sender_id`, `type_name` and `data`"
    return None


def _glimpsed(events: Any) -> list[Any]:
    return events[:50] if type(events) is list else []


def _is_event(event: Any) -> bool:
    kind = event.get("event") if type(event) is dict else None
    return type(kind) is str and kind in _NAMES and "timestamp" in event


def _reader(context: Context) -> Reader:
    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        for where, part in numbered(record) if type(record) is list else [("", record)]:
            yield from each([(where, part)], lambda r: _tracker(r, context, flags))

    return read


def _tracker(given: Any, context: Context, flags: tuple[str, ...]) -> Iterator[Item]:
    """The messages of a tracker, or of the one event that a record is."""
    r = unwrapped(fields.as_object(given, "events"))
    sender = fields.any_id(r, "name" if "sender_id" not in r and "name" in r else "sender_id")
    events: list[tuple[str, Any]]
    if "events" in r:
        events = list(numbered(embedded_list(r, "events"), "events"))
    elif "type_name" in r and "event" not in r:
        said = {"event": r["type_name"], **embedded_object(r, "data")}
        events = [("data", said if "timestamp" in said else {**said, "timestamp": r.get("timestamp")})]
    else:
        events = [("", r)]
    seen: dict[str, int] = {}

    def items(part: tuple[int, Any]) -> Iterator[Item]:
        n, event = part
        message = _message(unwrapped(fields.as_object(event, "")), sender, n, context, flags)
        if message is None:
            return
        # Only what has no time can be the same twice: it is told apart by how often it was said before.
        times = seen[message.message_id] = seen.get(message.message_id, 0) + 1
        if times > 1 and message.created_at is None:
            again = content_id(message.message_id, str(times))
            message = msgspec.structs.replace(message, message_id=again)
        yield message

    yield from each(((where, (n, event)) for n, (where, event) in enumerate(events)), items)


def _message(r: Record, sender: str, n: int, context: Context, flags: tuple[str, ...]) -> Message | None:
    """What was said in an event; None where nothing was."""
    if "event" not in r:
        raise Refused(Reason.MISSING_KEY, "event")
    kind = fields.text(r, "event")
    role = _SPOKEN.get(kind or "")
    if role is None:
        return None
    at = fields.time(r, "timestamp", context.clock)
    text = fields.text(r, "text")
    metadata = r.get("metadata")
    click = False
    if role is Role.USER and text is not None:
        if text.startswith(_INJECTED) or (type(metadata) is dict and metadata.get("is_external") is True):
            role = Role.SYSTEM
        else:
            click = _CLICK.fullmatch(text.strip()) is not None
    data = r.get("data")
    named = fields.optional_any_id(r, "message_id") if kind == "user" else None
    return Message(
        source=context.name,
        conversation_id=sender,
        message_id=named or content_id("rasa", sender, kind, None if at is None else at.isoformat(), text),
        seq=n if at is None else None,
        role=role,
        content=None if click else text,
        created_at=at,
        completed_at=at if role is Role.ASSISTANT else None,
        user_id=sender,
        has_attachment=kind == "bot" and type(data) is dict and any(data.get(key) for key in _FILES),
        flags=(*flags, Flag.CLICKED.value) if click else flags,
    )


RASA = Format(
    name="rasa",
    title="Rasa",
    seen="1.x to 3.x: trackers (API, MongoDB, Redis, DynamoDB), table `events` of the SQL store, event broker",
    shapes=frozenset({Shape.DOCUMENT, Shape.LINES, Shape.ROWS, Shape.CSV, Shape.DATABASE}),
    queries={"events": "SELECT * FROM events ORDER BY id"},
    recognise=_recognise,
    reader=_reader,
    user_time="sent: `timestamp`",
    reply_time="both: `timestamp`, since a bot's message is shown whole",
    conversation="`sender_id`",
    finds=TEXT_SIGNALS,
    notes=(
        "A message has one time, so what was skimmed cannot be measured.",
        "A sender is one conversation, which silence divides; an event alone does not tell the session it belongs to.",
        "A user's payload such as `/affirm` is a click on a button: a turn without words, marked `clicked`.",
        "Reminders and the start of a session are the application's own and are kept as `system`.",
        "A bot's message of buttons, images or custom data alone has no text.",
    ),
)
