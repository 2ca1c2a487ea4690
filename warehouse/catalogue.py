"""The DuckDB catalogue: views over the published files with a comment on every column, for analysts and tools."""

import hashlib
import os
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb

from warehouse.database import literal, open_database
from warehouse.files import faults_named, sync_folder
from warehouse.kept import fresh_days, is_stale, kept_days, refresh, source
from warehouse.layout import Warehouse
from warehouse.macros import MACROS
from warehouse.stage import Stage
from warehouse.views import View, analyst_views, table_views

FILE = "warehouse.duckdb"
_UNHARMED = "The published tables and the old catalogue are as they were."


def views(warehouse: Warehouse) -> list[str]:
    """The SQL of the catalogue file, in order.

    Args:
        warehouse: The warehouse.

    Returns:
        Statements that make the functions, the views and their comments in an empty database.
    """
    return _statements(warehouse, lambda view: source(warehouse, view) if kept_days(warehouse, view) else view.select)


def _live(warehouse: Warehouse) -> list[str]:
    """The same, with every view over the tables alone."""
    return _statements(warehouse, lambda view: view.select)


def _fresh(warehouse: Warehouse) -> list[str]:
    """The same, with views over what is kept where that is surely right, and over the tables for other days."""

    def select(view: View) -> str:
        days = fresh_days(warehouse, view)
        if not days:
            return view.select
        kept = source(warehouse, view, days)
        if len(days) == len(warehouse.days("exchanges")):
            return kept
        listed = ", ".join(f"DATE '{day}'" for day in days)
        return f"{kept} UNION ALL SELECT * FROM ({view.select}) WHERE dt NOT IN ({listed})"  # noqa: S608

    return _statements(warehouse, select)


def _statements(warehouse: Warehouse, of_kept: Callable[[View], str]) -> list[str]:
    made = [statement for macro in MACROS for statement in macro.statements()]
    for view in [*table_views(warehouse), *analyst_views()]:
        shown = replace(view, select=of_kept(view)) if view.kept else view
        made += shown.statements()
    return made


def connect(warehouse: Warehouse, *, memory_limit: str = "1GB", threads: int = 2) -> duckdb.DuckDBPyConnection:
    """Open the catalogue in memory, in UTC. It needs no catalogue file, and locks nothing.

    To query it while a run may be publishing, wrap the query in `warehouse.steady.read_steadily`.

    Args:
        warehouse: The warehouse.
        memory_limit: Most memory before DuckDB spills to disk.
        threads: Most threads.

    Returns:
        A connection with all views; the caller closes it.
    """
    con = open_database(memory_limit=memory_limit, threads=threads)
    for statement in _fresh(warehouse):
        con.execute(statement)
    return con


def rebuild(warehouse: Warehouse) -> Path:
    """Bring the catalogue file, and the views that are kept in files, up to date.

    The file is built aside, then renamed into place: who has the old one open keeps it, and reads the same published
    tables through it. A file that holds the same catalogue already is left alone.

    Args:
        warehouse: The warehouse.

    Returns:
        The catalogue file.

    Raises:
        WarehouseFault: The disk is full or refuses.
    """
    if is_stale(warehouse):
        with Stage(warehouse, f"marts-{uuid.uuid4().hex}") as stage, open_database(memory_limit="2GB") as con:
            for statement in _live(warehouse):
                con.execute(statement)
            refresh(warehouse, con, stage)
    statements = views(warehouse)
    digest = hashlib.sha256("\n".join([duckdb.__version__, *statements]).encode()).hexdigest()
    target = warehouse.root / FILE
    if _digest_of(target) == digest:
        return target
    with Stage(warehouse, f"catalogue-{uuid.uuid4().hex}") as stage:
        aside = stage.folder / FILE
        with faults_named("Rebuilding the catalogue", state=_UNHARMED):
            _build(aside, statements, digest)
            os.replace(aside, target)  # noqa: PTH105 - the name of the system call that the promise rests on
            sync_folder(warehouse.root)
    return target


def _build(path: Path, statements: list[str], digest: str) -> None:
    try:
        with duckdb.connect(path) as con:
            # The file outlives this connection's settings, so what it needs is in the statements themselves.
            con.execute("SET TimeZone = 'UTC'")
            for statement in statements:
                con.execute(statement)
            con.execute(f"CREATE VIEW catalogue AS SELECT {literal(digest)} AS digest")
            con.execute("COMMENT ON VIEW catalogue IS 'Which catalogue this file holds. One row is the catalogue.'")
            con.execute("COMMENT ON COLUMN catalogue.digest IS 'Digest of the SQL of all other views.'")
            con.execute("CHECKPOINT")
    except duckdb.IOException as fault:
        raise OSError(f"DuckDB: {type(fault).__name__}") from fault
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _digest_of(path: Path) -> str | None:
    if not path.is_file():
        return None
    try:
        with duckdb.connect(path, read_only=True) as con:
            rows = con.execute("SELECT digest FROM catalogue").fetchall()
    except duckdb.Error:
        # Torn, made by another version, or held by somebody for writing: a new one replaces it in any case.
        return None
    return str(rows[0][0]) if rows else None
