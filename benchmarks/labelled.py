"""Labelled conversations, linked and read, with what the readers found: what the models are fitted on."""

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from schemas.contract import table
from signals.link import link
from signals.readings import Readings
from signals.settings import DetectSettings
from signals.sources import source_facts


@dataclass(frozen=True)
class LabelledSet:
    """A set whose conversations were linked.

    Attributes:
        readings: What the detectors read of them.
        labels: By (conversation, message): signal to whether a reader was sure of it.
    """

    readings: Readings
    labels: dict[tuple[str, str], dict[str, bool]]

    def truth(self, row: int, signals: tuple[str, ...]) -> int | None:
        """Whether a message carries one of some signals: 1, 0, or None where the readers were not sure."""
        messages = self.readings.window.messages
        said = self.labels.get((messages["conversation_id"][row], messages["message_id"][row]), {})
        sure = [said.get(signal) for signal in signals]
        return 1 if True in sure else None if False in sure else 0


def read_set(gold: Path, name: str, encoder: Any) -> LabelledSet:
    """Read `NAME.jsonl` and `NAME.labels.jsonl` of a folder; the detectors see the text as it is."""
    messages = frame(gold / f"{name}.jsonl")
    events = table("events").empty().with_columns(dt=pl.lit(None, pl.Date))
    window = link(messages, events, source_facts(messages, events))
    return LabelledSet(Readings(window, encoder, DetectSettings()), labels(gold / f"{name}.labels.jsonl"))


def frame(path: Path) -> pl.DataFrame:
    """Read the messages of a labelled set as rows of the `messages` table; their text is taken as it is."""
    rows = []
    for line in path.open(encoding="utf-8"):
        record = json.loads(line)
        if record["kind"] == "message":
            text = record["content"]
            rows.append({
                "source": record.get("source") or path.stem, "conversation_id": record["conversation_id"],
                "message_id": record["message_id"], "parent_id": record.get("parent_id"), "seq": record.get("seq"),
                "role": record["role"], "text": text, "n_chars": None if text is None else len(text), "script": "none",
                "status": record.get("status") or "ok", "has_attachment": False, "entity_counts": [], "flags": [],
                "digest": record["message_id"], "arrival_dt": date(2025, 1, 1),
            })  # fmt: skip
    return pl.DataFrame(rows, schema=table("messages").polars).with_columns(dt=pl.col("arrival_dt"))


def labels(path: Path) -> dict[tuple[str, str], dict[str, bool]]:
    """Labels by (conversation, message): signal to whether a reader was sure of it."""
    found: dict[tuple[str, str], dict[str, bool]] = {}
    for line in path.open(encoding="utf-8"):
        label = json.loads(line)
        of = found.setdefault((label["conversation_id"], label["message_id"]), {})
        of[label["signal"]] = of.get(label["signal"], False) or label.get("sure", True)
    return found
