"""Chatbot Arena: two conversations a row, in which one user puts the same requests to two models."""

from collections.abc import Iterator
from typing import Any

from pipelines.readers import fields
from pipelines.readers.decode import decode_json
from pipelines.readers.dialogue import Head, dialogue, named
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.items import Item
from schemas.reasons import Reason

_SIDES = ("a", "b")


def _recognise(glimpse: Glimpse) -> str | None:
    for record in glimpse.records:
        if type(record) is not dict or record.keys().isdisjoint(("winner", "winner_model_a")):
            continue
        if {"conversation_a", "conversation_b"} <= record.keys():
            return "rows hold `conversation_a`, `conversation_b` and `winner`"
        if {"prompt", "response_a", "response_b"} <= record.keys():
            return "rows hold `prompt`, `response_a`, `response_b` and `winner_model_a`"
    return None


def _reader(context: Context) -> Reader:
    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        if type(record) is not dict:
            raise Refused(Reason.NOT_AN_OBJECT)
        for side in _SIDES:
            try:
                key, turns = _turns(record, side)
            except Refused as refused:
                yield refused.refusal()
                continue
            yield from dialogue(turns, key, _head(record, side, context.name, flags))

    return read


def _turns(record: Record, side: str) -> tuple[str, list[Any]]:
    """The turns of one side: a list of them, or a list of prompts and one of responses."""
    key = f"response_{side}"
    if key not in record:
        key = f"conversation_{side}"
        return key, _listed(record, key)
    asked, answered = _listed(record, "prompt"), _listed(record, key)
    said = [("user", n, text) for n, text in enumerate(asked)] + [("assistant", n, t) for n, t in enumerate(answered)]
    return key, [{"role": role, "content": text} for role, _, text in sorted(said, key=lambda turn: turn[1])]


def _listed(record: Record, key: str) -> list[Any]:
    """A list, which some editions hold as JSON in a string."""
    value = record.get(key)
    if type(value) is str:
        return fields.as_list(decode_json(value.encode("utf-8", "replace"))[0], key)
    return fields.need_list(record, key)


def _head(record: Record, side: str, source: str, flags: tuple[str, ...]) -> Head:
    battle = named(record, "question_id", "id")
    model, other = (named(record, f"model_{s}") for s in (side, "b" if side == "a" else "a"))
    # A question that was put to a model once stands in several rows where several people judged the answer.
    half = model if model is not None and model != other else side
    return Head(
        source,
        None if battle is None else f"{battle}-{half}",
        user_id=named(record, "judge", "judge_hash") if "tstamp" in record else None,
        model=model,
        flags=flags,
    )


ARENA = Format(
    name="arena",
    title="Chatbot Arena",
    seen="chatbot_arena_conversations, 2023; arena-human-preference 55k, 100k and 140k, to 2025; MT-bench judgments",
    shapes=frozenset({Shape.LINES, Shape.DOCUMENT, Shape.ROWS, Shape.CSV}),
    recognise=_recognise,
    reader=_reader,
    user_time="none is logged; `tstamp` is the time of the comparison",
    reply_time="none is logged",
    conversation="`question_id` and the model, else `id` and the model: two conversations a row",
    finds=TEXT_SIGNALS,
    notes=(
        "`winner` compares two replies, so it is no vote on either: the better of two bad ones wins.",
        "The user is `judge` where the row states when they compared; other rows were judged by somebody else.",
        "The requests of a row stand in both of its conversations.",
    ),
)
