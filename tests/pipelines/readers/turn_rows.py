"""What tests of tables of turns share: one row, and what is declared about its columns."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from schemas.records import Event, Message
from tests.pipelines.readers.kit import items

COLUMNS: dict[str, Any] = {
    "query": "q", "answer": "a", "conversation": "sid", "turn": "tid", "order": "n", "user": "uid", "model": "m",
    "asked_at": "t_ask", "answered_at": "t_first", "finished_at": "t_last", "status": "st", "vote": "fb",
    "comment": "note", "counters": {"copy": "n_copy", "regenerate": "n_regen", "stop": "stopped", "close": "n_close"},
    "times": {"close": "t_close"},
}  # fmt: skip
ROW: dict[str, Any] = {
    "q": "What is a fjord?", "a": "An inlet of the sea.", "sid": "s1", "tid": "t1", "n": 1, "uid": "u1", "m": "m-1",
    "t_ask": "2026-10-30T09:00:00Z", "t_first": "2026-10-30T09:00:02Z", "t_last": "2026-10-30T09:00:05Z", "st": "ok",
    "fb": None, "note": None, "n_copy": 0, "n_regen": 0, "stopped": False, "n_close": None, "t_close": None,
}  # fmt: skip
ASKED, FIRST, LAST = (datetime(2026, 10, 30, 9, 0, s, tzinfo=UTC) for s in (0, 2, 5))


def declared(columns: dict[str, Any] = COLUMNS, **beside: Any) -> dict[str, Any]:
    return {"format": "turns", "columns": columns, **beside}


def read(folder: Path, *changes: dict[str, Any], columns: dict[str, Any] = COLUMNS, **beside: Any) -> list[Any]:
    return items(folder, "a.jsonl", [ROW | c for c in changes], declared(columns, **beside))


def messages(found: list[Any]) -> list[Message]:
    return [i for i in found if isinstance(i, Message)]


def events(found: list[Any]) -> list[Event]:
    return [i for i in found if isinstance(i, Event)]
