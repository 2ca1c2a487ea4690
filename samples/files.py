"""Writes landing files: one a source and day, in the form that each source exports."""

import gzip
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from timeline import Landed

ENDING = {"web-chat": ".jsonl", "mobile-app": ".jsonl.gz", "code-assistant": ".jsonl.zst", "import": ".parquet"}

_MESSAGE = pa.schema(
    [
        ("kind", pa.string()),
        ("conversation_id", pa.string()),
        ("message_id", pa.string()),
        ("parent_id", pa.string()),
        ("seq", pa.int64()),
        ("role", pa.string()),
        ("content", pa.string()),
        ("created_at", pa.string()),
        ("completed_at", pa.string()),
        ("status", pa.string()),
        ("user_id", pa.string()),
        ("model", pa.string()),
        ("has_attachment", pa.bool_()),
        ("source", pa.string()),
    ]
)
_LARGEST_JITTER_S = 240


def interleaved(records: Iterable[Landed]) -> list[Landed]:
    """Order records as a log with several writers has them: by time, give or take a few minutes."""
    return sorted(records, key=_arrival)


def write(landing: Path, day: str, source: str, lines: Sequence[bytes]) -> None:
    """Write the records of one source and day.

    Args:
        landing: The landing zone.
        day: Day of arrival, `YYYY-MM-DD`.
        source: Decides the form of the file.
        lines: One record each, without line ends.
    """
    put(landing, day, source + ENDING[source], lines)


def put(landing: Path, day: str, name: str, lines: Sequence[bytes]) -> None:
    """Write records under a name whose ending decides the form."""
    path = landing / f"dt={day}" / name
    if name.endswith(".parquet"):
        path.parent.mkdir(parents=True, exist_ok=True)
        table = pa.Table.from_pylist([json.loads(line) for line in lines], schema=_MESSAGE)
        pq.write_table(table, path, compression="zstd")
        return
    data = b"".join(line + b"\n" for line in lines)
    if name.endswith(".gz"):
        data = gzip.compress(data, 9, mtime=0)
    elif name.endswith(".zst"):
        data = zstandard.ZstdCompressor(level=12).compress(data)
    put_bytes(landing, day, name, data)


def put_bytes(landing: Path, day: str, name: str, data: bytes) -> None:
    """Write a file as it is."""
    path = landing / f"dt={day}" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def digest_number(data: bytes) -> int:
    """A number that depends on the bytes alone, to scatter things in the same way each time."""
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big")


def _arrival(item: Landed) -> tuple[datetime, bytes]:
    jitter = digest_number(item.line) % _LARGEST_JITTER_S
    return item.when.astimezone(UTC) + timedelta(seconds=jitter), item.line
