"""A name found once in a scope is masked in every item of that scope."""

from collections.abc import Iterable, Iterator
from typing import Any

import re2

from anonymize.names.lists import lists
from anonymize.recognizers.base import over_text
from anonymize.view import HAN, View, is_word

_LEAST_LATIN, _LEAST_PART = 3, 3
_PER_PATTERN = 400
_PARTICLES = frozenset(
    [
        "de",
        "da",
        "di",
        "la",
        "le",
        "van",
        "von",
        "der",
        "den",
        "del",
        "bin",
        "al",
        "el",
        "y",
        "jr",
        "sr",
        "ii",
        "iii",
        "dr",
        "mr",
        "mrs",
        "ms",
        "and",
        "the",
        "of",
    ]
)


class NameSpreader:
    """Finds further occurrences of known names. Built for one scope, used on each of its items.

    Args:
        names: Names as found, in their folded form.
    """

    def __init__(self, names: Iterable[str]) -> None:
        known = lists()
        exact: set[str] = set()
        loose: set[str] = set()
        for name in names:
            value = " ".join(name.split())
            if any("\u3040" <= c <= "\ud7a3" for c in value):
                if len(value) > 1 and value not in known.words:
                    exact.add(value)
                continue
            parts = [p.strip(".,'") for p in value.replace("-", " ").split(" ")]
            if len(parts) > 1:
                loose.add(value)
            for part in {value, *parts}:
                lower = part.lower()
                if len(part) < _LEAST_PART or lower in _PARTICLES or lower in known.not_names or lower in known.famous:
                    continue
                cased = part[:1].upper() + part[1:].lower() if part.islower() or part.isupper() else part
                # A name that is a word too is spread as it is written, with its capital, and nowhere else.
                if lower in known.words:
                    if part == value:
                        exact.add(cased)
                else:
                    exact.update((cased, part.upper()))
                    if part == value and len(part) > _LEAST_LATIN and lower in known.given:
                        loose.add(part)
        loose = {v.lower() for v in loose}
        self._patterns = [*_compile(sorted(exact), ""), *_compile(sorted(loose), "(?i)")]

    def find(self, view: View) -> Iterator[tuple[int, int]]:
        """Yield spans of the folded text, which may overlap."""
        for pattern in self._patterns:
            for match in pattern.finditer(view.text):
                start, end = match.span()
                if _alone(view, start, end):
                    yield start, end


def _compile(names: list[str], flags: str) -> Iterator[Any]:
    """Alternations of names, the longest first, so that a full name wins over its parts."""
    ordered = sorted(names, key=lambda n: (-len(n), n))
    for low in range(0, len(ordered), _PER_PATTERN):
        yield over_text(
            flags + "|".join(re2.escape(n).replace("\\ ", "[ \\t\\n]{1,3}") for n in ordered[low : low + _PER_PATTERN])
        )


def _alone(view: View, start: int, end: int) -> bool:
    """Whether a name in an alphabet stands as a word; Chinese needs no such boundary."""
    if view.skeleton[start] == HAN:
        return True
    left = view.skeleton[start - 1] if start else 32
    right = view.skeleton[end] if end < len(view.skeleton) else 32
    return not is_word(left) and not is_word(right)
