"""What the rule-based recognizers share: they search a folded view in linear time and check neighbours themselves."""

import sys
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import re2
from presidio_analyzer import EntityRecognizer, RecognizerResult

from anonymize.findings import in_presidios_form
from anonymize.matching import Compiled
from anonymize.spans import Found
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


class Pattern:
    """A pattern that is sought in whole texts.

    Attributes:
        number: Place among the patterns of this process.
        compiled: The pattern.
        in_bytes: Whether it is sought in the skeleton of a text, else in the folded text.
        loose: The same over bytes for many texts at once, each on lines of its own: it matches wherever `compiled`
            would match in one of them alone, and perhaps elsewhere.
        han: Whether it is of a rule that finds nothing in a text without Chinese, so that none need be searched for it.
    """

    __slots__ = ("compiled", "han", "in_bytes", "loose", "number")

    def __init__(self, pattern: str, *, in_bytes: bool, gate: str | None = None) -> None:
        self.in_bytes = in_bytes
        self.compiled = (within_bytes if in_bytes else within_text)(pattern)
        options = _options(re2.Options.Encoding.LATIN1 if in_bytes else re2.Options.Encoding.UTF8)
        options.never_capture = True
        loose = gate if gate is not None else pattern
        encoded = b"(?m)" + loose.encode("latin-1" if in_bytes else "utf-8")
        self.loose = Compiled(re2.compile(encoded, options))
        self.han = False
        self.number = len(PATTERNS)
        PATTERNS.append(self)


PATTERNS: list[Pattern] = []


def over_bytes(pattern: str) -> Pattern:
    r"""Compile a pattern that `View.matches` seeks in skeletons.

    ASCII stands as written, `\xC8` for Han, `\xE0` and `\xC0` for other small and capital letters.

    Raises:
        re2.error: The pattern is not one that runs in linear time.
    """
    return Pattern(pattern, in_bytes=True)


def over_text(pattern: str, gate: str | None = None) -> Pattern:
    """Compile a pattern that `View.matches` seeks in folded texts, for the rules that name Chinese words.

    Args:
        pattern: The pattern.
        gate: A simpler one that matches in every text in which the pattern does. It is sought in its stead in many
            texts at once, where the pattern has more states than an automaton can hold.

    Raises:
        re2.error: The pattern is not one that runs in linear time.
    """
    return Pattern(pattern, in_bytes=False, gate=gate)


def any_of(*words: str) -> Pattern:
    """A pattern for `View.holds`: any of some words, in any case."""
    return over_text("(?i)" + "|".join(re2.escape(word) for word in words))


def within_bytes(pattern: str) -> Compiled:
    """Compile a pattern for pieces of a skeleton; see `over_bytes`."""
    return Compiled(re2.compile(pattern.encode("latin-1"), _options(re2.Options.Encoding.LATIN1)))


def within_text(pattern: str) -> Compiled:
    """Compile a pattern for pieces of a folded text; see `over_text`."""
    return Compiled(re2.compile(pattern, _options(re2.Options.Encoding.UTF8)))


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
    # Whether the rule finds nothing where none of its module's patterns matches, so that it need not be asked.
    BY_PATTERNS: ClassVar[bool] = False
    # Whether the rule finds nothing in a text without Chinese. Its module's patterns are then of no other rule.
    IN_CHINESE: ClassVar[bool] = False
    needs: ClassVar[frozenset[int]] = frozenset()

    def __init_subclass__(cls) -> None:
        module = vars(sys.modules[cls.__module__])
        cls.needs = frozenset(pattern.number for value in module.values() for pattern in _patterns_in(value))
        for number in cls.needs if cls.IN_CHINESE else ():
            PATTERNS[number].han = True

    def __init__(self, supported_language: str = "en") -> None:
        self.threshold = 0.0
        self.rule = type(self).__name__
        super().__init__(
            supported_entities=list(self.ENTITIES), name=type(self).__name__, supported_language=supported_language
        )

    def load(self) -> None:
        """Nothing to load: rules are compiled with their modules."""

    @abstractmethod
    def find(self, view: View) -> Iterator[Hit]:
        """Yield the findings in a view, in any order; they may overlap."""

    def may_find(self, view: View) -> bool:
        """Whether the rule can find anything in a view, as far as is known of it."""
        return not self.BY_PATTERNS or not view.looked or not self.needs.isdisjoint(view.seen)

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
        return in_presidios_form(self.scan(view, frozenset(entities)) if self.may_find(view) else ())

    def scan(self, view: View, entities: frozenset[str]) -> list[Found]:
        """Find entities in a view, and mark there what no model need look at.

        Args:
            view: A folded text.
            entities: Entity types wanted.
        """
        results: list[Found] = []
        in_place = view.index is None
        for start, end, score, entity in self.find(view):
            if entity in entities and start < end and score >= self.threshold:
                if score > WEAK:
                    view.found[start:end] = b"\x01" * (end - start)
                low, high = (start, end) if in_place else view.span(start, end)
                results.append(Found(low, high, entity, score, self.rule))
        return results


def _patterns_in(value: object) -> Iterator[Pattern]:
    """The patterns that a variable holds, by itself or in tuples."""
    if isinstance(value, Pattern):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _patterns_in(part)
