"""Finds files among the tables that are no partitions, torn or put there by somebody, and moves them away."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import polars as pl

from schemas import contract
from schemas.errors import WarehouseFault
from warehouse.copy import bring_strays, unused, withdraw
from warehouse.files import faults_named, sync_folder
from warehouse.layout import FILE, Warehouse, compare, day_of, foreign, is_partition
from warehouse.ledger import copying

ASIDE = ".aside"
_MAGIC = b"PAR1"
# Who was erased must never be forgotten silently: a run would bring them back.
_NEVER = "erasures"


@dataclass(frozen=True)
class Misfit:
    """A file that a reader's glob finds and that is no partition of its table.

    Attributes:
        table: The table that it lies under.
        path: Where it lies.
        how: What is wrong with it.
    """

    table: str
    path: Path
    how: str


@dataclass(frozen=True)
class Aside:
    """A file that was taken out of the tables.

    Attributes:
        path: Where it lay.
        kept: Where it lies now.
        how: What is wrong with it.
        landed: Landing days that are to be run again, as far as run records tell: rows of theirs were in it.
    """

    path: Path
    kept: Path
    how: str
    landed: tuple[date, ...] = ()

    def told(self) -> str:
        """What happened, and which days to run again, as a sentence or two."""
        again = f" Run again, for the rows that it held: {', '.join(map(str, self.landed))}." if self.landed else ""
        return f"{self.path} {self.how}. It lies in {self.kept} now.{again}"


def misfits(warehouse: Warehouse) -> Iterator[Misfit]:
    """Look at every file that a reader's glob finds.

    A file that says in its footer that Tacit wrote it for its table is taken at its word, which costs a twentieth of a
    millisecond; of others the schema is compared. `Warehouse.verify` looks closer.

    Args:
        warehouse: The warehouse.

    Yields:
        Files that are torn, misplaced, or of another schema.
    """
    for name, shape in contract.tables().items():
        for path in sorted((warehouse.root / name).rglob("*.parquet")):
            if not is_partition(path, name):
                yield Misfit(name, path, "does not lie where a partition lies")
            elif not _signed(path, name):
                try:
                    compare(path, shape)
                except WarehouseFault as fault:
                    if path.exists():  # else a retention removed it while we looked
                        yield Misfit(name, path, fault.what.removeprefix(f"{path} ").removesuffix("."))


def require_whole(warehouse: Warehouse) -> None:
    """Refuse to go on where a file among the tables is no partition.

    Args:
        warehouse: The warehouse.

    Raises:
        WarehouseFault: There is one. The message names it.
    """
    for found in misfits(warehouse):
        raise foreign(found.path, found.how)


def set_aside(warehouse: Warehouse) -> list[Aside]:
    """Move every misfit to where no reader's glob finds it. Call it under the writer lock.

    Args:
        warehouse: The warehouse.

    Returns:
        What was moved.

    Raises:
        WarehouseFault: A file of `erasures` is torn, or the disk refuses.
    """
    found = list(misfits(warehouse))
    for one in found:
        if one.table == _NEVER:
            raise WarehouseFault(
                f"{one.path} {one.how}.",
                state="Nothing was read or written: whom it names would come back with the next run.",
                then="Bring that file back from a backup, or move it away and erase whom it named again.",
            )
    folder = warehouse.root / ASIDE
    moved = []
    for one in found:
        kept = unused(folder, one.path.relative_to(warehouse.root).as_posix())
        with faults_named("Setting a file aside", state="The published tables are as they were."):
            with copying(warehouse.root):
                withdraw(warehouse.root, one.path)
                os.replace(one.path, kept)  # noqa: PTH105 - the name of the system call that the promise rests on
            sync_folder(one.path.parent)
        moved.append((one, kept))
    strays = [
        Aside(Path(key), kept, "lies in the store where no partition lies")
        for key, kept in bring_strays(warehouse.root, folder)
    ]
    return [Aside(one.path, kept, one.how, _landed(warehouse, one)) for one, kept in moved] + strays


def clear_aside(warehouse: Warehouse) -> int:
    """Delete what was set aside: nobody can look into it for a person, or for a day. Call it under the writer lock.

    Args:
        warehouse: The warehouse.

    Returns:
        The number of files.
    """
    files = sorted((warehouse.root / ASIDE).glob("*"))
    with faults_named("Deleting files that were set aside", state="The published tables are as they were."):
        for path in files:
            path.unlink()
    return len(files)


def _signed(path: Path, table: str) -> bool:
    """Whether a file is whole at both ends, with `table` and its value in the footer as our writer puts them there."""
    try:
        with path.open("rb") as file:
            first = file.read(4)
            size = file.seek(-8, os.SEEK_END) + 8
            tail = file.read(8)
            length = int.from_bytes(tail[:4], "little")
            if not first == tail[4:] == _MAGIC or not 0 < length <= size - 12:
                return False
            file.seek(-8 - length, os.SEEK_END)
            footer = file.read(length)
    except OSError:
        return False
    # Two strings of a struct in Thrift's compact protocol: each a byte for the field, its length, and the text.
    return b"\x18\x05table\x18" + bytes([len(table)]) + table.encode() in footer


def _landed(warehouse: Warehouse, found: Misfit) -> tuple[date, ...]:
    """Landing days whose runs wrote the partition. Where run records cannot be read, none is known."""
    day = day_of(found.path.parent)
    if day is None or found.path.name != FILE:
        return ()
    if found.table == "runs":
        return (day,)
    with suppress(pl.exceptions.PolarsError):
        wrote = (pl.element().struct.field("table_name") == found.table) & (pl.element().struct.field("dt") == day)
        runs = warehouse.scan("runs", columns=["partitions"])
        days = runs.filter(pl.col("partitions").list.eval(wrote).list.any()).select(pl.col("dt").unique().sort())
        return tuple(days.collect()["dt"])
    return ()
