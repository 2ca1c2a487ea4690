"""`tacit run`: the night, for chosen landing days."""

import json
from datetime import date
from typing import Annotated

import typer
from rich.table import Table

from anonymize.keys import create_key
from pipelines.cli.options import (
    ConfigOption,
    JsonOption,
    LandingOption,
    WarehouseOption,
    err,
    out,
    parse_day,
    settings,
)
from pipelines.cli.progress import live_progress
from pipelines.night import NightReport, run_night
from pipelines.readers.landing import landing_days
from pipelines.recompute import event_days, recompute_signals
from pipelines.settings import Settings
from schemas.enums import Signal
from warehouse.layout import Warehouse


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(run)


def run(
    landing: LandingOption = None,
    warehouse: WarehouseOption = None,
    day: Annotated[
        list[date] | None, typer.Option(parser=parse_day, metavar="YYYY-MM-DD", help="Landing day; may be given often.")
    ] = None,
    all_days: Annotated[bool, typer.Option("--all", help="Every landing day there is.")] = False,
    recompute: Annotated[
        str | None,
        typer.Option(
            metavar="signals",
            help="Make exchanges and signals anew from the published messages and events, and read no landing file."
            " Then --day is an event day, and --all takes every event day.",
        ),
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; 0: one a core.", min=0)] = None,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Take landing days through the night: read, de-identify, link, detect, check, publish.

    Running a day again replaces it, and gives the same bytes.
    """
    chosen = settings(config, landing=landing, warehouse=warehouse, workers=workers)
    if bool(day) == all_days:
        raise typer.BadParameter("give either --day YYYY-MM-DD (once or more) or --all")
    if recompute not in (None, "signals"):
        raise typer.BadParameter("only signals can be computed again: --recompute signals")
    with live_progress(err, quiet=as_json) as progress:
        if recompute:
            days = event_days(Warehouse(chosen.warehouse)) if all_days else list(day or [])
            report = recompute_signals(chosen, days, progress)
        else:
            days = landing_days(chosen.landing) if all_days else list(day or [])
            ensure_key(chosen)
            report = run_night(chosen, days, progress)
    if as_json:
        out.print_json(json.dumps(as_dict(report)))
    else:
        out.print(steps_table(report))
        out.print(
            f"Tables: {chosen.store or chosen.warehouse}   DuckDB: {report.catalogue}", highlight=False, soft_wrap=True
        )


def ensure_key(chosen: Settings) -> None:
    """Make a key for a first local run, and say so.

    A key is never made where one was named, or where a warehouse was built with one: its tags would match nothing.
    """
    built = bool(Warehouse(chosen.warehouse).days("runs"))
    if chosen.key_file is None and not chosen.key_path.exists() and not built:
        key = create_key(chosen.key_path)
        err.print(
            f"Made a pseudonym key ({key.key_id}) in {chosen.key_path}. Keep it: without it, the same person gets"
            " other tags in later runs.",
            highlight=False,
            soft_wrap=True,
        )


def steps_table(report: NightReport) -> Table:
    """Records through every step, for people."""
    detect = report.counts["detect"]
    what = "Landing days" if "read" in report.counts else "Event days, computed again:"
    days = f"{report.days[0]} to {report.days[-1]}" if len(report.days) > 1 else f"{report.days[0]}"
    table = Table(title=f"{what} {days}", title_justify="left", caption_justify="left")
    table.add_column("step")
    table.add_column("what became of the records")
    table.add_column("seconds", justify="right")
    kinds = ", ".join(f"{detect[s]:,} {s}" for s in Signal if detect.get(s))
    changed = sum(p.changed for p in report.published)
    rows = _reading(report) | {
        "merge": "by event day",
        "detect": f"{detect.get('exchanges', 0):,} exchanges, {detect.get('signals', 0):,} signals: {kinds or 'none'}",
        "publish": f"{len(report.published):,} partitions checked, {changed:,} changed",
        "catalogue": "views over the tables",
    }
    for step, seconds in report.seconds.items():
        table.add_row(step, rows.get(step, ""), f"{seconds:,.1f}")
    table.caption = f"Peak memory at most {report.peak_mb:,.0f} MiB over all processes."
    return table


def _reading(report: NightReport) -> dict[str, str]:
    if "read" not in report.counts:
        return {}
    read, masked = report.counts["read"], sum(report.counts["anonymize"].values())
    return {
        "scan": f"{read['records']:,} records",
        "deidentify": f"{read['messages']:,} messages and {read['events']:,} events kept,"
        f" {read['duplicates']:,} duplicates, {read['superseded']:,} older versions,"
        f" {read['quarantined']:,} quarantined; {masked:,} values masked"
        + (f"; {read['forgotten']:,} of erased users dropped" if read.get("forgotten") else ""),
    }


def as_dict(report: NightReport) -> dict[str, object]:
    """The report as JSON-ready values."""
    return {
        "run_id": report.run_id,
        "days": [str(d) for d in report.days],
        "counts": report.counts,
        "seconds": {k: round(v, 3) for k, v in report.seconds.items()},
        "peak_memory_mb": round(report.peak_mb, 1),
        "catalogue": str(report.catalogue),
        "set_aside": [
            {"path": str(a.path), "kept": str(a.kept), "how": a.how, "run_again": [str(d) for d in a.landed]}
            for a in report.aside
        ],
        "partitions": [
            {"table": p.table, "dt": str(p.dt), "rows": p.rows, "sha256": p.sha256, "changed": p.changed}
            for p in report.published
        ],
    }
