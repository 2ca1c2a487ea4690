"""Reads a record part by part: a part that cannot be taken is refused with its place, and the others go on."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pipelines.readers.fields import Refused
from pipelines.readers.items import Item
from pipelines.readers.raw import Refusal


def each(parts: Iterable[tuple[str, Any]], read: Callable[[Any], Iterable[Item]]) -> Iterator[Item]:
    """The items of all parts, in their order.

    Args:
        parts: Where each part stands in the record, such as `messages[3]`, and the part. An empty place is the record
            itself.
        read: Gives the items of one part.

    Yields:
        Items; for each part that cannot be taken a refusal, and every refusal with its place in the record.

    Raises:
        Refused: The record itself cannot be taken.
    """
    for where, part in parts:
        try:
            for item in read(part):
                yield _placed(item, where) if isinstance(item, Refusal) else item
        except Refused as refused:
            if not where:
                raise
            yield _placed(refused.refusal(), where)


def numbered(values: Iterable[Any], where: str = "") -> Iterator[tuple[str, Any]]:
    """The elements of a list with their places, less those that are null."""
    return ((f"{where}[{n}]", value) for n, value in enumerate(values) if value is not None)


def _placed(refusal: Refusal, where: str) -> Refusal:
    if not where:
        return refusal
    return Refusal(refusal.reason, f"{where}.{refusal.field}" if refusal.field else where)
