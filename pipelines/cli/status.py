"""`tacit status`: what is in the warehouse and what the last runs did."""

import json
from pathlib import Path

import typer
from rich.table import Table

from pipelines.cli.options import (
    ConfigOption,
    JsonOption,
    LandingOption,
    WarehouseOption,
    out,
    settings,
    warn_of_misfit,
)
from pipelines.readers.landing import landing_days
from schemas.errors import LandingError
from warehouse.describe import describe
from warehouse.layout import Warehouse


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(status)


def status(
    warehouse: WarehouseOption = None,
    landing: LandingOption = None,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Show the tables, the last runs, and the landing days that were never run."""
    chosen = settings(config, warehouse=warehouse, landing=landing)
    store = Warehouse(chosen.warehouse)
    found = describe(store)
    try:
        waiting = sorted(set(landing_days(chosen.landing)) - set(store.days("runs")))
    except LandingError:
        waiting = None
    if as_json:
        out.print_json(json.dumps(found | {"landing_days_not_run": waiting}, default=str))
        return
    tables = Table(
        "table", "days", "rows", "MiB", "newest day", title=chosen.store or f"{chosen.warehouse}", title_justify="left"
    )
    for name, t in found["tables"].items():
        tables.add_row(
            name, f"{t['days']:,}", f"{t['rows']:,}", f"{t['bytes'] / (1 << 20):,.2f}", str(t["newest"] or "")
        )
    out.print(tables)
    runs = Table(
        "landing day", "finished", "partitions", "peak MiB", "version", title="Last runs (UTC)", title_justify="left"
    )
    for run in found["runs"]:
        finished = f"{run['finished_at']:%Y-%m-%d %H:%M:%S}"
        peak = f"{run['peak_memory_mb']:,.0f}"
        runs.add_row(str(run["dt"]), finished, f"{run['partitions']:,}", peak, run["code_version"])
    for one in found["misfits"]:
        warn_of_misfit(Path(one["path"]), one["how"])
    out.print(runs if found["runs"] else "No run yet. Start with: tacit run --landing PATH --warehouse PATH --all")
    if waiting:
        days = ", ".join(map(str, waiting[:5])) + (f" and {len(waiting) - 5} more" if len(waiting) > 5 else "")
        out.print(f"Landing days never run: {days}. Run them with: tacit run --day YYYY-MM-DD", highlight=False)
