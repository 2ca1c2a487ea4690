"""Finds the files of a landing day and the reader that takes each."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

from pipelines.readers.parquet import rows
from pipelines.readers.raw import RawRecord, file_refused, lines
from schemas.errors import LandingError
from schemas.reasons import Reason

_READERS: dict[str, Callable[[Path, int], Iterator[RawRecord]]] = {
    ".jsonl": lines,
    ".ndjson": lines,
    ".parquet": rows,
}
_COMPRESSED = {".gz", ".zst"}


def landing_days(landing: Path) -> list[date]:
    """The days of arrival in a landing zone, oldest first.

    Raises:
        LandingError: The folder is not there, or holds no `dt=YYYY-MM-DD` folder.
    """
    days = sorted(d for p in landing.glob("dt=*") if p.is_dir() and (d := _day(p.name)) is not None)
    if not days:
        raise LandingError(
            f"No landing day was found under {landing}.",
            state="Nothing was read or written.",
            then="A landing zone holds one folder a day of arrival, dt=YYYY-MM-DD, with .jsonl, .jsonl.gz, .jsonl.zst"
            " or .parquet files in it; point --landing at one.",
        )
    return days


def _day(name: str) -> date | None:
    try:
        return date.fromisoformat(name.removeprefix("dt="))
    except ValueError:
        return None


def day_files(landing: Path, day: date) -> list[str]:
    """Names of the files of one landing day, below its folder, sorted. Hidden files are left out.

    Raises:
        LandingError: The landing zone itself is not there. A day without a folder is an empty day.
    """
    if not landing.is_dir():
        raise LandingError(
            f"The landing zone {landing} is not a folder.",
            state="Nothing was read or written.",
            then="Point --landing at the folder that holds the dt=YYYY-MM-DD folders.",
        )
    folder = landing / f"dt={day}"
    found = (p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    return sorted(p.as_posix() for p in found if not any(part.startswith((".", "_")) for part in p.parts))


def raw_records(landing: Path, day: date, file: str, limit: int) -> Iterator[RawRecord]:
    """Read one file of a landing day.

    Args:
        landing: The landing zone.
        day: Day of arrival.
        file: Name from `day_files`.
        limit: Greatest length of a record in bytes.

    Yields:
        Raw records in file order. A file that no reader takes gives one finding with line 0.

    Raises:
        LandingError: The file cannot be opened or read, for a reason that lies with the disk and not with the data.
    """
    path = landing / f"dt={day}" / file
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    reader = _READERS.get(suffixes[-1]) if suffixes else None
    if reader is None or (reader is rows and path.suffix != ".parquet"):
        yield file_refused(path, Reason.FILE_UNSUPPORTED)
        return
    try:
        yield from reader(path, limit)
    except OSError as fault:
        raise LandingError(
            f"The file {file} of landing day {day} cannot be read ({type(fault).__name__}).",
            state="Nothing of this run was published; the tables are as they were.",
            then=f"Mend its permissions or bring it back, then: tacit run --day {day}",
        ) from None
