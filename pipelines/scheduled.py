"""The night cut into tasks for a scheduler: each takes and returns plain values, small enough for an XCom.

Everything of size stays in the run's work folder under the warehouse, which every worker must reach by the same path.
"""

import logging
import re
import shutil
import time
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from anonymize.keys import load_key
from anonymize.registry import checked_registry
from pipelines.faults import without_values
from pipelines.night import SCHEDULED, WORK, day_log, require_same_key, sweep_work
from pipelines.settings import Settings, load_settings
from pipelines.steps.counts import add_counts
from pipelines.steps.deidentify import deidentify_bucket, policy_of
from pipelines.steps.detect import days_to_detect, detect_chunk, plan_detection
from pipelines.steps.merge import merge_day
from pipelines.steps.overlay import Overlay
from pipelines.steps.publish import Batch, publish_batch
from pipelines.steps.results import Base, BucketResult, Chunk, ChunkResult, DayScan, from_plain, to_plain
from pipelines.steps.scan import require_input, scan_day
from schemas.errors import ConfigError
from warehouse.catalogue import rebuild
from warehouse.layout import Warehouse
from warehouse.ledger import attach
from warehouse.mend import set_aside
from warehouse.stage import sweep

Plain = dict[str, Any]
_SCAN = "scan.json"
_log = logging.getLogger(__name__)


def landing_day(start: datetime | None, end: datetime | None) -> date:
    """The landing day of a run's data interval.

    Args:
        start: Begin of the interval.
        end: Its end.

    Raises:
        ConfigError: There is no interval, it is empty, or it is not one UTC day. A run for no day would read nothing
            and look green.
    """
    if start is None or end is None or start >= end:
        raise _no_day("The run has no data interval, or an empty one.")
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    if (end - start).total_seconds() != 86400 or start.timetz().replace(tzinfo=None) != datetime.min.time():
        raise _no_day("The run's data interval is not one UTC day.")
    return start.date()


def _no_day(what: str) -> ConfigError:
    return ConfigError(
        what,
        state="Nothing was read or written.",
        then="A run covers the last whole UTC day before its logical date: for landing day 2026-11-02, run"
        " `airflow dags trigger tacit_nightly --logical-date 2026-11-03T00:00:00Z`, or make a backfill.",
    )


@without_values
def begin(day: str, scheduler_run: str) -> Plain:
    """Task `scan`: take stock of the landing day and open the run's work folder.

    Args:
        day: Landing day, ISO format.
        scheduler_run: The scheduler's id of the run; the same at every retry.

    Returns:
        The plan: day, work folder, scan, start, a list of bucket numbers under `buckets`, and what was set aside.
    """
    settings = load_settings().settings
    if settings.store is not None:
        attach(settings.warehouse, settings.store)
    key = load_key(settings.key_path)
    checked_registry(policy_of(settings))
    require_input(settings, date.fromisoformat(day))
    started, clock = datetime.now(UTC), time.perf_counter()
    warehouse = Warehouse(settings.warehouse)
    with warehouse.writer():
        sweep_work(settings.warehouse)
        sweep(warehouse)
        aside = [file.told() for file in set_aside(warehouse)]
        for told in aside:
            _log.warning("%s", told)
        require_same_key(warehouse, key)
    work = settings.warehouse / WORK / (SCHEDULED + re.sub(r"[^A-Za-z0-9]+", "-", scheduler_run)[:100])
    shutil.rmtree(work, ignore_errors=True)  # what an earlier try of this run left
    work.mkdir(parents=True)
    scan = scan_day(settings, date.fromisoformat(day), work)
    (work / _SCAN).write_bytes(msgspec.json.encode(scan))  # a day may have more files than an XCom should hold
    return {
        "work": str(work),
        "started": started.isoformat(),
        "buckets": list(range(scan.buckets)),
        "seconds": {"scan": time.perf_counter() - clock},
        "set_aside": aside,
    }


