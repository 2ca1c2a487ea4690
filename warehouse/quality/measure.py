"""Computes the numbers that the checks are about, with DuckDB, from the staged files: aggregates, never a value."""

# ruff: noqa: S608 - the SQL is put together from contract names and quoted paths; no text of a user enters it

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import duckdb
import polars as pl

from schemas import contract
from schemas.enums import Role
from warehouse.database import file_literal, identifier, literal
from warehouse.quality.checks import REPLY_HAS_EXCHANGE, ROWS_MATCH_COUNT, SIGNAL_HAS_EXCHANGE, checks_of
from warehouse.stage import Staged

_Source = Mapping[tuple[str, date], str]


def measure(
    con: duckdb.DuckDBPyConnection, staged: Sequence[Staged], counts: Mapping[str, int]
) -> dict[str, pl.DataFrame]:
    """Measure every staged partition.

    Args:
        con: A DuckDB connection.
        staged: The partitions.
        counts: Rows that the run counted itself; see `warehouse.quality.gate.check`.

    Returns:
        Table name to a frame of one row a day: `dt` (text), and one float column for each check, by its name. Null
        where a check does not apply, which only those that look beyond the partition can be.
    """
    by_table: dict[str, list[Staged]] = {}
    for part in staged:
        by_table.setdefault(part.table, []).append(part)
    files = {(s.table, s.dt): f"read_parquet({file_literal(s.path)})" for s in staged}
    measured = {}
    for table in (t for t in contract.tables() if t in by_table):
        parts = sorted(by_table[table], key=lambda s: s.dt)
        frame = _aggregates(con, table, parts, files)
        frame = frame.with_columns(_difference(parts, frame, counts).alias(ROWS_MATCH_COUNT.name))
        if table == "signals":
            frame = frame.with_columns(_per_day(con, parts, files, _orphans).alias(SIGNAL_HAS_EXCHANGE.name))
        if table == "messages":
            frame = frame.with_columns(_per_day(con, parts, files, _linked).alias(REPLY_HAS_EXCHANGE.name))
        measured[table] = frame
    return measured


def _aggregates(con: duckdb.DuckDBPyConnection, table: str, parts: Sequence[Staged], files: _Source) -> pl.DataFrame:
    checks = [c for c in checks_of(contract.table(table)) if c.measure]
    wanted = ", ".join(f"({c.measure})::DOUBLE AS {identifier(c.name)}" for c in checks)
    query = " UNION ALL ".join(
        f"SELECT {literal(p.dt.isoformat())} AS dt, {wanted} FROM {files[table, p.dt]}" for p in parts
    )
    return pl.DataFrame(con.sql(f"{query} ORDER BY dt").to_arrow_table())


def _difference(parts: Sequence[Staged], frame: pl.DataFrame, counts: Mapping[str, int]) -> pl.Series:
    found = frame["row_count"].to_list()
    table = parts[0].table
    if table in counts:
        # The run's count is of the whole table, so a difference is each of its partitions' fault.
        return pl.Series([float(abs(sum(found) - counts[table]))] * len(parts), dtype=pl.Float64)
    expected = [counts.get(f"{table}/{p.dt}", p.rows) for p in parts]
    return pl.Series([abs(f - e) for f, e in zip(found, expected, strict=True)], dtype=pl.Float64)


def _per_day(con: duckdb.DuckDBPyConnection, parts: Sequence[Staged], files: _Source, query: Any) -> pl.Series:
    values = []
    for part in parts:
        sql = query(files, part.dt)
        values.append(con.execute(sql).fetchall()[0][0] if sql else None)
    return pl.Series(values, dtype=pl.Float64)


def _orphans(files: _Source, day: date) -> str:
    signals, exchanges = files["signals", day], files.get(("exchanges", day))
    if exchanges is None:
        return f"SELECT count(*)::DOUBLE FROM {signals}"
    return f"SELECT count(*)::DOUBLE FROM {signals} s ANTI JOIN {exchanges} e USING (exchange_id)"


def _linked(files: _Source, day: date) -> str | None:
    messages, exchanges = files["messages", day], files.get(("exchanges", day))
    if exchanges is None:
        return None
    return f"""
        SELECT coalesce(avg((e.reply_id IS NOT NULL)::INTEGER), 1)::DOUBLE
        FROM (SELECT DISTINCT source, conversation_id, message_id FROM {messages}
              WHERE role = {literal(Role.ASSISTANT)}) m
        LEFT JOIN (SELECT DISTINCT source, conversation_id, reply_id FROM {exchanges}) e
          ON m.source = e.source AND m.conversation_id = e.conversation_id AND m.message_id = e.reply_id"""
