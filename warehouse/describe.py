"""Says what a warehouse holds, and writes the documentation of its tables from the contracts."""

from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from schemas import contract
from schemas.contract import Column
from warehouse.layout import Warehouse
from warehouse.macros import MACROS
from warehouse.mend import misfits
from warehouse.views import View, analyst_views, column_comment

_RUNS = 5
_LAYOUT = (
    "A table is a set of Parquet files, `<warehouse>/<table>/dt=YYYY-MM-DD/part.parquet`. Every table also has the "
    "column `dt` (date) in its path. Times are UTC, in microseconds."
)
_READING = (
    "A run replaces a partition by one rename, so every file under a table's glob is whole at every moment. DuckDB "
    "opens a file twice in one query, for its footer and for its rows; a query in a tool of your own that meets the "
    "rename between the two ends with a Parquet error and is right when repeated. `tacit sql` repeats it by itself; "
    "Polars does not meet it."
)


def describe(warehouse: Warehouse) -> dict[str, Any]:
    """Say what the warehouse holds, from the footers of its files.

    Args:
        warehouse: The warehouse.

    Returns:
        `root`: its folder. `tables`: table name to `days`, `rows`, `bytes`, and `oldest` and `newest` day (None where
        there is none). `runs`: the last runs, newest first, with `run_id`, `dt`, `started_at`, `finished_at`,
        `peak_memory_mb`, `code_version`, and the number of `partitions` that each published. `misfits`: files among the
        tables that are no partitions, which count for nothing here, with `path` and `how`.
    """
    found = list(misfits(warehouse))
    bad = {misfit.path for misfit in found}
    return {
        "root": str(warehouse.root),
        "tables": {name: _table(warehouse, name, bad) for name in contract.tables()},
        "runs": _runs(warehouse, bad),
        "misfits": [{"path": str(misfit.path), "how": misfit.how} for misfit in found],
    }


def _whole(warehouse: Warehouse, name: str, bad: set[Path]) -> list[date]:
    return [day for day in warehouse.days(name) if warehouse.path(name, day) not in bad]


def _table(warehouse: Warehouse, name: str, bad: set[Path]) -> dict[str, Any]:
    days = _whole(warehouse, name, bad)
    paths = [warehouse.path(name, day) for day in days]
    rows = sum(pq.read_metadata(path).num_rows for path in paths)
    size = sum(path.stat().st_size for path in paths)
    return {
        "days": len(days),
        "rows": rows,
        "bytes": size,
        "oldest": days[0] if days else None,
        "newest": days[-1] if days else None,
    }


def _runs(warehouse: Warehouse, bad: set[Path]) -> list[dict[str, Any]]:
    wanted = ["run_id", "dt", "started_at", "finished_at", "peak_memory_mb", "code_version", "partitions"]
    frame = warehouse.scan("runs", _whole(warehouse, "runs", bad), columns=wanted)
    newest = frame.sort("finished_at", "run_id", descending=True).head(_RUNS).collect()
    return newest.with_columns(newest["partitions"].list.len()).to_dicts()


def tables_markdown() -> str:
    """Write `docs/tables.md`: every table and view, with every column.

    Returns:
        Markdown, the same at every call.
    """
    parts = [
        "# Tables and views",
        "Generated from `schemas/tables/*.yaml` and `warehouse/sql/*.sql`; change those, then run `make docs`.",
        _LAYOUT,
        _READING,
        "## Tables",
    ]
    for table in contract.tables().values():
        parts += [
            f"### {table.name}",
            f"One row is {table.grain}. {table.doc}",
            f"Schema version {table.version}. Partition: {table.partition}.",
            f"Key: {_names(table.key)}. Sorted by {_names(table.sort)}.",
            "\n".join(
                ["| column | type | null | meaning |", "|---|---|---|---|", *(_row(column) for column in table.columns)]
            ),
        ]
    parts.append("## Views for analysts")
    parts.append(
        "The views `messages` and `events` show the newest version of each row; `message_versions` and "
        "`event_versions` show all."
    )
    for view in analyst_views():
        rows = [f"| {name} | {_cell(doc)} |" for name, doc in view.columns.items()]
        kept = [f"Kept in files under `marts/`, a partition a day, and made anew when {_of(view)} change."]
        table_of_columns = "\n".join(["| column | meaning |", "|---|---|", *rows])
        parts += [f"### {view.name}", view.comment, *(kept if view.kept else []), table_of_columns]
    parts += [
        "## Functions",
        "Every view and every query in the catalogue can use them.",
        "\n".join(
            [
                "| function | gives |",
                "|---|---|",
                *(f"| `{m.name}({', '.join(m.parameters)})` | {_cell(m.comment)} |" for m in MACROS),
            ]
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _names(columns: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in columns)


def _of(view: View) -> str:
    return " and ".join(f"`{table}`" for table in view.kept)


def _row(column: Column) -> str:
    kind = column.type
    if column.type == "list":
        kind = f"list of {column.item or 'struct'}"
    allowed = f" One of {_names(column.allowed)}." if column.allowed else ""
    null = "yes" if column.nullable else "no"
    return f"| {column.name} | {kind} | {null} | {_cell(column_comment(column) + allowed)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
