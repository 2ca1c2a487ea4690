"""Pairs of a prompt and a response, one a record, as instruction data sets hold them."""

from collections.abc import Iterator
from typing import Any

from pipelines.readers.dialogue import Head, dialogue, named
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.items import Item
from pipelines.readers.raw import Refusal
from schemas.reasons import Reason

_PAIRS = (
    ("prompt", "response"),
    ("prompt", "completion"),
    ("instruction", "output"),
    ("instruction", "response"),
    ("question", "answer"),
    ("question", "response"),
    ("query", "response"),
)
_MATTER = ("input", "context")
_SYSTEM = ("system", "system_prompt")
_IDS = ("id", "prompt_id", "question_id")
# What may stand beside a pair. A record that says more is a log of its own, whose times and votes must not be lost.
_BESIDE = frozenset(
    [*_MATTER, *_SYSTEM, *_IDS, "history", "model", "model_name", "source", "dataset", "category", "task", "language",
     "lang", "text", "title", "topic", "tags", "index", "split"]
)  # fmt: skip


def _pair_of(record: Record) -> tuple[str, str] | None:
    return next((pair for pair in _PAIRS if pair[0] in record and pair[1] in record), None)


def _is_one(record: Any) -> bool:
    if type(record) is not dict:
        return False
    pair = _pair_of(record)
    return pair is not None and type(record[pair[0]]) is str and record.keys() <= _BESIDE | set(pair)


def _recognise(glimpse: Glimpse) -> str | None:
    if any(_is_one(r) for r in glimpse.records):
        return "records hold a prompt and a response, and hardly more"
    return None


def _reader(context: Context) -> Reader:
    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        if type(record) is not dict:
            raise Refused(Reason.NOT_AN_OBJECT)
        pair = _pair_of(record)
        if pair is None:
            raise Refused(Reason.MISSING_KEY, next((p[1] for p in _PAIRS if p[0] in record), _PAIRS[0][0]))
        head = Head(context.name, named(record, *_IDS), model=named(record, "model", "model_name"), flags=flags)
        turns, places = _turns(record, pair)
        prompt = next((record[k] for k in _SYSTEM if type(record.get(k)) is str and record[k]), None)
        for item in dialogue(turns, "", head, prompt):
            yield _placed(item, places) if isinstance(item, Refusal) else item

    return read


def _turns(record: Record, pair: tuple[str, str]) -> tuple[list[Any], list[str]]:
    """The turns of a record, earlier ones first, and where each stands in it."""
    turns: list[Any] = []
    places: list[str] = []
    history = record.get("history")
    for n, earlier in enumerate(history if type(history) is list else []):
        both = earlier if type(earlier) is list else [earlier]
        for role, text in zip(("user", "assistant"), both, strict=False):
            turns.append({"role": role, "content": text})
            places.append(f"history[{n}]")
    asked = record[pair[0]]
    matter = next((record[k] for k in _MATTER if type(record.get(k)) is str and record[k].strip()), None)
    if matter is not None and type(asked) is str:
        asked = f"{asked}\n\n{matter}"
    turns += [{"role": "user", "content": asked}, {"role": "assistant", "content": record[pair[1]]}]
    return turns, [*places, *pair]


def _placed(refusal: Refusal, places: list[str]) -> Refusal:
    """The refusal under the key of the record, instead of the number of the turn."""
    number = (refusal.field or "").partition("]")[0].lstrip("[")
    return Refusal(refusal.reason, places[int(number)])


PAIRS = Format(
    name="pairs",
    title="Prompt and response pairs",
    seen="instruction data sets of 2023 to 2025: prompt and response, instruction and output, question and answer",
    shapes=frozenset({Shape.LINES, Shape.DOCUMENT, Shape.ROWS, Shape.CSV}),
    recognise=_recognise,
    reader=_reader,
    user_time="none is logged",
    reply_time="none is logged",
    conversation="`id`, `prompt_id` or `question_id`; without one it is made of the content",
    finds=dict.fromkeys(TEXT_SIGNALS, "text, of records with a `history`"),
    notes=(
        "Recognised only where hardly anything stands beside the pair: a table with times is declared as turns.",
        "What stands under `input` or `context` is part of the request.",
    ),
)
