"""Finds the files of a landing day, and opens each with the reader that takes it."""

import os
import unicodedata
from collections.abc import Iterator, Mapping
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


def day_files(landing: Path, day: date) -> dict[str, Path]:
    r"""The files of one landing day by their names below its folder, sorted. Hidden files are left out.

    Bytes of a name that are not UTF-8, and control characters, are written out (`talk\xe9.jsonl`), so that a table can
    hold it and a terminal show it.

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


def _visible(folder: Path) -> dict[str, Path]:
    files = [(p.relative_to(folder), p) for p in folder.rglob("*") if p.is_file()]
    shown = [(below, path) for below, path in files if not any(part.startswith((".", "_")) for part in below.parts)]
    found: dict[str, Path] = {}
    for below, path in sorted(shown, key=lambda pair: os.fsencode(pair[0])):
        name = _written_out(below.as_posix())
        while name in found:  # another file has these backslashes for its name
            name = f"~{name}"
        found[name] = path
    return dict(sorted(found.items()))


def _written_out(name: str) -> str:
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(f"\\x{ord(c):02x}" if unicodedata.category(c) == "Cc" else c for c in text)


def _on_disk(folder: Path, name: str) -> Path | None:
    """The file that `_visible` gives this name."""
    path = folder / name
    if path.is_file():
        return path
    return _visible(folder).get(name) if "\\" in name else None


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
    yield from expanded(day_files(landing, day), day)


def expanded(files: Mapping[str, Path], day: date) -> Iterator[Origin | tuple[str, RawRecord]]:
    """As `origins`, of the files of a landing day that was listed before (`day_files`)."""
    for name, path in files.items():
        with reading(name, day):
            yield from _expanded(path, name)


def origin_named(landing: Path, day: date, name: str) -> Origin:
    """One log file of a landing day, by the name that `origins` gave it.

    Raises:
        LandingError: It is not there, or no longer.
    """
    folder = landing / f"dt={day}"
    inside = not any(part in ("..", "/") for part in PurePosixPath(name).parts)
    if inside and (path := _on_disk(folder, name)):
        return Origin(path, name)
    parts = name.split(MEMBER)
    for n in range(1, len(parts)):
        archive, member = MEMBER.join(parts[:n]), MEMBER.join(parts[n:])
        if inside and _is_archive(archive) and (path := _on_disk(folder, archive)):
            with reading(archive, day):
                found = listing(path, SUFFIXES).members.get(member)
            if found is not None:
                return Origin(path, name, partial(open_member, path, found))
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
    for name, file in _visible(path).items():
        yield from _expanded(file, name)


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
