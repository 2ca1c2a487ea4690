"""What a database holds: definitions, comments, and every value of every table, stored compressed or not."""

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb

_ROWS = 2000


def sqlite_pieces(path: Path) -> Iterator[tuple[str, str | bytes, bool]]:
    """Yield part, text, and whether people wrote it, of a SQLite file. It is opened for reading only."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as con:
        con.text_factory = lambda b: b.decode("utf-8", "replace")
        tables = con.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        for name, sql in tables:
            yield f"definition of {name}", str(sql), False
            cursor = con.execute(f"SELECT * FROM {_quoted(name)}")  # noqa: S608 - the database's own name, quoted
            yield from _rows(name, cursor)


def duckdb_pieces(path: Path) -> Iterator[tuple[str, str | bytes, bool]]:
    """Yield the same of a DuckDB file. Views are read as SQL, and not run."""
    with duckdb.connect(path, read_only=True, config={"autoinstall_known_extensions": False}) as con:
        for sql in (
            "SELECT view_name, sql, comment FROM duckdb_views() WHERE NOT internal",
            "SELECT table_name, sql, comment FROM duckdb_tables() WHERE NOT internal",
            "SELECT table_name, column_name, comment, column_default FROM duckdb_columns() WHERE NOT internal",
        ):
            for row in con.execute(sql).fetchall():
                yield f"definition of {row[0]}", "\n".join(str(v) for v in row if v is not None), False
        for schema, name in con.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal"
        ).fetchall():
            cursor = con.execute(f"SELECT * FROM {_quoted(schema)}.{_quoted(name)}")  # noqa: S608 - quoted
            yield from _rows(name, cursor)


def server_pieces(url: str) -> Iterator[tuple[str, str | bytes, bool]]:
    """Yield the same of a database that SQLAlchemy reaches by its URL.

    Raises:
        ImportError: SQLAlchemy, or the driver, is not installed.
        Exception: What the driver raises where the database cannot be reached.
    """
    import sqlalchemy as sa

    engine = sa.create_engine(url)
    try:
        tables = sa.MetaData()
        tables.reflect(engine)
        with engine.connect() as con:
            for table in tables.sorted_tables:
                names = ", ".join(engine.dialect.identifier_preparer.quote(c.name) for c in table.columns)
                place = engine.dialect.identifier_preparer.format_table(table)
                cursor = con.exec_driver_sql(f"SELECT {names} FROM {place}")  # noqa: S608 - its own names, quoted
                heads = list(cursor.keys())
                while rows := cursor.fetchmany(_ROWS):
                    yield from _columns(table.name, heads, [tuple(r) for r in rows])
    finally:
        engine.dispose()


def _rows(name: str, cursor: Any) -> Iterator[tuple[str, str | bytes, bool]]:
    heads = [d[0] for d in cursor.description]
    while rows := cursor.fetchmany(_ROWS):
        yield from _columns(name, heads, rows)


def _columns(name: str, heads: list[str], rows: list[tuple[Any, ...]]) -> Iterator[tuple[str, str | bytes, bool]]:
    for head, values in zip(heads, zip(*rows, strict=True), strict=True):
        texts = [v if isinstance(v, str) else str(v) for v in values if v is not None and not _binary(v)]
        if texts:
            yield f"column {name}.{head}", "\n".join(texts), any(isinstance(v, str) for v in values)
        for value in values:
            if _binary(value):
                yield f"column {name}.{head}", _unpacked(bytes(value)), False


def _binary(value: object) -> bool:
    return isinstance(value, bytes | bytearray | memoryview)


def _unpacked(value: bytes) -> bytes:
    """A value as it is, and decompressed where it is compressed, as schedulers store what is long."""
    try:
        return value + b"\n" + zlib.decompressobj().decompress(value, 256 << 20)
    except zlib.error:
        return value


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
