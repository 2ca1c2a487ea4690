"""`tacit audit`: searches what runs left behind for raw values, with an engine that shares no code with the remover."""

import configparser
import json
import os
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from audit.canaries import read_canaries
from audit.report import Audit, Report
from pipelines.cli.options import ConfigOption, JsonOption, LandingOption, WarehouseOption, err, out, settings

_PARTITION = re.compile(r"/dt=[^/]+/part\.parquet$")
_DATABASE_URL = "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"
_LOGS = "AIRFLOW__LOGGING__BASE_LOG_FOLDER"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("audit")(audit)


def audit(
    canaries: Annotated[
        Path | None, typer.Option(help="Planted values, one a line; NAME, a tab and the value names them.")
    ] = None,
    also: Annotated[
        list[Path] | None, typer.Option(help="One more folder or file: logs, reports, a temporary folder ...")
    ] = None,
    airflow_home: Annotated[
        Path | None, typer.Option(help="Home of Airflow: its logs and its database.", show_default="AIRFLOW_HOME")
    ] = None,
    warehouse: WarehouseOption = None,
    landing: LandingOption = None,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Search all that runs left behind for raw values, and count them by place; a value is never shown.

    Looked into: the warehouse (values and footers of all tables, quarantine, DuckDB file, work and staging folders),
    the home folder, Tacit's temporary folders, and of Airflow the logs, the home and the database that its settings
    name. Planted values (canaries) are found in any case and width, backwards, escaped, in Base64, hexadecimal and
    UTF-16, within compressed files and pages. What looks like an identifier is a warning, counted by type and column.

    Exit code 1: a canary was found, or something could not be looked into.
    """
    chosen = settings(config, warehouse=warehouse, landing=landing)
    planted = read_canaries(canaries) if canaries is not None else []
    engine = Audit(planted, [chosen.landing, *([canaries] if canaries else [])])
    with err.status("Searching"):
        engine.folder("warehouse", chosen.warehouse)
        engine.folder("home", chosen.home)
        for folder in sorted(Path(tempfile.gettempdir()).glob("tacit-*")):
            engine.folder("temporary", folder)
        _airflow(engine, airflow_home)
        for number, path in enumerate(also or (), 1):
            if not path.exists():
                raise typer.BadParameter(f"there is no {path}")
            engine.folder(f"also {number}" if len(also or ()) > 1 else "also", path)
    if as_json:
        out.print_json(json.dumps(_as_dict(engine.report)))
    else:
        _print(engine.report)
    if not engine.report.clean:
        raise typer.Exit(1)


def _airflow(engine: Audit, home: Path | None) -> None:
    """Airflow's home, the logs and the database, wherever its settings put them."""
    named = home or (Path(os.environ["AIRFLOW_HOME"]) if "AIRFLOW_HOME" in os.environ else None)
    url, logs = os.environ.get(_DATABASE_URL), os.environ.get(_LOGS)
    if named is not None:
        engine.folder("airflow", named)
        found = configparser.RawConfigParser(strict=False)
        found.read(named / "airflow.cfg", encoding="utf-8")
        url = url or found.get("database", "sql_alchemy_conn", fallback=None)
        logs = logs or found.get("logging", "base_log_folder", fallback=None)
    if logs and (named is None or named.resolve() not in Path(logs).resolve().parents):
        engine.folder("airflow logs", Path(logs))
    if url and not url.startswith("sqlite"):
        engine.server("airflow database", url)
    elif url:
        file = Path(url.partition(":///")[2])
        if named is None or named.resolve() not in file.resolve().parents:
            engine.folder("airflow database", file)


def _print(report: Report) -> None:
    if report.hits:
        table = Table("place", "part", "canary", "times", title="Canaries found", title_justify="left")
        for (place, part, name), n in sorted(report.hits.items()):
            table.add_row(place, part, name, f"{n:,}")
        out.print(table)
    if report.residual:
        title = "Looks like an identifier (a warning)"
        table = Table("place", "part", "type", "times", title=title, title_justify="left")
        by_column: Counter[tuple[str, str, str]] = Counter()
        for (place, part, kind), n in report.residual.items():
            by_column[_PARTITION.sub("", place), part, kind] += n
        for (place, part, kind), n in sorted(by_column.items()):
            table.add_row(place, part, kind, f"{n:,}")
        out.print(table)
    for place, why in sorted(report.unsearched.items()):
        out.print(f"NOT SEARCHED: {place} {why}.", highlight=False, markup=False, soft_wrap=True)
    found = f"{report.canaries:,} canaries found {sum(report.hits.values()):,} times" if report.canaries else ""
    size = f"{report.files:,} files, {report.bytes / (1 << 20):,.1f} MiB searched"
    out.print(f"{size}: {found or 'no canaries were given'}.", highlight=False)


def _as_dict(report: Report) -> dict[str, object]:
    def rows(counts: dict[tuple[str, str, str], int], third: str) -> list[dict[str, object]]:
        return [{"place": a, "part": b, third: c, "times": n} for (a, b, c), n in sorted(counts.items())]

    return {
        "files": report.files,
        "bytes": report.bytes,
        "canaries": report.canaries,
        "found": rows(report.hits, "canary"),
        "residual": rows(report.residual, "type"),
        "not_searched": report.unsearched,
    }
