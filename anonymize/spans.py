"""Overlapping findings become disjoint spans before anything is replaced."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

# So few findings are settled one by one.
_FEW = 200


class Found(NamedTuple):
    """What a recognizer found in a text, in offsets of the original. Lighter than Presidio's form of it.

    A text may be full of names: a megabyte can hold a third of a million.
    """

    start: int
    end: int
    entity: str
    score: float
    rule: str


class Span(NamedTuple):
    """A stretch of the original text to be masked, in code points."""

    start: int
    end: int
    entity: str


_Stretch = TypeVar("_Stretch", Span, Found)


def resolve(text: str, found: Iterable[Found], protected: Sequence[tuple[int, int]]) -> list[Span]:
    """Choose disjoint spans: each character is masked at most once, and no character of a finding is left open.

    The stronger finding keeps its extent (score, then length, then position); what another finding covers beside it
    is masked as that other's remainder. So the result does not depend on the order of findings.

    Args:
        text: The original text.
        found: Findings, in offsets of the original.
        protected: Spans of existing tags, which stay.

    Returns:
        Spans in order of start.
    """
    ordered, kept = sorted(f for f in found if f.start < f.end), sorted(protected)
    return (_resolve_many if len(ordered) > _FEW else _resolve)(text, ordered, kept)


def _resolve(text: str, found: list[Found], kept: list[tuple[int, int]]) -> list[Span]:
    """Resolve findings cluster by cluster."""
    spans: list[Span] = []
    at = 0
    for low, high, cluster in _clusters(found):
        while at < len(kept) and kept[at][1] <= low:
            at += 1
        entity = cluster[0].entity
        clear = at == len(kept) or kept[at][0] >= high
        if clear and (len(cluster) == 1 or all(f.entity == entity for f in cluster)):
            spans.append(Span(low, high, entity))
        else:
            spans += _settle(text, low, high, cluster, kept[at : bisect_left(kept, (high, high), at)])
    return spans


def _resolve_many(text: str, found: list[Found], kept: list[tuple[int, int]]) -> list[Span]:
    """Resolve findings, those at once that overlap nothing but their like, as nearly all do in a text full of them."""
    starts, ends = np.array([f[0] for f in found]), np.maximum.accumulate([f[1] for f in found])
    first = np.flatnonzero(np.append(True, starts[1:] >= ends[:-1]))
    last = np.append(first[1:], len(found)) - 1
    lows, highs = starts[first], ends[last]
    number = {entity: at for at, entity in enumerate({f[2] for f in found})}
    kinds = np.array([number[f[2]] for f in found])
    plain = np.minimum.reduceat(kinds, first) == np.maximum.reduceat(kinds, first)
    if kept:
        tags = np.array(kept)
        near = np.searchsorted(tags[:, 1], lows, side="right")  # the first that ends behind the start
        plain &= (near == len(kept)) | (tags[np.minimum(near, len(kept) - 1), 0] >= highs)
    entities = [found[at][2] for at in first.tolist()]
    alike = list(map(Span._make, zip(lows.tolist(), highs.tolist(), entities, strict=True)))
    spans, done = [], 0
    for at in np.flatnonzero(~plain).tolist():
        spans += alike[done:at]
        low, high, _ = alike[at]
        among = list(overlapping(kept, low, high))
        spans += _settle(text, low, high, found[first[at] : last[at] + 1], among)
        done = at + 1
    return spans + alike[done:]


def _clusters(found: Iterable[Found]) -> Iterator[tuple[int, int, list[Found]]]:
    """Findings that overlap, or are joined by others that do, with the stretch that they cover; all in order."""
    cluster: list[Found] = []
    low = high = 0
    for result in found:
        if result.start < high and cluster:
            cluster.append(result)
            high = max(high, result.end)
        else:
            if cluster:
                yield low, high, cluster
            low, high, cluster = result.start, result.end, [result]
    if cluster:
        yield low, high, cluster


def _settle(text: str, low: int, high: int, found: list[Found], protected: list[tuple[int, int]]) -> list[Span]:
    """Choose disjoint spans in a stretch where findings of several types overlap each other, or a tag."""
    # One byte a character says what is taken; runs of free characters are found by fast searches in it.
    taken = bytearray(high - low)
    for start, end in protected:
        start, end = max(start, low), min(end, high)
        taken[start - low : end - low] = b"\x01" * (end - start)
    spans: list[Span] = []
    for result in sorted(_merge(found), key=lambda r: (-r.score, r.start - r.end, r.start, r.entity)):
        for start, end in _gaps(taken, result.start - low, result.end - low):
            whole = (low + start, low + end) == (result.start, result.end)
            piece = (low + start, low + end) if whole else _trim(text, low + start, low + end, result.entity)
            if piece is None:
                continue
            spans.append(Span(*piece, result.entity))
            taken[piece[0] - low : piece[1] - low] = b"\x01" * (piece[1] - piece[0])
    return sorted(spans)


def outside(spans: Iterable[_Stretch], covers: Iterable[Found]) -> list[_Stretch]:
    """The spans that lie in no finding of their own type. Takes n log n steps, however many there are of either."""
    starts: dict[str, list[int]] = {}
    furthest: dict[str, list[int]] = {}
    for cover in sorted(covers, key=lambda r: r.start):
        ends = furthest.setdefault(cover.entity, [])
        starts.setdefault(cover.entity, []).append(cover.start)
        ends.append(max(cover.end, ends[-1] if ends else 0))
    kept = []
    for span in spans:
        at = bisect_right(starts.get(span.entity, []), span.start)
        if not at or furthest[span.entity][at - 1] < span.end:
            kept.append(span)
    return kept


def overlapping(spans: Sequence[Any], start: int, end: int) -> Iterator[Any]:
    """Of disjoint spans in order, those that cover any of a stretch."""
    at = bisect_left(spans, (start,))
    at -= at > 0 and spans[at - 1][1] > start
    while at < len(spans) and spans[at][0] < end:
        yield spans[at]
        at += 1


def _merge(found: Iterable[Found]) -> list[Found]:
    """Join overlapping findings of one type into one: two rules saw two parts of one value."""
    merged: list[Found] = []
    for result in sorted(found, key=lambda r: (r.entity, r.start, r.end)):
        last = merged[-1] if merged else None
        if last is not None and last.entity == result.entity and result.start < last.end:
            end, score = max(last.end, result.end), max(last.score, result.score)
            merged[-1] = last._replace(end=end, score=score)
        else:
            merged.append(result)
    return merged


def _gaps(taken: bytearray, start: int, end: int) -> list[tuple[int, int]]:
    """The runs of untaken characters inside a span."""
    gaps = []
    at = taken.find(0, start, end)
    while at != -1:
        stop = taken.find(1, at, end)
        stop = end if stop == -1 else stop
        gaps.append((at, stop))
        at = taken.find(0, stop, end)
    return gaps


def _trim(text: str, start: int, end: int, entity: str) -> tuple[int, int] | None:
    """Strip a remainder of what carries nothing by itself; None where nothing is left."""
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    # One character tells nothing, but for half of a Chinese name.
    return (start, end) if end - start > 1 or (end > start and entity == "PERSON" and text[start] >= "\u2e80") else None
