"""`tacit prune`: retention."""

import json
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

import typer
from rich.table import Table

from pipelines.cli.options import (
    ConfigOption,
    JsonOption,
    LandingOption,
    WarehouseOption,
    opened,
    out,
    parse_day,
    settings,
)
from pipelines.privacy.prune import Pruned, prune
from pipelines.readers.landing import landing_days
from schemas.errors import LandingError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("prune")(prune_command)


def prune_command(
    before: Annotated[
        date | None, typer.Option(parser=parse_day, metavar="YYYY-MM-DD", help="The first day that stays.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    landing: LandingOption = None,
    warehouse: WarehouseOption = None,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Remove the partitions of days before a date from all tables; without one, of those beyond `retention_days`.

    Of each table the newest day stays, and of `erasures` every day. Landing files are not touched: landing days that
    would bring removed days back are named.
    """
    chosen = settings(config, landing=landing, warehouse=warehouse)
    if before is None and chosen.retention_days is None:
        raise typer.BadParameter("give --before YYYY-MM-DD, or set retention_days")
    limit = before or datetime.now(UTC).date() - timedelta(days=chosen.retention_days or 0)
    try:
        landed = landing_days(chosen.landing)
    except LandingError:
        landed = []
    found = prune(opened(chosen), limit, landed, chosen.lookback_days, dry_run=dry_run)
    if as_json:
        parts = [{"table": p.table, "dt": str(p.dt), "rows": p.rows} for p in found.parts]
        days = {"returning": [str(d) for d in found.returning], "reaching": [str(d) for d in found.reaching]}
        out.print_json(json.dumps({"before": str(limit), "removed": not dry_run, "partitions": parts} | days))
    else:
        _print(found, limit, dry_run=dry_run)


def _print(found: Pruned, limit: date, *, dry_run: bool) -> None:
    if not found.parts:
        out.print(f"No day before {limit} is there to remove.", highlight=False)
        return
    would = "would go" if dry_run else "removed"
    table = Table("table", f"days {would}", f"rows {would}", "oldest", "newest")
    for name in dict.fromkeys(p.table for p in found.parts):
        mine = [p for p in found.parts if p.table == name]
        table.add_row(
            name, f"{len(mine):,}", f"{sum(p.rows for p in mine):,}", str(mine[0].dt), str(max(p.dt for p in mine))
        )
    out.print(table)
    if found.returning:
        out.print(
            f"The files of these landing days are still there, and running them again would bring rows back: "
            f"{_days(found.returning)}. Deleting them is up to you.",
            highlight=False,
            soft_wrap=True,
        )
    if found.reaching:
        out.print(
            f"These days look back on removed ones: {_days(found.reaching)}. Run again, their signals may come out"
            " otherwise.",
            highlight=False,
            soft_wrap=True,
        )


def _days(days: list[date]) -> str:
    return ", ".join(map(str, days[:10])) + (f" and {len(days) - 10} more" if len(days) > 10 else "")
