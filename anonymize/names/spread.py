"""What is found once in a scope is masked in every item of that scope: names, and values that are nobody else's."""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

import re2

from anonymize.names.lists import lists, word_set
from anonymize.names.titles_zh import TITLES
from anonymize.recognizers.base import within_text
from anonymize.view import HAN, View, is_word

_LEAST_LATIN, _LEAST_PART = 3, 3
_PER_PATTERN = 400
# So few forms are sought one by one: making an automaton for a short conversation takes longer than all of its use.
_FEW = 40
_BLANKS = " \t\n"
_PARTICLES = word_set("de da di la le van von der den del bin al el y jr sr ii iii dr mr mrs ms and the of")
# Values that are one person's and no other's, wherever they stand and whatever stands beside them.
_OWNED = word_set(
    "EMAIL PHONE CREDIT_CARD IBAN BANK_ACCOUNT CN_RESIDENT_ID PASSPORT US_SSN NATIONAL_ID LICENSE_PLATE HANDLE "
    "WECHAT QQ SECRET CRYPTO_WALLET"
)
SPREAD = _OWNED | {"PERSON"}
_LEAST_OWNED, _LEAST_NUMBER = 6, 7
_KIN = frozenset("婆妈爸哥姐叔伯姨奶爷嫂弟妹总工")


class Spreader:
    """Finds further occurrences of what is known. Built for one scope, used on each of its items.

    Args:
        values: Entity types with values as found, in their folded form.
    """

    def __init__(self, values: Iterable[tuple[str, str]]) -> None:
        names, owned = [], []
        for entity, value in values:
            if entity == "PERSON":
                names.append(value)
            elif len(value) >= (_LEAST_NUMBER if value.isdigit() else _LEAST_OWNED) and any(
                c.isdigit() or (c in "_@" and entity != "HANDLE") for c in value
            ):
                owned.append((entity, value))
        exact: set[str] = set()
        loose: set[str] = set()
        for name in names:
            _spell(name, exact, loose)
        loose = {v.lower() for v in loose}
        self._few = len(exact) + len(loose) <= _FEW
        self._exact, self._loose = sorted(exact), sorted(loose)
        self._patterns = [] if self._few else [*_compile(self._exact, ""), *_compile(self._loose, "(?i)")]
        self._owned: dict[str, list[str]] = {}
        for entity, value in sorted(owned):
            self._owned.setdefault(value, []).append(entity)
        self._values = list(_compile(sorted(self._owned), "")) if len(self._owned) > _FEW else None

    def find(self, view: View) -> set[tuple[int, int, str]]:
        """Spans of the folded text with entity types; they may overlap."""
        found: set[tuple[int, int, str]] = set()
        for starts, ends in self._names(view):
            _add(found, view, starts, ends, "PERSON")
        for value, entities in self._owned.items() if self._values is None else ():
            for entity in entities:
                _add(found, view, *_all(view.text, value), entity)
        for pattern in self._values or ():
            for match in pattern.over(view.text, view.encoded):
                for entity in self._owned.get(match.group(), ()):
                    _add(found, view, [match.start()], [match.end()], entity)
        return found

    def _names(self, view: View) -> Iterator[tuple[list[int], list[int]]]:
        """Starts and ends of the names' forms, pattern by pattern or form by form."""
        for pattern in self._patterns:
            spans = [match.span() for match in pattern.over(view.text, view.encoded)]
            yield [start for start, _ in spans], [end for _, end in spans]
        if self._few:
            for form in self._exact:
                yield _occurrences(view.text, form)
            lower = _lower(view) if self._loose else ""
            for form in self._loose:
                yield _occurrences(lower, form)


def _add(found: set[tuple[int, int, str]], view: View, starts: list[int], ends: list[int], entity: str) -> None:
    """Add those of some spans that stand as words."""
    found.update((start, end, entity) for start, end in zip(starts, ends, strict=True) if _alone(view, start, end))


def _spell(name: str, exact: set[str], loose: set[str]) -> None:
    """Add the forms in which a name may stand again: as it is (`exact`), or in any case (`loose`)."""
    known = lists()
    value = " ".join(name.split())
    if any("\u3040" <= c <= "\ud7a3" for c in value):
        if len(value) > 1 and value not in known.words:
            exact.add(value)
            given = _given(value)
            if given:
                exact.add(given)
        return
    parts = [p.strip(".,'") for p in value.replace("-", " ").split(" ")]
    if len(parts) > 1:
        loose.add(value)
    for part in {value, *parts} if len(parts) == 1 else parts:
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


def _given(value: str) -> str | None:
    """The given name of a Chinese name, where it has two characters and so tells somebody by itself."""
    known = lists()
    head = 2 if value[:2] in known.surnames else 1
    given = value[head:]
    named = value[:head] in known.surnames and len(given) == 2 and "·" not in given
    word = given in TITLES or given in known.words
    return given if named and not word and not any(c in _KIN for c in given) else None


def _compile(names: list[str], flags: str) -> Iterator[Any]:
    """Alternations of names, the longest first, so that a full name wins over its parts."""
    ordered = sorted(names, key=lambda n: (-len(n), n))
    for low in range(0, len(ordered), _PER_PATTERN):
        yield within_text(
            flags + "|".join(re2.escape(n).replace("\\ ", "[ \\t\\n]{1,3}") for n in ordered[low : low + _PER_PATTERN])
        )


def _all(text: str, value: str) -> tuple[list[int], list[int]]:
    """Starts and ends of a value in a text, without overlaps: pieces are cut and counted faster than it is sought."""
    if value not in text:
        return [], []
    size = len(value)
    ends = [at + size for at in accumulate(map(len, text.split(value)), lambda at, piece: at + size + piece)]
    ends.pop()  # the last piece has no value behind it
    return [end - size for end in ends], ends


def _occurrences(text: str, form: str) -> tuple[list[int], list[int]]:
    """Starts and ends of a form in a text; for a blank in it the text may have some, or a line's end."""
    first, *others = form.split()
    if not others:
        return _all(text, first)
    starts, ends = [], []
    start = text.find(first)
    while start != -1:
        end = start + len(first)
        for word in others:
            end = _behind_blanks(text, end, word)
            if end == -1:
                break
        else:
            starts.append(start)
            ends.append(end)
        start = text.find(first, max(end, start + len(first)))
    return starts, ends


def _behind_blanks(text: str, at: int, word: str) -> int:
    """The end of a word that stands behind one to three blanks; -1 where it does not."""
    for blank in range(at, min(at + 3, len(text))):
        if text[blank] not in _BLANKS:
            return -1
        if text.startswith(word, blank + 1):
            return blank + 1 + len(word)
    return -1


def _lower(view: View) -> str:
    """The folded text in small letters, each in its place."""
    if len(view.lower) == len(view.text):
        return view.lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in view.text)


def _alone(view: View, start: int, end: int) -> bool:
    """Whether a name in an alphabet stands as a word; Chinese needs no such boundary."""
    if view.skeleton[start] == HAN:
        return True
    left = view.skeleton[start - 1] if start else 32
    right = view.skeleton[end] if end < len(view.skeleton) else 32
    return not is_word(left) and not is_word(right)
