"""Runs the night on the sample logs, then shows a newcomer what it found: `make demo`.

Usage: python samples/demo.py WAREHOUSE
"""

import sys
from pathlib import Path

import polars as pl
from rich.table import Table
from rich.text import Text

from pipelines.cli.errors import errors_in_words
from pipelines.cli.options import err, out, settings
from pipelines.cli.progress import live_progress
from pipelines.cli.run import ensure_key, steps_table
from pipelines.cli.sql import show
from pipelines.night import NightReport, run_night
from pipelines.readers.landing import landing_days
from schemas.contract import tables
from schemas.enums import Signal
from schemas.reasons import MEANING, Reason
from warehouse.layout import Warehouse
from warehouse.query import run_query

LANDING = Path(__file__).parent / "landing"
WORDS = {
    Signal.DISLIKE: "a down vote that still stands",
    Signal.COMPLAIN: "dissatisfaction in words",
    Signal.DISMISS: "gives up, or brushes the answer off",
    Signal.REPEAT: "the same request again",
    Signal.REPHRASE: "the same need in other words",
    Signal.SKIM: "moved on sooner than the reply can be read",
}
QUESTIONS = {
    "Which model leaves most people unhappy?": """
SELECT model, count(*) AS replies,
       count(*) FILTER (WHERE complain OR repeat OR rephrase OR dismiss OR dislike) AS unhappy,
       round(100 * unhappy / replies, 1) AS percent
FROM exchanges WHERE model IS NOT NULL GROUP BY model ORDER BY percent DESC""",
    "How often is each signal seen, and how often can it not be measured?": """
SELECT signal, sum(detected) AS detected, sum(measurable) AS measurable, sum(not_measurable) AS not_measurable
FROM signal_rates GROUP BY signal ORDER BY detected DESC""",
    "What do people do after the reply to their complaint?": """
SELECT next.outcome, count(*) AS replies, count(*) FILTER (WHERE next.complain) AS complained_again
FROM exchanges AS this
JOIN exchanges AS next ON next.conversation_id = this.conversation_id AND next.request_id = this.next_user_id
WHERE this.complain GROUP BY next.outcome ORDER BY replies DESC""",
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
    _heading("Signals: how many were found, and two of each, de-identified")
    _signals(warehouse)
    _heading(f"The tables lie in {warehouse.root}")
    width = max(map(len, tables()))
    for name in tables():
        out.print(f"  {name:{width}}  {warehouse.root}/{name}/dt=*/part.parquet", highlight=False)
    out.print(f"  {report.catalogue} opens in any DuckDB client, with views and comments.", highlight=False)
    for question, sql in QUESTIONS.items():
        _heading(question)
        # Without a frame, so that it can be copied into a shell.
        out.print(f'.venv/bin/tacit sql --warehouse {warehouse.root} "{sql.strip()}"', markup=False, soft_wrap=True)
        show(run_query(warehouse, sql), out)
    first = run_query(warehouse, "SELECT signal_id FROM signals WHERE signal = 'rephrase' ORDER BY score DESC LIMIT 1")
    if not first.is_empty():
        _heading("Why was one of them detected?")
        out.print(f"  .venv/bin/tacit explain --warehouse {warehouse.root} {first.item()[:12]}", highlight=False)


def _heading(text: str) -> None:
    out.print()
    out.print(Text(text, style="bold"))


def _quarantine(warehouse: Warehouse) -> Table:
    table = Table("reason", title="Refused records: kept by place and reason", title_justify="left")
    table.add_column("records", justify="right")
    table.add_column("meaning")
    reasons = "SELECT reason, count(*) AS n FROM quarantine GROUP BY reason ORDER BY n DESC, reason"
    for reason, n in run_query(warehouse, reasons).rows():
        table.add_row(reason, f"{n}", MEANING[Reason(reason)])
    return table


def _signals(warehouse: Warehouse) -> None:
    found = run_query(warehouse, "SELECT * FROM signal_examples ORDER BY score DESC, signal_id")
    for signal in Signal:
        rows = found.filter(pl.col("signal") == str(signal))
        out.print(Text.assemble("\n", (f"{signal}", "bold red"), f"  {rows.height} found: {WORDS[signal]}"))
        for script in ("latin", "han"):
            for row in rows.filter(pl.col("script") == script).head(1).iter_rows(named=True):
                _example(row)


def _example(row: dict[str, str | None]) -> None:
    then = row["next_user_text"] if row["signal"] != Signal.DISLIKE else "voted it down"
    for who, text in (("asked", row["request_text"]), ("got", row["reply_text"]), ("then", then or f"({row['rule']})")):
        line = Text(" ".join((text or "").split()))
        line.truncate(out.width - 10, overflow="ellipsis")
        out.print(Text.assemble((f"  {who:7}", "dim"), line))
    out.print()


if __name__ == "__main__":
    with errors_in_words():
        main(Path(sys.argv[1]))
