"""How much memory a large landing day takes once it is de-identified: merge, detection of one chunk, staging.

    python benchmarks/memory.py [MESSAGES] [BUCKETS]

Buckets are generated as a door would leave them (two million messages of some 300 characters in 128 buckets, if not
said otherwise), so that no model is loaded; the encoder is left out as well. Each step prints its seconds and the
greatest resident memory of the process so far.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import polars as pl

from pipelines.settings import Settings
from pipelines.steps import detect
from pipelines.steps.detect import detect_chunk, plan_detection
from pipelines.steps.merge import merge_day
from pipelines.steps.overlay import Overlay
from pipelines.steps.publish import _stage_merged
from pipelines.steps.results import BucketResult, DayScan
from pipelines.steps.work import write_work
from schemas.contract import table
from warehouse.layout import Warehouse
from warehouse.stage import Stage

DAY = date(2026, 11, 2)
TURNS = 8
_WORDS = ["how", "do", "i", "reset", "the", "router", "it", "says", "no", "signal", "on", "any", "port", "here"]


def bucket(number: int, messages: int, folder: Path) -> BucketResult:
    """Write the frames of one bucket."""
    rng = np.random.default_rng(number)
    n = messages // TURNS * TURNS
    talk = np.repeat(rng.permutation(n // TURNS), TURNS) * 1000 + number
    turn = np.tile(np.arange(TURNS), n // TURNS)
    start = int(datetime(2026, 11, 2, tzinfo=UTC).timestamp() * 1e6)
    at = start + (talk % 80_000 + turn * 60) * 1_000_000
    texts = [" ".join(_WORDS[i] for i in rng.integers(0, len(_WORDS), 60)) for _ in range(1000)]
    frame = pl.DataFrame({"talk": talk, "turn": turn, "at": at, "text": [texts[i] for i in rng.integers(0, 1000, n)]})
    shape = table("messages").polars
    assistant = pl.col("turn") % 2 == 1
    known = {
        "source": pl.lit("web"),
        "conversation_id": pl.format("c{}", pl.col("talk").cast(pl.String).str.zfill(12)),
        "message_id": pl.format("m{}", "turn"),
        "role": pl.when(assistant).then(pl.lit("assistant")).otherwise(pl.lit("user")),
        "text": pl.format("{} {}", "talk", "text"),
        "n_chars": pl.col("text").str.len_chars().cast(pl.Int32),
        "script": pl.lit("latin"),
        "created_at": pl.col("at").cast(pl.Datetime("us", "UTC")),
        "status": pl.lit("ok"),
        "has_attachment": pl.lit(value=False),
        "entity_counts": pl.lit([], shape["entity_counts"]),
        "flags": pl.lit([], shape["flags"]),
        "digest": pl.format("{}-{}", pl.col("talk").hash(), pl.col("turn").hash()),
        "arrival_dt": pl.lit(DAY),
    }
    rows = frame.select(known.get(name, pl.lit(None)).cast(kind).alias(name) for name, kind in shape.items())
    rows = rows.with_columns(dt=pl.lit(DAY)).sort("conversation_id", "message_id")
    folder = folder / f"bucket-{number:04d}"
    write_work(rows, folder / "messages.parquet")
    for name, extra in (("events", {"dt": pl.Date()}), ("quarantine", {})):
        write_work(pl.DataFrame(schema={**table(name).polars, **extra}), folder / f"{name}.parquet")
    counts = {"items": n, "records": n, "messages": n, "events": 0}
    return BucketResult(DAY, number, str(folder), counts, {}, 0.0)


@contextmanager
def measured(step: str) -> Iterator[None]:
    """Print what a block takes."""
    start = time.perf_counter()
    yield
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{step:<24}{time.perf_counter() - start:8.1f} s   peak {peak:8.0f} MiB", flush=True)


def main(messages: int = 2_000_000, buckets: int = 128) -> None:
    """Generate the day, then take it through the steps."""
    detect._encoder = lambda *_: None
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        with measured(f"generated {messages:,}"):
            results = [bucket(n, messages // buckets, root / "work") for n in range(buckets)]
        items = sum(r.counts["items"] for r in results)
        scan = DayScan(DAY, (), (), buckets, "", items, 0)
        settings = Settings(warehouse=root / "warehouse", home=root)
        warehouse = Warehouse(root / "warehouse")
        overlay = Overlay(warehouse, root / "work" / "merged")
        with measured("merge"):
            merge_day(overlay, scan, results)
        with measured("plan"):
            chunks = plan_detection(settings, overlay, [DAY])
        with measured("detect, one chunk"):
            detect_chunk(settings, overlay, chunks[0])
        with measured("stage"), Stage(warehouse, "memory") as stage:
            for part in _stage_merged(stage, overlay, {}):
                print(f"  {part.table} {part.dt}: {part.rows:,} rows, {part.path.stat().st_size >> 20} MiB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
