"""Views whose rows are kept in files, a partition a day, so that a question over years adds up a few rows a day.

A kept partition holds what its view's SQL gives for that day, and nothing else: it can be thrown away at any time and
comes back. Its footer says which files it was made from; where one of them changed, it is made anew. It lies in
`ROOT/marts/VIEW-VERSION/dt=YYYY-MM-DD/part.parquet`, VERSION a digest of the view's SQL, and is replaced by one rename
as partitions of tables are.
"""

# ruff: noqa: S608 - the SQL is put together from names of our own and quoted paths

import hashlib
import os
import shutil
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import WarehouseFault
from warehouse.database import file_literal, identifier
from warehouse.files import faults_named, file_digest, sync_folder
from warehouse.layout import FILE, Warehouse, day_of
from warehouse.macros import MACROS
from warehouse.stage import Stage
from warehouse.views import ANY_FILE, View, analyst_views

FOLDER = "marts"
_MADE_FROM, _FILES = "tacit.made_from", "tacit.files"
_UNHARMED = "The published tables are as they were; views that are kept by day may lag behind them."
# A file's identity, as the file system knows it, to its digest: many days are made from the same files.
_Digests = dict[tuple[int, int, int], str]


def kept_views() -> list[View]:
    """The views that are kept."""
    return [view for view in analyst_views() if view.kept]


def folder_of(warehouse: Warehouse, view: View) -> Path:
    """Where a view's partitions lie.

    Args:
        warehouse: The warehouse.
        view: A kept view.
    """
    sql = "\n".join([view.select, *(macro.body for macro in MACROS)])
    return warehouse.root / FOLDER / f"{view.name}-{hashlib.sha256(sql.encode()).hexdigest()[:8]}"


def path_of(warehouse: Warehouse, view: View, day: date) -> Path:
    """Where a kept partition lies, whether it is there or not.

    Args:
        warehouse: The warehouse.
        view: A kept view.
        day: The partition's day.
    """
    return folder_of(warehouse, view) / f"dt={day.isoformat()}" / FILE


def kept_days(warehouse: Warehouse, view: View) -> list[date]:
    """The days that a view is kept for, oldest first.

    Args:
        warehouse: The warehouse.
        view: A kept view.
    """
    days = (day_of(path.parent) for path in folder_of(warehouse, view).glob(f"dt=*/{FILE}"))
    return sorted(day for day in days if day is not None)


def fresh_days(warehouse: Warehouse, view: View) -> list[date]:
    """The days whose kept partition is newer than every file that it is made from.

    A publish renames its files into place, which sets their change time; so does a copy. A kept day that is not among
    these may be right all the same; `refresh` looks closer.

    Args:
        warehouse: The warehouse.
        view: A kept view.
    """
    there = set(warehouse.days("exchanges"))
    return [day for day in kept_days(warehouse, view) if day in there and _newer(warehouse, view, day)]


def is_stale(warehouse: Warehouse) -> bool:
    """Whether `refresh` would have anything to do.

    Args:
        warehouse: The warehouse.
    """
    if any(True for _ in _foreign(warehouse)):
        return True
    there = warehouse.days("exchanges")
    return any(not _is_fresh(warehouse, view, day) for view in kept_views() for day in there)


def refresh(warehouse: Warehouse, con: duckdb.DuckDBPyConnection, stage: Stage) -> None:
    """Make what is kept agree with the tables: make stale partitions anew, remove those of days that are gone.

    A day whose files cannot be read is left out, so that one torn file does not keep the rest from being right.

    Args:
        warehouse: The warehouse.
        con: A connection in which the kept views' names stand for their SQL over the tables.
        stage: Where files are written aside; its folder must lie on the warehouse's disk.

    Raises:
        WarehouseFault: The disk is full or refuses, or memory does not suffice.
    """
    digests: _Digests = {}
    for folder in _foreign(warehouse):
        shutil.rmtree(folder, ignore_errors=True)
    for view in kept_views():
        for day in warehouse.days("exchanges"):
            if not _is_fresh(warehouse, view, day):
                with faults_named(f"Keeping {view.name} for {day}", state=_UNHARMED):
                    _make(warehouse, con, stage, view, day, digests)


