"""What stands between a file's bytes and a native record: a raw record, its place, and why it was refused."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pipelines.readers.streams import DamagedFile, open_stream
from schemas.reasons import Reason
from warehouse.files import file_digest

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands, and its digest: enough to find it again, never its text.

    Attributes:
        file: Path below the landing day.
        line: Line or row from 1; 0 for the file as a whole.
        byte_offset: Offset in the decompressed file; None where the format has none.
        bytes: Length of the record without its line end.
        sha256: Hexadecimal digest of those bytes.
    """

    file: str
    line: int
    byte_offset: int | None
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """A record that was refused, and the key of the format at fault where there is one."""

    reason: Reason
    field: str | None = None


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One record of a file, before it is decoded.

    Attributes:
        line: Line or row from 1; 0 for a finding about the file as a whole.
        byte_offset: As in `Place`.
        data: The record as JSON bytes; empty where `refusal` says that it was not read.
        refusal: Set where the record was refused before decoding.
        bytes: Length of the record, also where it was too long to hold.
        digest: Set where the bytes were not kept.
    """

    line: int
    byte_offset: int | None
    data: bytes
    refusal: Refusal | None = None
    bytes: int = 0
    digest: str = ""

    def place(self, file: str) -> Place:
        """Where the record stands in `file`."""
        return Place(
            file,
            self.line,
            self.byte_offset,
            self.bytes or len(self.data),
            self.digest or sha256(self.data).hexdigest(),
        )


def file_refused(path: Path, reason: Reason, offset: int | None = None) -> RawRecord:
    """A finding about a whole file, identified by the digest of its bytes on disk."""
    return RawRecord(0, offset, b"", Refusal(reason), path.stat().st_size, file_digest(path))


def lines(path: Path, limit: int) -> Iterator[RawRecord]:
    """Read a JSON-lines file, plain or compressed, record by record.

    Blank lines are no records. A line longer than `limit` is digested in pieces and refused, so that memory stays
    bounded by `limit` whatever the file holds.

    Args:
        path: The file.
        limit: Greatest length of a record in bytes.

    Yields:
        One raw record a line; at the end, where the file is damaged, a finding with line 0.
    """
    offset = 0
    number = 0
    with open_stream(path) as stream:
        try:
            while piece := stream.readline(limit + 1):
                number += 1
                start, offset = offset, offset + len(piece)
                if len(piece) > limit and not piece.endswith(b"\n"):
                    state, size = sha256(piece), len(piece)
                    while piece and not piece.endswith(b"\n"):
                        piece = stream.readline(limit)
                        state.update(piece)
                        size += len(piece)
                    offset = start + size
                    yield RawRecord(number, start, b"", Refusal(Reason.RECORD_TOO_LARGE), size, state.hexdigest())
                    continue
                if number == 1 and piece.startswith(_BOM):
                    piece = piece[len(_BOM) :]
                record = piece.strip(b" \t\r\n")
                if record:
                    yield RawRecord(number, start, record)
        except DamagedFile:
            yield file_refused(path, Reason.FILE_UNREADABLE, offset)
