"""Decides whether a statement only reads.

It looks at DuckDB's own syntax tree, since the statement's kind is not enough: a SELECT can carry a COPY or an INSERT
in its WITH clause, and an EXPLAIN ANALYZE runs what it explains.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import duckdb

from schemas.errors import QueryRefused

_READING_NODES = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}
# Table functions that read the warehouse, the catalogue, or nothing. Others change settings, write logs, take raw
# pointers, or run SQL that is inside a string.
_READING_FUNCTIONS = {
    "duckdb_columns",
    "duckdb_functions",
    "duckdb_tables",
    "duckdb_types",
    "duckdb_views",
    "generate_series",
    "glob",
    "json_each",
    "json_tree",
    "parquet_file_metadata",
    "parquet_kv_metadata",
    "parquet_metadata",
    "parquet_scan",
    "parquet_schema",
    "pragma_show",
    "pragma_table_info",
    "pragma_version",
    "range",
    "read_parquet",
    "repeat",
    "repeat_row",
    "summary",
    "unnest",
}
_EXPLAIN = re.compile(
    r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*EXPLAIN\s*(?:ANALYZE\s+|\([^()]*\)\s*)?(?P<inner>.*)", re.IGNORECASE | re.DOTALL
)


def refuse_unless_reading(con: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Let a single reading statement pass.

    Args:
        con: Any DuckDB connection; nothing is run on it but the parser.
        sql: The statement.

    Raises:
        QueryRefused: It is none, several, or does something else than read.
        duckdb.ParserException: It does not parse.
    """
    statements = con.extract_statements(sql)
    if len(statements) != 1:
        raise _refused(f"The query has {len(statements)} statements.")
    kind = statements[0].type.name
    if kind == "EXPLAIN":
        inner = _EXPLAIN.fullmatch(sql)
        if inner is None or _EXPLAIN.fullmatch(inner["inner"]):
            raise _refused("The EXPLAIN is not of a plain query.")
        refuse_unless_reading(con, inner["inner"])
        return
    if kind != "SELECT":
        raise _refused(f"The query is a {kind} statement.")
    # All rows: a result that is not read to its end keeps the connection busy.
    [[text]] = con.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()
    tree = json.loads(text)
    if tree["error"]:
        raise _refused("The query is not a plain SELECT.")
    for key, part in _parts(tree):
        if key in ("node", "query_node") and part.get("type") not in _READING_NODES:
            raise _refused("The query has a part that writes.")
        if part.get("type") == "TABLE_FUNCTION" and _function(part) not in _READING_FUNCTIONS:
            raise _refused("The query calls a table function that is not for reading the warehouse.")


def _parts(tree: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    # A stack of our own: a deeply nested query must not exhaust Python's.
    stack: list[tuple[str, Any]] = [("", tree)]
    while stack:
        key, part = stack.pop()
        if isinstance(part, dict):
            yield key, part
            stack.extend(part.items())
        elif isinstance(part, list):
            stack.extend((key, item) for item in part)


def _function(part: dict[str, Any]) -> str:
    function = part.get("function")
    return str(function.get("function_name", "")).lower() if isinstance(function, dict) else ""


def _refused(what: str) -> QueryRefused:
    return QueryRefused(
        what,
        state="Nothing was run.",
        then="Send one SELECT, FROM, WITH, VALUES, DESCRIBE, SHOW or SUMMARIZE, or an EXPLAIN of one.",
    )
