"""Writes what steps hand to one another, into a run's work folder."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import WarehouseFault

# Frames are sorted by conversation: small groups let a reader of some conversations skip the rest.
_ROW_GROUP = 8192


def write_work(frame: pl.DataFrame, path: Path) -> None:
    """Write a de-identified frame for a later step of the same run.

    Args:
        frame: The frame.
        path: A Parquet file; missing folders are made.

    Raises:
        WarehouseFault: The disk is full, or refuses.
    """
    with _named():
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.write_parquet(path, row_group_size=_ROW_GROUP)


def write_work_parts(parts: Iterable[pl.DataFrame], empty: pl.DataFrame, path: Path) -> int:
    """Write a frame that comes in parts, holding one of them at a time.

    Args:
        parts: Frames of one schema.
        empty: A frame of no rows with that schema.
        path: A Parquet file; missing folders are made.

    Returns:
        The number of rows.

    Raises:
        WarehouseFault: The disk is full, or refuses.
    """
    rows = 0
    schema = empty.to_arrow().schema
    with _named():
        path.parent.mkdir(parents=True, exist_ok=True)
        writer = pq.ParquetWriter(path, schema, compression="zstd")
    try:
        for part in parts:
            with _named():
                writer.write_table(part.to_arrow().cast(schema), row_group_size=_ROW_GROUP)
            rows += part.height
    finally:
        with _named():
            writer.close()
    return rows


@contextmanager
def _named() -> Iterator[None]:
    try:
        yield
    except (OSError, pl.exceptions.PolarsError, pa.ArrowException) as fault:
        # Polars hands the system's words on inside its own error; they name no value.
        full = "No space left" in str(fault) or "quota" in str(fault)
        how = "the disk is full" if full else type(fault).__name__
        raise WarehouseFault(
            f"The run's work folder in the warehouse cannot be written: {how}.",
            state="Nothing of this run was published; the tables are as they were.",
            then="Free some space or mend the folder, then run the same days again.",
        ) from None
