"""Slots of a request: the values that make it this request and no other. A changed slot is a new request."""

import re
from collections import Counter
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import re2
import yaml
from numpy.typing import NDArray

_OPPOSITES = Path(__file__).parent / "cues" / "opposites.yaml"

_TAG = re.compile(r"<[a-z_]+_[a-z0-9]+>")
_QUOTED = re.compile(r"\"([^\"]{1,80})\"|`([^`]{1,80})`|(?<![a-z])'([^']{2,80})'(?![a-z])|《([^》]{1,40})》")
_FILE = r"\.(?:py|js|ts|java|cpp|c|h|go|rs|md|txt|csv|json|ya?ml|xlsx?|docx?|pdf|html?|css|sql|sh|png|jpe?g)\b"
_PATH = re.compile(rf"https?://\S+|(?:[a-z]:)?[/\\][\w.\-]+(?:[/\\][\w.\-]+)+|\b[\w\-]+{_FILE}")
# What every path holds, and most texts do not: found much sooner than that there is no path.
_LOCATED = re.compile(rf"https?://|[/\\][\w.\-]+[/\\]|{_FILE}")
_NAME = re.compile(r"[a-z]+(?:_[a-z0-9]+)+|[a-z]*\d+[a-z][a-z0-9]*|[a-z]+\d+[a-z0-9]*")
_TICKET = re.compile(r"(#\d+)\w*")
_NUMBER = re.compile(r"(?<![a-z_\d.])\d+(?:\.\d+|,\d{3}(?!\d))*(?:%|\b|(?=[^\d.,]))")
# Not "one", which is mostly a pronoun.
_WORD_NUMBERS = {
    w: str(n)
    for n, w in enumerate(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 2
    )
}
_WORD_NUMBER = re.compile(rf"\b(?:{'|'.join(_WORD_NUMBERS)})\b")
_DIGIT = re.compile(r"\d")
_NONE: frozenset[str] = frozenset()
_HAN_NUMBER = re.compile(
    r"[零一二两三四五六七八九十百千万]+(?=[个字条句段篇章节月日号年天岁点次遍元块斤分页行题章步种位名首张只周])"
)


def _pattern(words: str) -> str:
    """Whole words in Latin script, anything in Chinese; linear-time syntax."""
    latin = "|".join(w for w in words.split("|") if w.isascii())
    han = "|".join(w for w in words.split("|") if not w.isascii())
    return "|".join(p for p in (f"(?:^|[^a-z])(?:{latin})(?:[^a-z]|$)" if latin else "", han) if p)


@cache
def _poles() -> re2.Set:
    """All words of all pairs in one matcher: 2n is the first side of pair n, 2n + 1 the second."""
    matcher = re2.Set.SearchSet(re2.Options())
    for pair in yaml.safe_load(_OPPOSITES.read_text(encoding="utf-8")):
        for side in pair:
            matcher.Add(_pattern(side))
    matcher.Compile()
    return matcher


# Bits from here on stand for poles: an even number, so that the two sides of a pair lie beside each other.
_POLES_FROM = 8
_POLES = np.uint64((1 << 64) - (1 << _POLES_FROM))
_FIRST_SIDES = np.uint64(0x5555_5555_5555_5500)
Bits = NDArray[np.uint64]

_NEGATION = re.compile(
    r"\b(?:not|no|never|without|don't|dont|doesn't|isn't|can't|won't|shouldn't|cannot|except)\b|n't\b"
    r"|不要|不用|别|不能|不可以|没有|不是|除了|不含|不带|禁止|不"
)
_DIRECTION = re.compile(
    r"\b(?:to|into|from|against|than|over|with|by|before|after|minus|divided|beats?|vs)\b"
    r"|到|比|对|给|从|转|换成|改成|译成|翻成|变成|减|除以|把|被|让"
)


def numbers(folded: str) -> Counter[str]:
    """Numbers of a folded text, in digits whether they stood as digits or as words; thousands separators dropped."""
    found: Counter[str] = Counter()
    if _DIGIT.search(folded):
        found.update(n.replace(",", "").rstrip(".").removesuffix("%") for n in _NUMBER.findall(folded))
    found.update(_WORD_NUMBERS[w] for w in _WORD_NUMBER.findall(folded))
    if not folded.isascii():
        found.update(_from_han(n) for n in _HAN_NUMBER.findall(folded))
    return found


def _from_han(word: str) -> str:
    digits = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2}
    total, section, digit = 0, 0, 0
    for char in word:
        if char in digits:
            digit = digits[char]
        else:
            unit = {"十": 10, "百": 100, "千": 1000, "万": 10000}[char]
            if unit == 10000:
                total, section, digit = (total + (section + digit or 1)) * unit, 0, 0
            else:
                section, digit = section + (digit or 1) * unit, 0
    return str(total + section + digit)


