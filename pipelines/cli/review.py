"""`tacit review`: people judge a random sample, and precision and recall follow from what they say."""

import json
import re
from typing import Annotated, Any

import polars as pl
import typer
from rich.table import Table

from pipelines.around import around
from pipelines.cli.explain import add_evidence, add_exchange, show_messages
from pipelines.cli.options import ConfigOption, JsonOption, WarehouseOption, err, opened, out, settings
from pipelines.review import Journal, Plan, draw
from schemas.contract import table
from schemas.enums import Signal
from schemas.errors import NotFound, WarehouseBusy
from warehouse.layout import Warehouse
from warehouse.query import run_query

_ANSWERS = {"y": "yes", "yes": "yes", "n": "no", "no": "no", "u": "unsure", "unsure": "unsure", "?": "unsure"}
_STOP = ("q", "quit")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_QUALITY = "SELECT * FROM signal_quality ORDER BY signal, source NULLS FIRST"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(review)


def review(
    signal: Annotated[
        list[Signal] | None, typer.Option(help="Signal to judge; may be given often. All by default.")
    ] = None,
    each: Annotated[int, typer.Option("--each", "-n", min=1, help="Exchanges drawn of each stratum.")] = 30,
    seed: Annotated[int, typer.Option(help="Another seed draws another sample.")] = 1,
    by_source: Annotated[bool, typer.Option("--by-source", help="Draw as many of each source.")] = False,
    source: Annotated[list[str] | None, typer.Option(help="Only of this source; may be given often.")] = None,
    reviewer: Annotated[str, typer.Option(help="Short name to keep verdicts under.")] = "reviewer",
    blind: Annotated[bool, typer.Option("--blind", help="Show the messages alone, without what was found.")] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Show precision and recall so far, and ask nothing.")
    ] = False,
    warehouse: WarehouseOption = None,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Judge a random sample of detections and non-detections, one by one, and measure the signals by it.

    Each is answered with y (yes), n (no), u (unsure), or q to stop. The same command goes on where it was stopped.
    Strata are detections, non-detections with a probability of at least 0.1, and the other non-detections; each
    stratum's share of true ones is weighted by its size. Verdicts stand in table `reviews`, figures in view
    `signal_quality`.
    """
    if not _NAME.fullmatch(reviewer):
        raise typer.BadParameter("a reviewer's name has small letters, digits and dashes, at most 32")
    if by_source and source:
        raise typer.BadParameter("give either --by-source or --source: figures of some sources are not those of all")
    chosen = settings(config, warehouse=warehouse)
    tables = opened(chosen)
    if not report:
        plan = Plan(tuple(signal or Signal), each, seed, by_source or bool(source), frozenset(source or ()))
        journal = Journal(chosen.home, tables, reviewer)
        try:
            _ask_all(tables, journal, plan, blind=blind)
        finally:
            _publish(journal)
    quality = run_query(tables, _QUALITY)
    if as_json:
        out.print_json(json.dumps(quality.to_dicts(), default=str))
    elif quality.is_empty():
        out.print("Nothing was reviewed yet.")
    else:
        out.print(quality_table(quality))


def _ask_all(tables: Warehouse, journal: Journal, plan: Plan, *, blind: bool) -> None:
    judged = journal.judged()
    sample = [row for row in draw(tables, plan).to_dicts() if (row["exchange_id"], row["signal"]) not in judged]
    asked = None
    for number, item in enumerate(sample):
        if item["signal"] != asked:
            asked = item["signal"]
            out.rule(f"{asked}: {table('exchanges').column(asked).doc}")
        try:
            _show(tables, item, blind=blind)
        except NotFound:
            continue
        verdict = _ask(f"{number + 1} of {len(sample)}: {asked}? [y]es, [n]o, [u]nsure, [q]uit")
        if verdict is None:
            out.print("Stopped. The same command goes on from here.")
            return
        journal.add(item, verdict, plan)
    out.print("All that was drawn is judged." if sample else "Nothing is left to judge of this sample.")


def _ask(question: str) -> str | None:
    """A verdict; None where the reviewer stops, also by an interruption or at the end of the input."""
    while True:
        try:
            answer = typer.prompt(question, default="", show_default=False).strip().lower()
        except typer.Abort:
            out.print()
            return None
        if answer in _STOP:
            return None
        if answer in _ANSWERS:
            return _ANSWERS[answer]


def _show(tables: Warehouse, item: dict[str, Any], *, blind: bool) -> None:
    same = (pl.col("exchange_id") == item["exchange_id"]) & (pl.col("signal") == item["signal"])
    rows = tables.scan("signals", [item["dt"]]).filter(same).collect()
    detection = None if rows.is_empty() else rows.row(0, named=True)
    found = around(tables, item["dt"], item["exchange_id"], None if blind else detection)
    if not blind:
        facts = Table(title=f"{item['signal']}: {item['band']}", title_justify="left", show_header=False)
        facts.add_column(style="bold")
        facts.add_column(overflow="fold")
        facts.add_column(style="dim")
        facts.add_row("probability", f"{item['p']:.3g}", "Calibrated probability of the signal.")
        if detection is not None:
            facts.add_row("rule", detection["rule"], table("signals").column("rule").doc)
            add_evidence(facts, detection)
        add_exchange(facts, found["exchange"])
        out.print(facts)
    show_messages(found)


def _publish(journal: Journal) -> None:
    """Bring the verdicts into the tables; while a run holds these, they wait at home for the next time."""
    try:
        n = journal.publish()
    except WarehouseBusy:
        err.print(f"A run holds the warehouse: {journal.rows().height:,} verdicts are kept, and published next time.")
        return
    if n:
        err.print(f"{n:,} verdicts were published in table reviews.")


def quality_table(quality: pl.DataFrame) -> Table:
    """The rows of `signal_quality` for people."""
    shown = Table(title="Quality, as reviewed: estimate and 95 % interval", title_justify="left")
    for name in ("signal", "source", "reviewed", "unsure", "moved", "agreed", "precision", "recall", "true rate",
                 "estimated rate"):  # fmt: skip
        # On a narrow terminal a cell goes on in the next line: no digit of an interval is cut off.
        shown.add_column(name, justify="left" if name in ("signal", "source") else "right", overflow="fold")
    for row in quality.iter_rows(named=True):
        agreed = "" if row["agreement"] is None else f"{row['agreement']:.2f} of {row['reviewed_twice']}"
        figures = [_interval(row, name) for name in ("precision", "recall", "true")]
        rate = "" if row["estimated_rate"] is None else f"{row['estimated_rate']:.3f}"
        shown.add_row(row["signal"], row["source"] or "all", *(f"{row[c]:,}" for c in ("reviewed", "unsure", "moved")),
                      agreed, *figures, rate)  # fmt: skip
    return shown


def _interval(row: dict[str, Any], name: str) -> str:
    value = row["true_rate" if name == "true" else name]
    return "" if value is None else f"{value:.2f} ({row[f'{name}_low']:.2f}-{row[f'{name}_high']:.2f})"
