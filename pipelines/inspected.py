"""Which files `tacit inspect` looks at, and what is declared about each of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from pipelines.inspection import LogFacts, facts_of
from pipelines.readers.containers.origin import Origin
from pipelines.readers.landing import context_for, landing_days, origins_at
from pipelines.readers.logfile import open_log
from pipelines.readers.sources import SOURCES_FILE, Sources, load_sources
from pipelines.settings import Settings
from schemas.errors import LandingError


@dataclass(frozen=True, slots=True)
class _Folder:
    """Something to look at.

    Attributes:
        path: A file, or a folder of them.
        shown: What stands before the names of its files where they are shown.
        below: What stands before them where declarations are compared: the way from its landing day.
        day: Its landing day, if it lies in one.
    """

    path: Path
    shown: str = ""
    below: str = ""
    day: date | None = None


def inspected(path: Path, chosen: Settings, day: date | None, sample: int) -> Iterator[LogFacts]:
    """Look at a file, an archive, a folder, or the days of a landing zone.

    What is declared in the `sources.yaml` of the landing zone or of the folder counts, unless the settings name another
    file.

    Args:
        path: Where they lie.
        chosen: Settings in force.
        day: Landing day that bounds times; None: the one they lie in, else today.
        sample: How many conversations of each file to keep some messages of.

    Yields:
        What each file holds, in the order of their names.
    """
    sources = _sources(path, chosen)
    for folder in _folders(path):
        when = day or folder.day or datetime.now(UTC).date()
        for found in origins_at(folder.path):
            if isinstance(found, Origin):
                if found.name == SOURCES_FILE:
                    continue
                context = context_for(sources, folder.below + found.name, when, chosen.source)
                log = open_log(found, context, chosen.record_limit)
                yield facts_of(log, folder.shown + found.name, chosen.record_limit, sample)
            else:
                yield facts_of(found[1], folder.shown + found[0], chosen.record_limit)


def _folders(path: Path) -> Iterator[_Folder]:
    day, above = _day_of(path)
    if day is not None and above is not None:
        inside = path if path.is_dir() else path.parent
        below = inside.absolute().relative_to(above).as_posix()
        yield _Folder(path, below="" if below == "." else f"{below}/", day=day)
        return
    days = _days(path)
    if not days:
        yield _Folder(path)
    for each in days:
        yield _Folder(path / f"dt={each}", shown=f"dt={each}/", day=each)


def _days(path: Path) -> list[date]:
    try:
        return landing_days(path) if path.is_dir() else []
    except LandingError:
        return []


def _day_of(path: Path) -> tuple[date | None, Path | None]:
    """The landing day that a path lies in, and its folder."""
    for folder in (path.absolute(), *path.absolute().parents):
        if folder.name.startswith("dt="):
            try:
                return date.fromisoformat(folder.name.removeprefix("dt=")), folder
            except ValueError:
                return None, None
    return None, None


def _sources(path: Path, chosen: Settings) -> Sources:
    _, above = _day_of(path)
    zone = above.parent if above is not None else path if path.is_dir() else path.parent
    beside = zone / SOURCES_FILE
    return load_sources(chosen.sources or (beside if beside.is_file() else None))
