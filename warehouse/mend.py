"""Takes files out of the tables that are no partitions: torn ones, and those that somebody put there."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import polars as pl

from schemas import contract
from warehouse.copy import withdraw
from warehouse.files import faults_named, sync_folder
from warehouse.layout import FILE, Warehouse, day_of, foreign

ASIDE = ".aside"
_MAGIC = b"PAR1"
# Who was erased must never be forgotten silently: a run would bring them back.
_NEVER = "erasures"


@dataclass(frozen=True)
class Aside:
    """A file that was taken out of the tables.

    Attributes:
        path: Where it lay.
        kept: Where it lies now.
        landed: Landing days that are to be run again, as far as run records tell: rows of theirs were in it.
    """

    path: Path
    kept: Path
    landed: tuple[date, ...]


def set_aside(warehouse: Warehouse) -> list[Aside]:
    """Move every torn or misplaced file to where no reader's glob finds it. Call it under the writer lock.

    A file is looked at by its name and its first and last bytes, which costs little; `Warehouse.verify` looks closer.

    Args:
        warehouse: The warehouse.

    Returns:
        What was moved.

    Raises:
        WarehouseFault: A file of `erasures` is torn, or the disk refuses.
    """
    found = [(table, path) for table in contract.tables() for path in _foreign(warehouse.root / table, table)]
    moved = []
    for table, path in found:
        day = day_of(path.parent)
        if table == _NEVER:
            raise foreign(path, "is not a whole Parquet file")
        kept = warehouse.root / ASIDE / path.relative_to(warehouse.root).as_posix().replace("/", "-")
        with faults_named("Setting a file aside", state="The published tables are as they were."):
            kept.parent.mkdir(exist_ok=True)
            withdraw(warehouse.root, path)
            os.replace(path, kept)  # noqa: PTH105 - the name of the system call that the promise rests on
            sync_folder(path.parent)
        moved.append((table, day, path, kept))
    return [Aside(path, kept, _landed(warehouse, table, day)) for table, day, path, kept in moved]


def _foreign(folder: Path, table: str) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.parquet")):
        placed = path.name == FILE and day_of(path.parent) is not None and path.parent.parent.name == table
        if not placed or not _whole(path):
            yield path


def _whole(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            first = file.read(4)
            file.seek(-8, os.SEEK_END)
            tail = file.read(8)
            size = file.tell()
    except OSError:
        return False
    return first == tail[4:] == _MAGIC and 0 < int.from_bytes(tail[:4], "little") <= size - 12


def _landed(warehouse: Warehouse, table: str, day: date | None) -> tuple[date, ...]:
    """Landing days whose runs wrote the partition. Where run records cannot be read, none is known."""
    if day is None:
        return ()
    with suppress(pl.exceptions.PolarsError):
        wrote = (pl.element().struct.field("table_name") == table) & (pl.element().struct.field("dt") == day)
        runs = warehouse.scan("runs", columns=["partitions"])
        days = runs.filter(pl.col("partitions").list.eval(wrote).list.any()).select(pl.col("dt").unique().sort())
        return tuple(days.collect()["dt"])
    return ()
