"""`tacit export`: detections for other tools, as a stream of lines."""

import json
import sys
from collections.abc import Iterable, Iterator
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from pipelines.cli.options import ConfigOption, WarehouseOption, err, opened, parse_day, settings
from pipelines.exports.detections import detections
from pipelines.exports.langfuse import scores
from pipelines.exports.otel import log_lines
from schemas.enums import Signal


class Shape(StrEnum):
    """What the lines are."""

    JSONL = "jsonl"
    OTEL = "otel"
    LANGFUSE = "langfuse"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(export)


def export(
    shape: Annotated[
        Shape,
        typer.Option(
            "--as",
            help="jsonl: rows of signals. otel: OTLP logs of gen_ai.evaluation.result. langfuse: bodies of scores.",
        ),
    ] = Shape.JSONL,
    day: Annotated[
        list[date] | None,
        typer.Option(parser=parse_day, metavar="YYYY-MM-DD", help="Partition day; may be given often."),
    ] = None,
    signal: Annotated[list[Signal] | None, typer.Option(help="Kind of feedback; may be given often.")] = None,
    on_reply: Annotated[
        bool, typer.Option("--on-reply", help="Langfuse: score the trace of the reply, not the session.")
    ] = False,
    to: Annotated[Path | None, typer.Option("--out", help="Write to a file.", dir_okay=False)] = None,
    warehouse: WarehouseOption = None,
    config: ConfigOption = None,
) -> None:
    """Write detections as lines that other tools take, all or those of some days and signals.

    The same tables give the same lines, with the same ids.
    """
    rows = detections(opened(settings(config, warehouse=warehouse)), day or (), signal or ())
    if shape is Shape.OTEL:
        lines: Iterable[str] = log_lines(rows)
    elif shape is Shape.LANGFUSE:
        lines = scores(rows, on_reply=on_reply)
    else:
        lines = _plain(rows)
    if to is None:
        for line in lines:
            sys.stdout.write(line + "\n")
        return
    written = 0
    with to.open("w", encoding="utf-8") as target:
        for line in lines:
            target.write(line + "\n")
            written += 1
    err.print(f"{written:,} lines in {to}.", highlight=False, soft_wrap=True)


def _plain(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False, default=str) for row in rows)
