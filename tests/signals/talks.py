"""Short ways to write conversations in tests."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl

from schemas.contract import table
from signals.detect import Detections, detect
from signals.link import Window, link
from signals.settings import DetectSettings, LinkSettings
from signals.sources import source_facts

START = datetime(2026, 11, 2, 9, tzinfo=UTC)
DAY = date(2026, 11, 2)


def at(seconds: float | None) -> datetime | None:
    """A moment, in seconds after the start."""
    return None if seconds is None else START + timedelta(seconds=seconds)


def message(
    message_id: str,
    role: str,
    text: str | None,
    begun: float | None = None,
    ended: float | None = None,
    *,
    conversation: str = "c1",
    source: str = "web",
    **more: Any,
) -> dict[str, Any]:
    """A row of the messages table."""
    row = {
        "source": source, "conversation_id": conversation, "message_id": message_id, "parent_id": None, "seq": None,
        "role": role, "text": text, "n_chars": None if text is None else len(text), "script": "latin",
        "created_at": at(begun), "completed_at": at(ended), "status": "ok", "user_key": "u", "model": "m",
        "has_attachment": False, "entity_counts": [], "flags": [], "aliases": None, "digest": f"{message_id}",
        "arrival_dt": DAY,
    }  # fmt: skip
    return row | more


def event(
    kind: str, seconds: float, message_id: str | None = None, *, conversation: str = "c1", **more: Any
) -> dict[str, Any]:
    """A row of the events table."""
    row = {
        "event_id": f"{conversation}-{kind}-{seconds}-{message_id}", "source": "web", "conversation_id": conversation,
        "message_id": message_id, "event": kind, "at": at(seconds), "user_key": "u", "text": None, "entity_counts": [],
        "arrival_dt": DAY,
    }  # fmt: skip
    return row | more


def talk(*turns: str | None, conversation: str = "c1", reply: str = "Here you are.") -> list[dict[str, Any]]:
    """A conversation without clocks: user messages with the same reply after each."""
    rows = []
    for n, text in enumerate(turns):
        rows.append(message(f"u{n}", "user", text, conversation=conversation, seq=2 * n))
        rows.append(message(f"a{n}", "assistant", reply, conversation=conversation, seq=2 * n + 1))
    return rows


def frames(
    messages: Sequence[dict[str, Any]], events: Sequence[dict[str, Any]] = ()
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Frames of both tables with their `dt`."""
    rows = pl.DataFrame(list(messages), schema=table("messages").polars, orient="row")
    acts = pl.DataFrame(list(events), schema=table("events").polars, orient="row")
    return (
        rows.with_columns(dt=pl.coalesce(pl.col("created_at").dt.date(), "arrival_dt")),
        acts.with_columns(dt=pl.col("at").dt.date()),
    )


def linked(
    messages: Sequence[dict[str, Any]], events: Sequence[dict[str, Any]] = (), settings: LinkSettings | None = None
) -> Window:
    """Link rows."""
    rows, acts = frames(messages, events)
    return link(rows, acts, source_facts(rows, acts), settings)


def found(
    messages: Sequence[dict[str, Any]],
    events: Sequence[dict[str, Any]] = (),
    encoder: Any = None,
    settings: DetectSettings | None = None,
) -> Detections:
    """Link and detect."""
    return detect(linked(messages, events), encoder, settings)


def of(detections: Detections, reply: str, signal: str) -> bool | None:
    """The value of a signal for a reply."""
    values = detections.exchanges.filter(pl.col("reply_id") == reply)[signal].to_list()
    assert len(values) == 1
    return values[0]


def pair_verdicts(pairs: Sequence[tuple[str, str]], encoder: Any) -> dict[tuple[str, str], dict[str, bool | None]]:
    """Every signal for the first reply of each two-request conversation, judged in one call."""
    rows = [row for n, pair in enumerate(pairs) for row in talk(*pair, conversation=f"c{n:03d}")]
    first = found(rows, encoder=encoder).exchanges.filter(pl.col("reply_id") == "a0").sort("conversation_id")
    return dict(zip(pairs, first.to_dicts(), strict=True))


class Grams:
    """An encoder of hashed character trigrams: alike texts get alike vectors, and nothing is loaded."""

    name = "grams"
    revision = "1"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.seen.extend(texts)
        out = np.zeros((len(texts), 256), dtype=np.float32)
        for n, text in enumerate(texts):
            padded = f"  {text.lower()} "
            for i in range(len(padded) - 2):
                out[n, hashlib.blake2b(padded[i : i + 3].encode(), digest_size=1).digest()[0]] += 1.0
        return out / np.linalg.norm(out, axis=1, keepdims=True)
