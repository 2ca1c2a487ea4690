"""Where tables and partitions lie, and how they are read: `ROOT/TABLE/dt=YYYY-MM-DD/part.parquet`."""

import re
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from schemas import contract
from schemas.contract import Table
from schemas.errors import WarehouseFault
from warehouse.copy import holding

FILE = "part.parquet"
_FOLDER = re.compile(r"dt=(\d{4}-\d{2}-\d{2})")
# Fields of a struct come and go as columns do.
_OLDER = pl.ScanCastOptions(missing_struct_fields="insert", extra_struct_fields="ignore")


@dataclass(frozen=True, slots=True)
class Warehouse:
    """A folder of published tables.

    Attributes:
        root: The folder. It need not exist until something is published.
    """

    root: Path

    def path(self, table: str, dt: date) -> Path:
        """Where a partition lies, whether it is there or not.

        Args:
            table: Table name.
            dt: The partition's day.
        """
        return self.root / table / f"dt={dt.isoformat()}" / FILE

    def days(self, table: str) -> list[date]:
        """The partitions that a table has.

        Args:
            table: Table name.

        Returns:
            Their days, oldest first; none where the table was never published.
        """
        days = (day_of(path.parent) for path in (self.root / table).glob(f"dt=*/{FILE}"))
        return sorted(day for day in days if day is not None)

    def scan(
        self, table: str, days: Iterable[date] | None = None, columns: Sequence[str] | None = None
    ) -> pl.LazyFrame:
        """Read a table lazily, in the shape of its contract whatever the age of the files.

        A column that a file is too old to have reads as null, and one that the contract has no more is left out.

        Args:
            table: Table name.
            days: Partitions to read; those that are not there add no rows. All, where None.
            columns: Columns to read; all, where None. `dt` is always there.

        Returns:
            Columns of the contract in their order, then `dt`, the partition's day. Typed and without rows where there
            are no files.
        """
        shape = contract.table(table).polars
        present = self.days(table)
        wanted = present if days is None else sorted(set(days).intersection(present))
        # One scan a file, with its day as a literal: hive parsing would also read `key=value` folders above the root.
        frames = [
            pl.scan_parquet(
                self.path(table, day),
                schema=shape,
                missing_columns="insert",
                extra_columns="ignore",
                cast_options=_OLDER,
                hive_partitioning=False,
                glob=False,
            ).with_columns(pl.lit(day, pl.Date).alias("dt"))
            for day in wanted
        ]
        frame = pl.concat(frames) if frames else pl.LazyFrame(schema={**shape, "dt": pl.Date()})
        if columns is None:
            return frame
        return frame.select(list(dict.fromkeys([*columns, "dt"])))

    def footer(self, table: str, dt: date) -> dict[str, str]:
        """The key-value metadata of a partition file.

        Args:
            table: Table name.
            dt: The partition's day.

        Returns:
            Keys such as `schema_version`, with the values that the writing run gave.

        Raises:
            WarehouseFault: There is no such file, or it is no Parquet file.
        """
        return read_footer(self.path(table, dt))[1]

    def writer(self) -> AbstractContextManager[None]:
        """Hold the warehouse for writing: one run at a time, until the block or the process ends, however it ends.

        Raises:
            WarehouseBusy: On entry, where another run holds it.
        """
        return holding(self.root)

    def verify(self, tables: Iterable[str] | None = None) -> int:
        """Check that every file that a reader's glob finds is a whole partition of its table.

        Args:
            tables: Table names; all of them where None.

        Returns:
            The number of files that were checked.

        Raises:
            WarehouseFault: A file is torn, foreign, misplaced, or of another schema. The message names its path.
        """
        checked = 0
        for table in contract.tables() if tables is None else tables:
            for path in sorted((self.root / table).rglob("*.parquet")):
                if not is_partition(path, table):
                    raise foreign(path, "does not lie where a partition lies")
                compare(path, contract.table(table))
                checked += 1
        return checked


def day_of(folder: Path) -> date | None:
    """The day that a partition's folder is named for.

    Args:
        folder: A folder.

    Returns:
        The day; None where the folder is no partition's.
    """
    match = _FOLDER.fullmatch(folder.name)
    try:
        return date.fromisoformat(match[1]) if match else None
    except ValueError:
        return None


def is_partition(path: Path, table: str) -> bool:
    """Whether a file lies where a partition of a table lies."""
    return path.name == FILE and day_of(path.parent) is not None and path.parent.parent.name == table


def read_footer(path: Path) -> tuple[pa.Schema, dict[str, str], int]:
    """Read what a Parquet file says of itself.

    Args:
        path: The file.

    Returns:
        Its Arrow schema without metadata, its key-value metadata, and its number of rows.

    Raises:
        WarehouseFault: It is not there, or is no whole Parquet file.
    """
    try:
        with pq.ParquetFile(path) as file:
            schema, rows = file.schema_arrow, file.metadata.num_rows
            raw = file.metadata.metadata or {}
    except FileNotFoundError:
        raise foreign(path, "is not there") from None
    except (pa.ArrowException, OSError):
        raise foreign(path, "is not a whole Parquet file") from None
    metadata = {k.decode(): v.decode() for k, v in raw.items() if k != b"ARROW:schema"}
    return schema.remove_metadata(), metadata, rows


def compare(path: Path, table: Table) -> None:
    """Hold a file to its table's contract.

    Args:
        path: The file.
        table: The contract.

    Raises:
        WarehouseFault: It is no whole Parquet file, or differs from the contract by more than age.
    """
    found, metadata, _ = read_footer(path)
    wanted = table.arrow
    if metadata.get("table", table.name) != table.name:
        raise foreign(path, "was written for another table")
    # A file may be older than the contract, so it may lack columns; those that it has must be of the right type.
    for field in found:
        if field.name in wanted.names and not _fits(field.type, wanted.field(field.name).type):
            raise foreign(path, f"holds column {field.name} in another type than the contract's")
    if absent := sorted(set(table.key) - set(found.names)):
        raise foreign(path, f"lacks column {absent[0]}, which every version of the table has")


def _fits(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether a type is the wanted one, or an older one: a struct may lack fields, and have some that are no more."""
    if pa.types.is_list(found) and pa.types.is_list(wanted):
        return _fits(found.value_type, wanted.value_type)
    if pa.types.is_struct(found) and pa.types.is_struct(wanted):
        return all(_fits(f.type, wanted.field(f.name).type) for f in found if wanted.get_field_index(f.name) >= 0)
    return bool(found == wanted)


def foreign(path: Path, how: str) -> WarehouseFault:
    """The fault of a file that is no partition of its table.

    Args:
        path: The file.
        how: What is wrong with it.
    """
    return WarehouseFault(
        f"{path} {how}.",
        state="Readers of that table fail or read wrong rows until it is mended; other tables are not affected.",
        then="Run a landing day: `tacit run` moves such files out of the tables, and says which days to run again.",
    )
