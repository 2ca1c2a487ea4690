"""Reads Parquet files that hold the native columns, row by row, as JSON records."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.readers.raw import RawRecord, Refusal, file_refused
from schemas.reasons import Reason

_BATCH = 1024
_encode = msgspec.json.encode


def rows(path: Path, limit: int) -> Iterator[RawRecord]:
    """Read a Parquet file of native records.

    Each row becomes the JSON object that a JSON-lines file would have held, so that both take one way from here.
    A timestamp without a zone becomes a time without a zone, and is refused as one later.

    Args:
        path: The file.
        limit: Greatest length of a record in bytes, as JSON.

    Yields:
        One raw record a row; where the file cannot be read, a finding with line 0.
    """
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_BATCH):
                for row in _plain_types(batch).to_pylist():
                    number += 1
                    data = _encode(row)
                    refusal = Refusal(Reason.RECORD_TOO_LARGE) if len(data) > limit else None
                    yield RawRecord(number, None, data, refusal)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, TypeError):  # TypeError: a value that JSON cannot hold
        yield file_refused(path, Reason.FILE_UNREADABLE)
    except OSError as fault:
        if fault.errno is not None:
            raise
        yield file_refused(path, Reason.FILE_UNREADABLE)


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