def slots(folded: str) -> dict[str, frozenset[str]]:
    """Collect the slots of a folded request.

    Args:
        folded: The result of `signals.text.fold.fold`.

    Returns:
        Kind (`polarity`, `tag`, `quote`, `path`, `name`, `number`) to the values of that kind; numbers
        with their occurrence, so that a second 6 is another value than the first.
    """
    tagged = "<" in folded
    tagless = _TAG.sub(" ", folded) if tagged else folded
    quoting = any(mark in tagless for mark in "\"`'《")
    tickets = _TICKET.findall(tagless) if "#" in tagless else []
    words = _words(_TICKET.sub(" ", tagless) if tickets else tagless)
    names = {word for word in words if not word.isalpha() and _NAME.fullmatch(word)}
    return {
        "polarity": frozenset(map(str, _poles().Match(tagless) or ())),
        "tag": frozenset(_TAG.findall(folded)) if tagged else _NONE,
        "quote": frozenset(" ".join("".join(m).split()) for m in _QUOTED.findall(tagless)) if quoting else _NONE,
        "path": frozenset(_PATH.findall(tagless)) if _LOCATED.search(tagless) else _NONE,
        "name": frozenset(names.union(tickets)),
        "number": frozenset(f"{n}#{k}" for n, times in numbers(tagless).items() for k in range(times)),
    }


def changed(earlier: str, later: str, before: dict[str, frozenset[str]], after: dict[str, frozenset[str]]) -> list[str]:
    """Kinds of slots in which two folded requests conflict.

    Args:
        earlier: The earlier request, folded.
        later: The later request, folded.
        before: `slots(earlier)`.
        after: `slots(later)`.

    Returns:
        Sorted kinds: those of `slots`, `polarity` and `order`.
    """
    kinds = conflicting(before, after)
    if reordered(earlier, later):
        kinds.add("order")
    return sorted(kinds)


def conflicting(before: dict[str, frozenset[str]], after: dict[str, frozenset[str]]) -> set[str]:
    """Kinds of slots of which the earlier request gives a value that stands against one of the later.

    A value that only one of them gives is no conflict: people add and leave out detail.
    """
    kinds = set()
    for kind, values in before.items():
        others = after[kind]
        if not values or not others or values == others:
            continue
        gone, come = values - others, others - values
        # A pole is opposed by its pair's other side, its neighbour in number (2n, 2n + 1); a value by any other.
        facing = {str(int(pole) ^ 1) for pole in gone} & come if kind == "polarity" else come
        if gone and facing:
            kinds.add(kind)
    return kinds


def kinds_given(found: dict[str, frozenset[str]]) -> int:
    """Write down in bits what a text gives: one bit for each kind of slot, and above them one for each pole.

    Args:
        found: The result of `slots`.

    Returns:
        The bits that `may_conflict` reads.
    """
    bits = sum(1 << int(pole) for pole in found["polarity"]) << _POLES_FROM
    for n, (kind, values) in enumerate(found.items()):
        bits |= bool(values) << n if kind != "polarity" else 0
    return bits


def may_conflict(before: Bits, after: Bits) -> NDArray[np.bool_]:
    """Whether two texts can conflict in a slot, by the bits of `kinds_given`, for many at once.

    Args:
        before: Bits of the earlier text of each pair.
        after: Bits of the later one.

    Returns:
        True where both give a kind, or where a pole of the one is opposed by the other. What is false here does not
        conflict, order apart.
    """
    turned, instead = (before & ~after) & _POLES, (after & ~before) & _POLES
    # A pair's sides are neighbouring bits.
    swapped = ((turned & _FIRST_SIDES) << np.uint64(1)) | ((turned >> np.uint64(1)) & _FIRST_SIDES)
    found: NDArray[np.bool_] = ((before & after & ~_POLES) != 0) | ((swapped & instead) != 0)
    return found


def letters(folded: str) -> int:
    """A number that is the same for texts whose words have the same letters, and rarely for others."""
    return sum("".join(_words(folded)).encode())


def reordered(earlier: str, later: str) -> bool:
    """Whether two texts hold the same words, or characters, in another order, and order can matter in them."""
    words, others = _words(earlier), _words(later)
    first, second = "".join(words), "".join(others)
    if len(first) != len(second) or first == second or sorted(first) != sorted(second):
        return False
    same = sorted(words) == sorted(others) or sorted(earlier) == sorted(later)
    return same and _DIRECTION.search(earlier) is not None


@lru_cache(maxsize=4096)
def _words(folded: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", folded))


def negated(folded: str) -> bool:
    """Whether a folded text holds a negation."""
    return _NEGATION.search(folded) is not None
