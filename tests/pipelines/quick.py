"""Nights that take a tenth of a second: an open door, no sentence encoder, no gate, no catalogue."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from anonymize.door import Result
from pipelines import night, recompute
from pipelines.steps import deidentify, detect, publish
from schemas.contract import table
from warehouse.catalogue import FILE

FIRST = date(2026, 11, 2)
SECOND = FIRST + timedelta(days=1)
NO_RESULTS = table("quality").empty().with_columns(dt=pl.lit(None, pl.Date))
Record = dict[str, Any]


class OpenDoor:
    """Lets every text through as it is."""

    def deidentify(self, items):
        return [Result(item.text, {}, None) for item in items]

    def mask_labels(self, labels):
        return list(labels)


def make_quick(monkeypatch: pytest.MonkeyPatch, *, gate: bool = False) -> None:
    """Replace what loads models, and the gate and the catalogue if asked to, for runs in this process."""
    if not gate:
        for module in (night, recompute):
            monkeypatch.setattr(module, "rebuild", lambda warehouse: warehouse.root / FILE)
        monkeypatch.setattr(publish, "check", lambda _staged, _counts: NO_RESULTS)
    monkeypatch.setattr(deidentify, "_door", lambda _key, _policy: OpenDoor())
    monkeypatch.setattr(detect, "_encoder", lambda *_: None)


def moment(day: float) -> str:
    """A time so many days after the noon of `FIRST`."""
    return (datetime(2026, 11, 2, 12, tzinfo=UTC) + timedelta(days=day)).isoformat()


def talk(name: str, at: float, turns: int = 2, **more: Any) -> list[Record]:
    """A conversation: requests and replies in turn, half a minute apart."""
    records = []
    for n in range(turns):
        begun = at + n * 60 / 86400
        base = {"kind": "message", "source": "web", "conversation_id": name, "user_id": f"user of {name}"} | more
        said = f"Request {n} of {name}"
        records += [
            base | {"message_id": f"u{n}", "role": "user", "content": said, "created_at": moment(begun)},
            base | {"message_id": f"a{n}", "role": "assistant", "content": f"Reply {n} to {name}. " * 40,
                    "created_at": moment(begun + 2 / 86400), "completed_at": moment(begun + 9 / 86400)},
        ]  # fmt: skip
    return records


def vote(name: str, message: str, at: float, event: str = "thumbs_down") -> Record:
    """A vote on a reply."""
    return {
        "kind": "event", "source": "web", "conversation_id": name, "message_id": message, "event": event,
        "at": moment(at),
    }  # fmt: skip


def land(landing: Path, day: date, records: Iterable[Record], name: str = "web.jsonl") -> None:
    """Write a landing file."""
    folder = landing / f"dt={day}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(r) + "\n" for r in records))


def land_two_days(landing: Path) -> None:
    """Three conversations, one of which goes on the next day."""
    land(landing, FIRST, [*talk("a", 0), *talk("b", 0.1)])
    land(landing, SECOND, [*talk("c", 1), *talk("a", 1.1)])


def digests(warehouse: Path, tables: Sequence[str] = ("messages", "events", "exchanges", "signals")) -> dict[str, str]:
    """Partitions of tables by path below the warehouse, each with the digest of its bytes."""
    files = (p for t in tables for p in sorted((warehouse / t).glob("dt=*/*")))
    return {p.relative_to(warehouse).as_posix(): sha256(p.read_bytes()).hexdigest() for p in files}
