"""`tacit quarantine`: what was refused, where it stands, and why."""

from datetime import date
from typing import Annotated

import polars as pl
import typer

from pipelines.cli.options import ConfigOption, WarehouseOption, err, opened, out, parse_day, settings
from pipelines.cli.sql import Format, print_frame
from schemas.reasons import MEANING, Reason


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(quarantine)


def quarantine(
    warehouse: WarehouseOption = None,
    day: Annotated[
        date | None, typer.Option(parser=parse_day, metavar="YYYY-MM-DD", help="One landing day only.")
    ] = None,
    reason: Annotated[Reason | None, typer.Option(help="One reason only.")] = None,
    records: Annotated[bool, typer.Option("--records", help="List each record's place instead of counts.")] = False,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.TABLE,  # noqa: A002
    config: ConfigOption = None,
) -> None:
    """Show refused records: their number by reason, or with --records the place of each. Never their text."""
    chosen = settings(config, warehouse=warehouse)
    frame = opened(chosen).scan("quarantine", None if day is None else [day]).collect()
    if reason is not None:
        frame = frame.filter(pl.col("reason") == str(reason))
    if frame.is_empty() and format is Format.TABLE:
        err.print("No record is in quarantine.")
        return
    if records:
        shown = frame.select("dt", "file", "line", "byte_offset", "bytes", "reason", "field", "sha256")
        print_frame(shown.sort("dt", "file", "line"), format)
        return
    counts = frame.group_by("reason", "field").agg(records=pl.len(), files=pl.col("file").n_unique())
    meaning = {str(r): text for r, text in MEANING.items()}
    counts = counts.with_columns(meaning=pl.col("reason").replace_strict(meaning, default=None))
    print_frame(counts.sort("records", "reason", "field", descending=[True, False, False]), format)
    if format is Format.TABLE:
        out.print("`--records` lists where each stands: file, line and byte offset in the landing day.")
