"""Step `scan`: takes stock of a landing day before anything is read for good."""

from collections.abc import Iterable
from datetime import date
from pathlib import Path

import polars as pl

from pipelines.readers.landing import day_files, raw_records
from pipelines.settings import Settings
from pipelines.steps.results import DayScan, FileScan
from schemas.errors import LandingError
from warehouse.files import file_digest
from warehouse.layout import Warehouse

_BUCKET_BYTES = 16 << 20
_EXPANSION = {".gz": 5, ".zst": 5, ".parquet": 4}


def scan_day(settings: Settings, day: date) -> DayScan:
    """Count and digest every file of a landing day.

    Args:
        settings: Where the landing zone is and how large a record may be.
        day: Day of arrival.

    Returns:
        The files in name order and the number of buckets. A day without files is an empty day with one bucket.

    Raises:
        LandingError: The landing zone is not there.
    """
    files = tuple(_scan_file(settings, day, name) for name in day_files(settings.landing, day))
    return DayScan(day, files, settings.buckets or _buckets(files, settings.processes))


def _scan_file(settings: Settings, day: date, name: str) -> FileScan:
    path = settings.landing / f"dt={day}" / name
    records = sum(1 for _ in raw_records(settings.landing, day, name, settings.record_limit))
    return FileScan(name, path.stat().st_size, file_digest(path), records)


def _buckets(files: Iterable[FileScan], processes: int) -> int:
    """Enough buckets that one fits in memory and every process has work, and no more: each reads the input again."""
    size = sum(f.bytes * _EXPANSION.get(Path(f.file).suffix, 1) for f in files)
    wanted = max(-(-size // _BUCKET_BYTES), processes if size > 1 << 20 else 1)
    return min(wanted, 256)


def require_input(settings: Settings, day: date) -> None:
    """Refuse to empty a day because its folder is gone.

    A day without files is an empty day, and is published as one. But where the tables hold rows of it, a missing folder
    is more likely a typing error, a wrong path, or a landing zone that was cleared after its time.

    Raises:
        LandingError: There is no folder for the day, and the warehouse holds rows that it brought.
    """
    if (settings.landing / f"dt={day}").is_dir():
        return
    brought = Warehouse(settings.warehouse).scan("messages", columns=["arrival_dt"]).filter(pl.col("arrival_dt") == day)
    if not brought.head(1).collect().is_empty():
        raise LandingError(
            f"The landing zone has no folder dt={day}, but the tables hold rows that this day brought.",
            state="Nothing was read or written; the rows stay.",
            then="Bring the folder back to run the day again; an empty folder would remove its rows.",
        )


def assert_unchanged(settings: Settings, scan: DayScan) -> None:
    """Refuse to publish what was made from files that changed meanwhile.

    Raises:
        LandingError: A file was added, removed or rewritten since the scan.
    """
    folder = settings.landing / f"dt={scan.day}"
    now = {n: (folder / n).stat().st_size for n in day_files(settings.landing, scan.day)}
    if now != {f.file: f.bytes for f in scan.files} or any(
        file_digest(folder / f.file) != f.sha256 for f in scan.files
    ):
        raise changed(scan.day)


def changed(day: date) -> LandingError:
    """The error for a landing day that was written to while it was read."""
    return LandingError(
        f"The files of landing day {day} changed while they were read.",
        state="Nothing of this run was published; the tables are as they were.",
        then=f"Wait until the delivery is complete, then: tacit run --day {day}",
    )
