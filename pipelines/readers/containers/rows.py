"""Parquet: one record a row, as the JSON object that a line would have held."""

import io
from collections.abc import Iterator, Sequence

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.readers.containers.origin import Origin, Spot
from pipelines.readers.containers.types import cast, plain, raw
from pipelines.readers.raw import RawRecord, Refusal
from pipelines.readers.streams import DamagedFile
from schemas.reasons import Reason

HELD_BYTES = 256 << 20
_BATCH_ROWS = 1024
_BATCH_BYTES = 8 << 20
_encode = msgspec.json.encode


def rows(origin: Origin, limit: int, wanted: Sequence[Spot] | None = None) -> Iterator[RawRecord]:
    """Read a Parquet file row by row.

    A timestamp without a zone becomes a time without a zone, and is refused as one later unless a zone was declared.

    Args:
        origin: The file. One that is compressed or in an archive is read into memory, up to 256 MiB.
        limit: Greatest length of a record in bytes, as JSON.
        wanted: Only these rows.

    Yields:
        One raw record a row; where the file cannot be read, a finding with line 0.
    """
    lines = None if wanted is None else {spot.line for spot in wanted}
    number = 0
    try:
        # Opened here, since Arrow takes no name that is not UTF-8.
        whole = origin.path.open("rb") if origin.plain else io.BytesIO(origin.held(HELD_BYTES))
        with whole, pq.ParquetFile(whole) as file:
            for batch in file.iter_batches(_batch_rows(file.metadata)):
                first, number = number + 1, number + batch.num_rows
                picked: Sequence[int] = range(batch.num_rows)
                if lines is not None:
                    picked = [n for n in picked if first + n in lines]
                    if not picked:
                        continue
                    batch = batch.take(pa.array(picked))
                for n, (data, reason) in zip(picked, _encoded(batch), strict=True):
                    if reason is None and len(data) > limit:
                        reason = Reason.RECORD_TOO_LARGE
                    yield RawRecord(first + n, None, data, Refusal(reason) if reason else None)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, TypeError):  # TypeError: a value that JSON cannot hold
        yield origin.refused(Reason.FILE_UNREADABLE)
    except DamagedFile as damage:
        yield origin.refused(damage.reason)
    except OSError as fault:
        if fault.errno is not None:
            raise
        yield origin.refused(Reason.FILE_UNREADABLE)


def _encoded(batch: pa.RecordBatch) -> Iterator[tuple[bytes, Reason | None]]:
    """Each row as JSON; where one cannot be read, it alone is refused."""
    try:
        read = cast(batch, plain).to_pylist(maps_as_pydicts="lossy")
    except (pa.ArrowInvalid, ValueError, OverflowError) as fault:
        if batch.num_rows > 1:
            for n in range(batch.num_rows):
                yield from _encoded(batch.slice(n, 1))
            return
        text = isinstance(fault, pa.ArrowInvalid | UnicodeDecodeError)
        unread = cast(batch, raw).to_pylist(maps_as_pydicts="lossy")[0]
        yield _encode(unread), Reason.NOT_UTF8 if text else Reason.TIME_OUT_OF_RANGE
        return
    for row in read:
        yield _encode(row), None


def _batch_rows(metadata: pq.FileMetaData) -> int:
    """How many rows to hold at once, by the mean length of a row in the row group with the longest ones."""
    groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
    longest = max((g.total_byte_size // max(g.num_rows, 1) for g in groups), default=0)
    return max(1, min(_BATCH_ROWS, _BATCH_BYTES // max(longest, 1)))
