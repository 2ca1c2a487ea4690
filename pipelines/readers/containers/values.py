"""Finds where the values of a JSON document begin and end, without decoding them and without recursion."""

import re
from collections.abc import Iterator

from pipelines.readers.containers.kept import Kept
from pipelines.readers.containers.nesting import ARRAY, OBJECT, QUOTE, Nesting
from pipelines.readers.containers.window import Window
from pipelines.readers.raw import RawRecord
from schemas.reasons import Reason

_BLANKS = re.compile(rb"[ \t\r\n]*+")
_SEPARATORS = re.compile(rb"[ \t\r\n,]*+")
_TAIL_SEPARATORS = re.compile(rb"[ \t\r\n,:]*+")
_BARE = re.compile(rb'[^ \t\r\n,\[\]{}"]*+')
_SCALAR = re.compile(rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?|true|false|null|NaN|-?Infinity")
_GARBAGE = re.compile(rb"[^\n\[{]*+")
_GARBAGE_INSIDE = re.compile(rb"[^\n\[{,\]]*+")
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
# An object that holds only scalars before its first array, up to the first object in that.
_WRAPPER = re.compile(
    rb"\{\s*+(?:%b\s*+:\s*+(?:%b|[^][\s\",:{}]++)\s*+,\s*+)*+%b\s*+:\s*+\[(?=\s*+\{)" % (_STRING, _STRING, _STRING),
    re.DOTALL,
)
_END_OBJECT, _END_ARRAY = b"}]"


class Values:
    """Iterates over the values of a document, in file order.

    Args:
        window: Where to read.
        limit: Greatest length of a value in bytes.
        recoded: Whether offsets in the stream are not those in the file.
    """

    def __init__(self, window: Window, limit: int, recoded: bool) -> None:
        self._window, self._limit, self._recoded = window, limit, recoded
        self._number = 0
        self._inside = False  # the array at the top, or that of a wrapper
        self._wrapped = False  # that array is a wrapper's
        self._tail = False  # what follows it in the wrapper
        self._new_line = False  # a line just ended inside a string

    @property
    def unclosed(self) -> bool:
        """Whether the document ended before its array."""
        return self._inside or self._tail

    @property
    def end(self) -> int:
        """How far the file was read."""
        return self._window.offset

    def __iter__(self) -> Iterator[RawRecord]:
        w = self._window
        while True:
            separators = _TAIL_SEPARATORS if self._tail else _SEPARATORS
            w.pos = _end_of(separators, w.flat, w.pos)
            if w.pos == len(w.flat):
                if not w.more():
                    return
                continue
            byte = w.flat[w.pos]
            if byte == ARRAY and not self.unclosed:
                self._inside = True
                w.pos += 1
            elif byte == _END_ARRAY and self._inside:
                self._inside, self._tail, self._wrapped = False, self._wrapped, False
                w.pos += 1
            elif byte == _END_OBJECT and self._tail:
                self._tail = False
                w.pos += 1
            else:
                record = self._value(byte)
                if record is not None:
                    yield record

    def _value(self, byte: int) -> RawRecord | None:
        if byte in (OBJECT, ARRAY) and not self._tail and (short := self._short()) is not None:
            return short
        # What is refused here though it is short must not be found again by its offset.
        kept = Kept(None if self._recoded or self._tail else self._window.offset, self._limit)
        nested = byte in (OBJECT, ARRAY)
        if nested:
            if not self._container(kept, outermost=self._number == 0 and not self.unclosed):
                return None
        elif byte == QUOTE:
            self._string(kept)
        else:
            self._bare(kept)
        if self._tail and not nested and not kept.too_large:
            return None
        self._number += 1
        return kept.refused(self._number, Reason.RECORD_TOO_LARGE) if self._tail else kept.record(self._number)

    def _short(self) -> RawRecord | None:
        """A container that ends in the chunk, as most do; None where it has to be looked at in pieces."""
        w = self._window
        nesting = Nesting()
        end = nesting.follow(w.flat, w.pos, w.careful)
        if not nesting.over or end - w.pos > self._limit:
            return None
        start, offset, w.pos = w.pos, w.offset, end
        self._number += 1
        return RawRecord(self._number, None if self._recoded else offset, w.chunk[start:end])

    def _container(self, kept: Kept, outermost: bool) -> bool:
        """Read to the bracket that closes the one here. False: it is a wrapper, and is divided instead."""
        w = self._window
        start = w.pos
        nesting = Nesting()
        while not nesting.over:
            if nesting.in_string:
                nesting.in_string, nesting.over = self._to_quote()
                nesting.before = QUOTE
            if not (nesting.in_string or nesting.over):
                w.pos = nesting.follow(w.flat, w.pos, w.careful)
            if nesting.over or w.pos == len(w.flat):
                if not self._take(kept, start, outermost):
                    return False
                start = 0
                if not nesting.over and not w.more(nesting.in_string):
                    break
        return True

    def _to_quote(self) -> tuple[bool, bool]:
        """Go on inside a string: whether it goes on in the next chunk, and whether another value begins in it."""
        w, flat = self._window, self._window.flat
        while True:
            if self._new_line:
                w.pos = _end_of(_BLANKS, flat, w.pos)
                if w.pos == len(flat):
                    return True, False
                self._new_line = False
                if flat[w.pos] == OBJECT:
                    return False, True
            quote = flat.find(b'"', w.pos)
            line_end = flat.find(b"\n", w.pos, quote if quote >= 0 else len(flat))
            if line_end >= 0:
                self._new_line, w.pos = True, line_end + 1
            elif quote >= 0:
                w.pos = quote + 1
                return False, False
            else:
                w.pos = len(flat)
                return True, False

    def _take(self, kept: Kept, start: int, outermost: bool) -> bool:
        """Take a piece of a container. False: it is a wrapper that is too large; its array is gone back into."""
        w = self._window
        kept.add(w.chunk[start : w.pos])
        whole = kept.whole if outermost and kept.too_large else None
        wrapper = None if whole is None else _WRAPPER.match(whole, 0, self._limit)
        kept.shorten()
        if whole is None or wrapper is None:
            return True
        w.show(whole + w.chunk[w.pos :], w.offset - len(whole), in_string=False)
        w.pos = wrapper.end()
        self._inside = self._wrapped = True
        return False

    def _string(self, kept: Kept) -> None:
        """A string by itself ends at its quote, or with the line."""
        w = self._window
        start, pos = w.pos, w.pos + 1
        while True:
            quote = w.flat.find(b'"', pos)
            line_end = w.flat.find(b"\n", pos, quote if quote >= 0 else len(w.flat))
            if line_end >= 0 or quote >= 0:
                w.pos = line_end if line_end >= 0 else quote + 1
                kept.add(w.chunk[start : w.pos])
                return
            if not self._next(kept, start, in_string=True):
                return
            start = pos = 0

    def _bare(self, kept: Kept) -> None:
        """A number or name; or garbage, up to the end of the line or where a value may begin."""
        w = self._window
        self._run(kept, _BARE)
        bare = kept.whole
        if bare is not None and _SCALAR.fullmatch(bare):
            return
        if not kept.size:  # a stray bracket or colon
            kept.add(w.chunk[w.pos : w.pos + 1])
            w.pos += 1
        self._run(kept, _GARBAGE_INSIDE if self._inside else _GARBAGE)
        w.careful = True  # quotes among the garbage may have paired the others wrongly

    def _run(self, kept: Kept, pattern: re.Pattern[bytes]) -> None:
        w = self._window
        while True:
            start, w.pos = w.pos, _end_of(pattern, w.flat, w.pos)
            if w.pos < len(w.flat):
                kept.add(w.chunk[start : w.pos])
                return
            if not self._next(kept, start):
                return

    def _next(self, kept: Kept, start: int, in_string: bool = False) -> bool:
        kept.add(self._window.chunk[start:])
        kept.shorten()
        return self._window.more(in_string)


def _end_of(pattern: re.Pattern[bytes], data: bytes, pos: int) -> int:
    found = pattern.match(data, pos)
    return found.end() if found else pos
