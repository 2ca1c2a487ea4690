"""What was found in a text and by which rule, in places of the original: never the value itself."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from presidio_analyzer import RecognizerResult

from anonymize.spans import Span

SPREAD_RULE = "Spread"
_RULE = RecognizerResult.RECOGNIZER_NAME_KEY


class Finding(NamedTuple):
    """A stretch of a text that was masked.

    Attributes:
        start: First character, in code points of the original text.
        end: The character after the last.
        entity: Entity type.
        rule: Name of the recognizer; `Spread` where the value was found elsewhere in the same scope.
        score: Score of the recognizer's finding; it orders findings that overlap, and is no probability.
    """

    start: int
    end: int
    entity: str
    rule: str
    score: float


def result(entity: str, start: int, end: int, score: float, rule: str) -> RecognizerResult:
    """A finding in Presidio's form, with the name of the rule that made it."""
    return RecognizerResult(entity, start, end, score, recognition_metadata={_RULE: rule})


class Trace:
    """Follows one text through the passes of the engine, and says where in the original each masked stretch stood."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        # Of each tag that was written, in order: where the value stood in the original, its length, the tag's length.
        self._edits: list[tuple[int, int, int]] = []

    def note(self, spans: Sequence[Span], results: Sequence[RecognizerResult], tags: Sequence[str]) -> None:
        """Take down what a pass masks.

        Args:
            spans: What is masked, in offsets of the text as it is before the pass, in order.
            results: The pass's findings, in the same offsets.
            tags: The tag of each span.
        """
        starts, shifts = self._shifts()
        fresh = []
        for span, tag in zip(spans, tags, strict=True):
            shift = shifts[bisect_right(starts, span.start)]
            start, end = span.start - shift, span.end - shift
            rule, score = _maker(span, results)
            self.findings.append(Finding(start, end, span.entity, rule, score))
            fresh.append((start, end - start, len(tag)))
        self._edits = sorted(self._edits + fresh)

    def _shifts(self) -> tuple[list[int], list[int]]:
        """Where each tag stands in the text now, and by how much what follows the tags before it has moved."""
        starts, shifts = [], [0]
        for start, length, tag in self._edits:
            starts.append(start + shifts[-1])
            shifts.append(shifts[-1] + tag - length)
        return starts, shifts


def _maker(span: Span, results: Sequence[RecognizerResult]) -> tuple[str, float]:
    """The strongest finding of a span's type that covers any of it."""
    near = [r for r in results if r.entity_type == span.entity and r.start < span.end and span.start < r.end]
    if not near:
        return SPREAD_RULE, 0.0
    best = max(near, key=lambda r: (r.score, r.end - r.start, -r.start))
    return str((best.recognition_metadata or {}).get(_RULE, SPREAD_RULE)), float(best.score)
