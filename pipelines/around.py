"""Looks up an exchange and the messages around it, de-identified, as people and second readers are shown it."""

from datetime import date, timedelta
from typing import Any

import polars as pl

from schemas.errors import NotFound
from signals.versions import newest_messages
from warehouse.layout import Warehouse

_DAYS_BACK = 8


def around(warehouse: Warehouse, dt: date, exchange_id: str, signal: dict[str, Any] | None) -> dict[str, Any]:
    """Look up an exchange and the messages around it.

    Args:
        warehouse: The published tables.
        dt: Partition day of the exchange.
        exchange_id: The exchange.
        signal: The row of the detection in it that is looked at; None where nothing was detected.

    Returns:
        `signal` (as given), `exchange` (its row) and `messages`: `earlier`, `request`, `reply` and `next`, each a row
        of `messages` or None.

    Raises:
        NotFound: It is not there any more.
    """
    found = warehouse.scan("exchanges", [dt]).filter(pl.col("exchange_id") == exchange_id).collect()
    if found.is_empty():
        raise NotFound(
            "That exchange is not in the tables any more.",
            state="Nothing was changed.",
            then="Its day was run again since; ask anew.",
        )
    exchange = found.row(0, named=True)
    ids = {
        "earlier": ((signal or {}).get("evidence") or {}).get("earlier_message_id"),
        "request": exchange["request_id"],
        "reply": exchange["reply_id"],
        "next": exchange["next_user_id"],
    }
    if ids["earlier"] == ids["request"]:
        ids["earlier"] = None
    messages = _messages(warehouse, exchange, [message_id for message_id in ids.values() if message_id is not None])
    return {"signal": signal, "exchange": exchange, "messages": {part: messages.get(ids[part] or "") for part in ids}}


def _messages(warehouse: Warehouse, exchange: dict[str, Any], ids: list[str]) -> dict[str, dict[str, Any]]:
    """Rows of `messages` by id; the days around the exchange are read, all of them only where one is not there."""
    same = (
        (pl.col("source") == exchange["source"])
        & (pl.col("conversation_id") == exchange["conversation_id"])
        & pl.col("message_id").is_in(ids)
    )
    near = [exchange["dt"] + timedelta(days=n) for n in range(-_DAYS_BACK, 3)]
    rows = warehouse.scan("messages", near).filter(same).collect()
    if rows["message_id"].n_unique() < len(set(ids)):
        rows = warehouse.scan("messages").filter(same).collect()
    return {row["message_id"]: row for row in newest_messages(rows).to_dicts()}
