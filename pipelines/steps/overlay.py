"""The tables as they will be: what this run has made so far, over what is published."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import polars as pl

from pipelines.steps.results import Base
from pipelines.steps.work import write_work, write_work_parts
from schemas import contract
from warehouse.layout import Warehouse

ARRIVALS = "tacit.arrivals"


@dataclass(frozen=True)
class Overlay:
    """Reads a partition from this run's work folder where it was made anew, else from the warehouse.

    Attributes:
        warehouse: The published tables.
        folder: `FOLDER/TABLE/dt=YYYY-MM-DD.parquet`, made by this run.
    """

    warehouse: Warehouse
    folder: Path
    _bases: dict[tuple[str, date], Base] = field(default_factory=dict)

    def path(self, table: str, dt: date) -> Path:
        """Where this run keeps its version of a partition."""
        return self.folder / table / f"dt={dt}.parquet"

    def made(self, table: str) -> list[date]:
        """Days of a table that this run has made anew, oldest first."""
        return sorted(
            date.fromisoformat(p.stem.removeprefix("dt=")) for p in (self.folder / table).glob("dt=*.parquet")
        )

    def days(self, table: str) -> list[date]:
        """Days that a table will have."""
        return sorted({*self.made(table), *self.warehouse.days(table)})

    def write(self, table: str, dt: date, frame: pl.DataFrame) -> None:
        """Keep this run's version of a partition."""
        write_work(frame, self.path(table, dt))

    def write_parts(self, table: str, dt: date, parts: Iterable[pl.DataFrame]) -> int:
        """Keep this run's version of a partition that comes in parts, in the contract's shape; returns its rows."""
        # Aside first: the parts may be read from the version that they replace.
        path = self.path(table, dt)
        aside = path.with_suffix(".parts")
        rows = write_work_parts(parts, contract.table(table).empty(), aside)
        aside.replace(path)
        return rows

    def scan(self, table: str, days: Iterable[date], columns: Sequence[str] | None = None) -> pl.LazyFrame:
        """Read days of a table lazily, with `dt`; the partitions that are read from the warehouse are remembered.

        Args:
            table: Table name.
            days: Days to read; those that are not there add no rows.
            columns: Columns to read; all where None. `dt` is always there.

        Returns:
            The contract's columns and `dt`.
        """
        wanted, made = sorted(set(days)), set(self.made(table))
        published = [d for d in wanted if d not in made]
        for day in published:
            self._bases.setdefault((table, day), base_of(self.warehouse, table, day))
        own = [
            pl.scan_parquet(self.path(table, d)).with_columns(pl.lit(d, pl.Date).alias("dt"))
            for d in wanted
            if d in made
        ]
        names = None if columns is None else list(dict.fromkeys([*columns, "dt"]))
        frames = [self.warehouse.scan(table, published), *own]
        return pl.concat(f if names is None else f.select(names) for f in frames)

    def bases(self) -> Iterator[Base]:
        """The published partitions that were read, as they were then."""
        yield from self._bases.values()


def base_of(warehouse: Warehouse, table: str, dt: date) -> Base:
    """A stamp of a published partition that changes whenever it is replaced; empty where there is none."""
    try:
        stat = warehouse.path(table, dt).stat()
    except FileNotFoundError:
        return Base(table, dt, "")
    return Base(table, dt, f"{stat.st_ino}-{stat.st_size}-{stat.st_mtime_ns}")


def arrivals(warehouse: Warehouse, table: str, dt: date) -> set[date]:
    """Landing days whose rows a published partition holds, from its footer."""
    text = warehouse.footer(table, dt).get(ARRIVALS, "")
    return {date.fromisoformat(d) for d in text.split(",") if d}
