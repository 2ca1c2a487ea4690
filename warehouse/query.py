"""Runs an analyst's query: read-only, inside the warehouse, within limits of time and memory."""

import re
import threading
import time
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa

from schemas.errors import ConfigError, QueryRefused
from warehouse.catalogue import connect
from warehouse.database import escape_glob, literal
from warehouse.layout import Warehouse
from warehouse.mend import require_whole
from warehouse.statement import refuse_unless_reading
from warehouse.steady import read_steadily

_BATCH = 10_000
_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Z]+)")
_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
# Errors about the text of the query itself. Errors while it runs quote values of the data, so their text stays here.
_ABOUT_THE_QUERY = (duckdb.ParserException, duckdb.SyntaxException, duckdb.BinderException, duckdb.CatalogException)


def run_query(
    warehouse: Warehouse,
    sql: str,
    *,
    limit_s: float = 60.0,
    memory: str = "1GB",
    cancel: threading.Event | None = None,
) -> pl.DataFrame:
    """Run one query over the catalogue's views.

    Args:
        warehouse: The warehouse.
        sql: One SELECT (or FROM, WITH, VALUES, DESCRIBE, SHOW, SUMMARIZE), or EXPLAIN of one.
        limit_s: Seconds after which it is stopped.
        memory: Most memory for the query, and again for its result, as DuckDB writes it: `500MB`, `2GiB`.
        cancel: Set by another thread, it stops the query.

    Returns:
        The result.

    Raises:
        QueryRefused: The query writes, reaches outside the warehouse, does not parse, fails, exceeds a limit, or
            is cancelled.
        WarehouseFault: The query fails, and a file among the tables is no partition.
        ConfigError: `memory` is no amount of memory.
    """
    limit_bytes = _bytes(memory)
    con = connect(warehouse, memory_limit=memory)
    try:
        _confine(con, warehouse)
        return _within(warehouse, con, sql, _Watch(con, limit_s, cancel), limit_bytes)
    finally:
        con.close()


def _confine(con: duckdb.DuckDBPyConnection, warehouse: Warehouse) -> None:
    # A glob is compared as it is written, a file by its path: the two differ where the root holds `[`.
    roots = {str(warehouse.root.absolute()), escape_glob(warehouse.root)}
    con.execute(f"SET allowed_directories = [{', '.join(map(literal, sorted(roots)))}]")
    con.execute("SET enable_external_access = false")
    con.execute("SET lock_configuration = true")


class _Watch(threading.Thread):
    """Interrupts a connection once its time is up or it is cancelled, until the query ends.

    It does so again and again: one call falls flat between two statements.
    """

    def __init__(self, con: duckdb.DuckDBPyConnection, limit_s: float, cancel: threading.Event | None) -> None:
        super().__init__(daemon=True)
        self._con, self.limit_s, self._cancel, self._ended = con, limit_s, cancel, threading.Event()
        self.expired = self.cancelled = False
        self.start()

    def run(self) -> None:
        deadline = time.monotonic() + self.limit_s
        while not self._ended.wait(min(0.05, max(0.0, deadline - time.monotonic()))):
            self.cancelled = self.cancelled or (self._cancel is not None and self._cancel.is_set())
            self.expired = self.expired or time.monotonic() >= deadline
            if self.cancelled or self.expired:
                self._con.interrupt()
                self._ended.wait(0.05)

    def end(self) -> None:
        self._ended.set()
        self.join()


def _within(
    warehouse: Warehouse, con: duckdb.DuckDBPyConnection, sql: str, watch: _Watch, limit_bytes: int
) -> pl.DataFrame:
    try:
        refuse_unless_reading(con, sql)
        return read_steadily(warehouse, lambda: _fetch(con, sql, limit_bytes), patience_s=watch.limit_s)
    except _ABOUT_THE_QUERY as fault:
        raise _refused(f"DuckDB does not understand the query: {fault}", "Correct the query.") from None
    except duckdb.PermissionException:
        raise _refused(
            "The query reaches outside the warehouse.",
            "Read the views; SHOW TABLES lists them.",
        ) from None
    except duckdb.OutOfMemoryException:
        raise _refused(
            "The query needs more memory than the limit.", "Narrow it by dt, or raise the memory limit."
        ) from None
    except (duckdb.Error, RuntimeError, pa.ArrowException) as fault:
        if watch.cancelled:
            raise _refused("The query was cancelled.", "Ask another.") from None
        if watch.expired:
            raise _refused(
                f"The query ran longer than {watch.limit_s:g} seconds.", "Narrow it by dt, or raise the time limit."
            ) from None
        require_whole(warehouse)  # a torn file is the likelier cause, and names itself
        raise _refused(
            f"The query failed while it ran ({type(fault).__name__}).",
            "Look for casts and arithmetic that do not hold for every row; TRY_CAST gives null instead.",
        ) from None
    finally:
        watch.end()


def _fetch(con: duckdb.DuckDBPyConnection, sql: str, limit_bytes: int) -> pl.DataFrame:
    reader: Any = con.sql(sql).to_arrow_reader(_BATCH)
    batches, size = [], 0
    for batch in reader:
        size += batch.nbytes
        if size > limit_bytes:
            raise _refused("The result is larger than the memory limit.", "Aggregate it, or add a LIMIT.")
        batches.append(batch)
    return pl.DataFrame(pa.Table.from_batches(batches, schema=reader.schema))


def _bytes(memory: str) -> int:
    match = _MEMORY.fullmatch(memory.strip().upper())
    if match is None or match[2] not in _UNITS:
        raise ConfigError(
            "A memory limit is a number and a unit.",
            state="Nothing was run.",
            then=f"Use one of {', '.join(_UNITS)}, such as 500MB.",
        )
    return int(float(match[1]) * _UNITS[match[2]])


def _refused(what: str, then: str) -> QueryRefused:
    return QueryRefused(what, state="Nothing was changed.", then=then)
