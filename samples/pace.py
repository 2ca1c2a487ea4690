"""Holds the authored clocks to what people can do: a skim is far too fast, and everything else is not."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from authored import DAYS, Conversation, han
from timeline import Span, event_times, landed, spans

from schemas.enums import EventKind, Role, Status

WORDS_A_MINUTE = 400
HAN_A_MINUTE = 700
TYPED_CHARS_A_SECOND = 4.0
TYPED_HAN_A_SECOND = 1.5
LONGEST_TYPING = 60.0
"""Seconds; what would take longer to type was pasted."""
SKIM_AT_MOST = 0.15
OTHERS_AT_LEAST = 0.8

_CODE = re.compile(r"```.*?(```|\Z)", re.DOTALL)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def faults(conversation: Conversation) -> Iterator[str]:
    """Yield what is wrong with the times of a conversation whose form is right."""
    yield from _arrivals(conversation)
    if conversation.clocks == "none":
        return
    placed = spans(conversation)
    by_id = {span.turn.id: span for span in placed}
    labels = {(label["message"], label["about"]): label for label in conversation.labels if label["signal"] == "skim"}
    for span in placed:
        for act in span.turn.acts:
            if act.at < -span.turn.took:
                yield f"an event of {span.turn.id} comes before the message"
        reply = by_id.get(span.turn.parent or "")
        if span.turn.role is Role.USER and reply is not None and _readable(reply):
            yield from _pace(conversation, reply, span, labels.get((span.turn.id, reply.turn.id)))


def reading_seconds(text: str) -> float:
    """Time that a fast reader needs for a reply, code left out."""
    prose = _CODE.sub(" ", text)
    chinese = han(prose)
    words = len(_WORD.findall("".join(" " if han(char) else char for char in prose)))
    return 60 * (words / WORDS_A_MINUTE + chinese / HAN_A_MINUTE)


def typing_seconds(text: str) -> float:
    """Time that a user needs to type a message."""
    chinese = han(text)
    return min(LONGEST_TYPING, (len(text) - chinese) / TYPED_CHARS_A_SECOND + chinese / TYPED_HAN_A_SECOND)


def _pace(conversation: Conversation, reply: Span, request: Span, label: object) -> Iterator[str]:
    need, typing = reading_seconds(reply.turn.text or ""), typing_seconds(request.turn.text or "")
    seen = _visible_seconds(conversation, reply.start, request.start)
    where = f"{request.turn.id} after {reply.turn.id}: {seen:.1f} s visible, reading {need:.1f}, typing {typing:.1f}"
    if isinstance(label, dict):
        if label.get("measurable", True) and label.get("sure", True) and seen - typing > SKIM_AT_MOST * need:
            yield f"{where}: too slow for a clear skim"
    elif seen < OTHERS_AT_LEAST * need + typing:
        yield f"{where}: faster than people read, and no skim is labelled"


def _visible_seconds(conversation: Conversation, start: datetime, end: datetime) -> float:
    seen, front, since = 0.0, True, start
    for when, event in sorted(event_times(conversation)):
        if event not in (EventKind.VISIBLE, EventKind.HIDDEN) or when > end:
            continue
        if front and when > since:
            seen += (when - since).total_seconds()
        front, since = event == EventKind.VISIBLE, max(when, start)
    return seen + ((end - since).total_seconds() if front else 0.0)


def _readable(reply: Span) -> bool:
    turn = reply.turn
    return turn.role is Role.ASSISTANT and turn.status == Status.OK and turn.text is not None


def _arrivals(conversation: Conversation) -> Iterator[str]:
    for item in landed(conversation):
        name = item.record.get("event") or item.record["message_id"]
        if item.day not in DAYS:
            yield f"{name} arrives on {item.day}, which is none of the days"
        elif conversation.clocks != "none" and item.day < item.when.astimezone(UTC).date().isoformat():
            yield f"{name} arrives before it was written"
