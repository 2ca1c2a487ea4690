"""What steps hand to one another: paths, counts and digests only, so that it fits in an XCom and can hold no text."""

from datetime import date
from typing import Any, TypeVar

import msgspec

_T = TypeVar("_T", bound=msgspec.Struct)


class FileScan(msgspec.Struct, frozen=True):
    """A landing file as it was found.

    Attributes:
        file: Path below the landing day.
        bytes: Size on disk.
        sha256: Digest of the bytes on disk.
        records: Records in it, a finding about the whole file counted as one.
        format: The format that it is in; several, for an archive, with commas between.
        named: Digest of the formats and sources that its logs are read as.
        declared: Digest of all that is declared about them.
    """

    file: str
    bytes: int
    sha256: str
    records: int
    format: str
    named: str
    declared: str


class LogScan(msgspec.Struct, frozen=True):
    """A log in the landing day: a file, or a member of an archive.

    Attributes:
        name: Path below the landing day; for a member, that of its archive and its own.
        file: The file on disk.
        format: The format that it was recognised as.
        source: The source of its records that name none.
        declared: What is declared about it, as JSON.
    """

    name: str
    file: str
    format: str
    source: str
    declared: str


class DayScan(msgspec.Struct, frozen=True):
    """The input of one landing day, and how it is divided.

    Attributes:
        day: Day of arrival.
        files: The files on disk, in name order.
        logs: What is read from them; routes name a log by its place here.
        buckets: Number of buckets.
        routes: Folder of `pipelines.steps.routes`, and of `findings.parquet`, the records that were refused unread.
        items: How many items the records hold, findings included.
        unused: Records that hold nothing of a conversation.
        partial: Whether the routes are only some of the day's (`pipelines.steps.again`).
        erasures: Digest of what was erased from the warehouse (`pipelines.steps.erased`).
    """

    day: date
    files: tuple[FileScan, ...]
    logs: tuple[LogScan, ...]
    buckets: int
    routes: str
    items: int
    unused: int
    partial: bool = False
    erasures: str = ""

    @property
    def records(self) -> int:
        """Records of all files."""
        return sum(f.records for f in self.files)


class BucketResult(msgspec.Struct, frozen=True):
    """What one bucket of a landing day came to.

    Attributes:
        day: Landing day.
        bucket: Number of the bucket.
        folder: Where its de-identified frames lie.
        counts: Records by what became of them.
        masked: Masked values by type.
        peak_mb: Peak resident memory of the process that worked on it.
    """

    day: date
    bucket: int
    folder: str
    counts: dict[str, int]
    masked: dict[str, int]
    peak_mb: float


class Chunk(msgspec.Struct, frozen=True):
    """Some of the conversations of one event day, to be linked and searched for signals together.

    Attributes:
        dt: Event day.
        number: Number of the chunk within the day.
        first: Least (source, conversation_id) of the chunk.
        last: Greatest (source, conversation_id) of the chunk.
    """

    dt: date
    number: int
    first: tuple[str, str]
    last: tuple[str, str]


class ChunkResult(msgspec.Struct, frozen=True):
    """Where the exchanges and signals of one chunk lie, and how many there are."""

    dt: date
    number: int
    folder: str
    counts: dict[str, int]
    peak_mb: float


class Base(msgspec.Struct, frozen=True):
    """A published partition that a run built on. `stamp` changes whenever the partition is replaced."""

    table: str
    dt: date
    stamp: str


def to_plain(value: Any) -> Any:
    """A step result as JSON-ready values, for an XCom."""
    return msgspec.to_builtins(value)


def from_plain(value: Any, kind: type[_T]) -> _T:
    """The inverse of `to_plain`."""
    return msgspec.convert(value, kind)
