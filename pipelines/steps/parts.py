"""Reads the rows of a large partition a part at a time, in the table's order, so that no step holds a whole day."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from schemas.contract import table

# Some hundred megabytes of a step's memory, with texts of ordinary length.
PART_ROWS = 100_000
_KEY = ("source", "conversation_id")
Key = tuple[str, str | None]


def in_parts(name: str, rows: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    """Sort the rows of a table that is ordered by conversation first, holding one part of them at a time.

    A part is a range of conversations, so that the parts one after the other are the sorted whole. The rows are read
    once for each part; what is sorted by conversation already is skipped where it does not overlap.

    Args:
        name: Table; its order begins with source and conversation.
        rows: The contract's columns, in any order, from files.

    Returns:
        Frames in the contract's shape; none where there are no rows. How they are divided depends on the rows only.
    """
    sizes = rows.group_by(_KEY).len().collect(engine="streaming").sort(_KEY, nulls_last=False)
    for part in divided(sizes, PART_ROWS):
        whole = part.height == sizes.height
        chosen = rows if whole else rows.filter(within(part.row(0)[:2], part.row(-1)[:2]))
        yield table(name).conform(chosen.collect())


def divided(sizes: pl.DataFrame, rows: int) -> list[pl.DataFrame]:
    """Divide conversations, in their order, into runs of about so many rows each, never splitting one.

    Args:
        sizes: One row a conversation, with `len`, how many rows it has.
        rows: How many a run has at most, but for its last conversation.

    Returns:
        The conversations of each run, with `part`, its number.
    """
    number = (sizes["len"].cum_sum() - sizes["len"]) // rows
    return sizes.with_columns(part=number).partition_by("part", maintain_order=True)


def within(first: Key, last: Key) -> pl.Expr:
    """Whether a row's conversation lies in a range.

    Args:
        first: Source and conversation at its beginning. A null conversation comes before all others of its source.
        last: Source and conversation at its end, itself included.
    """
    source, talk = pl.col("source"), pl.col("conversation_id")
    (s0, c0), (s1, c1) = first, last
    after = pl.lit(value=True) if c0 is None else (talk >= c0).fill_null(value=False)
    before = talk.is_null() if c1 is None else (talk <= c1).fill_null(value=True)
    return ((source > s0) | ((source == s0) & after)) & ((source < s1) | ((source == s1) & before))


def stored_parts(path: Path) -> Iterator[pl.DataFrame]:
    """The rows of a file in its order, a part at a time.

    Args:
        path: A Parquet file of a run's work folder.

    Returns:
        Frames; none where the file has no rows.
    """
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(PART_ROWS):
            yield pl.DataFrame(batch)