def deidentify(plan: Plain, bucket: int) -> Plain:
    """Task `deidentify`, mapped over buckets."""
    return _timed(partial(deidentify_bucket, load_settings().settings, _scan(plan), bucket, Path(plan["work"])))


@without_values
def merge(plan: Plain, buckets: list[Plain]) -> Plain:
    """Task `merge`: bring the buckets together by event day, and plan the detection.

    Returns:
        `detected` (event days), `chunks` (for the mapped task) and the counts so far.
    """
    settings = load_settings().settings
    clock = time.perf_counter()
    scan = _scan(plan)
    results = [from_plain(b["result"], BucketResult) for b in buckets]
    overlay = _overlay(settings, plan)
    shutil.rmtree(overlay.folder, ignore_errors=True)  # a retry must not build on its own first try
    days = days_to_detect(settings, overlay, merge_day(overlay, scan, results))
    chunks = plan_detection(settings, overlay, days)
    return {
        "detected": [str(d) for d in days],
        "chunks": [to_plain(c) for c in chunks],
        "bases": [to_plain(b) for b in overlay.bases()],
        "seconds": {"merge": time.perf_counter() - clock},
    }


def detect(plan: Plain, chunk: Plain) -> Plain:
    """Task `detect`, mapped over chunks."""
    settings = load_settings().settings
    overlay = _overlay(settings, plan)
    found = _timed(partial(detect_chunk, settings, overlay, from_plain(chunk, Chunk)))
    return found | {"bases": [to_plain(b) for b in overlay.bases()]}


@without_values
def publish(plan: Plain, merged: Plain, buckets: list[Plain], chunks: list[Plain] | None) -> Plain:
    """Task `publish`: check everything, rename it into place, rebuild the catalogue, clear the work folder.

    Args:
        plan: From `begin`.
        merged: From `merge`.
        buckets: From `deidentify`.
        chunks: From `detect`; None or empty on a day without conversations, which is published as such.

    Returns:
        Number of partitions, and the rows of each table.
    """
    settings = load_settings().settings
    chunks = chunks or []
    scan = _scan(plan)
    results = [from_plain(b["result"], BucketResult) for b in buckets]
    found = [from_plain(c["result"], ChunkResult) for c in chunks]
    seconds = plan["seconds"] | merged["seconds"]
    seconds |= {
        "deidentify": sum((b["seconds"] for b in buckets), 0.0),
        "detect": sum((c["seconds"] for c in chunks), 0.0),
    }
    peak = max([r.peak_mb for r in results] + [c.peak_mb for c in found], default=0.0)
    bases = {
        (b.table, b.dt, b.stamp): b for part in (merged, *chunks) for b in (from_plain(p, Base) for p in part["bases"])
    }
    batch = Batch(
        run_id=Path(plan["work"]).name,
        started_at=datetime.fromisoformat(plan["started"]),
        logs=[day_log(scan, results, add_counts([c.counts for c in found]), seconds, peak)],
        detected=[date.fromisoformat(d) for d in merged["detected"]],
        chunks=found,
        bases=list(bases.values()),
    )
    with Warehouse(settings.warehouse).writer():
        published = publish_batch(settings, _overlay(settings, plan), batch)
        rebuild(Warehouse(settings.warehouse))
    shutil.rmtree(plan["work"], ignore_errors=True)
    rows: dict[str, int] = {}
    for part in published:
        rows[part.table] = rows.get(part.table, 0) + part.rows
    return {"partitions": len(published), "rows": rows}


def _scan(plan: Plain) -> DayScan:
    return msgspec.json.decode((Path(plan["work"]) / _SCAN).read_bytes(), type=DayScan)


def _overlay(settings: Settings, plan: Plain) -> Overlay:
    return Overlay(Warehouse(settings.warehouse), Path(plan["work"]) / "merged")


def _timed(unit: partial[Any]) -> Plain:
    start = time.perf_counter()
    result = unit()
    return {"result": to_plain(result), "seconds": time.perf_counter() - start}
