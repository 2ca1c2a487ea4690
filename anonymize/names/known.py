"""Names in Latin script that the lists know, in any case: a given name with what follows it, or a common one alone."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from anonymize.names.lists import Lists, lists, word_set
from anonymize.names.segments import prose
from anonymize.recognizers.base import GUESSED, SHAPED, Hit, RuleRecognizer
from anonymize.view import View

_WORD = re.compile(rb"[A-Za-z\xC0\xE0]+(?:['-][A-Za-z\xC0\xE0]+)*")
_PARTICLES = word_set("de da di del della der den van von la le el al bin ibn ben ten ter dos das du y")
# Family names that say so by themselves.
_CLAN = re.compile(r"o'[a-z]{3,}|mc[a-z]{4,}")
_MOST_PARTS = 4
# Marks that make a word a part of an identifier, a path or a command.
_CODE_LEFT, _CODE_RIGHT = frozenset(b"_/@#\\=$.&-+~*^%`<"), frozenset(b"_/@=(\\{[`>")
_SHORTEST_ALONE = 4
# Names that are words of places, colours and papers, in front of which more capitals follow as often as a family name.
_NO_HEADS = word_set(
    "park green forest field river lake stone rock sea sky sun rain king queen prince west north law price cash "
    "bill wells woods wood ward ash bay bush candy case cross day duke earl fern flora frost garden golden hunt "
    "jewel journey judge light long love major march patience pepper pike pine rich rush sage silver sterling "
    "storm summer sunny temple trinity van winter wolf young heaven harmony destiny glory joy justice knight "
    "mercy noble cook baker carter cooper mason turner"
)
# Cases in which a word may be written.
_LOWER, _TITLE, _UPPER, _ODD = range(4)


class _Token(NamedTuple):
    start: int
    end: int
    lower: str
    case: int


class KnownNameRecognizer(RuleRecognizer):
    """Finds people whose given name is on a list, in prose: with family names, initials and particles, in any case."""

    ENTITIES = ("PERSON",)

    def find(self, view: View) -> Iterator[Hit]:
        """Yield names."""
        known = lists()
        for low, high in prose(view):
            yield from self._line(view, low, high, known)

    def _line(self, view: View, low: int, high: int, known: Lists) -> Iterator[Hit]:
        words = _WORD.findall(view.skeleton, low, high)
        if not any(map(_may_head, words)):
            return
        tokens = _Line(view, [m.span() for m in _WORD.finditer(view.skeleton, low, high)])
        taken = low
        for number, word in enumerate(words):
            start, end = tokens.spans[number]
            if start < taken or not _may_head(word):
                continue
            lower = view.text[start:end].lower()
            if lower not in _heads() and not _hyphenated(lower, known):
                continue
            last = self._last(view, tokens, number, known)
            if last is not None:
                taken = tokens[last].end
                yield Hit(start, taken, SHAPED - 0.12 if last > number else GUESSED, "PERSON")

    def _last(self, view: View, tokens: "_Line", first: int, known: Lists) -> int | None:
        """The number of the last word of the name that begins at a word, or None where none does."""
        head = tokens[first]
        if view.skeleton[head.start - 1 : head.start] in (b"'",) or _in_code(view, head):
            return None
        last = at = first
        while at + 1 < len(tokens) and at - first < _MOST_PARTS and _adjoins(view, tokens[at], tokens[at + 1]):
            word = tokens[at + 1]
            if len(word.lower) == 1 or word.lower in _PARTICLES:
                at += 1
            elif _continues(head.lower, head.case, word.lower, word.case):
                at += 1
                last = at
            else:
                break
        if last > first:
            return None if _in_code(view, tokens[last]) else last
        return first if _alone(head, known) else None


class _Line:
    """The words of a line, each looked at when it is asked for: a name may begin at few of them."""

    def __init__(self, view: View, spans: list[tuple[int, int]]) -> None:
        self.spans = spans
        self._view = view
        self._tokens: dict[int, _Token] = {}

    def __len__(self) -> int:
        return len(self.spans)

    def __getitem__(self, number: int) -> _Token:
        token = self._tokens.get(number)
        if token is None:
            token = self._tokens[number] = _token(self._view, *self.spans[number])
        return token


@cache
def _heads() -> frozenset[str]:
    """Words with which a name may begin."""
    known = lists()
    return known.given | known.rare | (known.words - _NO_HEADS)


@lru_cache(maxsize=1 << 16)
def _may_head(word: bytes) -> bool:
    """Whether a name may begin with a word of a skeleton, in which letters of other alphabets stand for any such."""
    return not word.isascii() or word.decode().lower() in _heads() or b"-" in word


def _token(view: View, start: int, end: int) -> _Token:
    length, lower, case = _read(view.text[start:end])
    return _Token(start, start + length, lower, case)


@lru_cache(maxsize=1 << 14)
def _read(word: str) -> tuple[int, str, int]:
    """The length of a word without what follows an apostrophe at its end, its small letters, and its case."""
    word = word.removesuffix("'s")
    rest = word[1:].replace("-", "").replace("'", "")
    if word.islower():
        case = _LOWER
    elif word.isupper() and len(word) > 1:
        case = _UPPER
    elif rest.islower() or not rest or all(p[:1].isupper() for p in re.split("['-]", word) if p):
        case = _TITLE if word[:1].isupper() and not re.search(r"[a-z][A-Z]", word) else _ODD
    else:
        case = _ODD
    return len(word), word.lower(), case


def _hyphenated(lower: str, known: Lists) -> bool:
    """Whether a word such as Jean-Luc is made of given names."""
    return "-" in lower and lower.partition("-")[0] in known.given


def _adjoins(view: View, left: _Token, right: _Token) -> bool:
    """Whether nothing but a blank, or the point of an initial, stands between two words."""
    between = view.text[left.end : right.start]
    return (
        between in (" ", "  ")
        or (between == ". " and len(left.lower) == 1)
        or (between == "." and left.end - left.start == 1)
    )


@lru_cache(maxsize=1 << 14)
def _continues(head: str, head_case: int, lower: str, case: int) -> bool:
    """Whether a word behind a given name is more of the name; both in small letters, with their cases."""
    known = lists()
    sure = head in known.given and head not in known.words
    if (lower in known.not_names and not (sure and lower in known.family)) or (head_case == _LOWER) != (case == _LOWER):
        return False
    listed = lower in known.family or lower in known.given or lower in known.rare or _CLAN.fullmatch(lower) is not None
    # In small letters a word is a word: only names that are nothing else, or an unknown word behind a common name.
    if case == _LOWER:
        unknown = len(lower) > 3 and not known.ordinary(lower) and lower not in known.cities
        if head in known.words or not (sure or len(head) > 3):
            return False
        return (listed and lower not in known.words) or (sure and (lower in known.family_words or unknown))
    if lower in known.places or lower in known.cities:
        return listed and sure
    if head not in known.given and head not in known.rare and "-" not in head:
        # The first is a word: only a family name that is none, or one of few others, makes the two a name.
        return lower in known.family or (
            lower in known.family_words and head_case == case == _TITLE and lower not in _NO_HEADS
        )
    if listed or lower in known.family_words:
        return True
    return sure and len(lower) > 2 and not known.ordinary(lower)


def _alone(head: _Token, known: Lists) -> bool:
    """Whether a given name stands for somebody by itself: a common one that is no word, no term and no place."""
    lower = head.lower
    if lower not in known.given or lower in known.words or lower in known.not_names or lower in known.places:
        return False
    return len(lower) >= _SHORTEST_ALONE and (head.case != _UPPER or len(lower) > _SHORTEST_ALONE)


def _in_code(view: View, token: _Token) -> bool:
    """Whether the neighbours of a word say that it is a part of an identifier, a path or an address."""
    left = view.skeleton[token.start - 1] if token.start else 32
    right = view.skeleton[token.end : token.end + 2]
    if left in _CODE_LEFT and not (
        left in b"*-" and view.skeleton[token.start - 2 : token.start - 1] in (b"*", b" ", b"\n", b"")
    ):
        return True
    return (
        (right[:1] != b"" and right[0] in _CODE_RIGHT)
        or (right[:1] == b"." and right[1:].isalnum())
        or 48 <= left <= 57
    )
