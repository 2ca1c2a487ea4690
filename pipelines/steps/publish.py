"""Step `publish`: stage everything, check it, rename it into place, and write down the run."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from importlib.metadata import version
from pathlib import Path

import polars as pl

from anonymize.keys import load_key
from pipelines.settings import Settings
from pipelines.steps.erased import erasures_digest
from pipelines.steps.overlay import ARRIVALS, Overlay, base_of
from pipelines.steps.parts import stored_parts
from pipelines.steps.results import Base, ChunkResult, DayScan
from pipelines.steps.scan import assert_unchanged
from schemas.contract import table
from schemas.errors import WarehouseBusy
from warehouse.files import file_digest
from warehouse.layout import Warehouse
from warehouse.publish import Published, publish
from warehouse.quality import check
from warehouse.stage import Stage, Staged

_MERGED = ("messages", "events", "quarantine")
_DETECTED = ("exchanges", "signals")


@dataclass(frozen=True)
class DayLog:
    """What a run has to say about one landing day: the makings of its `runs` row.

    Attributes:
        scan: The input.
        counts: Step to count to number.
        seconds: Step to wall time in seconds.
        peak_mb: Greatest resident memory of all processes together, in MiB.
    """

    scan: DayScan
    counts: Mapping[str, Mapping[str, int]]
    seconds: Mapping[str, float]
    peak_mb: float


@dataclass(frozen=True)
class Batch:
    """What is published together.

    Attributes:
        run_id: Id of the run.
        started_at: When it began.
        logs: One for each landing day.
        detected: Event days whose exchanges were computed.
        chunks: Where they lie.
        bases: Published partitions that the run built on.
        from_landing: Whether landing files were read; they must still be what they were.
    """

    run_id: str
    started_at: datetime
    logs: list[DayLog]
    detected: list[date]
    chunks: list[ChunkResult] = field(default_factory=list)
    bases: list[Base] = field(default_factory=list)
    from_landing: bool = True


def publish_batch(
    settings: Settings,
    overlay: Overlay,
    batch: Batch,
    erasure: Callable[[list[Staged]], tuple[date, pl.DataFrame]] | None = None,
) -> list[Published]:
    """Publish all that a run made, in one go.

    Args:
        settings: The settings of the run.
        overlay: The run's versions of its partitions.
        batch: What else it knows.
        erasure: Told what was staged, makes a day's rows of `erasures`, where the run is an erasure.

    Returns:
        The published partitions, run records included.

    Raises:
        CheckFailed: A check of severity `fail` did not pass.
        CountMismatch: Partitions do not hold what the steps counted.
        LandingError: The input changed since it was scanned.
        WarehouseBusy: Another run publishes, or has published what this one built on.
        WarehouseFault: The disk refuses.
    """
    warehouse = overlay.warehouse
    metadata = {
        "tacit.code": version("tacit"),
        "tacit.config": settings.digest(),
        "tacit.key": load_key(settings.key_path).key_id,
    }
    with Stage(warehouse, batch.run_id) as stage:
        staged = [*_stage_merged(stage, overlay, metadata), *_stage_detected(stage, batch, metadata)]
        quality = _quality(warehouse, staged, _counted(overlay, batch))
        staged += [stage.write("quality", dt, rows, metadata) for dt, rows in quality]
        for log in batch.logs:
            if batch.from_landing:
                assert_unchanged(settings, log.scan)
            _assert_same_erasures(warehouse, log.scan)
        _assert_bases(warehouse, batch.bases, staged)
        if erasure is not None:
            staged.append(stage.write("erasures", *erasure(staged), metadata))
        for log in batch.logs:
            staged.append(
                stage.write("runs", log.scan.day, _run_rows(warehouse, batch, log, staged, metadata), metadata)
            )
        return publish(warehouse, staged)


def _stage_merged(stage: Stage, overlay: Overlay, metadata: Mapping[str, str]) -> Iterable[Staged]:
    for name in _MERGED:
        for dt in overlay.made(name):
            path = overlay.path(name, dt)
            extra = {}
            if name != "quarantine":
                days = pl.scan_parquet(path).select(pl.col("arrival_dt").unique().sort()).collect()
                extra[ARRIVALS] = ",".join(map(str, days["arrival_dt"]))
            yield stage.write_parts(name, dt, stored_parts(path), {**metadata, **extra})


def _stage_detected(stage: Stage, batch: Batch, metadata: Mapping[str, str]) -> Iterable[Staged]:
    for name in _DETECTED:
        for dt in batch.detected:
            # Chunks are ranges of conversations, and both tables are sorted by conversation.
            chunks = sorted((c for c in batch.chunks if c.dt == dt), key=lambda c: c.number)
            parts = (part for c in chunks for part in stored_parts(Path(c.folder) / f"{name}.parquet"))
            yield stage.write_parts(name, dt, parts, metadata)


def _quality(
    warehouse: Warehouse, staged: list[Staged], counts: Mapping[str, int]
) -> Iterable[tuple[date, pl.DataFrame]]:
    """Check what was staged. Results of tables of the same day that this run did not touch stay."""
    results = check(staged, counts)
    names = {"table_name": pl.String, "dt": pl.Date}
    checked = pl.DataFrame([(s.table, s.dt) for s in staged], schema=names, orient="row")
    days = sorted({s.dt for s in staged})
    kept = warehouse.scan("quality", days).collect().join(checked, on=list(names), how="anti")
    everything = pl.concat([kept, results.select(kept.columns)])
    for day in days:
        yield day, everything.filter(pl.col("dt") == day)


def _counted(overlay: Overlay, batch: Batch) -> dict[str, int]:
    """Rows that each partition must have, as the steps before counted them: `TABLE/DAY` to number."""
    counts = {
        f"{name}/{dt}": pl.scan_parquet(overlay.path(name, dt)).select(pl.len()).collect().item()
        for name in _MERGED
        for dt in overlay.made(name)
    }
    for name in _DETECTED:
        for dt in batch.detected:
            counts[f"{name}/{dt}"] = sum(c.counts[name] for c in batch.chunks if c.dt == dt)
    return counts


def _assert_bases(warehouse: Warehouse, bases: Iterable[Base], staged: Iterable[Staged]) -> None:
    """A base may have been replaced by an earlier try of this very run, which left the bytes that are staged now."""
    ours = {(s.table, s.dt): s.sha256 for s in staged}
    for base in bases:
        if base_of(warehouse, base.table, base.dt) == base:
            continue
        path = warehouse.path(base.table, base.dt)
        if path.exists() and file_digest(path) == ours.get((base.table, base.dt)):
            continue
        raise WarehouseBusy(
            "Another run published days that this one built on.",
            state="Nothing of this run was published; the tables hold the other run's rows.",
            then="Run the day again.",
        )


def _assert_same_erasures(warehouse: Warehouse, scan: DayScan) -> None:
    """A user who was erased while the run read may be among what it made."""
    if erasures_digest(warehouse) != scan.erasures:
        raise WarehouseBusy(
            "Somebody was erased from the warehouse while this run read its input.",
            state="Nothing of this run was published; the tables are as the erasure left them.",
            then=f"Run the day again: tacit run --day {scan.day}",
        )


def _run_rows(
    warehouse: Warehouse, batch: Batch, log: DayLog, staged: Iterable[Staged], metadata: Mapping[str, str]
) -> pl.DataFrame:
    """The landing day's earlier run records and this one's."""
    row = {
        "run_id": batch.run_id,
        "started_at": batch.started_at,
        "finished_at": datetime.now(UTC),
        "peak_memory_mb": log.peak_mb,
        "code_version": metadata["tacit.code"],
        "config_digest": metadata["tacit.config"],
        "key_id": metadata["tacit.key"],
        "inputs": [
            {
                "file": f.file,
                "format": f.format,
                "bytes": f.bytes,
                "sha256": f.sha256,
                "records": f.records,
                "named": f.named,
                "declared": f.declared,
            }
            for f in log.scan.files
        ],
        "counts": [{"step": s, "count": c, "n": n} for s, counts in log.counts.items() for c, n in counts.items()],
        "seconds": [{"step": s, "seconds": n} for s, n in log.seconds.items()],
        "partitions": [{"table_name": p.table, "dt": p.dt, "rows": p.rows, "sha256": p.sha256} for p in staged],
    }
    earlier = warehouse.scan("runs", [log.scan.day]).drop("dt").collect()
    return pl.concat([earlier, pl.DataFrame([row], schema=table("runs").polars)])
