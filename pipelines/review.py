"""Random samples of detections and non-detections for people to judge, and what becomes of their verdicts.

A sample is stratified: by band of one signal (detections; non-detections with a probability of at least 0.1; the rest,
which are many and mostly right), and by source if asked. Within a stratum exchanges are drawn in the order of a hash of
seed and id. So the same seed draws the same exchanges, whoever asks and however often it is interrupted; what was
judged up to any point is a simple random sample of each stratum; and days that arrive later mix in at random.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl

from pipelines.beside import REVIEWS, add_rows
from schemas.contract import table
from schemas.enums import Signal
from schemas.ids import content_id
from warehouse.layout import Warehouse

BORDERLINE = 0.1
BANDS = ("detected", "borderline", "unlikely")
FOLDER = "reviews"


@dataclass(frozen=True)
class Plan:
    """What is drawn.

    Attributes:
        signals: Which signals.
        each: Exchanges a stratum.
        seed: Seed of the sample.
        by_source: Whether each source is a stratum of its own.
        sources: Only these; all where empty.
    """

    signals: tuple[Signal, ...]
    each: int
    seed: int
    by_source: bool = False
    sources: frozenset[str] = frozenset()


def draw(warehouse: Warehouse, plan: Plan) -> pl.DataFrame:
    """Draw a sample.

    Args:
        warehouse: The published tables.
        plan: What to draw.

    Returns:
        `exchange_id`, `signal`, `source`, `conversation_id`, `dt`, `band`, `p`, in the order in which to ask: signal
        by signal, bands and sources mixed, so that no run of answers gives the next one away.
    """
    drawn = [_draw_one(warehouse, signal, plan) for signal in plan.signals]
    return pl.concat(drawn) if drawn else pl.DataFrame()


def _draw_one(warehouse: Warehouse, signal: Signal, plan: Plan) -> pl.DataFrame:
    wanted = ["exchange_id", "source", "conversation_id", signal.value, f"p_{signal}"]
    rows = warehouse.scan("exchanges", columns=wanted).filter(pl.col(signal.value).is_not_null()).collect()
    if plan.sources:
        rows = rows.filter(pl.col("source").is_in(list(plan.sources)))
    band = (
        pl.when(pl.col(signal.value))
        .then(pl.lit("detected"))
        .when(pl.col(f"p_{signal}") >= BORDERLINE)
        .then(pl.lit("borderline"))
        .otherwise(pl.lit("unlikely"))
    )
    order = [content_id(str(plan.seed), signal.value, one) for one in rows["exchange_id"]]
    mixed = [content_id("order", one) for one in order]
    stratum = ["band", "source"] if plan.by_source else ["band"]
    return (
        rows.with_columns(pl.Series("_order", order, pl.String), pl.Series("_mixed", mixed, pl.String), band=band)
        .sort("_order")
        .with_columns(_place=pl.int_range(pl.len()).over(stratum))
        .filter(pl.col("_place") < plan.each)
        # In rounds: whoever stops early has judged about as many of each stratum.
        .sort(pl.col("_place") // 5, "_mixed")
        .select(
            "exchange_id",
            "source",
            "conversation_id",
            "dt",
            "band",
            signal=pl.lit(signal.value),
            p=f"p_{signal}",
        )
    )


class Journal:
    """Verdicts that were given and not published yet: one JSON line each, on the disk before the next is asked.

    It holds ids and verdicts, no text.

    Args:
        home: `TACIT_HOME`.
        warehouse: Whose verdicts they are.
        reviewer: Who gives them.
    """

    def __init__(self, home: Path, warehouse: Warehouse, reviewer: str) -> None:
        place = content_id(str(warehouse.root.resolve()))[:12]
        self.path, self.warehouse, self.reviewer = home / FOLDER / f"{place}-{reviewer}.jsonl", warehouse, reviewer

    def add(self, item: dict[str, Any], verdict: str, plan: Plan) -> None:
        """Write a verdict down.

        Args:
            item: A row of `draw`.
            verdict: `yes`, `no` or `unsure`.
            plan: What the row was drawn by.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        row = item | {
            "dt": str(item["dt"]), "reviewer": self.reviewer, "verdict": verdict, "by_source": plan.by_source,
            "seed": plan.seed, "reviewed_at": datetime.now(UTC).isoformat(),
        }  # fmt: skip
        handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            # A line that a crash tore stays a line of its own.
            os.write(handle, b"\n" + json.dumps(row).encode() + b"\n")
            os.fsync(handle)
        finally:
            os.close(handle)

    def rows(self) -> pl.DataFrame:
        """The verdicts, in the shape of `reviews` with `dt`; lines that a crash tore are left out."""
        found = []
        for line in self.path.read_bytes().splitlines() if self.path.is_file() else []:
            try:
                row = json.loads(line)
                row |= {"dt": date.fromisoformat(row["dt"]), "reviewed_at": datetime.fromisoformat(row["reviewed_at"])}
            except (ValueError, KeyError, TypeError):
                continue
            found.append(row)
        return pl.DataFrame(found, schema={**table(REVIEWS).polars, "dt": pl.Date}, orient="row")

    def publish(self) -> int:
        """Publish the verdicts, then forget them here.

        Returns:
            How many.

        Raises:
            WarehouseBusy: A run holds the warehouse. The verdicts stay here for the next time.
        """
        n = add_rows(self.warehouse, REVIEWS, self.rows())
        self.path.unlink(missing_ok=True)
        return n

    def judged(self) -> set[tuple[str, str]]:
        """(exchange_id, signal) of all that this reviewer has judged, published or not."""
        wanted = ["exchange_id", "signal", "reviewer"]
        published = self.warehouse.scan(REVIEWS, columns=wanted).filter(pl.col("reviewer") == self.reviewer)
        both: Sequence[pl.DataFrame] = [published.select(wanted[:2]).collect(), self.rows().select(wanted[:2])]
        return set(pl.concat(both).iter_rows())
