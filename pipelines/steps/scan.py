"""Step `scan`: takes stock of a landing day before anything is read for good."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from pipelines.readers.containers.origin import Origin
from pipelines.readers.landing import context_for, day_files, expanded, reading
from pipelines.readers.logfile import open_log
from pipelines.readers.raw import RawRecord
from pipelines.readers.sources import load_sources
from pipelines.settings import Settings
from pipelines.steps.erased import erasures_digest
from pipelines.steps.results import DayScan, FileScan, LogScan
from pipelines.steps.routes import FINDINGS, Routes
from pipelines.steps.rows import frame, quarantine_row
from pipelines.steps.work import write_work
from schemas.errors import LandingError
from schemas.ids import content_id
from warehouse.files import file_digest
from warehouse.layout import Warehouse

_BUCKET_BYTES = 16 << 20
_EXPANSION = {".gz": 5, ".zst": 5, ".parquet": 4, ".zip": 5}


def scan_day(settings: Settings, day: date, work: Path) -> DayScan:
    """Count and digest every file of a landing day, and find out which bucket each of its records belongs to.

    Args:
        settings: Where the landing zone is, what is declared about it, and how large a record may be.
        day: Day of arrival.
        work: The run's work folder; routes and findings go below it.

    Returns:
        The files in name order and the number of buckets. A day without files is an empty day with one bucket.

    Raises:
        LandingError: The landing zone is not there, or a file cannot be read.
        ConfigError: The declarations of sources are not valid.
    """
    folder = work / f"dt={day}" / "scan"
    # Listed once: a file that arrives meanwhile is in no part of the scan, and stops the run before it publishes.
    listed = day_files(settings.landing, day)
    scanner = _Scanner(settings, day, Routes(folder), {path: name for name, path in listed.items()})
    for found in expanded(listed, day):
        if isinstance(found, Origin):
            with reading(found.name, day):
                scanner.read(found)
        else:
            scanner.refuse(found[0], *found)
    scanner.routes.finish()
    write_work(frame("quarantine", scanner.findings), folder / FINDINGS)
    read_from: dict[str, list[LogScan]] = {}
    for log in scanner.logs:
        read_from.setdefault(log.file, []).append(log)
    files = tuple(
        _file_scan(path, name, scanner.records[name], read_from.get(name, [])) for name, path in listed.items()
    )
    return DayScan(
        day=day,
        files=files,
        logs=tuple(scanner.logs),
        buckets=settings.buckets or _buckets(files, settings.processes),
        routes=str(folder),
        items=scanner.routes.items + len(scanner.findings),
        unused=scanner.unused,
        erasures=erasures_digest(Warehouse(settings.warehouse)),
    )


class _Scanner:
    def __init__(self, settings: Settings, day: date, routes: Routes, names: Mapping[Path, str]) -> None:
        self.settings, self.day, self.routes, self.names = settings, day, routes, names
        self.sources = load_sources(settings.sources_path)
        self.logs: list[LogScan] = []
        self.records: Counter[str] = Counter()
        self.findings: list[dict[str, Any]] = []
        self.unused = 0

    def read(self, origin: Origin) -> None:
        context = context_for(self.sources, origin.name, self.day, self.settings.source)
        log = open_log(origin, context, self.settings.record_limit)
        file = self.names[origin.path]
        if isinstance(log, RawRecord):
            self.refuse(file, origin.name, log)
            return
        number = len(self.logs)
        self.logs.append(LogScan(origin.name, file, log.format.name, context.name, context.source.model_dump_json()))
        for raw in log.records(self.settings.record_limit):
            if raw.refusal is not None:
                self.refuse(file, origin.name, raw)
                continue
            self.records[file] += 1
            key = log.quick_key(raw)
            if key is not None:
                self.routes.add_one(number, raw, key)
            elif items := log.items(raw):
                self.routes.add(number, raw, items)
            else:
                self.unused += 1

    def refuse(self, file: str, name: str, raw: RawRecord) -> None:
        """A finding needs no second reading: all that is ever known of it is known now."""
        if raw.refusal is not None:
            self.records[file] += 1
            self.findings.append(quarantine_row(raw.place(name), raw.refusal))


def _file_scan(path: Path, name: str, records: int, logs: list[LogScan]) -> FileScan:
    return FileScan(
        file=name,
        bytes=path.stat().st_size,
        sha256=file_digest(path),
        records=records,
        format=",".join(sorted({log.format for log in logs})),
        named=content_id(*(part for log in logs for part in (log.name, log.format, log.source))),
        declared=content_id(*(log.declared for log in logs)),
    )


def _buckets(files: Iterable[FileScan], processes: int) -> int:
    """Enough buckets that one fits in memory and every process has work, and no more: each opens the files again."""
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
    now = day_files(settings.landing, scan.day)
    if {name: path.stat().st_size for name, path in now.items()} != {f.file: f.bytes for f in scan.files} or any(
        file_digest(now[f.file]) != f.sha256 for f in scan.files
    ):
        raise changed(scan.day)


def changed(day: date) -> LandingError:
    """The error for a landing day that was written to while it was read."""
    return LandingError(
        f"The files of landing day {day} changed while they were read.",
        state="Nothing of this run was published; the tables are as they were.",
        then=f"Wait until the delivery is complete, then: tacit run --day {day}",
    )
