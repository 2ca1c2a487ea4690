"""The night: the steps in their order, from landing days to published tables."""

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from anonymize.keys import PseudonymKey, load_key
from anonymize.registry import checked_registry
from pipelines.engine import Pool, pool_of
from pipelines.progress import Clock, Progress, Silent
from pipelines.settings import Settings
from pipelines.steps.again import narrow, refused_before
from pipelines.steps.counts import add_counts
from pipelines.steps.deidentify import deidentify_bucket, peak_mb, policy_of
from pipelines.steps.detect import days_to_detect, detect_chunk, plan_detection
from pipelines.steps.merge import merge_day
from pipelines.steps.overlay import Overlay
from pipelines.steps.publish import Batch, DayLog, publish_batch
from pipelines.steps.results import BucketResult, DayScan
from pipelines.steps.scan import require_input, scan_day
from schemas.errors import KeyFault
from warehouse.catalogue import rebuild
from warehouse.layout import Warehouse
from warehouse.mend import Aside, set_aside
from warehouse.publish import Published
from warehouse.stage import sweep

WORK = ".work"
SCHEDULED = "scheduled-"
_T = TypeVar("_T")


@dataclass(frozen=True)
class NightReport:
    """What a night did.

    Attributes:
        run_id: Id of the run.
        days: Landing days, in the order in which they were read.
        counts: Step to count to number, over all days; those of `anonymize` are masked values by type.
        seconds: Step to wall time.
        peak_mb: Greatest resident memory of all processes together, in MiB.
        published: The partitions, changed or not.
        catalogue: The DuckDB file.
        aside: Files that were no partitions, and were taken out of the tables before anything was read.
    """

    run_id: str
    days: tuple[date, ...]
    counts: dict[str, dict[str, int]]
    seconds: dict[str, float]
    peak_mb: float
    published: tuple[Published, ...]
    catalogue: Path
    aside: tuple[Aside, ...] = ()


def run_night(
    settings: Settings, days: Sequence[date], progress: Progress | None = None, again: Sequence[str] | None = None
) -> NightReport:
    """Take landing days through all steps.

    The result of a day is a function of its landing files, the key and the settings alone: running it again, with
    other days, in another order or on another number of processes gives the same bytes, run records aside.

    Args:
        settings: The settings of the run.
        days: Landing days; several are published `batch_days` at a time, and a batch that fails stops the run there.
        progress: Is told of the steps.
        again: Read only what was refused before for one of these reasons (for any, if empty), and what belongs to it;
            None: read all.

    Returns:
        Counts, seconds and partitions.

    Raises:
        TacitError: Any of the steps' errors. What was published before stays; nothing is half published.
    """
    key = load_key(settings.key_path)
    checked_registry(policy_of(settings))
    run_id = uuid4().hex
    clock = Clock(progress or Silent())
    parts: list[_BatchReport] = []
    ordered = sorted(set(days))
    for day in ordered:
        require_input(settings, day)
    with Warehouse(settings.warehouse).writer(), pool_of(settings.processes) as pool:
        sweep_work(settings.warehouse)
        sweep(Warehouse(settings.warehouse))
        aside = set_aside(Warehouse(settings.warehouse))
        for file in aside:
            clock.progress.note(file.told())
        require_same_key(Warehouse(settings.warehouse), key)
        for start in range(0, len(ordered), settings.batch_days):
            with work_folder(settings.warehouse, run_id) as work:
                parts.append(
                    _Night(settings, run_id, work, pool, clock, again).run(ordered[start : start + settings.batch_days])
                )
        with clock.step("catalogue"):
            catalogue = rebuild(Warehouse(settings.warehouse))
    steps = list(dict.fromkeys(step for p in parts for step in p.counts))
    return NightReport(
        run_id,
        tuple(ordered),
        {step: add_counts([p.counts.get(step, {}) for p in parts]) for step in steps},
        clock.seconds,
        max((p.peak_mb for p in parts), default=peak_mb()),
        tuple(p for part in parts for p in part.published),
        catalogue,
        tuple(aside),
    )


@dataclass(frozen=True)
class _BatchReport:
    counts: dict[str, dict[str, int]]
    peak_mb: float
    published: list[Published]


