"""Where a run writes its partitions before any reader can see them: a folder of its own, removed with the run."""

import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Self

import polars as pl

from schemas import contract
from schemas.errors import ContractBroken, WarehouseFault
from warehouse.files import durably, faults_named, file_digest, sync_folder
from warehouse.layout import Warehouse, read_footer
from warehouse.lock import FileLock
from warehouse.parquet import write_partition

# Hidden, and beside the tables rather than in them: no reader's glob goes there, and a rename out of it is atomic.
STAGING = ".staging"
_ALIVE = ".alive"
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_UNHARMED = "What this run staged was removed; the published tables are as they were."


@dataclass(frozen=True, slots=True)
class Staged:
    """A partition that is written, verified, and not yet published.

    Attributes:
        table: Table name.
        dt: The partition's day.
        path: The staged file.
        rows: Rows in it.
        sha256: Digest of the file.
    """

    table: str
    dt: date
    path: Path
    rows: int
    sha256: str


class Stage:
    """A run's staging folder. As a context manager it is discarded at the end of the block.

    Args:
        warehouse: The warehouse that the run will publish to.
        run_id: Id of the run: letters, digits, dots, dashes and underscores.

    Raises:
        ValueError: The id would not make a safe folder name.
        WarehouseFault: The folder cannot be made, or another living run has the same id.
    """

    def __init__(self, warehouse: Warehouse, run_id: str) -> None:
        if not _RUN_ID.fullmatch(run_id):
            raise ValueError("a run id holds letters, digits, dots, dashes and underscores only")
        self.folder = warehouse.root / STAGING / run_id
        self._lock = FileLock(self.folder / _ALIVE)
        with faults_named("Making a staging folder", state="Nothing was published."):
            self.folder.mkdir(parents=True, exist_ok=True)
            taken = self._lock.acquire()
        if not taken:
            raise WarehouseFault(
                f"Another living run has the id {run_id}.",
                state="Nothing was published.",
                then="Run again with another run id.",
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.discard()

    def write(self, table: str, dt: date, frame: pl.DataFrame, metadata: Mapping[str, str]) -> Staged:
        """Write one partition, wait for the disk, and read it back.

        Args:
            table: Table name.
            dt: The partition's day.
            frame: All rows of the partition, in any order, with at least the contract's columns. May be empty.
            metadata: Key-value pairs for the footer, such as code version and config digest; nothing that differs
                between two runs of the same input.

        Returns:
            What was staged.

        Raises:
            ContractBroken: The frame does not keep the table's contract.
            WarehouseFault: The disk is full or refuses, or gave back other bytes than were written. The whole stage
                is removed first.
        """
        return self.write_parts(table, dt, [frame], metadata)

    def write_parts(self, table: str, dt: date, parts: Iterable[pl.DataFrame], metadata: Mapping[str, str]) -> Staged:
        """As `write`, for rows that come in parts, of which one is held in memory at a time.

        Args:
            table: Table name.
            dt: The partition's day.
            parts: Frames as `write` takes them. All rows of one come before those of the next in the table's order;
                how they are divided does not change the file.
            metadata: Key-value pairs for the footer.

        Returns:
            What was staged.

        Raises:
            ContractBroken: A frame does not keep the table's contract. What was staged before stays.
            WarehouseFault: As of `write`.
        """
        shape = contract.table(table)
        path = self.folder / table / f"dt={dt.isoformat()}" / "part.parquet"
        try:
            with faults_named(f"Staging {table} for {dt}", state=_UNHARMED):
                path.parent.mkdir(parents=True, exist_ok=True)
                with durably(path) as sink:
                    rows = write_partition(shape, parts, metadata, sink)
                sync_folder(path.parent)
                digest = file_digest(path)
            schema, _, stored = read_footer(path)
            if digest != sink.digest() or stored != rows or not schema.equals(shape.arrow):
                raise WarehouseFault(
                    f"The staged file of {table} for {dt} does not read back as it was written.",
                    state=_UNHARMED,
                    then="Check the disk, then run the day again.",
                )
        except WarehouseFault:
            self.discard()
            raise
        except ContractBroken:
            path.unlink(missing_ok=True)
            raise
        return Staged(table, dt, path, rows, digest)

    def discard(self) -> None:
        """Remove the folder with all that was not published. Safe to call twice."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._lock.release()


def sweep(warehouse: Warehouse) -> int:
    """Remove the staging folders of runs that died. Call it under the writer lock, before staging.

    Args:
        warehouse: The warehouse.

    Returns:
        The number of folders that were removed. Those of living runs stay.
    """
    removed = 0
    for folder in sorted((warehouse.root / STAGING).glob("*")):
        lock = FileLock(folder / _ALIVE)
        with faults_named("Sweeping staging folders", state="Nothing was published."):
            if not folder.is_dir() or not lock.acquire():
                continue
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()
        removed += 1
    return removed
