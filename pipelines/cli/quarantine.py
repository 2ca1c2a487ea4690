"""`tacit quarantine`: what was refused, where it stands and why, and reading it again after a fix."""

from datetime import date
from typing import Annotated

import polars as pl
import typer

from pipelines.cli.options import ConfigOption, LandingOption, WarehouseOption, err, opened, out, parse_day, settings
from pipelines.cli.progress import live_progress
from pipelines.cli.run import steps_table
from pipelines.cli.sql import Format, print_frame
from pipelines.night import run_night
from schemas.errors import NotFound
from schemas.reasons import MEANING, Reason
from warehouse.layout import Warehouse

app = typer.Typer(help="Shows refused records, never their text, and reads them again after a fix.")

DayOption = Annotated[date | None, typer.Option(parser=parse_day, metavar="YYYY-MM-DD", help="One landing day only.")]
ReasonOption = Annotated[list[Reason] | None, typer.Option(help="One reason only; may be given often.")]
FormatOption = Annotated[Format, typer.Option(help="How to print.")]


@app.callback(invoke_without_command=True)
def summary(context: typer.Context, warehouse: WarehouseOption = None, config: ConfigOption = None) -> None:
    """Count refused records by reason. `list` says where each stands, `replay` reads them again."""
    if context.invoked_subcommand is not None:
        return
    frame = _refused(opened(settings(config, warehouse=warehouse)))
    if frame.is_empty():
        err.print("No record is in quarantine.")
        return
    counts = frame.group_by("reason", "field").agg(records=pl.len(), files=pl.col("file").n_unique())
    meaning = {str(r): text for r, text in MEANING.items()}
    counts = counts.with_columns(meaning=pl.col("reason").replace_strict(meaning, default=None))
    print_frame(counts.sort("records", "reason", "field", descending=[True, False, False]), Format.TABLE)
    out.print("`tacit quarantine list` says where each stands; after a fix: `tacit quarantine replay`.")


@app.command("list")
def list_(
    day: DayOption = None,
    reason: ReasonOption = None,
    warehouse: WarehouseOption = None,
    format: FormatOption = Format.TABLE,  # noqa: A002
    config: ConfigOption = None,
) -> None:
    """List refused records: landing day, file, line, byte offset, length, reason and digest."""
    frame = _refused(opened(settings(config, warehouse=warehouse)), day, reason)
    if frame.is_empty() and format is Format.TABLE:
        err.print("No such record is in quarantine.")
        return
    print_frame(frame.select("dt", "file", "line", "byte_offset", "bytes", "reason", "field", "sha256"), format)


@app.command()
def show(
    sha256: Annotated[str, typer.Argument(help="Digest of a refused record, or its first characters.")],
    warehouse: WarehouseOption = None,
    config: ConfigOption = None,
) -> None:
    """Show one refused record: what is wrong with it, where it stands, and what can be done. Never its text."""
    frame = _refused(opened(settings(config, warehouse=warehouse))).filter(pl.col("sha256").str.starts_with(sha256))
    if frame.is_empty():
        raise NotFound(
            "No refused record has a digest that begins so.",
            state="Nothing was changed.",
            then="List them: tacit quarantine list",
        )
    for row in frame.iter_rows(named=True):
        out.print(f"[bold]{row['reason']}[/]: {MEANING[Reason(row['reason'])]}", soft_wrap=True)
        place = {n: row[n] for n in ("dt", "file", "line", "byte_offset", "bytes", "field", "sha256")}
        for name, value in place.items():
            if value is not None:
                out.print(f"  {name:12} {value}", highlight=False, markup=False, soft_wrap=True)
    out.print("Mend the reader or what is declared about the source, then: tacit quarantine replay", soft_wrap=True)


@app.command()
def replay(
    landing: LandingOption = None,
    warehouse: WarehouseOption = None,
    day: DayOption = None,
    reason: ReasonOption = None,
    workers: Annotated[int | None, typer.Option(help="Processes; 0: one a core.", min=0)] = None,
    config: ConfigOption = None,
) -> None:
    """Read refused records again, after a fix of a reader or of what is declared about a source.

    The tables come out as if the records had been good at first: their conversations are de-identified and linked
    anew, and nothing else is. Where the files themselves were mended, run the whole day instead.
    """
    chosen = settings(config, landing=landing, warehouse=warehouse, workers=workers)
    before = _refused(opened(chosen), day, reason)
    if before.is_empty():
        err.print("No such record is in quarantine; nothing was run.")
        return
    with live_progress(err) as progress:
        report = run_night(chosen, before["dt"].unique().to_list(), progress, again=[str(r) for r in reason or ()])
    out.print(steps_table(report))
    left = _refused(Warehouse(chosen.warehouse), day, reason).height
    out.print(f"{before.height - left:,} of {before.height:,} refused records left the quarantine.", highlight=False)


def _refused(warehouse: Warehouse, day: date | None = None, reasons: list[Reason] | None = None) -> pl.DataFrame:
    frame = warehouse.scan("quarantine", None if day is None else [day]).collect()
    if reasons:
        frame = frame.filter(pl.col("reason").is_in([str(r) for r in reasons]))
    return frame.sort("dt", "file", "line")
