"""LMSYS-Chat-1M: one conversation a row, with the moderation of each turn beside it and no time."""

from collections.abc import Iterator
from typing import Any

from pipelines.readers import fields
from pipelines.readers.dialogue import Head, dialogue, is_turn, named
from pipelines.readers.fields import Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.items import Item
from schemas.reasons import Reason

_BESIDE = frozenset(["openai_moderation", "turn", "redacted"])


def _is_one(record: Any) -> bool:
    return (
        type(record) is dict
        and type(record.get("conversation")) is list
        and any(is_turn(t) for t in record["conversation"])
        and "conversation_id" in record
        and len(record.keys() & _BESIDE) >= 2  # one of them alone is too common a word
    )


def _recognise(glimpse: Glimpse) -> str | None:
    if any(_is_one(r) for r in glimpse.records):
        return "rows hold `conversation_id`, `conversation`, `turn` and `openai_moderation` or `redacted`"
    return None


def _reader(context: Context) -> Reader:
    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        if type(record) is not dict:
            raise Refused(Reason.NOT_AN_OBJECT)
        turns = fields.need_list(record, "conversation")
        head = Head(context.name, named(record, "conversation_id"), model=named(record, "model"), flags=flags)
        yield from dialogue(turns, "conversation", head)

    return read


LMSYS = Format(
    name="lmsys",
    title="LMSYS-Chat",
    seen="LMSYS-Chat-1M, 2023",
    shapes=frozenset({Shape.LINES, Shape.DOCUMENT, Shape.ROWS}),
    recognise=_recognise,
    reader=_reader,
    user_time="none is logged",
    reply_time="none is logged",
    conversation="`conversation_id`",
    finds=TEXT_SIGNALS,
    notes=("Placeholders of the publisher, such as `NAME_1`, stay as they are.",),
)
