"""Divides a CSV file into rows and rows into cells, byte by byte as RFC 4180 has it, but without its strictness."""

import re
from dataclasses import dataclass
from enum import Enum
from typing import BinaryIO

from pipelines.readers.containers.encoding import UTF8_BOM
from pipelines.readers.containers.kept import Kept
from pipelines.readers.raw import RawRecord
from schemas.reasons import Reason

_DELIMITERS = (b",", b";", b"\t")
_LINE_END = b"\r\n"
_QUOTED = re.compile(rb'"[^"]*+"')
_TO_QUOTE = re.compile(rb'[^"]*+(?:""[^"]*+)*+')


class _At(Enum):
    """Where in a row the scanner stands."""

    CELL = "at the beginning of a cell"
    INSIDE = "in a cell, or after the quotes of one"
    QUOTED = "inside quotes"


@dataclass(slots=True)
class Row:
    """One row.

    Attributes:
        line: Line on which it begins, from 1.
        start: Offset in the file; None where offsets do not hold.
        data: Its bytes without its line end.
        fault: Why it cannot be read, if it cannot.
        kept: What is left of it where there is a fault.
    """

    line: int
    start: int | None
    data: bytes
    fault: Reason | None = None
    kept: Kept | None = None

    def refused(self, reason: Reason) -> RawRecord:
        """The row, refused for this reason."""
        if self.kept is None:
            self.kept = Kept(self.start, len(self.data))
            self.kept.add(self.data)
        return self.kept.refused(self.line, reason)


class TableRows:
    """Iterates over the rows of a CSV file that are not blank.

    Args:
        stream: The file.
        limit: Greatest length of a row in bytes.
        recoded: Whether offsets in the stream are not those in the file.
        delimiter: What separates cells; None: what stands most often in the first row.
    """

    def __init__(self, stream: BinaryIO, limit: int, recoded: bool, delimiter: bytes | None) -> None:
        self._stream, self._limit, self._recoded = stream, limit, recoded
        self._line = self._offset = 0
        self._delimiter = delimiter or b""
        self._blank = b" \r\n" + self._delimiter  # a row of nothing else is none
        self._cell: re.Pattern[str] | None = None

    def __iter__(self) -> "TableRows":
        return self

    def __next__(self) -> Row:
        while (row := self._next()) is not None:
            if row.fault or row.data.strip(self._blank):
                return row
        raise StopIteration

    def one(self, stream: BinaryIO, line: int, offset: int) -> list[Row]:
        """The row that begins where another stream of the same file stands, if any is there."""
        other = TableRows(stream, self._limit, self._recoded, self._delimiter)
        other._line, other._offset = line - 1, offset
        row = next(other, None)
        return [] if row is None else [row]

    def cells(self, row: Row) -> list[str] | Reason:
        """The cells of a row without fault, or why they cannot be had."""
        try:
            text = row.data.decode()
        except UnicodeDecodeError:
            return Reason.NOT_UTF8
        delimiter = self._delimiter.decode()
        if '"' not in text:
            return text.split(delimiter)
        if self._cell is None:
            self._cell = re.compile(f'(?:"([^"]*+(?:""[^"]*+)*+)"|)([^{delimiter}]*+)')
        cells, pos = [], -1
        while pos < len(text):
            found = self._cell.match(text, pos + 1)
            if found is None:  # the pattern may match nothing at all, so this is never
                break
            cells.append((found[1] or "").replace('""', '"') + found[2])
            pos = found.end()
        return cells

    def _next(self) -> Row | None:
        piece = self._stream.readline(self._limit + 1)
        if not piece:
            return None
        start, line = self._offset, self._line + 1
        self._offset += len(piece)
        if not start and piece.startswith(UTF8_BOM):
            piece, start = piece[len(UTF8_BOM) :], len(UTF8_BOM)
        if not self._delimiter:
            bare = _QUOTED.sub(b"", piece)
            self._delimiter = max(_DELIMITERS, key=bare.count)
            self._blank += self._delimiter
        shown = None if self._recoded else start
        if b'"' not in piece and len(piece) <= self._limit:
            self._line += 1
            return Row(line, shown, piece.rstrip(_LINE_END))
        kept = Kept(shown, self._limit)
        at = _At.CELL
        while piece:
            at = self._after(piece, at)
            ended = piece.endswith(b"\n")
            self._line += ended
            if ended and at is not _At.QUOTED:
                break
            kept.add(piece)
            kept.shorten()
            piece = self._stream.readline(self._limit + 1)
            self._offset += len(piece)
        kept.add(piece.rstrip(_LINE_END))
        if kept.too_large:
            return Row(line, shown, b"", Reason.RECORD_TOO_LARGE, kept)
        return Row(line, shown, kept.whole or b"", Reason.INVALID_JSON if at is _At.QUOTED else None, kept)

    def _after(self, piece: bytes, at: _At) -> _At:
        """Where the scanner stands after a piece of a row."""
        pos = 0
        while pos < len(piece):
            if at is _At.QUOTED:
                found = _TO_QUOTE.match(piece, pos)
                pos = found.end() + 1 if found else len(piece) + 1
                if pos > len(piece):
                    return at
                at = _At.INSIDE
            elif at is _At.CELL and piece.startswith(b'"', pos):
                pos, at = pos + 1, _At.QUOTED
            else:
                opening = piece.find(self._delimiter + b'"', pos)
                if opening < 0:
                    return _At.CELL if piece.endswith(self._delimiter) else _At.INSIDE
                pos, at = opening + 2, _At.QUOTED
        return at
