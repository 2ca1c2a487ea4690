"""Patterns of RE2 with a lighter way to their matches: the package's own takes longer to hand one over than to find it.

A text is encoded once for all patterns that are sought in it, offsets of an ASCII text are taken as they are, and a
match is what rules ask of it, no more.
"""

from collections.abc import Iterator
from typing import Any

import re2

# RE2 itself, without the wrapper around it.
_CORE: Any = re2._re2  # the package gives no other way to it
_ANYWHERE, _AT_START, _WHOLE = (
    _CORE.RE2.Anchor.UNANCHORED,
    _CORE.RE2.Anchor.ANCHOR_START,
    _CORE.RE2.Anchor.ANCHOR_BOTH,
)
_NOWHERE = (-1, -1)
_Spans = list[tuple[int, int]]


class Match:
    """A match, with the part of `re.Match` that rules use."""

    __slots__ = ("_spans", "_text", "pattern")

    def __init__(self, pattern: "Compiled", text: Any, spans: _Spans) -> None:
        self.pattern, self._text, self._spans = pattern, text, spans

    def group(self, number: int = 0) -> Any:
        """What a group matched; None where it took no part."""
        start, end = self._spans[number]
        return None if start < 0 else self._text[start:end]

    def span(self, number: int = 0) -> tuple[int, int]:
        """The span of a group."""
        return self._spans[number]

    def start(self, number: int = 0) -> int:
        """The start of a group."""
        return self._spans[number][0]

    def end(self, number: int = 0) -> int:
        """The end of a group."""
        return self._spans[number][1]


class Compiled:
    """A compiled pattern.

    Args:
        compiled: The pattern as the package compiled it.
    """

    __slots__ = ("groups", "seek")

    def __init__(self, compiled: Any) -> None:
        core = compiled._regexp
        self.seek = core.Match
        self.groups: int = core.NumberOfCapturingGroups()

    def finditer(self, text: Any, pos: int = 0, endpos: int | None = None) -> Iterator[Match]:
        """Yield the matches in a text, in order."""
        return self._matches(_ANYWHERE, text, pos, endpos)

    def findall(self, text: Any, pos: int = 0, endpos: int | None = None) -> list[Any]:
        """What a pattern without groups matches, in order."""
        return [match.group() for match in self.finditer(text, pos, endpos)]

    def search(self, text: Any, pos: int = 0, endpos: int | None = None) -> Match | None:
        """The first match in a text."""
        return next(self._matches(_ANYWHERE, text, pos, endpos), None)

    def match(self, text: Any, pos: int = 0, endpos: int | None = None) -> Match | None:
        """The match at the start of a text."""
        return next(self._matches(_AT_START, text, pos, endpos), None)

    def fullmatch(self, text: Any, pos: int = 0, endpos: int | None = None) -> Match | None:
        """The match that is the whole text."""
        return next(self._matches(_WHOLE, text, pos, endpos), None)

    def found_in(self, encoded: bytes, start: int = 0) -> tuple[int, int] | None:
        """The span of the first match in bytes, or in the UTF-8 of a text; None where there is none."""
        span: tuple[int, int] = self.seek(_ANYWHERE, encoded, start, len(encoded))[0]
        return None if span == _NOWHERE else span

    def over(self, text: str, encoded: bytes) -> Iterator[Match]:
        """Yield the matches in a text whose UTF-8 is at hand."""
        if len(text) == len(encoded):
            return self._in_bytes(_ANYWHERE, text, encoded, 0, len(encoded))
        return self._in_text(_ANYWHERE, text, encoded, 0, len(encoded), 0)

    def _matches(self, anchor: Any, text: Any, pos: int, endpos: int | None) -> Iterator[Match]:
        end = len(text) if endpos is None else max(0, min(endpos, len(text)))
        pos = max(0, min(pos, len(text)))
        if pos > end:
            return iter(())
        if not isinstance(text, str):
            return self._in_bytes(anchor, text, text, pos, end)
        encoded = text.encode()
        if len(encoded) == len(text):
            return self._in_bytes(anchor, text, encoded, pos, end)
        low = _CORE.CharLenToBytes(encoded, 0, pos) if pos else 0
        high = len(encoded) if end == len(text) else low + _CORE.CharLenToBytes(encoded, low, end - pos)
        return self._in_text(anchor, text, encoded, low, high, pos)

    def _in_bytes(self, anchor: Any, text: Any, encoded: bytes, at: int, end: int) -> Iterator[Match]:
        """Matches where each byte is a character."""
        seek = self.seek
        while True:
            spans = seek(anchor, encoded, at, end)
            start, stop = spans[0]
            if start < 0:
                return
            yield Match(self, text, spans)
            if at == end:
                return
            # Behind an empty match where the last one ended, the search goes on a character further.
            at = stop if stop != at else at + 1

    def _in_text(self, anchor: Any, text: str, encoded: bytes, at: int, end: int, chars: int) -> Iterator[Match]:
        """Matches in a text with characters of several bytes, of which `chars` stand before the first byte sought."""
        seek, count = self.seek, _CORE.BytesToCharLen
        counted = at
        while True:
            spans = seek(anchor, encoded, at, end)
            start, stop = spans[0]
            if start < 0:
                return
            chars += count(encoded, counted, start)
            counted = start
            placed = [(chars, chars + count(encoded, start, stop))]
            for low, high in spans[1:]:
                before = chars + (count(encoded, start, low) if low > start else 0)
                placed.append((before, before + count(encoded, low, high)) if low >= 0 else _NOWHERE)
            yield Match(self, text, placed)
            if at == end:
                return
            at = stop if stop != at else at + _CORE.CharLenToBytes(encoded, at, 1)
