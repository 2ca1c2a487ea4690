"""Where a stream of records comes from: a file on disk, or a member of an archive."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pipelines.readers.raw import RawRecord, Refusal
from pipelines.readers.streams import TooLargeToHold, open_stream
from schemas.reasons import Reason

_COMPRESSED = {".gz", ".zst"}
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Origin:
    """One readable file.

    Attributes:
        path: The file on disk: the archive, for a member.
        name: Name by which its records are placed: the path below the landing day; for a member,
            `archive.zip!folder/member.json`.
        opened: Opens the member of an archive, decompressed; None for a file on disk.
    """

    path: Path
    name: str
    opened: Callable[[], io.BufferedReader] | None = None

    @property
    def base(self) -> str:
        """The name of the file, or of the member of an archive, without its folder."""
        return self.name.rpartition("!")[2].rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """The suffix that says how the file is divided, in lower case, less that of its compression."""
        suffixes = [s.lower() for s in Path(self.base).suffixes]
        if suffixes and suffixes[-1] in _COMPRESSED:
            suffixes.pop()
        return suffixes[-1] if suffixes else ""

    @property
    def plain(self) -> bool:
        """Whether bytes on disk are the bytes of the records, so that a record can be sought by its offset."""
        return self.opened is None and self.path.suffix.lower() not in _COMPRESSED

    def open(self) -> io.BufferedReader:
        """Open the decompressed stream. Reading raises `DamagedFile` where the compression is cut or corrupt."""
        return self.opened() if self.opened else open_stream(self.path)

    def held(self, most: int) -> bytes:
        """All of it, for what cannot be read as a stream.

        Raises:
            DamagedFile: Its compression is cut or corrupt, or it is longer than `most` bytes.
        """
        with self.open() as stream:
            data = stream.read(most + 1)
        if len(data) > most:
            raise TooLargeToHold
        return data

    def refused(self, reason: Reason, offset: int | None = None) -> RawRecord:
        """A finding about the file as a whole, identified by the digest of its bytes."""
        state, size = sha256(), 0
        with self.opened() if self.opened else self.path.open("rb") as stream:
            try:
                while chunk := stream.read1(_CHUNK):
                    state.update(chunk)
                    size += len(chunk)
            except Exception:  # a damaged member is digested as far as it can be read, and refused as it is here
                if self.opened is None:
                    raise
        return RawRecord(0, offset, b"", Refusal(reason), size, state.hexdigest())


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a record stands in its file, for reading it again: line or row, byte offset, length in bytes.

    `offset` is -1 where the container has none.
    """

    line: int
    offset: int
    bytes: int


# Divides a file into records, in file order. With `wanted` (in file order), only those are given again: by their
# offsets where the bytes on disk allow it, else by passing over the others.
Container = Callable[[Origin, int, Sequence[Spot] | None], Iterator[RawRecord]]


def sought(origin: Origin, limit: int, wanted: Sequence[Spot] | None) -> Iterator[RawRecord] | None:
    """Read what is wanted by its offsets, where the bytes on disk are those of the records; else None."""
    if wanted is None or not origin.plain or any(s.offset < 0 or s.bytes > limit for s in wanted):
        return None
    return _sought(origin, wanted)


def _sought(origin: Origin, wanted: Sequence[Spot]) -> Iterator[RawRecord]:
    with origin.path.open("rb") as stream:
        for spot in wanted:
            stream.seek(spot.offset)
            yield RawRecord(spot.line, spot.offset, stream.read(spot.bytes))


def only(records: Iterator[RawRecord], wanted: Sequence[Spot] | None) -> Iterator[RawRecord]:
    """Pass over what is not wanted."""
    if wanted is None:
        yield from records
        return
    lines = {spot.line for spot in wanted}
    for record in records:
        if record.line in lines:
            yield record
