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
        vocabulary: English words in use, less those that are given names and no words. Far more than `common`.
        rare: Given names in Latin script that are less common than `given`.
        family: Family names in Latin script that are no English words.
        given_zh: Chinese given names that stand alone.
        places_zh: Cities, districts and counties of China.
        family_words: Family names that are English words as well.
        cities: Cities of the world that are no English words.
        vocabulary_zh: Chinese words with a character of a family name or a place in them that are no names.
    """

    given: frozenset[str]
    words: frozenset[str]
    places: frozenset[str]
    famous: frozenset[str]
    not_names: frozenset[str]
    surnames: frozenset[str]
    common: frozenset[str]
    vocabulary: frozenset[str]
    rare: frozenset[str]
    family: frozenset[str]
    family_words: frozenset[str]
    given_zh: frozenset[str]
    places_zh: frozenset[str]
    cities: frozenset[str]
    vocabulary_zh: frozenset[str]

    def named(self, word: str) -> bool:
        """Whether a lower-case word is somebody's given or family name."""
        return word in self.given or word in self.family or word in self.rare

    def ordinary(self, word: str) -> bool:
        """Whether a lower-case word is an English word or a known term."""
        return word in self.vocabulary or word in self.common or word in self.not_names

    def public(self, name: str) -> bool:
        """Whether somebody or somewhere of public knowledge has a Chinese name."""
        return name in self.famous or name in self.places or name in self.places_zh


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
    given = frozenset(_entries("given_names.txt", " "))
    words = frozenset(_entries("word_names.txt", " "))
    return Lists(
        given=given,
        words=words,
        places=frozenset(_entries("known_places.txt", "|")),
        famous=frozenset(_entries("famous_people.txt", "|")),
        not_names=frozenset(_entries("not_names.txt", "|")),
        surnames=frozenset(surnames),
        common=frozenset(_entries("common_words.txt", " ")) - given,
        vocabulary=frozenset(_entries("vocabulary.txt", " ")) - (given - words),
        rare=frozenset(_entries("rare_given_names.txt", " ")),
        family=frozenset(_entries("family_names.txt", " ")),
        given_zh=frozenset(_entries("given_names_zh.txt", " ")),
        places_zh=frozenset(_entries("places_zh.txt", " ")),
        family_words=frozenset(_entries("family_words.txt", " ")),
        cities=frozenset(_entries("cities.txt", "|")),
        vocabulary_zh=frozenset(_entries("vocabulary_zh.txt", " ") + _entries("modern_words_zh.txt", " ")),
    )


def _entries(name: str, separator: str) -> list[str]:
    lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    parts = (part.strip() for line in lines if not line.startswith("#") for part in line.split(separator))
    # A blank entry would match everything.
    return [part for part in parts if part]
