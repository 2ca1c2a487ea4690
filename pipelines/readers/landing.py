"""Finds the files of a landing day, and opens each with the reader that takes it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path, PurePosixPath

from pipelines.readers.containers.archive import ARCHIVE, MEMBER, listing
from pipelines.readers.containers.origin import Origin
from pipelines.readers.containers.zipped import open_member
from pipelines.readers.format import Context
from pipelines.readers.logfile import SUFFIXES
from pipelines.readers.raw import RawRecord
from pipelines.readers.sources import Sources
from pipelines.readers.times import Clock, latest_for
from schemas.errors import LandingError


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
            then="A landing zone holds one folder a day of arrival, dt=YYYY-MM-DD, with log files in it;"
            " point --landing at one.",
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
    return _visible(landing / f"dt={day}")


def _visible(folder: Path) -> list[str]:
    found = (p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    return sorted(p.as_posix() for p in found if not any(part.startswith((".", "_")) for part in p.parts))


def context_for(sources: Sources, file: str, arrival: date, default_source: str) -> Context:
    """What a reader of one file is told.

    Args:
        sources: The operator's declarations.
        file: Path below the landing day.
        arrival: The landing day, which bounds the times that a record may state.
        default_source: The source of native records that name none.
    """
    source = sources.of(file)
    return Context(source, Clock(latest_for(arrival), source.tz), default_source)


def origins(landing: Path, day: date) -> Iterator[Origin | tuple[str, RawRecord]]:
    """The log files of a landing day, those in archives too, and findings about what no reader may read.

    Yields:
        A file; or the name by which a finding is placed, and the finding.

    Raises:
        LandingError: The landing zone is not there, or an archive cannot be read for the disk's reasons.
    """
    for name in day_files(landing, day):
        with reading(name, day):
            yield from _expanded(landing / f"dt={day}" / name, name)


def origin_named(landing: Path, day: date, name: str) -> Origin:
    """One log file of a landing day, by the name that `origins` gave it.

    Raises:
        LandingError: It is not there, or no longer.
    """
    folder = landing / f"dt={day}"
    inside = not any(part in ("..", "/") for part in PurePosixPath(name).parts)
    if inside and (folder / name).is_file():
        return Origin(folder / name, name)
    parts = name.split(MEMBER)
    for n in range(1, len(parts)):
        archive, member = MEMBER.join(parts[:n]), MEMBER.join(parts[n:])
        if inside and _is_archive(archive) and (folder / archive).is_file():
            with reading(archive, day):
                found = listing(folder / archive, SUFFIXES).members.get(member)
            if found is not None:
                return Origin(folder / archive, name, partial(open_member, folder / archive, found))
    raise LandingError(
        f"A file of landing day {day} is not there any more.",
        state="Nothing of this run was published; the tables are as they were.",
        then=f"Bring it back, or run the day as it is now: tacit run --day {day}",
    )


def origins_at(path: Path) -> Iterator[Origin | tuple[str, RawRecord]]:
    """Like `origins`, for any file, or any folder and what lies below it; hidden files are left out."""
    if path.is_file():
        yield from _expanded(path, path.name)
        return
    for name in _visible(path):
        yield from _expanded(path / name, name)


def _expanded(path: Path, name: str) -> Iterator[Origin | tuple[str, RawRecord]]:
    if not _is_archive(name):
        yield Origin(path, name)
        return
    found = listing(path, SUFFIXES)
    yield from found.origins(path, name)
    yield from ((name, finding) for finding in found.findings)


def _is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVE)


@contextmanager
def reading(name: str, day: date) -> Iterator[None]:
    """Wrap the opening or reading of a file, where a fault of the disk is no fault of the data.

    Raises:
        LandingError: The file cannot be read for a reason that lies with the disk.
    """
    try:
        yield
    except OSError as fault:
        if fault.errno is None:
            raise
        raise LandingError(
            f"The file {name} of landing day {day} cannot be read ({type(fault).__name__}).",
            state="Nothing of this run was published; the tables are as they were.",
            then=f"Mend its permissions or bring it back, then: tacit run --day {day}",
        ) from None
