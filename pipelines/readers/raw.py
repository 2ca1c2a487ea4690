"""What stands between a file's bytes and a native record: a raw record, its place, and why it was refused."""

from dataclasses import dataclass
from hashlib import sha256

from schemas.reasons import Reason


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands, and its digest: enough to find it again, never its text.

    Attributes:
        file: Path below the landing day.
        line: Line, row, or value of a JSON document from 1; member of an archive that was refused; 0 for the file as a
            whole.
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
