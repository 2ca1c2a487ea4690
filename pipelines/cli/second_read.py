"""`tacit second-read`: a language model reads borderline exchanges once more, where the operator has allowed it."""

import json
from enum import StrEnum
from typing import Annotated

import typer
from rich.table import Table

from pipelines.cli.options import ConfigOption, JsonOption, WarehouseOption, err, opened, out, settings
from pipelines.second.question import KINDS
from pipelines.second.read import Outcome, borderline, require_consent, second_read

_Kind = StrEnum("_Kind", {kind.upper(): kind for kind in KINDS})  # type: ignore[misc] # the names are made


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("second-read")(second_read_command)


def second_read_command(
    signal: Annotated[list[_Kind] | None, typer.Option(help="Signal; may be given often. All that have words.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say how many would be read, and send nothing.")] = False,
    warehouse: WarehouseOption = None,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Have an OpenAI-compatible model confirm or reject borderline detections, within a budget.

    WARNING: this sends de-identified texts of users to the server that `second_reader.url` names. It does nothing
    unless `second_reader.url`, `second_reader.model` and `second_reader.send_deidentified_text` are set. Verdicts go to
    table `second_readings`; scores and detections stay as they are.
    """
    chosen = settings(config, warehouse=warehouse)
    tables = opened(chosen)
    signals = tuple(str(s) for s in signal or KINDS)
    if dry_run:
        n = borderline(chosen, tables, signals).height
        out.print(f"{n:,} borderline exchanges have no second reading. Nothing was sent.", highlight=False)
        return
    require_consent(chosen)
    with err.status("Asking the second reader"):
        done = second_read(chosen, tables, signals)
    if as_json:
        out.print_json(json.dumps(vars(done)))
    else:
        out.print(_table(done))


def _table(done: Outcome) -> Table:
    shown = Table(title=f"{done.wanted:,} borderline exchanges", title_justify="left")
    shown.add_column("what")
    shown.add_column("number", justify="right")
    for name, n in [
        *sorted(done.counts.items()),
        ("calls", done.calls),
        ("answers from the cache", done.cached),
        ("tokens", done.tokens),
        ("rows published", done.published),
    ]:
        shown.add_row(name.replace("_", " "), f"{n:,}")
    return shown
