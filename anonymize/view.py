"""A text as the recognizers see it: folded, with a map back to the original."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from anonymize.matching import Match
    from anonymize.recognizers.base import Pattern

# Classes of the skeleton, all outside ASCII: a pattern over bytes can then tell letters from Han and from the rest.
HAN, LOWER, UPPER, OTHER = 0xC8, 0xE0, 0xC0, 0x80

_ZERO_WIDTH: tuple[int, ...] = (0x00AD, 0x061C, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF)
_ZERO_WIDTH += tuple(range(0x202A, 0x202F)) + tuple(range(0x2066, 0x206A)) + tuple(range(0xFE00, 0xFE10))
_SMALL_WORD = re.compile(r"(?<![A-Za-z])[a-z]{2,30}(?![A-Za-z])")
_WORD = re.compile("[a-z\u00c0-\u1fff]+")
_JOINED_WORD = re.compile("[a-z\u00c0-\u1fff]+(?:['-][a-z\u00c0-\u1fff]+)+")
_DASHES = "\u2010\u2011\u2012\u2013\u2212"
_DROP = 0x110000
_OPAQUE = "\ufffc"
# Characters that names and words in simplified script are written with as well.
_SIMPLE_TOO = "乾昇吒"
# Stands for a tag that we wrote: what is left of its sentence has been read before.
WRITTEN = "\ufff9"
# In a text of this length who is named and what else is named belong together.
SHORT = 400
# A tag is longer than most values: in a text beyond this length it is seen as a single character.
LONG = 800
_OURS = re.compile(r"_[a-z2-7]{8}>")
_TAIL = 10  # characters that it matches


@cache
def _tables() -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    """Build the fold (code point to code point) and the class of each code point."""
    fold = np.arange(0x110000, dtype=np.uint32)
    kind = np.full(0x110000, OTHER, dtype=np.uint8)
    for code in (*range(0x80, 0x3400), *range(0xA000, 0xAC00), *range(0xF900, 0x10000), *range(0x1D400, 0x1F200)):
        char = chr(code)
        plain = unicodedata.normalize("NFKC", char)
        # Only a fold of one character to one keeps offsets; the others stay as they are.
        if len(plain) == 1 and plain != char:
            fold[code] = ord(plain)
        if char.isalpha():
            kind[code] = UPPER if char.isupper() else LOWER
    for low, high in ((0x3005, 0x3008), (0x3040, 0xA000), (0xAC00, 0xD7A4), (0xF900, 0xFB00), (0x20000, 0x32000)):
        kind[low:high] = HAN
    kind[:0x80] = np.arange(0x80, dtype=np.uint8)
    traditional = "".join(map(chr, range(0x4E00, 0xA000)))
    fold[0x4E00:0xA000] = [ord(char) for char in _simplified(traditional)]
    fold[0xD800:0xE000] = 0xFFFD  # a lone surrogate cannot be encoded
    for char in _DASHES:
        fold[ord(char)] = ord("-")
    fold[0x2019] = ord("'")
    fold[list(_ZERO_WIDTH)] = _DROP
    return fold, kind


def _simplified(chars: str) -> str:
    """Traditional characters made simplified one by one, so that rules, lists and the model need to know one script."""
    import opencc

    # A line each: what several characters mean together is not asked, for only one for one keeps offsets.
    lines = opencc.OpenCC("t2s").convert("\n".join(chars)).split("\n")
    pairs = zip(chars, lines, strict=True)
    return "".join(line if len(line) == 1 and char not in _SIMPLE_TOO else char for char, line in pairs)


@dataclass(eq=False)
class View:
    """A folded text.

    Attributes:
        original: The text as it came.
        text: The folded text: compatibility forms made plain and traditional characters simplified where that is one
            character for one, zero-width characters removed.
        skeleton: The folded text, one byte a character: ASCII as it is, everything else as its class. Patterns over
            it need no decoding, so their offsets are those of `text`.
        index: Offset in `original` of each character of `text`, and of the end; None where the two coincide.
        seen: Numbers of the patterns that match somewhere in the text, of those below `looked`; see `look_ahead`.
        looked: How many patterns were looked for ahead.
    """

    original: str
    text: str
    skeleton: bytes
    index: npt.NDArray[np.int64] | None
    seen: set[int] = field(default_factory=set)
    looked: int = 0

    @classmethod
    def of(cls, original: str, hidden: Sequence[tuple[int, int]] = ()) -> "View":
        """Fold a text. Linear in its length.

        Args:
            original: Any text.
            hidden: Disjoint spans that no recognizer may look into, in order: their characters become opaque ones,
                `WRITTEN` in a tag of ours; in a long text one for each span.
        """
        if not hidden and original.isascii():
            return cls(original, original, original.encode("ascii"), None)
        if original.isascii() and len(original) <= LONG:
            return cls(original, *_hidden_in_ascii(original, hidden), None)
        fold, kind = _tables()
        raw = np.frombuffer(original.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        codes = fold[raw]
        kept = codes != _DROP
        if hidden and len(original) > LONG:
            starts, ends = np.array(hidden).T
            depth = np.zeros(len(codes) + 1, dtype=np.int8)
            depth[starts] += 1
            depth[ends] -= 1
            kept &= np.cumsum(depth[:-1], dtype=np.int8) == 0
            kept[starts], codes[starts] = True, np.where(_ours(raw, ends), ord(WRITTEN), ord(_OPAQUE))
        elif hidden:
            for start, end in hidden:
                kept[start:end], codes[start:end] = True, ord(_mark(original, end))
        index = None
        if not kept.all():
            index = np.append(np.flatnonzero(kept), len(original))
            codes = codes[kept]
        return cls(original, codes.tobytes().decode("utf-32-le"), kind[codes].tobytes(), index)

    def matches(self, pattern: "Pattern") -> Iterable["Match"]:
        """The matches of a pattern, in order; none, without a search, where it is known to match nowhere."""
        if pattern.number < self.looked and pattern.number not in self.seen:
            return ()
        if pattern.in_bytes:
            return pattern.compiled.finditer(self.skeleton)
        return pattern.compiled.over(self.text, self.encoded)

    def holds(self, pattern: "Pattern") -> bool:
        """Whether a pattern matches anywhere."""
        if pattern.number < self.looked:
            return pattern.number in self.seen
        return pattern.compiled.found_in(self.skeleton if pattern.in_bytes else self.encoded) is not None

    @cached_property
    def encoded(self) -> bytes:
        """The folded text in UTF-8, for patterns over text."""
        return self.text.encode()

    @cached_property
    def memo(self) -> dict[str, Any]:
        """What recognizers work out about the text and share, by name."""
        return {}

    @cached_property
    def found(self) -> bytearray:
        """One byte a character of the folded text: 1 where a rule has found something, so that no model need look."""
        return bytearray(len(self.text))

    @cached_property
    def lower(self) -> str:
        """The folded text in lower case where that keeps its length, for substring tests only."""
        return self.text.lower()

    @cached_property
    def words(self) -> frozenset[str]:
        """The words in alphabets, in small letters; those with a hyphen or an apostrophe also by their parts."""
        words = _WORD.findall(self.lower)
        if "-" in self.lower or "'" in self.lower:
            words += _JOINED_WORD.findall(self.lower)
        return frozenset(words)

    @cached_property
    def small_words(self) -> frozenset[str]:
        """The words of the text that occur in small letters: their capitalised forms are no names."""
        return frozenset(_SMALL_WORD.findall(self.text))

    @cached_property
    def has_digit(self) -> bool:
        """Whether an ASCII digit occurs."""
        return any(digit in self.text for digit in "0123456789")

    @cached_property
    def has_han(self) -> bool:
        """Whether a Chinese character (or kana, or hangul) occurs."""
        return HAN in self.skeleton

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Map a span of `text` to the span of `original` that it came from."""
        if self.index is None:
            return start, end
        return int(self.index[start]), int(self.index[end - 1]) + 1

    def before(self, start: int, chars: int) -> str:
        """The lower-cased folded text just before an offset."""
        return self.text[max(0, start - chars) : start].lower()

    def after(self, end: int, chars: int) -> str:
        """The lower-cased folded text just after an offset."""
        return self.text[end : end + chars].lower()


