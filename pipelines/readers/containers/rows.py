"""Parquet: one record a row, as the JSON object that a line would have held."""

from collections.abc import Iterator, Sequence

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.readers.containers.origin import Origin, Spot
from pipelines.readers.raw import RawRecord, Refusal
from schemas.reasons import Reason

_BATCH = 1024
_encode = msgspec.json.encode


def rows(origin: Origin, limit: int, wanted: Sequence[Spot] | None = None) -> Iterator[RawRecord]:
    """Read a Parquet file row by row.

    A timestamp without a zone becomes a time without a zone, and is refused as one later unless a zone was declared.

    Args:
        origin: The file.
        limit: Greatest length of a record in bytes, as JSON.
        wanted: Only these rows.

    Yields:
        One raw record a row; where the file cannot be read, a finding with line 0.
    """
    lines = None if wanted is None else {spot.line for spot in wanted}
    number = 0
    try:
        with pq.ParquetFile(origin.opened() if origin.opened else origin.path) as file:
            for batch in file.iter_batches(_BATCH):
                first, number = number + 1, number + batch.num_rows
                picked: Sequence[int] = range(batch.num_rows)
                if lines is not None:
                    picked = [n for n in picked if first + n in lines]
                    if not picked:
                        continue
                    batch = batch.take(pa.array(picked))
                for n, row in zip(picked, _plain_types(batch).to_pylist(), strict=True):
                    data = _encode(row)
                    refusal = Refusal(Reason.RECORD_TOO_LARGE) if len(data) > limit else None
                    yield RawRecord(first + n, None, data, refusal)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, TypeError):  # TypeError: a value that JSON cannot hold
        yield origin.refused(Reason.FILE_UNREADABLE)
    except OSError as fault:
        if fault.errno is not None:
            raise
        yield origin.refused(Reason.FILE_UNREADABLE)


def _plain_types(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Mend what writers differ in: strings stored as binary, and nanoseconds, which are cut off, not rounded."""
    return pa.RecordBatch.from_arrays([_plain_type(c) for c in batch.columns], names=batch.schema.names)


def _plain_type(column: pa.Array) -> pa.Array:
    kind = column.type
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return column.cast(pa.string())
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        return column.cast(pa.timestamp("us", kind.tz), safe=False)
    return column
