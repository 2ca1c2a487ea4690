"""Turns what a writer made into bytes: lines, documents, archives, tables and databases, the same each time."""

import csv
import io
import json
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_PACKED_AT = (2026, 11, 5, 0, 0, 0)


def lines(records: Iterable[Any]) -> bytes:
    """One record of JSON a line."""
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records).encode()


def document(value: Any, indent: int | None = 1) -> bytes:
    """A value as JSON."""
    return (json.dumps(value, ensure_ascii=False, indent=indent) + "\n").encode()


def table(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Rows as CSV, with the names of the columns above them."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def archive(members: Mapping[str, bytes]) -> bytes:
    """A zip file whose members all have one time."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items():
            packed.writestr(zipfile.ZipInfo(name, _PACKED_AT), data, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def columns(rows: Sequence[Mapping[str, Any]], schema: pa.Schema | None = None) -> bytes:
    """Rows as Parquet."""
    whole = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows), schema), whole, compression="zstd")
    return whole.getvalue()


def database(tables: Mapping[str, tuple[str, Sequence[Mapping[str, Any]]]]) -> bytes:
    """A SQLite database.

    Args:
        tables: By name, the columns as SQL declares them, and the rows.

    Returns:
        Its bytes. They depend on the version of SQLite, which stands in the header; what it holds does not.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA page_size = 1024")
            db.execute("BEGIN")
            for name, (declared, rows) in tables.items():
                db.execute(f"CREATE TABLE {name} ({declared})")
                for row in rows:
                    marks = ", ".join("?" * len(row))
                    db.execute(f"INSERT INTO {name} ({', '.join(row)}) VALUES ({marks})", list(row.values()))  # noqa: S608 - constants
            db.execute("COMMIT")
        return path.read_bytes()
