"""Finds the files of a landing day, and opens each with the reader that takes it."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

from pipelines.readers.containers.origin import Origin
from pipelines.readers.format import Context
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
    folder = landing / f"dt={day}"
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
    """The log files of a landing day, and findings about what is none, each under the name by which it is placed."""
    for name in day_files(landing, day):
        yield origin_named(landing, day, name)


def origin_named(landing: Path, day: date, name: str) -> Origin:
    """One log file of a landing day, by the name that `origins` gave it."""
    return Origin(landing / f"dt={day}" / name, name)
