"""The maintained word lists in `anonymize/data/`."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "data"


@dataclass(frozen=True, slots=True)
class Lists:
    """Word lists, lower case.

    Attributes:
        given: Given names in Latin script.
        words: Names, in either script, that are ordinary words as well.
        places: Countries and places that everybody knows.
        famous: People of public knowledge, real and fictional.
        not_names: Products, companies, terms and headings that a model takes for names.
        surnames: Chinese family names.
        common: Ordinary English words, less those that are given names.
    """

    given: frozenset[str]
    words: frozenset[str]
    places: frozenset[str]
    famous: frozenset[str]
    not_names: frozenset[str]
    surnames: frozenset[str]
    common: frozenset[str]


def word_set(text: str) -> frozenset[str]:
    """The words of a text, for lists that belong to one rule and stand beside it."""
    return frozenset(text.split())


@cache
def lists() -> Lists:
    """Load the lists, once a process."""
    surnames: set[str] = set()
    for token in _entries("surnames_zh.txt", " "):
        # Single characters stand in one run; names of two characters stand apart.
        surnames.update([token] if len(token) == 2 else token)
    return Lists(
        given=frozenset(_entries("given_names.txt", " ")),
        words=frozenset(_entries("word_names.txt", " ")),
        places=frozenset(_entries("known_places.txt", "|")),
        famous=frozenset(_entries("famous_people.txt", "|")),
        not_names=frozenset(_entries("not_names.txt", "|")),
        surnames=frozenset(surnames),
        common=frozenset(_entries("common_words.txt", " ")) - frozenset(_entries("given_names.txt", " ")),
    )


def _entries(name: str, separator: str) -> list[str]:
    lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    parts = (part.strip() for line in lines if not line.startswith("#") for part in line.split(separator))
    # A blank entry would match everything.
    return [part for part in parts if part]
