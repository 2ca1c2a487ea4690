"""WildChat: one conversation a row, with the time at which the server had each reply whole."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from pipelines.readers import fields
from pipelines.readers.dialogue import Head, dialogue, is_turn, named, speech
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.items import Item
from pipelines.readers.sources import ReplyTime
from pipelines.readers.times import Clock
from schemas.enums import Role
from schemas.ids import content_id
from schemas.reasons import Reason
from schemas.records import Message

_OF_TURN = frozenset(["turn_identifier", "hashed_ip"])


def _is_one(record: Any) -> bool:
    if type(record) is not dict or type(record.get("conversation")) is not list:
        return False
    turns = [t for t in record["conversation"] if is_turn(t)]
    if not turns:
        return False
    first_edition = "timestamp" in record and "toxic" in record
    return "conversation_hash" in record or first_edition or any(t.keys() & _OF_TURN for t in turns)


def _recognise(glimpse: Glimpse) -> str | None:
    if any(_is_one(r) for r in glimpse.records):
        return "rows hold `conversation` and `conversation_hash`, `turn_identifier` or `toxic`"
    return None


def _reader(context: Context) -> Reader:
    # The edition of 4.8 million writes its times without a zone; they are UTC, as its description says of all.
    clock = Clock(context.clock.latest, context.clock.zone or UTC)

    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        if type(record) is not dict:
            raise Refused(Reason.NOT_AN_OBJECT)
        turns = fields.need_list(record, "conversation")
        user = named(record, "hashed_ip") or _first(turns, "hashed_ip")
        named_as = named(record, "conversation_id", "conversation_hash")
        head = Head(context.name, named_as, user_id=user, model=named(record, "model"), flags=flags)
        if _first(turns, "turn_identifier") is None:
            yield from _by_content(record, turns, head, clock, context.source.reply_time)
        else:
            yield from _by_turn(turns, head, clock, context.source.reply_time)

    return read


def _by_content(record: Record, turns: list[Any], head: Head, clock: Clock, means: ReplyTime | None) -> Iterator[Item]:
    """The first edition: turns have neither ids nor times; the row's time is that of its last reply."""
    items = list(dialogue(turns, "conversation", head))
    replies = [n for n, i in enumerate(items) if isinstance(i, Message) and i.role is Role.ASSISTANT]
    try:
        at = fields.time(record, "timestamp", clock)
    except Refused as refused:
        yield refused.refusal()
        at = None
    for n, item in enumerate(items):
        if at is not None and replies and n == replies[-1] and isinstance(item, Message):
            yield _timed(item, at, means)
        else:
            yield item


def _by_turn(turns: list[Any], head: Head, clock: Clock, means: ReplyTime | None) -> Iterator[Item]:
    """Later editions: a request and its reply share an identifier, and the reply has a time."""
    conversation = _conversation(turns, clock)
    parent: str | None = None
    seen: set[str] = set()
    for n, turn in enumerate(turns):
        try:
            role, content = speech(turn)
            number = named(turn, "turn_identifier")
            at = fields.time(turn, "timestamp", clock)
        except Refused as refused:
            yield refused.refusal(f"conversation[{n}]")
            continue
        message_id = f"{number}-{role}"
        if number is None or message_id in seen:
            message_id = content_id(parent or conversation, role, content.text)
        seen.add(message_id)
        message = Message(
            source=head.source,
            conversation_id=conversation,
            message_id=message_id,
            parent_id=parent,
            seq=n,
            role=role,
            content=content.text,
            user_id=head.user_id,
            model=head.model if role is Role.ASSISTANT else None,
            has_attachment=content.has_attachment,
            flags=head.flags,
        )
        yield message if at is None else _timed(message, at, means)
        parent = message_id


def _timed(message: Message, at: datetime, means: ReplyTime | None) -> Message:
    """The message with its only time: a request's is when it was sent, a reply's when it was whole."""
    begins = message.role is not Role.ASSISTANT or means is ReplyTime.FIRST_TOKEN
    return replace(message, created_at=at) if begins else replace(message, completed_at=at)


def _conversation(turns: list[Any], clock: Clock) -> str:
    """The id of a conversation, made of its first turn.

    `conversation_hash` is one of the content: two people who say the same share it, and a conversation that grows
    leaves it. The identifier of the first turn is kept in the id, so that a row can be found again.
    """
    request: Record = next((t for t in turns if _role(t) is Role.USER), {})
    reply: Record = next((t for t in turns if _role(t) is Role.ASSISTANT), {})
    text, at = request.get("content"), clock.read(reply.get("timestamp"))
    number = _first(turns, "turn_identifier")
    parts = (
        number,
        named(request, "hashed_ip"),
        text if type(text) is str else None,
        at.isoformat() if isinstance(at, datetime) else None,
    )
    return f"{number}-{content_id(*parts)[:16]}"


def _role(turn: Any) -> Role | None:
    try:
        return speech(turn)[0]
    except Refused:
        return None


def _first(turns: list[Any], key: str) -> str | None:
    return next((found for t in turns if type(t) is dict and (found := named(t, key)) is not None), None)


WILDCHAT = Format(
    name="wildchat",
    title="WildChat",
    seen="WildChat, 2023; WildChat-1M, 2024; WildChat-4.8M, 2025",
    shapes=frozenset({Shape.LINES, Shape.DOCUMENT, Shape.ROWS}),
    recognise=_recognise,
    reader=_reader,
    user_time="none is logged",
    reply_time="last token: when the server had the whole reply; in the edition of 2023 only that of the last reply",
    conversation="made of the first turn and its `turn_identifier`; without identifiers `conversation_id` or"
    " `conversation_hash`",
    finds=TEXT_SIGNALS,
    notes=(
        "The user is a hashed address, which people behind one router share.",
        "Times without a zone are UTC, as the data set says of all of its times, unless a zone is declared.",
        "`created`, in whole seconds, is when the model took up the request; it is read as neither end of a reply.",
    ),
)
