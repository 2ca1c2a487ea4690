"""The SQL of the catalogue's views: one for each table from its contract, then the analysts' from `warehouse/sql/`."""

# ruff: noqa: S608 - the SQL is put together from contract names, our own files and quoted paths

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile
from pathlib import Path

from schemas import contract
from schemas.contract import Column, Table
from warehouse.database import file_literal, identifier, literal
from warehouse.layout import Warehouse

# Matches every partition, and no file that somebody put beside them. The letters in brackets are a set that holds the
# p; what they say is read where it helps: DuckDB's error quotes the glob when a folder was moved away from under the
# catalogue file.
ANY_FILE = "dt=????-??-??/part.[moved? Repair it with: tacit catalogue]arquet"
_FOLDER = Path(__file__).parent / "sql"
_SCALARS = {
    "string": "VARCHAR",
    "bool": "BOOLEAN",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "float64": "DOUBLE",
    "date": "DATE",
    "timestamp": "TIMESTAMPTZ",
}
_SECOND_HAND = "coalesce(list_contains(flags, 'restated'), false)"
# Tables of which one row can arrive on several days: the view of the table's name shows the newest version only, by
# the rules of `signals.versions`.
_VERSIONED = {
    "messages": (
        "message_versions",
        "source, conversation_id, message_id",
        f"{_SECOND_HAND}, arrival_dt DESC, greatest(completed_at, created_at) DESC NULLS LAST, digest DESC",
    ),
    "events": ("event_versions", "event_id", "arrival_dt DESC"),
}
_KEYS = ("question", "owner", "grain")
_ENTRY = re.compile(r"^(\w+):\s*(.*)$")
_KEPT = re.compile(r"(\w+) (-?\d+) to (-?\d+)")
_COLUMN = re.compile(r"^\s+(\w+):\s*(.+)$")


@dataclass(frozen=True, slots=True)
class View:
    """A view of the catalogue.

    Attributes:
        name: Its name.
        select: The query that it stands for.
        comment: What it answers and what one row is.
        columns: Column names to their comments, in order.
        kept: Where its rows are kept in files, a partition a day (`warehouse.kept`): what a day's rows are made of, as
            table name to the days around it that its SQL reads, first and last. Empty where they are not.
    """

    name: str
    select: str
    comment: str
    columns: dict[str, str]
    kept: dict[str, tuple[int, int]] = field(default_factory=dict)

    def statements(self) -> list[str]:
        """The SQL that makes the view and its comments."""
        name = identifier(self.name)
        made = [f"CREATE VIEW {name} AS {self.select}", f"COMMENT ON VIEW {name} IS {literal(self.comment)}"]
        made += [f"COMMENT ON COLUMN {name}.{identifier(c)} IS {literal(doc)}" for c, doc in self.columns.items()]
        return made


def table_views(warehouse: Warehouse) -> list[View]:
    """The views over the published files.

    Args:
        warehouse: The warehouse. A table that was never published gets a view without rows.

    Returns:
        One view for each table, two where rows have versions.
    """
    made = []
    for table in contract.tables().values():
        comment = f"{table.doc} One row is {table.grain}."
        columns = {c.name: column_comment(c) for c in table.columns}
        columns["dt"] = f"Partition: {table.partition}."
        source = _source(warehouse, table)
        if table.name in _VERSIONED:
            versions, key, order = _VERSIONED[table.name]
            made.append(View(versions, source, comment, columns))
            newest = f"SELECT * FROM {versions} QUALIFY row_number() OVER (PARTITION BY {key} ORDER BY {order}) = 1"
            made.append(View(table.name, newest, f"The newest version of each row of {versions}.", columns))
        else:
            made.append(View(table.name, source, comment, columns))
    return made


def _source(warehouse: Warehouse, table: Table) -> str:
    if not warehouse.days(table.name):
        nothing = ", ".join(f"NULL::{sql_type(c)} AS {identifier(c.name)}" for c in table.columns)
        return f"SELECT {nothing}, NULL::DATE AS dt WHERE false"
    # A schema by name gives null for a column that a file is too old for, whatever the order of the files, and spares
    # opening every file of the table before each query, which union_by_name does.
    shape = ", ".join(
        f"{literal(c.name)}: {{name: {literal(c.name)}, type: {literal(sql_type(c))}, default_value: NULL}}"
        for c in table.columns
    )
    files = file_literal(warehouse.root / table.name, ANY_FILE)
    return (
        f"SELECT * FROM read_parquet({files}, schema = MAP {{{shape}}}, "
        "hive_partitioning = true, hive_types = {'dt': DATE})"
    )


def sql_type(column: Column) -> str:
    """The DuckDB type of a column.

    Args:
        column: A column, or a field of a struct.
    """
    if column.type in _SCALARS:
        return _SCALARS[column.type]
    inner = _SCALARS[column.item] if column.item else _struct(column.fields)
    return inner if column.type == "struct" else f"{inner}[]"


def _struct(fields: Iterable[Column]) -> str:
    return f"STRUCT({', '.join(f'{identifier(f.name)} {sql_type(f)}' for f in fields)})"


def column_comment(column: Column) -> str:
    """What a column's comment says: meaning, unit, and the class of personal data.

    Args:
        column: The column.
    """
    unit = f" Unit: {column.unit}." if column.unit else ""
    personal = f" Personal data: {column.personal}." if column.personal != "none" else ""
    fields = " Fields: " + "; ".join(f"{f.name}: {f.doc}" for f in column.fields) if column.fields else ""
    return f"{column.doc}{unit}{personal}{fields}"


@cache
def analyst_views() -> tuple[View, ...]:
    """The views of `warehouse/sql/*.sql`: those that are kept in files first, then by name.

    Each builds on the tables' views, on functions of `warehouse.macros`, or on views that come before it here.

    Raises:
        ValueError: A file's header lacks an entry.
    """
    views = (parse_view(path.stem, path.read_text(encoding="utf-8")) for path in sorted(_FOLDER.glob("*.sql")))
    return tuple(sorted(views, key=lambda view: not view.kept))


def parse_view(name: str, text: str) -> View:
    """Read a view's file: a header of comments with question, owner, grain and columns, then the query.

    `kept: by day, from TABLE FIRST to LAST, ...` in the header says that its rows are kept in files, and made of that
    table's days from FIRST to LAST around their own.

    Args:
        name: The view's name.
        text: The file's text.

    Raises:
        ValueError: The header lacks an entry.
    """
    entries: dict[str, str] = {}
    columns: dict[str, str] = {}
    lines = text.splitlines()
    header = list(takewhile(lambda line: line.startswith("--"), lines))
    for line in header:
        said = line.removeprefix("--").removeprefix(" ")
        if entry := _ENTRY.match(said):
            entries[entry[1]] = entry[2].strip()
        elif column := _COLUMN.match(said):
            columns[column[1]] = column[2].strip()
    absent = [key for key in _KEYS if not entries.get(key)]
    if absent or not columns:
        raise ValueError(f"the header of {name}.sql lacks {', '.join(absent) or 'columns'}")
    comment = f"{entries['question']} One row is {entries['grain']}. Owner: {entries['owner']}."
    select = "\n".join(lines[len(header) :]).strip().rstrip(";")
    return View(name, select, comment, columns, _days_around(entries.get("kept", "")))


def _days_around(said: str) -> dict[str, tuple[int, int]]:
    return {table: (int(first), int(last)) for table, first, last in _KEPT.findall(said)}
