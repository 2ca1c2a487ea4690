"""`tacit sql`: an analyst's question, read-only, over the published tables."""

import json
import sys
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.cells import cell_len
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from pipelines.cli.options import PIPE_WIDTH, ConfigOption, WarehouseOption, err, opened, out, settings
from warehouse.query import run_query

_ROWS_SHOWN = 200
_CELL_CHARS = 300


class Format(StrEnum):
    """How an answer is printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(sql)


def sql(
    query: Annotated[
        str | None, typer.Argument(help="One SELECT, in DuckDB's SQL. Without one: from standard input.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("-f", "--file", help="Read the query from a file.", dir_okay=False)
    ] = None,
    warehouse: WarehouseOption = None,
    format: Annotated[Format, typer.Option(help="How to print the answer.")] = Format.TABLE,  # noqa: A002
    config: ConfigOption = None,
) -> None:
    """Ask the tables a question in SQL. Nothing can be written, and nothing outside the warehouse read.

    Try: `tacit sql "SELECT * FROM signal_rates"`. `tacit sql "SHOW TABLES"` lists the tables and views. In a terminal
    and without a query it asks for one after the other.
    """
    if query is not None and file is not None:
        raise typer.BadParameter("give a query, or a file with -f, not both")
    if file is not None and not file.is_file():
        raise typer.BadParameter(f"there is no file {file}")
    chosen = settings(config, warehouse=warehouse)
    tables = opened(chosen)
    if file is not None:
        query = file.read_text(encoding="utf-8")
    elif query is None and sys.stdin.isatty():
        from pipelines.cli.shell import Shell  # its libraries are for terminals only

        Shell(tables, chosen).run()
        return
    elif query is None:
        query = sys.stdin.read()
        if not query.strip():
            raise typer.BadParameter("give a query, a file with -f, or a query on standard input")
    print_frame(run_query(tables, query, limit_s=chosen.sql.seconds, memory=chosen.sql.memory), format)


def print_frame(frame: pl.DataFrame, format: Format) -> None:  # noqa: A002
    """Print a query's answer."""
    if format is Format.CSV:
        typer.echo(flat(frame).write_csv(), nl=False)
    elif format is Format.JSON:
        typer.echo(frame.write_json())
    else:
        show(frame.head(_ROWS_SHOWN), out)
        if frame.height > _ROWS_SHOWN:
            err.print(f"The first {_ROWS_SHOWN} of {frame.height:,} rows. --format csv prints them all.")


def show(frame: pl.DataFrame, console: Console, *, one_by_one: bool = False) -> None:
    """Print a frame as a table, or a row below the other where its columns do not fit side by side.

    Null is shown as an empty cell, text shortened to 300 characters.

    Args:
        frame: What to print.
        console: Where to.
        one_by_one: Print a row below the other in any case.
    """
    width = console.width if console.is_terminal else PIPE_WIDTH
    cells = [[_cell(v) for v in row] for row in flat(frame).rows()]
    names = frame.columns
    need = [min(max([cell_len(n), *(cell_len(r[i]) for r in cells)]), 60) for i, n in enumerate(names)]
    if not cells or (sum(need) + 3 * len(names) + 1 <= width and not one_by_one):
        table = Table()
        for name, kind in frame.schema.items():
            table.add_column(Text(name), justify="right" if kind.is_numeric() else "left", overflow="fold")
        for row in cells:
            table.add_row(*map(Text, row))
        console.print(table, width=width)
        return
    label = max(map(cell_len, names))
    for number, row in enumerate(cells, 1):
        console.print(Rule(f"row {number}", align="left"), width=min(width, 60))
        for name, cell in zip(names, row, strict=True):
            console.print(Text(f"{name:{label}}  ", style="bold") + Text(cell), width=width, soft_wrap=True)


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Nested columns as JSON text, for formats that have no nesting."""
    nested = [n for n, t in frame.schema.items() if t.is_nested()]
    return frame.with_columns(
        pl.Series(n, [None if v is None else _json(v) for v in frame[n]], dtype=pl.String) for n in nested
    )


def _json(value: object) -> str:
    plain = value.to_list() if isinstance(value, pl.Series) else value
    return json.dumps(plain, ensure_ascii=False, default=str)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    text = f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, datetime) else str(value)
    return text if len(text) <= _CELL_CHARS else text[: _CELL_CHARS - 1] + "…"
