"""Step `merge`: the buckets of a landing day become partitions of their event days."""

from collections.abc import Iterable
from datetime import date
from pathlib import Path

import polars as pl

from pipelines.steps.again import PLACES
from pipelines.steps.counts import require_equal
from pipelines.steps.overlay import Overlay, arrivals
from pipelines.steps.parts import in_parts
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
    if scan.partial:
        return _merge_partly(overlay, scan, results)
    require_equal(f"landing day {scan.day}", "items scanned", scan.items, "in buckets", _sum(results, "items"))
    touched = {scan.day}
    for name in _BY_EVENT_DAY:
        fresh = _read(results, name)
        days = {scan.day, *fresh.select(pl.col("dt").unique()).collect()["dt"], *_held_before(overlay, name, scan.day)}
        written = 0
        for day in sorted(days):
            new = fresh.filter(pl.col("dt") == day)
            others = overlay.scan(name, [day]).filter(pl.col("arrival_dt") != scan.day)
            overlay.write_parts(name, day, in_parts(name, pl.concat([others, new])))
            mine = pl.scan_parquet(overlay.path(name, day)).filter(pl.col("arrival_dt") == scan.day)
            written += _rows(mine)
        require_equal(f"landing day {scan.day}", f"{name} in buckets", _sum(results, name), "merged", written)
        touched |= days
    overlay.write("quarantine", scan.day, table("quarantine").conform(_read(results, "quarantine").collect()))
    return sorted(touched)


def _merge_partly(overlay: Overlay, scan: DayScan, results: list[BucketResult]) -> list[date]:
    """Replace the rows of the conversations that were read again, and give up the places where they were refused."""
    require_equal(f"landing day {scan.day}", "items read again", scan.items, "in buckets", _sum(results, "items"))
    touched: set[date] = set()
    read_again = pl.concat([_read(results, n).select("conversation_id") for n in _BY_EVENT_DAY]).unique().collect()
    for name in _BY_EVENT_DAY:
        fresh = _read(results, name)
        replaced = pl.col("conversation_id").is_in(read_again["conversation_id"].drop_nulls().to_list())
        if name == "events":  # one that names no conversation is known by its own id
            replaced = replaced | pl.col("event_id").is_in(fresh.select("event_id").collect()["event_id"].to_list())
        replaced = (pl.col("arrival_dt") == scan.day) & replaced.fill_null(value=False)
        days = {*fresh.select(pl.col("dt").unique()).collect()["dt"], *_held_before(overlay, name, scan.day)}
        for day in sorted(days):
            new = fresh.filter(pl.col("dt") == day)
            held = overlay.scan(name, [day])
            if _rows(new) or _rows(held.filter(replaced)):
                overlay.write_parts(name, day, in_parts(name, pl.concat([held.filter(~replaced), new])))
                touched.add(day)
    places = pl.read_parquet(Path(scan.routes) / PLACES)
    kept = overlay.scan("quarantine", [scan.day]).drop("dt").collect().join(places, on=places.columns, how="anti")
    refused = pl.concat([kept, _read(results, "quarantine").collect()])
    overlay.write("quarantine", scan.day, table("quarantine").conform(refused))
    return sorted(touched)


def _read(results: Iterable[BucketResult], name: str) -> pl.LazyFrame:
    return pl.scan_parquet([Path(r.folder) / f"{name}.parquet" for r in results])


def _rows(frame: pl.LazyFrame) -> int:
    return int(frame.select(pl.len()).collect().item())


def _sum(results: Iterable[BucketResult], count: str) -> int:
    return sum(r.counts[count] for r in results)


def _held_before(overlay: Overlay, name: str, arrival: date) -> list[date]:
    """Event days in which an earlier run of this landing day left rows, also one that died before its run record."""
    return [d for d in overlay.warehouse.days(name) if arrival in arrivals(overlay.warehouse, name, d)]