def _mark(original: str, end: int) -> str:
    """What a hidden span is seen as."""
    return WRITTEN if _OURS.match(original, max(0, end - _TAIL)) is not None else _OPAQUE


def _ours(codes: npt.NDArray[np.uint32], ends: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Which of many hidden spans are tags of ours, by the characters at their ends, as `_OURS` has it."""
    ours: npt.NDArray[np.bool_] = ends >= _TAIL
    for back, chars in (
        (_TAIL, "_"),
        *((at, "abcdefghijklmnopqrstuvwxyz234567") for at in range(_TAIL - 1, 1, -1)),
        (1, ">"),
    ):
        expected = np.zeros(0x81, dtype=bool)
        expected[[ord(char) for char in chars]] = True
        ours &= expected[np.minimum(codes[ends - back], 0x80)]
    return ours


def _hidden_in_ascii(original: str, hidden: Sequence[tuple[int, int]]) -> tuple[str, bytes]:
    """A short ASCII text and its skeleton with spans hidden. ASCII folds to itself, so that no table need be asked."""
    parts, skeleton, at = [], bytearray(original, "ascii"), 0
    for start, end in hidden:
        parts += [original[at:start], _mark(original, end) * (end - start)]
        skeleton[start:end] = bytes([OTHER]) * (end - start)
        at = end
    return "".join([*parts, original[at:]]), bytes(skeleton)


def is_word(byte: int) -> bool:
    """Whether a skeleton byte is an ASCII letter, a digit, an underscore or another alphabet's letter."""
    return 48 <= byte <= 57 or 65 <= byte <= 90 or 97 <= byte <= 122 or byte in (95, LOWER, UPPER)


def free(skeleton: bytes, start: int, end: int, *, also: bytes = b"") -> bool:
    """Whether a span touches no word character of an alphabet on either side. Chinese beside it is no obstacle.

    Args:
        skeleton: The text, one byte a character.
        start: Start of the span.
        end: End of the span.
        also: Further bytes that may not touch it.
    """
    left = skeleton[start - 1] if start else 32
    right = skeleton[end] if end < len(skeleton) else 32
    return not (is_word(left) or is_word(right) or left in also or right in also)


def free_digits(skeleton: bytes, start: int, end: int) -> bool:
    """Whether a number stands alone: no letter or digit touches it, nor a point or sign that makes it part of one."""
    if not free(skeleton, start, end):
        return False
    left = skeleton[start - 2 : start] if start > 1 else b"  "
    right = skeleton[end : end + 2]
    joined_left = len(left) == 2 and left[1:] in (b".", b"-", b"/") and left[:1].isalnum()
    joined_right = len(right) == 2 and right[:1] in (b".", b"-", b"/") and right[1:].isdigit()
    return not joined_left and not joined_right
