"""Step `deidentify`: one bucket of a landing day, from raw records to de-identified frames."""

import gc
import resource
import sys
from functools import lru_cache
from pathlib import Path

import polars as pl

from anonymize.door import Deidentifier
from anonymize.keys import PseudonymKey, load_key
from anonymize.policy import Policy
from pipelines.faults import without_values
from pipelines.settings import Settings
from pipelines.steps.counts import require_balance
from pipelines.steps.door import through_door
from pipelines.steps.erased import Erased, load_erased
from pipelines.steps.read import read_bucket
from pipelines.steps.results import BucketResult, DayScan
from pipelines.steps.routes import FINDINGS
from pipelines.steps.rows import frame, quarantine_row
from pipelines.steps.work import write_work
from warehouse.layout import Warehouse


@without_values
def deidentify_bucket(settings: Settings, scan: DayScan, bucket: int, work: Path) -> BucketResult:
    """Read a landing day, keep one bucket of it, and pass every text through the one door.

    Raw text lives in this function's memory and nowhere else.

    Args:
        settings: The settings of the run.
        scan: The day's input.
        bucket: Which bucket, from 0 to `scan.buckets - 1`.
        work: Folder for the results, under the warehouse.

    Returns:
        Paths and counts. The folder holds `messages.parquet` and `events.parquet` (contract columns and `dt`), and
        `quarantine.parquet`.

    Raises:
        LandingError: The files changed since the scan.
        CountMismatch: Records in are not records out, duplicates, refusals and what belongs to erased users.
        KeyFault: The pseudonym key is missing or weak.
        AnonymizeError: The de-identifier cannot start.
    """
    key = load_key(settings.key_path)
    read = read_bucket(settings, scan, bucket, key)
    door = _door(key, policy_of(settings))
    erased = load_erased(Warehouse(settings.warehouse), settings.key_path)
    forgotten = Erased(erased, lambda source: door.mask_labels([source])[0]).remove(read.versions)
    clean = through_door(read.versions, door, key, settings.anonymize.scope, scan.day)
    refused = read.refused + clean.refused
    counts = read.counts | {
        "messages": clean.messages.height,
        "events": clean.events.height,
        "forgotten": forgotten,
        "quarantined": len(refused),
    }
    require_balance(f"bucket {bucket} of landing day {scan.day}", counts)
    folder = work / f"dt={scan.day}" / f"bucket-{bucket:04d}"
    write_work(clean.messages, folder / "messages.parquet")
    write_work(clean.events, folder / "events.parquet")
    quarantine = frame("quarantine", [quarantine_row(*r) for r in refused])
    if bucket == 0:  # what was refused unread belongs to no bucket
        findings = pl.read_parquet(Path(scan.routes) / FINDINGS)
        quarantine = pl.concat([quarantine, findings])
        counts |= {n: counts[n] + findings.height for n in ("items", "records", "quarantined")}
    write_work(quarantine, folder / "quarantine.parquet")
    return BucketResult(scan.day, bucket, str(folder), counts, clean.masked, peak_mb())


def peak_mb() -> float:
    """Peak resident memory of this process in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20) if sys.platform == "darwin" else peak / 1024


def policy_of(settings: Settings) -> Policy:
    """The de-identifier's policy as the settings state it."""
    a = settings.anonymize
    return Policy(
        mask_organizations=a.mask_organizations,
        max_chars=a.max_chars,
        english_model=a.english_model,
        chinese_model=a.chinese_model,
        registry=str(a.registry) if a.registry else "",
    )


@lru_cache(maxsize=1)
def _door(key: PseudonymKey, policy: Policy) -> Deidentifier:
    door = Deidentifier(key, policy)
    # Models and word lists stay for the life of the process: the collector need not walk them again and again.
    gc.freeze()
    return door
