"""`tacit sql`: an analyst's question, read-only, over the published tables."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.table import Table
from warehouse.query import run_query

from pipelines.cli.options import ConfigOption, WarehouseOption, err, out, settings
from warehouse.layout import Warehouse

_ROWS_SHOWN = 200


class Format(StrEnum):
    """How an answer is printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(sql)


def sql(
    query: Annotated[str | None, typer.Argument(help="One SELECT, in DuckDB's SQL.")] = None,
    file: Annotated[
        Path | None, typer.Option("-f", "--file", help="Read the query from a file.", dir_okay=False)
    ] = None,
    warehouse: WarehouseOption = None,
    format: Annotated[Format, typer.Option(help="How to print the answer.")] = Format.TABLE,  # noqa: A002
    config: ConfigOption = None,
) -> None:
    """Ask the tables a question in SQL. Nothing can be written, and nothing outside the warehouse read.

    Try: `tacit sql "SELECT * FROM signal_rates"`. `tacit sql "SHOW TABLES"` lists the tables and views.
    """
    if (query is None) == (file is None):
        raise typer.BadParameter("give a query, or a file with -f")
    if file is not None and not file.is_file():
        raise typer.BadParameter(f"there is no file {file}")
    text = query if file is None else file.read_text(encoding="utf-8")
    chosen = settings(config, warehouse=warehouse)
    frame = run_query(Warehouse(chosen.warehouse), str(text), limit_s=chosen.sql.seconds, memory=chosen.sql.memory)
    print_frame(frame, format)


def print_frame(frame: pl.DataFrame, format: Format) -> None:  # noqa: A002
    """Print a query's answer."""
    if format is Format.CSV:
        typer.echo(flat(frame).write_csv(), nl=False)
    elif format is Format.JSON:
        typer.echo(frame.write_json())
    else:
        out.print(as_table(frame.head(_ROWS_SHOWN)))
        if frame.height > _ROWS_SHOWN:
            err.print(f"The first {_ROWS_SHOWN} of {frame.height:,} rows. --format csv prints them all.")


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Nested columns as JSON text, for formats that have no nesting."""
    nested = [n for n, t in frame.schema.items() if t.is_nested()]
    return frame.with_columns(
        pl.Series(n, [None if v is None else _json(v) for v in frame[n]], dtype=pl.String) for n in nested
    )


def _json(value: object) -> str:
    import json

    plain = value.to_list() if isinstance(value, pl.Series) else value
    return json.dumps(plain, ensure_ascii=False, default=str)


def as_table(frame: pl.DataFrame) -> Table:
    """A frame as a table for a terminal; null is shown as an empty cell, text shortened to 300 characters."""
    table = Table()
    for name, kind in frame.schema.items():
        table.add_column(name, justify="right" if kind.is_numeric() else "left", overflow="fold")
    for row in flat(frame).rows():
        table.add_row(*(_cell(v) for v in row))
    return table


def _cell(value: object) -> str:
    from rich.markup import escape

    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    text = str(value)
    return escape(text if len(text) <= 300 else text[:299] + "…")
