"""`tacit evaluate`: the detectors, measured on a labelled set."""

import json
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.table import Table

from pipelines.cli.options import ConfigOption, JsonOption, err, out, settings
from pipelines.gold import evaluate_files


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(evaluate)


def evaluate(
    gold: Annotated[Path, typer.Argument(help="Conversations in the native format, JSON lines.", dir_okay=False)],
    labels: Annotated[Path, typer.Argument(help="Their labels, JSON lines.", dir_okay=False)],
    raw: Annotated[
        bool, typer.Option("--raw", help="Detect on the text as it is, not de-identified as in production: faster.")
    ] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print a table for documentation, groups of five labels or more.")
    ] = False,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Measure precision, recall and F1 of each signal on a labelled set, with 95 % intervals.

    Labels that are not sure are left out. Nothing is written anywhere.
    """
    for path in (gold, labels):
        if not path.is_file():
            raise typer.BadParameter(f"there is no file {path}")
    chosen = settings(config)
    scores, counts = evaluate_files(chosen, gold, labels, deidentify=not raw)
    if as_json:
        out.print_json(json.dumps({"counts": counts, "scores": scores.to_dicts()}, default=str))
        return
    if markdown:
        print("\n".join(scores_markdown(scores)))  # noqa: T201 - a console would wrap the lines
        return
    out.print(scores_table(scores, f"{gold.name}"))
    err.print("; ".join(f"{n:,} {what}" for what, n in counts.items()), highlight=False)


def scores_table(scores: pl.DataFrame, title: str) -> Table:
    """Scores for people: a figure and its 95 % interval in one cell."""
    table = Table(title=title, title_justify="left")
    for name in ("signal", "by", "group", "labelled", "precision", "recall", "F1", "rate", "labelled rate"):
        table.add_column(name, justify="left" if name in ("signal", "by", "group") else "right", no_wrap=True)
    previous = None
    for row in scores.iter_rows(named=True):
        if previous not in (None, row["signal"]):
            table.add_section()
        table.add_row(
            "" if row["signal"] == previous else row["signal"],
            row["group_kind"],
            row["group"],
            f"{row['n_positives']:,}",
            *(_interval(row, name) for name in ("precision", "recall", "f1")),
            _percent(row["estimated_rate"]),
            _percent(row["labelled_rate"]),
        )
        previous = row["signal"]
    return table


def scores_markdown(scores: pl.DataFrame, least: int = 5) -> list[str]:
    """Scores as lines of a Markdown table.

    Args:
        scores: The result of `pipelines.evaluation.score`.
        least: Groups with fewer labels are left out: their figures say nothing.
    """
    heads = ("signal", "of", "labelled", "precision", "recall", "F1", "estimated rate", "labelled rate")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in scores.filter(pl.col("n_positives") >= least).iter_rows(named=True):
        figures = [row["signal"], row["group"], f"{row['n_positives']:,}"]
        figures += [_interval(row, name) for name in ("precision", "recall", "f1")]
        figures += [_percent(row["estimated_rate"]), _percent(row["labelled_rate"])]
        lines.append(f"| {' | '.join(figures)} |")
    return lines


def _interval(row: dict[str, float | None], name: str) -> str:
    if row[name] is None:
        return ""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return f"{row[name]:.2f}" + ("" if low is None or high is None else f" ({low:.2f}-{high:.2f})")


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f} %"