class _Night:
    def __init__(
        self, settings: Settings, run_id: str, work: Path, pool: Pool, clock: Clock, again: Sequence[str] | None
    ) -> None:
        self.again = again
        self.settings, self.run_id, self.work, self.pool, self.clock = settings, run_id, work, pool, clock
        self.overlay = Overlay(Warehouse(settings.warehouse), work / "merged")

    def run(self, days: Sequence[date]) -> _BatchReport:
        started = datetime.now(UTC)
        before = dict(self.clock.seconds)
        with self.clock.step("scan", len(days)):
            scans = [self._advance("scan", self._scan(d)) for d in days]
        results = self._deidentify(scans)
        with self.clock.step("merge", len(scans)):
            touched = {
                t
                for s in scans
                for t in self._advance("merge", merge_day(self.overlay, s, [r for r in results if r.day == s.day]))
            }
        detected = days_to_detect(self.settings, self.overlay, touched)
        chunks = plan_detection(self.settings, self.overlay, detected)
        with self.clock.step("detect", len(chunks)):
            found = self.pool.map(
                partial(detect_chunk, self.settings, self.overlay),
                chunks,
                lambda _: self.clock.progress.advance("detect"),
            )
        peak = self._peak([r.peak_mb for r in results], [c.peak_mb for c in found])
        detection = add_counts([c.counts for c in found])
        seconds = {k: v - before.get(k, 0.0) for k, v in self.clock.seconds.items()}
        logs = [day_log(s, [r for r in results if r.day == s.day], detection, seconds, peak) for s in scans]
        batch = Batch(self.run_id, started, logs, detected, found, list(self.overlay.bases()))
        with self.clock.step("publish"):
            published = publish_batch(self.settings, self.overlay, batch)
        steps = {step: add_counts([dict(log.counts[step]) for log in logs]) for step in ("read", "anonymize")}
        return _BatchReport({**steps, "detect": detection}, peak, published)

    def _scan(self, day: date) -> DayScan:
        scan = scan_day(self.settings, day, self.work)
        if self.again is None:
            return scan
        warehouse = self.overlay.warehouse
        return narrow(self.settings, warehouse, scan, refused_before(warehouse, day, self.again))

    def _deidentify(self, scans: Sequence[DayScan]) -> list[BucketResult]:
        units = [(s, b) for s in scans for b in range(s.buckets)]
        with self.clock.step("deidentify", len(units)):
            return self.pool.map(
                partial(_deidentify_unit, self.settings, self.work),
                units,
                lambda _: self.clock.progress.advance("deidentify"),
            )

    def _advance(self, step: str, result: _T) -> _T:
        self.clock.progress.advance(step)
        return result

    def _peak(self, *steps: Sequence[float]) -> float:
        """An upper bound: this process at its peak, and as many workers as there are at the greatest peak of any."""
        if self.settings.processes == 1:
            return peak_mb()
        return peak_mb() + self.settings.processes * max((p for step in steps for p in step), default=0.0)


def _deidentify_unit(settings: Settings, work: Path, unit: tuple[DayScan, int]) -> BucketResult:
    return deidentify_bucket(settings, *unit, work)


def day_log(
    scan: DayScan, results: Sequence[BucketResult], detection: dict[str, int], seconds: dict[str, float], peak: float
) -> DayLog:
    """The makings of a landing day's run record. Detection is counted for the whole batch of days."""
    counts = {
        "read": {
            "in_files": scan.records,
            "of_no_conversation": scan.unused,
            **add_counts([r.counts for r in results]),
        },
        "anonymize": dict(sorted(add_counts([r.masked for r in results]).items())),
        "detect": detection,
    }
    return DayLog(scan, counts, seconds, peak)


def require_same_key(warehouse: Warehouse, key: PseudonymKey) -> None:
    """Refuse to mix the tags of two keys in one warehouse.

    Raises:
        KeyFault: The newest run used another key; so did the one that wrote the newest messages, where run records were
            set aside.
    """
    newest = next(((t, days[-1]) for t in ("runs", "messages") if (days := warehouse.days(t))), None)
    used = warehouse.footer(*newest).get("tacit.key") if newest else None
    if used not in (None, key.key_id):
        raise KeyFault(
            f"The warehouse was built with key {used}, but the key at hand is {key.key_id}.",
            state="Nothing was read or written.",
            then="Point TACIT_KEY_FILE at that key, or build a new warehouse with this one.",
        )


@contextmanager
def work_folder(warehouse: Path, run_id: str) -> Iterator[Path]:
    """A folder for what steps hand to one another, de-identified, gone at the end of the block."""
    folder = warehouse / WORK / run_id
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep_work(warehouse: Path) -> None:
    """Remove what dead runs left. Call it under the writer lock, which no other run of this kind can hold.

    A scheduler's run lives in many processes that hold no lock between its tasks: its folder may be alive, and is
    taken for dead only after a week.
    """
    week_ago = time.time() - 7 * 24 * 3600
    for folder in (warehouse / WORK).glob("*"):
        if not folder.name.startswith(SCHEDULED) or folder.stat().st_mtime < week_ago:
            shutil.rmtree(folder, ignore_errors=True)
