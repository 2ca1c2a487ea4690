"""Slots of a request: the values that make it this request and no other. A changed slot is a new request."""

import re
from collections import Counter
from functools import cache, lru_cache
from pathlib import Path

import re2
import yaml

_OPPOSITES = Path(__file__).parent / "cues" / "opposites.yaml"

_TAG = re.compile(r"<[a-z_]+_[a-z0-9]+>")
_QUOTED = re.compile(r"\"([^\"]{1,80})\"|`([^`]{1,80})`|(?<![a-z])'([^']{2,80})'(?![a-z])|《([^》]{1,40})》")
_PATH = re.compile(r"https?://\S+|(?:[a-z]:)?[/\\][\w.\-]+(?:[/\\][\w.\-]+)+|\b[\w\-]+\.(?:py|js|ts|java|cpp|c|h|go|rs|md|"
                   r"txt|csv|json|ya?ml|xlsx?|docx?|pdf|html?|css|sql|sh|png|jpe?g)\b")  # fmt: skip
_NAME = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]*\d+[a-z][a-z0-9]*\b|\b[a-z]+\d+[a-z0-9]*\b|#\d+")
_NUMBER = re.compile(r"(?<![a-z_\d.])\d+(?:[.,]\d+)*(?:%|\b|(?=[^\d.,]))")
_WORD_NUMBERS = {
    w: str(n)
    for n, w in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
}
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
    found = Counter(n.replace(",", "").rstrip(".").removesuffix("%") for n in _NUMBER.findall(folded))
    found.update(
        _WORD_NUMBERS[w]
        for w in re.findall(r"\b[a-z]{3,6}\b", folded)
        if w in _WORD_NUMBERS and w not in {"one", "zero"}
    )
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
    tagless = _TAG.sub(" ", folded)
    return {
        "polarity": frozenset(map(str, _poles().Match(tagless) or ())),
        "tag": frozenset(_TAG.findall(folded)),
        "quote": frozenset(" ".join("".join(m).split()) for m in _QUOTED.findall(tagless)),
        "path": frozenset(_PATH.findall(tagless)),
        "name": frozenset(_NAME.findall(tagless)),
        "number": frozenset(f"{n}#{k}" for n, times in numbers(tagless).items() for k in range(times)),
    }


def changed(earlier: str, later: str, before: dict[str, frozenset[str]], after: dict[str, frozenset[str]]) -> list[str]:
    """Kinds of slots in which two folded requests conflict.

    A value that only one of them gives is no conflict (people add and leave out detail); a value that stands against
    another one is. Order is looked at only here, since it needs both texts.

    Args:
        earlier: The earlier request, folded.
        later: The later request, folded.
        before: `slots(earlier)`.
        after: `slots(later)`.

    Returns:
        Sorted kinds: those of `slots`, `polarity` and `order`.
    """
    kinds = {k for k, values in before.items() if k != "polarity" and values - after[k] and after[k] - values}
    turned = before["polarity"] - after["polarity"]
    # A pair's sides are neighbouring numbers, 2n and 2n + 1.
    if any(str(int(pole) ^ 1) in after["polarity"] - before["polarity"] for pole in turned):
        kinds.add("polarity")
    if _reordered(earlier, later) and _DIRECTION.search(earlier):
        kinds.add("order")
    return sorted(kinds)


def _reordered(earlier: str, later: str) -> bool:
    """Whether two texts hold the same words, or characters, in another order. The cheapest doubts come first."""
    words, others = _words(earlier), _words(later)
    first, second = "".join(words), "".join(others)
    if len(first) != len(second) or first == second or sorted(first) != sorted(second):
        return False
    return sorted(words) == sorted(others) or sorted(earlier) == sorted(later)


@lru_cache(maxsize=4096)
def _words(folded: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", folded))


@lru_cache(maxsize=4096)
def negated(folded: str) -> bool:
    """Whether a folded text holds a negation."""
    return _NEGATION.search(folded) is not None
