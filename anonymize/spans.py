"""Overlapping findings become disjoint spans before anything is replaced."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from presidio_analyzer import RecognizerResult


class Span(NamedTuple):
    """A stretch of the original text to be masked, in code points."""

    start: int
    end: int
    entity: str


def resolve(text: str, found: Iterable[RecognizerResult], protected: Sequence[tuple[int, int]]) -> list[Span]:
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
    ranked = sorted(_merge(found), key=lambda r: (-r.score, r.start - r.end, r.start, r.entity_type))
    if not ranked:
        return []
    # One byte a character says what is taken; runs of free characters are found by fast searches in it.
    taken = bytearray(len(text))
    for start, end in protected:
        taken[start:end] = b"\x01" * (end - start)
    spans: list[Span] = []
    for result in ranked:
        for start, end in _gaps(taken, result.start, result.end):
            whole = (start, end) == (result.start, result.end)
            piece = (start, end) if whole else _trim(text, start, end, result.entity_type)
            if piece is None:
                continue
            spans.append(Span(*piece, result.entity_type))
            taken[piece[0] : piece[1]] = b"\x01" * (piece[1] - piece[0])
    spans.sort()
    return spans


def outside(spans: Iterable[Span], covers: Iterable[RecognizerResult]) -> list[Span]:
    """The spans that lie in no finding of their own type. Takes n log n steps, however many there are of either."""
    starts: dict[str, list[int]] = {}
    furthest: dict[str, list[int]] = {}
    for cover in sorted(covers, key=lambda r: r.start):
        ends = furthest.setdefault(cover.entity_type, [])
        starts.setdefault(cover.entity_type, []).append(cover.start)
        ends.append(max(cover.end, ends[-1] if ends else 0))
    kept = []
    for span in spans:
        at = bisect_right(starts.get(span.entity, []), span.start)
        if not at or furthest[span.entity][at - 1] < span.end:
            kept.append(span)
    return kept


def _merge(found: Iterable[RecognizerResult]) -> list[RecognizerResult]:
    """Join overlapping findings of one type into one: two rules saw two parts of one value."""
    merged: list[RecognizerResult] = []
    for result in sorted(found, key=lambda r: (r.entity_type, r.start, r.end)):
        last = merged[-1] if merged else None
        if last is not None and last.entity_type == result.entity_type and result.start < last.end:
            end, score = max(last.end, result.end), max(last.score, result.score)
            merged[-1] = RecognizerResult(last.entity_type, last.start, end, score)
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
