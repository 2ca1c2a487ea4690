"""Runs the night on the sample logs, then shows a newcomer what it found: `make demo`.

Usage: python samples/demo.py WAREHOUSE
"""

import sys
from pathlib import Path

import polars as pl
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

from pipelines.cli.errors import errors_in_words
from pipelines.cli.options import err, out, settings
from pipelines.cli.progress import live_progress
from pipelines.cli.run import ensure_key, steps_table
from pipelines.cli.sql import show
from pipelines.night import NightReport, run_night
from pipelines.readers.landing import landing_days
from schemas.enums import Signal
from warehouse.layout import Warehouse
from warehouse.query import run_query

LANDING = Path(__file__).parent / "landing"
MEANING = {
    Signal.DISLIKE: "a down vote that still stands",
    Signal.COMPLAIN: "dissatisfaction in words",
    Signal.DISMISS: "gives up, or brushes the answer off",
    Signal.REPEAT: "the same request again",
    Signal.REPHRASE: "the same need in other words",
    Signal.SKIM: "moved on sooner than the reply can be read",
}
QUESTIONS = {
    "Which model leaves most people unhappy?": """
SELECT model, count(*) AS exchanges,
       count(*) FILTER (WHERE complain OR repeat OR rephrase OR dismiss OR dislike) AS unhappy,
       round(100 * unhappy / exchanges, 1) AS percent
FROM exchanges WHERE model IS NOT NULL GROUP BY model ORDER BY percent DESC""",
    "How often is each signal seen, and how often can it not be measured?": """
SELECT signal, sum(detected) AS detected, sum(measurable) AS measurable, sum(not_measurable) AS not_measurable
FROM signal_rates GROUP BY signal ORDER BY detected DESC""",
    "What do people do after they complain?": """
SELECT outcome, count(*) AS exchanges, count(*) FILTER (WHERE repeat OR rephrase) AS asked_again
FROM exchanges WHERE complain GROUP BY outcome ORDER BY exchanges DESC""",
}


def main(warehouse: Path) -> None:
    """Run the sample days into a warehouse and print the tour."""
    chosen = settings(landing=LANDING, warehouse=warehouse)
    ensure_key(chosen)
    with live_progress(err) as progress:
        report = run_night(chosen, landing_days(LANDING), progress)
    tour(Warehouse(warehouse), report)


def tour(warehouse: Warehouse, report: NightReport) -> None:
    """Print records through every step, signals with examples, where the tables lie, and questions with answers."""
    out.print(steps_table(report))
    out.print(_quarantine(warehouse))
    out.print(_signals(warehouse))
    out.print(f"\nThe tables lie in {warehouse.root}, one folder each:", highlight=False)
    for table in ("messages", "events", "exchanges", "signals", "quarantine", "quality", "runs"):
        out.print(f"  {table:12}{warehouse.root}/{table}/dt=*/part.parquet", highlight=False)
    out.print(f"  {report.catalogue} opens in any DuckDB client, with views and comments.\n", highlight=False)
    for question, sql in QUESTIONS.items():
        command = f'.venv/bin/tacit sql --warehouse {warehouse.root} "{sql.strip()}"'
        out.print(Panel(escape(command), title=question, title_align="left"))
        show(run_query(warehouse, sql), out)
    first = run_query(warehouse, "SELECT signal_id FROM signals WHERE signal = 'rephrase' ORDER BY score DESC LIMIT 1")
    if not first.is_empty():
        out.print("\nWhy was one of them detected? Try:")
        out.print(f"  .venv/bin/tacit explain --warehouse {warehouse.root} {first.item()[:12]}", highlight=False)


def _quarantine(warehouse: Warehouse) -> Table:
    table = Table(
        "reason", "records", title="Refused records: their place is kept, never their text", title_justify="left"
    )
    reasons = "SELECT reason, count(*) AS n FROM quarantine GROUP BY reason ORDER BY n DESC, reason"
    for reason, n in run_query(warehouse, reasons).rows():
        table.add_row(reason, f"{n}")
    return table


def _signals(warehouse: Warehouse) -> Table:
    table = Table(title="Signals, with two examples each", title_justify="left", show_lines=True)
    table.add_column("signal")
    table.add_column("found", justify="right")
    table.add_column("what the user did")
    found = run_query(warehouse, "SELECT * FROM signal_examples ORDER BY score DESC, signal_id")
    for signal in Signal:
        rows = found.filter(pl.col("signal") == str(signal))
        examples = pl.concat(
            [rows.filter(pl.col("script") != "han").head(1), rows.filter(pl.col("script") == "han").head(1)]
        )
        shown = "\n".join(_example(e) for e in examples.iter_rows(named=True))
        table.add_row(f"{signal}\n[dim]{MEANING[signal]}[/]", f"{rows.height}", shown)
    return table


def _example(row: dict[str, str | None]) -> str:
    lines = []
    for who, column in (("asked", "request_text"), ("got", "reply_text"), ("then", "next_user_text")):
        text = row.get(column)
        if text:
            lines.append(f"[dim]{who:5}[/] {escape(_short(text))}")
    return "\n".join(lines)


def _short(text: str, limit: int = 110) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


if __name__ == "__main__":
    with errors_in_words():
        main(Path(sys.argv[1]))