def _foreign(warehouse: Warehouse) -> Iterator[Path]:
    """Folders of views that changed since, and of days that are gone."""
    there = set(warehouse.days("exchanges"))
    current = {folder_of(warehouse, view) for view in kept_views()}
    yield from (folder for folder in (warehouse.root / FOLDER).glob("*") if folder not in current)
    for view in kept_views():
        for day in set(kept_days(warehouse, view)) - there:
            yield path_of(warehouse, view, day).parent


def _make(
    warehouse: Warehouse,
    con: duckdb.DuckDBPyConnection,
    stage: Stage,
    view: View,
    day: date,
    digests: _Digests,
) -> None:
    path = path_of(warehouse, view, day)
    inputs = dict(_inputs(warehouse, view, day))
    made_from = _digest(inputs, digests)
    if _footer(path).get(_MADE_FROM) == made_from:
        os.utime(path)  # copied or synced with what it is made from: only the clocks differ
        return
    rows = _rows(con, view, day)
    if rows is None:
        shutil.rmtree(path.parent, ignore_errors=True)
        return
    if _digest(inputs, digests) != made_from:
        return  # a run publishes meanwhile; it refreshes when it has done so
    aside = stage.folder / f"{view.name}-{day}.parquet"
    metadata = {_FILES: ",".join(inputs), _MADE_FROM: made_from}
    pq.write_table(rows.replace_schema_metadata(metadata), aside, compression="zstd")
    with aside.open("rb") as written:
        os.fsync(written.fileno())
    path.parent.mkdir(parents=True, exist_ok=True)
    os.replace(aside, path)  # noqa: PTH105 - the name of the system call that the promise rests on
    sync_folder(path.parent)


def _rows(con: duckdb.DuckDBPyConnection, view: View, day: date) -> pa.Table | None:
    columns = ", ".join(identifier(name) for name in view.columns)
    sql = f"SELECT {columns} FROM {view.name} WHERE dt = DATE '{day}' ORDER BY ALL"
    try:
        return con.sql(sql).to_arrow_table()
    except duckdb.OutOfMemoryException:
        raise WarehouseFault(
            f"Keeping {view.name} for {day} needs more memory than the limit.",
            state=_UNHARMED,
            then="Run `tacit catalogue` where there is more memory.",
        ) from None
    except duckdb.Error:
        return None


def source(warehouse: Warehouse, view: View, days: list[date] | None = None) -> str:
    """The SQL that reads what is kept.

    Args:
        warehouse: The warehouse.
        view: A kept view with at least one kept partition.
        days: Only these; all that there are whenever the query runs, where None.
    """
    if days is None:
        files = file_literal(folder_of(warehouse, view), ANY_FILE)
    else:
        files = "[" + ", ".join(file_literal(path_of(warehouse, view, day)) for day in days) + "]"
    columns = ", ".join(identifier(name) for name in view.columns)
    return f"SELECT {columns} FROM read_parquet({files}, hive_partitioning = true, hive_types = {{'dt': DATE}})"


def _inputs(warehouse: Warehouse, view: View, day: date) -> Iterator[tuple[str, Path]]:
    for table, (first, last) in view.kept.items():
        for n in range(first, last + 1):
            path = warehouse.path(table, day + timedelta(days=n))
            if path.exists():
                yield f"{table}/{day + timedelta(days=n)}", path


def _is_fresh(warehouse: Warehouse, view: View, day: date) -> bool:
    files = ",".join(name for name, _ in _inputs(warehouse, view, day))
    return _newer(warehouse, view, day) and _footer(path_of(warehouse, view, day)).get(_FILES) == files


def _newer(warehouse: Warehouse, view: View, day: date) -> bool:
    try:
        made = path_of(warehouse, view, day).stat().st_mtime_ns
        return all(path.stat().st_ctime_ns < made for _, path in _inputs(warehouse, view, day))
    except OSError:  # not kept, or replaced while we looked
        return False


def _digest(inputs: dict[str, Path], digests: _Digests) -> str:
    """Digest what a day's rows are made of."""
    state = hashlib.sha256()
    for name, path in inputs.items():
        found = path.stat()
        identity = (found.st_ino, found.st_size, found.st_ctime_ns)
        if identity not in digests:
            digests[identity] = file_digest(path)
        state.update(f"{name}:{digests[identity]};".encode())
    return state.hexdigest()


def _footer(path: Path) -> dict[str, str]:
    try:
        raw = pq.read_metadata(path).metadata or {}
    except (pa.ArrowException, OSError):
        return {}
    return {k.decode(): v.decode() for k, v in raw.items() if k != b"ARROW:schema"}
