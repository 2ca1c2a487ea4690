"""ShareGPT: one conversation a record, a list of turns with `from` and `value`, in the spellings that are around."""

from collections.abc import Iterator
from typing import Any

from pipelines.readers.dialogue import Head, dialogue, is_turn, named
from pipelines.readers.fields import Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.items import Item
from schemas.reasons import Reason

_LISTS = ("conversations", "conversation", "items", "messages")
_IDS = ("id", "conversation_id", "conversationId")
_SYSTEM = ("system", "system_prompt")
_MEDIA = ("image", "images", "video", "videos", "audio", "audios")
# Records that hold such a list too, and are another format's.
_FOREIGN = frozenset(["kind", "mapping", "conversation_hash", "openai_moderation", "detoxify_moderation"])


def _list_of(record: Any) -> str | None:
    """The key of the list of turns; an empty string where the record is that list."""
    if type(record) is list:
        return "" if any(is_turn(t) for t in record) else None
    if type(record) is not dict:
        return None
    return next((k for k in _LISTS if type(record.get(k)) is list), None)


def _is_one(record: Any) -> bool:
    key = _list_of(record)
    if key is None:
        return False
    if type(record) is list:
        return True
    turns = [t for t in record[key] if is_turn(t)]
    # `messages` with `role` is what requests to models and fine-tuning files hold: another format.
    spoken = [t for t in turns if "from" in t] if key == "messages" else turns
    return bool(spoken) and record.keys().isdisjoint(_FOREIGN)


def _recognise(glimpse: Glimpse) -> str | None:
    if any(_is_one(r) for r in glimpse.records):
        return "records hold a list of turns with `from` and `value`"
    return None


def _reader(context: Context) -> Reader:
    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        key = _list_of(record)
        if key is None:
            if type(record) is not dict:
                raise Refused(Reason.NOT_AN_OBJECT)
            there = next((k for k in _LISTS if k in record), None)
            raise Refused(Reason.MISSING_KEY if there is None else Reason.WRONG_TYPE, there or _LISTS[0])
        if type(record) is list:
            yield from dialogue(record, "turns", Head(context.name, None, flags=flags))
            return
        turns = record[key]
        prompt = next((record[k] for k in _SYSTEM if type(record.get(k)) is str and record[k]), None)
        head = Head(
            context.name,
            named(record, *_IDS),
            user_id=named(record, "user_id"),
            model=named(record, "model", "model_name"),
            flags=flags,
            media=any(record.get(k) for k in _MEDIA),
        )
        yield from dialogue(turns, key, head, prompt)

    return read


SHAREGPT = Format(
    name="sharegpt",
    title="ShareGPT",
    seen="files of 2023 to 2025: `conversations` of `from` and `value`, and what fine-tuning tools made of it",
    shapes=frozenset({Shape.LINES, Shape.DOCUMENT, Shape.ROWS}),
    recognise=_recognise,
    reader=_reader,
    user_time="none is logged",
    reply_time="none is logged",
    conversation="`id`; without one it is made of the content, and flagged `id_from_content`",
    finds=TEXT_SIGNALS,
    notes=(
        "The parts of a long conversation (`ID_0`, `ID_8`) stay the conversations that they are written as.",
        "Conversations of different content under one id become branches of one conversation.",
        "What a model wrote for a tool (`function_call`) is kept as a tool's message, never as a reply.",
    ),
)
