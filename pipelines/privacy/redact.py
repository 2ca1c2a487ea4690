"""De-identifies a stream: any text, JSONL or a JSON document, through the same door as a run."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from anonymize.door import Deidentifier, Item, Result
from pipelines.privacy.jsontext import Slot, written
from pipelines.privacy.streams import Shape, Unit

if TYPE_CHECKING:
    from anonymize.findings import Finding

_BATCH_CHARS, _MOST_CHARS = 1 << 20, 8 << 20


@dataclass(frozen=True)
class Found:
    """A finding in its place; never the value.

    Attributes:
        line: Line from 1.
        field: Field of the record; empty in a text.
        start: First character: in the line, or in the field's value.
        end: The character after the last, counted likewise.
        entity: Entity type.
        rule: Recognizer.
        score: Its score.
    """

    line: int
    field: str
    start: int
    end: int
    entity: str
    rule: str
    score: float


@dataclass(frozen=True)
class Withheld:
    """What does not appear in the output, and why.

    Attributes:
        line: Line from 1.
        field: Field of the record; empty for the line, or the block that begins there.
        reason: Reason code.
    """

    line: int
    field: str
    reason: str


@dataclass(frozen=True)
class Redacted:
    """A unit of the output."""

    text: str
    found: list[Found]
    withheld: list[Withheld]


def redact(units: Iterable[Unit], shape: Shape, door: Deidentifier, *, explain: bool = False) -> Iterator[Redacted]:
    """De-identify units in their order.

    What is of one scope and stands near is scanned together, since a name found once is masked in all of it.

    Args:
        units: Parts of an input.
        shape: How it was divided.
        door: The de-identifier.
        explain: Whether to say what was found.

    Yields:
        One result for each unit. What could not be scanned is left out, and named.
    """
    for batch in _batches(units):
        slots = [(n, slot) for n, unit in enumerate(batch) for slot in unit.slots]
        items = [Item(batch[n].scope, slot.value) for n, slot in slots]
        results = door.explain(items) if explain else [(result, []) for result in door.deidentify(items)]
        done = {
            n: [(slot, *result) for (_, slot), result in group]
            for n, group in groupby(zip(slots, results, strict=True), key=lambda pair: pair[0][0])
        }
        for n, unit in enumerate(batch):
            yield _put_together(unit, shape, done.get(n, []))


def _batches(units: Iterable[Unit]) -> Iterator[list[Unit]]:
    """Units that are scanned in one call; those of a scope that follow one another stay together where they can."""
    batch: list[Unit] = []
    size = 0
    for unit in units:
        if batch and size >= _BATCH_CHARS and (unit.scope != batch[-1].scope or size >= _MOST_CHARS):
            yield batch
            batch, size = [], 0
        batch.append(unit)
        size += len(unit.text)
    if batch:
        yield batch


def _put_together(unit: Unit, shape: Shape, done: list[tuple[Slot, Result, list["Finding"]]]) -> Redacted:
    if unit.fault is not None:
        return Redacted(unit.instead, [], [Withheld(unit.line, "", unit.fault)])
    parts: list[str] = []
    found: list[Found] = []
    withheld: list[Withheld] = []
    at = 0
    for slot, result, findings in done:
        parts.append(unit.text[at : slot.start])
        at = slot.end
        token = unit.text[slot.start : slot.end]
        line = unit.line + unit.text.count("\n", 0, slot.start)
        if result.text is None:
            withheld.append(Withheld(line, slot.field, str(result.reason)))
            parts.append("\n" * token.count("\n") if shape is Shape.TEXT else "null")
        elif result.text == slot.value:
            parts.append(token)
        else:
            parts.append(result.text if shape is Shape.TEXT else written(result.text, token))
        found += [_placed(f, slot, line, in_text=shape is Shape.TEXT) for f in findings]
    return Redacted("".join([*parts, unit.text[at:]]), found, withheld)


def _placed(finding: "Finding", slot: Slot, line: int, *, in_text: bool) -> Found:
    start, end = finding.start, finding.end
    if in_text:
        line += slot.value.count("\n", 0, start)
        before = slot.value.rfind("\n", 0, start) + 1
        start, end = start - before, end - before
    return Found(line, slot.field, start, end, finding.entity, finding.rule, finding.score)
