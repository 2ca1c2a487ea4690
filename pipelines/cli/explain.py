"""`tacit explain`: the exchange around a detection, de-identified, with the evidence it was made on."""

import json
from datetime import datetime
from typing import Annotated, Any

import typer
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from pipelines.around import around
from pipelines.cli.options import ConfigOption, JsonOption, WarehouseOption, opened, out, settings
from schemas.contract import table
from schemas.errors import NotFound
from warehouse.layout import Warehouse
from warehouse.query import run_query

_SHORTEST_PREFIX = 6
_SHOWN_CHARS = 1500
_PARTS = {
    "earlier": "earlier request",
    "request": "request",
    "reply": "reply that it is about",
    "next": "what the user wrote next",
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(explain)


def explain(
    signal_id: Annotated[str, typer.Argument(help="Id of a detection, or its first characters.")],
    warehouse: WarehouseOption = None,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Show why a detection was made: the exchange around it, de-identified, and its evidence."""
    chosen = settings(config, warehouse=warehouse)
    found = find(opened(chosen), signal_id)
    if as_json:
        out.print_json(json.dumps(found, default=str))
        return
    out.print(_facts(found))
    show_messages(found)


def show_messages(found: dict[str, Any]) -> None:
    """Print the messages around an exchange, in frames.

    Args:
        found: The result of `find` or `around`.
    """
    for part, title in _PARTS.items():
        message = found["messages"].get(part)
        if message:
            text = message["text"]
            shown = (
                "(not captured)" if text is None else text[:_SHOWN_CHARS] + ("…" if len(text) > _SHOWN_CHARS else "")
            )
            at = message["created_at"]
            subtitle = Text(message["message_id"] + (f"  {at:%Y-%m-%d %H:%M:%S}" if at else ""))
            out.print(Panel(Text(shown), title=title, title_align="left", subtitle=subtitle, subtitle_align="right"))
        elif part == "reply" and found["exchange"]["reply_id"] is None:
            out.print(Panel(Text("(never logged)"), title=title, title_align="left"))


def find(warehouse: Warehouse, signal_id: str) -> dict[str, Any]:
    """Look up a detection and the messages around it.

    Args:
        warehouse: The published tables.
        signal_id: The id, or enough of its beginning to be the only one.

    Returns:
        `signal` (its row), `exchange` (its row) and `messages`: `earlier`, `request`, `reply` and `next`, each a row
        of `messages` or None.

    Raises:
        NotFound: No detection, or more than one, begins so.
    """
    wanted = signal_id.strip().lower()
    if len(wanted) < _SHORTEST_PREFIX or not wanted.isalnum():
        raise typer.BadParameter(f"an id holds letters and digits; give at least {_SHORTEST_PREFIX} of them")
    rows = run_query(warehouse, f"SELECT * FROM signals WHERE starts_with(signal_id, '{wanted}')")  # noqa: S608 - alphanumeric
    if rows.height != 1:
        raise NotFound(
            "No detection's id begins so." if rows.is_empty() else f"The ids of {rows.height} detections begin so.",
            state="Nothing was changed.",
            then='List some with: tacit sql "SELECT signal_id, signal, rule FROM signals LIMIT 20"',
        )
    signal = rows.row(0, named=True)
    return around(warehouse, signal["dt"], signal["exchange_id"], signal)


def _facts(found: dict[str, Any]) -> Table:
    signal, exchange = found["signal"], found["exchange"]
    facts = Table(title=f"{signal['signal']} {signal['signal_id']}", title_justify="left", show_header=False)
    facts.add_column(style="bold")
    facts.add_column(overflow="fold")
    facts.add_column(style="dim")
    contract = table("signals")
    for name in ("rule", "trigger", "score", "threshold", "rule_version", "occurred_at", "primary"):
        facts.add_row(name, _cell(signal[name]), contract.column(name).doc)
    add_evidence(facts, signal)
    add_exchange(facts, exchange)
    return facts


def add_evidence(facts: Table, signal: dict[str, Any]) -> None:
    """Add the evidence of a detection to a table of three columns: name, value, meaning."""
    for field in table("signals").column("evidence").fields:
        value = (signal["evidence"] or {}).get(field.name)
        if value not in (None, []):
            facts.add_row(f"evidence.{field.name}", _cell(value), field.doc)


def add_exchange(facts: Table, exchange: dict[str, Any]) -> None:
    """Add what is known of an exchange to such a table."""
    for name in ("source", "model", "conversation_id", "gap_s", "visible_s", "reading_s", "clock_quality", "outcome"):
        if exchange[name] is not None:
            facts.add_row(name, _cell(exchange[name]), table("exchanges").column(name).doc)


def _cell(value: object) -> Text:
    if isinstance(value, list):
        return Text(", ".join(map(str, value)))
    if isinstance(value, datetime):
        return Text(f"{value:%Y-%m-%d %H:%M:%S}")
    return Text(f"{value:.3g}" if isinstance(value, float) else str(value))
