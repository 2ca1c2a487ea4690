"""What was found in a text and by which rule, in places of the original: never the value itself."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from presidio_analyzer import RecognizerResult

from anonymize.spans import Found, Span

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


def in_presidios_form(found: Iterable[Found]) -> list[RecognizerResult]:
    """Findings as Presidio's recognizers return them, with the name of the rule that made each."""
    return [RecognizerResult(f.entity, f.start, f.end, f.score, recognition_metadata={_RULE: f.rule}) for f in found]


class Trace:
    """Follows one text through the passes of the engine, and says where in the original each masked stretch stood."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        # Of each tag that was written, in order: where the value stood in the original, its length, the tag's length.
        self._edits: list[tuple[int, int, int]] = []

    def note(self, spans: Sequence[Span], results: Sequence[Found], tags: Sequence[str]) -> None:
        """Take down what a pass masks.

        Args:
            spans: What is masked, in offsets of the text as it is before the pass, in order.
            results: The pass's findings, in the same offsets.
            tags: The tag of each span.
        """
        starts, shifts = self._shifts()
        fresh = []
        makers = _Makers(results)
        for span, tag in zip(spans, tags, strict=True):
            shift = shifts[bisect_right(starts, span.start)]
            start, end = span.start - shift, span.end - shift
            rule, score = makers.of(span)
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


class _Makers:
    """The findings of a pass by type and place, so that a text full of them takes no longer a span."""

    def __init__(self, results: Sequence[Found]) -> None:
        self._found: dict[str, list[Found]] = {}
        for found in sorted(results):
            self._found.setdefault(found.entity, []).append(found)
        self._longest = {entity: max(f.end - f.start for f in found) for entity, found in self._found.items()}

    def of(self, span: Span) -> tuple[str, float]:
        """Rule and score of the strongest finding of a span's type that covers any of it."""
        found = self._found.get(span.entity, [])
        low = bisect_left(found, span.start - self._longest.get(span.entity, 0), key=lambda f: f.start)
        high = bisect_left(found, span.end, low, key=lambda f: f.start)
        near = [f for f in found[low:high] if span.start < f.end]
        if not near:
            return SPREAD_RULE, 0.0
        best = max(near, key=lambda f: (f.score, f.end - f.start, -f.start))
        return best.rule, best.score
