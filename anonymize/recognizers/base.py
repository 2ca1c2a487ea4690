"""What the rule-based recognizers share: they search a folded view in linear time and check neighbours themselves."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import re2
from presidio_analyzer import EntityRecognizer, RecognizerResult

from anonymize.view import View

# Scores order findings that overlap; they are no probabilities. A checksum outranks a context word, and that a shape.
PROVEN, CUED, SHAPED, GUESSED = 1.0, 0.9, 0.8, 0.6
# A place or a body that by itself leads to nobody: it counts in a short text that names somebody, and nowhere else.
WEAK = 0.3

_MEMORY = 16 << 20  # bytes; beyond it RE2 falls back to a matcher that is linear too, but ten times slower


class Hit(NamedTuple):
    """A finding in offsets of the folded text."""

    start: int
    end: int
    score: float
    entity: str

    @classmethod
    def at(cls, span: tuple[int, int], score: float, entity: str) -> "Hit":
        """A finding at a match's span."""
        return cls(span[0], span[1], score, entity)


def over_bytes(pattern: str) -> Any:
    r"""Compile a pattern over skeletons.

    ASCII stands as written, `\xC8` for Han, `\xE0` and `\xC0` for other small and capital letters.

    Raises:
        re2.error: The pattern is not one that runs in linear time.
    """
    return re2.compile(pattern.encode("latin-1"), _options(re2.Options.Encoding.LATIN1))


def over_text(pattern: str) -> Any:
    """Compile a pattern over folded text, for the rules that name Chinese words.

    Raises:
        re2.error: The pattern is not one that runs in linear time.
    """
    return re2.compile(pattern, _options(re2.Options.Encoding.UTF8))


def _options(encoding: Any) -> Any:
    """Options of every pattern: silent, since RE2 would print a pattern, and names stand in some; room for its DFA."""
    options = re2.Options()
    options.encoding = encoding
    options.log_errors = False
    options.max_mem = _MEMORY
    return options


class RuleRecognizer(EntityRecognizer):
    """A recognizer made of rules over a `View`. It works alike in every language.

    Subclasses set `ENTITIES` and yield hits from `find`.
    """

    ENTITIES: ClassVar[tuple[str, ...]] = ()

    def __init__(self, supported_language: str = "en") -> None:
        super().__init__(
            supported_entities=list(self.ENTITIES), name=type(self).__name__, supported_language=supported_language
        )

    def load(self) -> None:
        """Nothing to load: rules are compiled with their modules."""

    @abstractmethod
    def find(self, view: View) -> Iterator[Hit]:
        """Yield the findings in a view, in any order; they may overlap."""

    def analyze(self, text: str, entities: list[str], nlp_artifacts: Any = None) -> list[RecognizerResult]:
        """Find entities in a text.

        Args:
            text: The original text.
            entities: Entity types wanted.
            nlp_artifacts: A `View` of the text, where the caller has one; anything else is ignored.

        Returns:
            Findings in offsets of the original text, in code points.
        """
        view = nlp_artifacts if isinstance(nlp_artifacts, View) else View.of(text)
        results = []
        for hit in self.find(view):
            if hit.entity in entities and hit.start < hit.end:
                start, end = view.span(hit.start, hit.end)
                results.append(RecognizerResult(hit.entity, start, end, hit.score))
        return results


def has_any(view: View, cues: tuple[str, ...]) -> bool:
    """Whether any of the lower-case cues occurs: a cheap test that saves a pattern its run."""
    lower = view.lower
    return any(cue in lower for cue in cues)
