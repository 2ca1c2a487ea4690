"""Step `merge`: the buckets of a landing day become partitions of their event days."""

from collections.abc import Iterable
from datetime import date
from pathlib import Path

import polars as pl

from pipelines.steps.counts import require_equal
from pipelines.steps.overlay import Overlay, arrivals
from pipelines.steps.results import BucketResult, DayScan
from schemas.contract import table

_BY_EVENT_DAY = ("messages", "events")


def merge_day(overlay: Overlay, scan: DayScan, results: Iterable[BucketResult]) -> list[date]:
    """Replace a landing day's rows in each event day that they belong to, or belonged to at an earlier run.

    Args:
        overlay: Published tables and this run's versions; the new versions are written to it.
        scan: The landing day's input.
        results: One result for each of its buckets.

    Returns:
        The event days that the landing day touches, its own day always among them, so that an empty day is
        published as an explicit empty day.

    Raises:
        CountMismatch: The buckets together do not hold what the scan counted.
    """
    results = sorted(results, key=lambda r: r.bucket)
    require_equal(f"landing day {scan.day}", "items scanned", scan.items, "in buckets", _sum(results, "items"))
    touched = {scan.day}
    for name in _BY_EVENT_DAY:
        fresh = _read(results, name)
        days = {scan.day, *fresh.select(pl.col("dt").unique()).collect()["dt"], *_held_before(overlay, name, scan.day)}
        written = 0
        for day in sorted(days):
            new = fresh.filter(pl.col("dt") == day)
            others = overlay.scan(name, [day]).filter(pl.col("arrival_dt") != scan.day)
            rows = table(name).conform(pl.concat([others, new]).collect())
            overlay.write(name, day, rows)
            written += rows.filter(pl.col("arrival_dt") == scan.day).height
        require_equal(f"landing day {scan.day}", f"{name} in buckets", _sum(results, name), "merged", written)
        touched |= days
    overlay.write("quarantine", scan.day, table("quarantine").conform(_read(results, "quarantine").collect()))
    return sorted(touched)


def _read(results: Iterable[BucketResult], name: str) -> pl.LazyFrame:
    return pl.scan_parquet([Path(r.folder) / f"{name}.parquet" for r in results])


def _sum(results: Iterable[BucketResult], count: str) -> int:
    return sum(r.counts[count] for r in results)


def _held_before(overlay: Overlay, name: str, arrival: date) -> list[date]:
    """Event days in which an earlier run of this landing day left rows, also one that died before its run record."""
    return [d for d in overlay.warehouse.days(name) if arrival in arrivals(overlay.warehouse, name, d)]
