"""Makes exchanges and signals anew from the published messages and events, without any landing file.

For a new version of a detector, other thresholds, or tables whose contract gained a column: what is derived comes out
as a run of the same version from the raw logs would give it, byte for byte.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import partial
from uuid import uuid4

from anonymize.keys import load_key
from pipelines.engine import Pool, pool_of
from pipelines.night import NightReport, require_same_key, sweep_work, work_folder
from pipelines.progress import Clock, Progress, Silent
from pipelines.settings import Settings
from pipelines.steps.counts import add_counts
from pipelines.steps.deidentify import peak_mb
from pipelines.steps.detect import detect_chunk, plan_detection
from pipelines.steps.erased import erasures_digest
from pipelines.steps.overlay import Overlay
from pipelines.steps.publish import Batch, DayLog, publish_batch
from pipelines.steps.results import DayScan
from schemas.errors import NotFound
from warehouse.catalogue import rebuild
from warehouse.layout import Warehouse
from warehouse.mend import require_whole
from warehouse.publish import Published
from warehouse.stage import sweep

STEP = "recompute"


def event_days(warehouse: Warehouse) -> list[date]:
    """The event days that a warehouse holds, oldest first.

    Args:
        warehouse: The warehouse.
    """
    return sorted({d for table in ("messages", "events", "exchanges", "signals") for d in warehouse.days(table)})


def recompute_signals(settings: Settings, days: Sequence[date], progress: Progress | None = None) -> NightReport:
    """Compute the exchanges and signals of event days again.

    The run's record stands with the newest landing day, as a run that read no file: its counts have the step
    `recompute`, and none of `read`.

    Args:
        settings: The settings of the run.
        days: Event days; `batch_days` of them are published at a time, and a batch that fails stops the run there.
        progress: Is told of the steps.

    Returns:
        Counts, seconds and partitions.

    Raises:
        NotFound: Nothing was ever published, or not of one of these days.
        TacitError: Errors of the steps. What was published before stays; nothing is half published.
    """
    warehouse = Warehouse(settings.warehouse)
    require_same_key(warehouse, load_key(settings.key_path))
    run_id, clock = uuid4().hex, Clock(progress or Silent())
    counts: list[dict[str, int]] = []
    published: list[Published] = []
    ordered = sorted(set(days))
    with warehouse.writer(), pool_of(settings.processes) as pool:
        sweep_work(settings.warehouse)
        sweep(warehouse)
        require_whole(warehouse)
        _require(warehouse, ordered)
        for start in range(0, len(ordered), settings.batch_days):
            batch = ordered[start : start + settings.batch_days]
            detected, parts = _batch(settings, run_id, batch, pool, clock)
            counts.append(detected)
            published += parts
        with clock.step("catalogue"):
            catalogue = rebuild(warehouse)
    found = {STEP: {"event_days": len(ordered)}, "detect": add_counts(counts)}
    return NightReport(run_id, tuple(ordered), found, clock.seconds, peak_mb(), tuple(published), catalogue)


def _require(warehouse: Warehouse, days: Sequence[date]) -> None:
    if not warehouse.days("runs"):
        raise NotFound(
            "Nothing was ever published here.",
            state="Nothing was read or written.",
            then="Run landing days first: tacit run --all",
        )
    if absent := sorted(set(days) - set(event_days(warehouse))):
        raise NotFound(
            f"The tables hold nothing of event day {absent[0]}.",
            state="Nothing was read or written.",
            then="`tacit status` shows the days that there are; --all takes them all.",
        )


def _batch(
    settings: Settings, run_id: str, days: list[date], pool: Pool, clock: Clock
) -> tuple[dict[str, int], list[Published]]:
    started, before = datetime.now(UTC), dict(clock.seconds)
    warehouse = Warehouse(settings.warehouse)
    erasures = erasures_digest(warehouse)
    with work_folder(settings.warehouse, run_id) as work:
        overlay = Overlay(warehouse, work / "merged")
        chunks = plan_detection(settings, overlay, days)
        with clock.step("detect", len(chunks)):
            found = pool.map(
                partial(detect_chunk, settings, overlay), chunks, lambda _: clock.progress.advance("detect")
            )
        counts = add_counts([c.counts for c in found])
        seconds = {k: v - before.get(k, 0.0) for k, v in clock.seconds.items()}
        landed = DayScan(warehouse.days("runs")[-1], (), (), 0, "", 0, 0, erasures=erasures)
        log = DayLog(landed, {STEP: {"event_days": len(days)}, "detect": counts}, seconds, peak_mb())
        batch = Batch(run_id, started, [log], days, found, list(overlay.bases()), from_landing=False)
        with clock.step("publish"):
            return counts, publish_batch(settings, overlay, batch)
