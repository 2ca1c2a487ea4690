"""Writes what steps hand to one another, into a run's work folder."""

from pathlib import Path

import polars as pl

from schemas.errors import WarehouseFault


def write_work(frame: pl.DataFrame, path: Path) -> None:
    """Write a de-identified frame for a later step of the same run.

    Args:
        frame: The frame.
        path: A Parquet file; missing folders are made.

    Raises:
        WarehouseFault: The disk is full, or refuses.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.write_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as fault:
        # Polars hands the system's words on inside its own error; they name no value.
        full = "No space left" in str(fault) or "quota" in str(fault)
        how = "the disk is full" if full else type(fault).__name__
        raise WarehouseFault(
            f"The run's work folder in the warehouse cannot be written: {how}.",
            state="Nothing of this run was published; the tables are as they were.",
            then="Free some space or mend the folder, then run the same days again.",
        ) from None
