"""Lays an authored conversation on the clock, and turns it into landing records."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from authored import Act, Conversation, Turn

from schemas.enums import EventKind, Role

_OF_THE_PAGE = (EventKind.VISIBLE, EventKind.HIDDEN, EventKind.DISCONNECT)


@dataclass(frozen=True)
class Span:
    """A message and the time that it took: from the first token to the last for a reply, one instant for the rest."""

    turn: Turn
    start: datetime
    end: datetime


@dataclass(frozen=True)
class Landed:
    """A record, the day on which it arrives, and the instant by which a log would order it."""

    record: dict[str, Any]
    source: str
    day: str
    when: datetime

    @property
    def line(self) -> bytes:
        """The record as one line of JSON, without its line end."""
        return json.dumps(self.record, ensure_ascii=False).encode()


def spans(conversation: Conversation) -> list[Span]:
    """Give every message its time, in the order of the log."""
    placed: list[Span] = []
    now = conversation.start
    for turn in conversation.turns:
        start = now + timedelta(seconds=turn.after if placed else 0.0)
        now = start + timedelta(seconds=turn.took)
        placed.append(Span(turn, start, now))
    return placed


def landed(conversation: Conversation) -> Iterator[Landed]:
    """Yield the records of a conversation, each with its day of arrival."""
    placed = spans(conversation)
    for number, span in enumerate(placed):
        day = span.turn.arrives or conversation.arrives or _day(span.end)
        yield Landed(_message(conversation, span, number), conversation.source, day, span.end)
        for act in span.turn.acts:
            yield _event(conversation, act, span.end, None if act.event in _OF_THE_PAGE else span.turn.id)
    for act in conversation.acts:
        yield _event(conversation, act, placed[-1].end, None)


def event_times(conversation: Conversation) -> Iterator[tuple[datetime, str]]:
    """Yield the instant and the kind of every event of a conversation."""
    placed = spans(conversation)
    for span in placed:
        for act in span.turn.acts:
            yield span.end + timedelta(seconds=act.at), act.event
    for act in conversation.acts:
        yield placed[-1].end + timedelta(seconds=act.at), act.event


def rfc3339(when: datetime) -> str:
    """Spell an instant in the zone that it was authored in, to the millisecond."""
    return when.isoformat(timespec="milliseconds")


def _message(conversation: Conversation, span: Span, number: int) -> dict[str, Any]:
    turn, clocks = span.turn, conversation.clocks
    reply = turn.role is Role.ASSISTANT
    record: dict[str, Any] = {
        "kind": "message",
        "conversation_id": conversation.id,
        "message_id": turn.id,
        "role": str(turn.role),
        "content": turn.text,
    }
    if clocks == "none":
        record["seq"] = number
    else:
        record["parent_id"] = turn.parent
        record["created_at"] = rfc3339(span.start)
        record["completed_at"] = rfc3339(span.end) if reply and clocks == "full" else None
    if reply:
        record["status"] = turn.status
        record["model"] = turn.model or conversation.model
    if turn.attachment:
        record["has_attachment"] = True
    if conversation.user is not None:
        record["user_id"] = conversation.user
    return record | {"source": conversation.source}


def _event(conversation: Conversation, act: Act, end: datetime, message_id: str | None) -> Landed:
    when = end + timedelta(seconds=act.at)
    record: dict[str, Any] = {
        "kind": "event",
        "conversation_id": conversation.id,
        "message_id": message_id,
        "event": act.event,
        "at": rfc3339(when),
    }
    if act.text is not None:
        record["text"] = act.text
    if conversation.user is not None:
        record["user_id"] = conversation.user
    day = act.arrives or conversation.arrives or _day(when)
    return Landed(record | {"source": conversation.source}, conversation.source, day, when)


def _day(when: datetime) -> str:
    return when.astimezone(UTC).date().isoformat()
