"""Takes every text of a set of records through the one door, and shapes what comes out into rows."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

import polars as pl

from anonymize.door import Item, Result
from anonymize.keys import PseudonymKey
from pipelines.readers.dedupe import Versions
from pipelines.readers.raw import Place, Refusal
from pipelines.steps.rows import event_row, frame, message_row, with_days
from schemas.records import Event, Message

_BATCH = 4000


class Door(Protocol):
    """What turns texts into de-identified ones: `anonymize.door.Deidentifier`."""

    def deidentify(self, items: Sequence[Item]) -> list[Result]:
        """One result for each item, in their order."""

    def mask_labels(self, labels: Sequence[str]) -> list[str]:
        """Each label with the identifiers in it masked, in their order."""


@dataclass(frozen=True)
class Clean:
    """What came out of the door.

    Attributes:
        messages: Rows of `messages`, and `dt`.
        events: Rows of `events`, and `dt`.
        refused: Records whose text could not be scanned, and was withheld.
        masked: Masked values by type.
    """

    messages: pl.DataFrame
    events: pl.DataFrame
    refused: list[tuple[Place, Refusal]]
    masked: dict[str, int]


def through_door(versions: Versions, door: Door, key: PseudonymKey, scope: str, day: date) -> Clean:
    """De-identify every text of the records.

    Args:
        versions: The records, one version of each.
        door: The de-identifier.
        key: The pseudonym key.
        scope: How far a tag reaches: `conversation` or `user`.
        day: Landing day.

    Returns:
        De-identified rows, sorted by their keys, and what was refused.
    """
    held: list[tuple[Message | Event, Place]] = [versions.messages[k] for k in sorted(versions.messages)]
    held += [versions.events[k] for k in sorted(versions.events)]
    texts = [(_scope(r, key, scope), r.content if isinstance(r, Message) else r.text) for r, _ in held]
    labels = sorted({x for r, _ in held for x in (r.source, getattr(r, "model", None)) if x is not None})
    plain = dict(zip(labels, door.mask_labels(labels), strict=True))
    masked: Counter[str] = Counter()
    refused: list[tuple[Place, Refusal]] = []
    message_rows, event_rows = [], []
    for (record, place), result in zip(held, _deidentified(door, texts), strict=True):
        if result.reason is not None:
            refused.append((place, Refusal(result.reason, "content" if isinstance(record, Message) else "text")))
            continue
        masked.update(result.counts)
        user_key = key.user_key(record.source, record.user_id) if record.user_id else None
        if isinstance(record, Message):
            message_rows.append(message_row(record, result, user_key, day, plain))
        else:
            event_rows.append(event_row(record, result, user_key, day, plain))
    return Clean(
        with_days(frame("messages", message_rows, dt=True)), frame("events", event_rows, dt=True), refused, dict(masked)
    )


def _scope(record: Message | Event, key: PseudonymKey, scope: str) -> str:
    """How far a tag reaches. The scope enters the tag's hash and stands nowhere."""
    if scope == "user" and record.user_id:
        return f"user\x1f{key.user_key(record.source, record.user_id)}"
    if record.conversation_id is None:
        # Feedback that names only its message: what shares a scope must be what is read together.
        return f"feedback\x1f{record.source}\x1f{record.message_id or record.user_id}"
    return f"conversation\x1f{record.source}\x1f{record.conversation_id}"


def _deidentified(door: Door, texts: Sequence[tuple[str, str | None]]) -> list[Result]:
    """De-identify in batches that never split a scope, since a name found once counts for all of its scope."""
    results = [Result(None, {}, None)] * len(texts)
    by_scope: dict[str, list[int]] = {}
    items: dict[int, Item] = {}
    for index, (scope, text) in enumerate(texts):
        if text is not None:
            by_scope.setdefault(scope, []).append(index)
            items[index] = Item(scope, text)
    for batch in _batches(list(by_scope.values())):
        for index, result in zip(batch, door.deidentify([items[i] for i in batch]), strict=True):
            results[index] = result
    return results


def _batches(groups: Sequence[list[int]]) -> Iterator[list[int]]:
    batch: list[int] = []
    for group in groups:
        batch += group
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
