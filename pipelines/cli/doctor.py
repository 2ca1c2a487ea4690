"""`tacit doctor`: what is missing on this machine, and how to get it."""

import importlib.util
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version

import typer
from rich.table import Table

from anonymize.door import Deidentifier
from anonymize.keys import PseudonymKey, load_key
from pipelines.cli.options import ConfigOption, JsonOption, LandingOption, WarehouseOption, bring, loaded, out
from pipelines.cross_encoders import TunedCrossEncoder
from pipelines.encoders import load_encoder
from pipelines.readers.landing import landing_days
from pipelines.settings import Settings
from pipelines.steps.deidentify import policy_of
from schemas.errors import TacitError
from warehouse.layout import Warehouse

_LIBRARIES = (
    "polars",
    "duckdb",
    "pyarrow",
    "presidio-analyzer",
    "spacy",
    "great-expectations",
    "google-re2",
    "rapidfuzz",
)
_FREE_GIB = 5
_MEMORY_GIB = 4


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        what: The thing.
        state: `ok`, `missing` (a run would fail) or `note` (worth knowing).
        detail: What was found.
        then: How to get it, where it is missing.
    """

    what: str
    state: str
    detail: str
    then: str = ""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(doctor)


def doctor(
    landing: LandingOption = None,
    warehouse: WarehouseOption = None,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Look at everything that a run needs, and say how to get what is missing. Exit code 1 where a run would fail."""
    chosen = loaded(config, landing=landing, warehouse=warehouse).settings
    findings = list(examine(chosen))
    if as_json:
        out.print_json(json.dumps([asdict(f) for f in findings]))
    else:
        table = Table("", "what", "found", "how to get it")
        mark = {"ok": "[green]ok[/]", "missing": "[red]missing[/]", "note": "[yellow]note[/]"}
        for f in findings:
            table.add_row(mark[f.state], f.what, f.detail, f.then)
        out.print(table)
    if any(f.state == "missing" for f in findings):
        raise typer.Exit(1)


def examine(chosen: Settings) -> Iterator[Finding]:
    """Look at one thing after the other: Python, libraries, models, key, folders, disk and memory."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"
    fits = (3, 11) <= sys.version_info[:2] < (3, 13)
    yield Finding("Python", "ok" if fits else "missing", python, "" if fits else "Install Python 3.11 or 3.12.")
    for name in _LIBRARIES:
        try:
            yield Finding(name, "ok", version(name))
        except PackageNotFoundError:
            yield Finding(name, "missing", "not installed", "make setup")
    yield _tried("de-identification", lambda: _door(chosen), "make setup")
    yield _tried("sentence encoder", lambda: _encoder(chosen), "make setup, or set TACIT_ENCODER")
    if chosen.cross_encoder is not None:
        folder = chosen.cross_encoder
        yield _tried(
            "cross-encoder",
            lambda: TunedCrossEncoder(folder).revision,
            "Install tacit[cross-encoder], or leave the setting cross_encoder out.",
        )
    yield _key(chosen)
    yield _landing(chosen)
    if chosen.store is not None:
        yield _tried("object storage", lambda: _store(chosen), "Check the address, the credentials and the network.")
    yield _tried("warehouse", lambda: _warehouse(chosen), "Move the named file away and run its day again.")
    yield _disk(chosen)
    yield _memory()
    airflow = importlib.util.find_spec("airflow") is not None
    state = "installed" if airflow else "not installed; only the scheduler needs it"
    yield Finding("Airflow", "ok" if airflow else "note", state, "" if airflow else "pip install 'tacit[airflow]'")


def _tried(what: str, action: Callable[[], str], then: str) -> Finding:
    try:
        return Finding(what, "ok", action())
    except TacitError as error:
        return Finding(what, "missing", error.what, error.then or then)
    except ImportError as error:
        return Finding(what, "missing", f"the module {error.name} is not installed", then)


def _door(chosen: Settings) -> str:
    entities = Deidentifier(PseudonymKey(os.urandom(32)), policy_of(chosen)).describe()
    return f"{len(entities)} entity types, in English and Chinese"


def _encoder(chosen: Settings) -> str:
    encoder = load_encoder(chosen.encoder)
    return f"{encoder.name} {encoder.revision}"


def _key(chosen: Settings) -> Finding:
    if not chosen.key_path.exists() and chosen.key_file is None:
        detail = f"none yet in {chosen.key_path}"
        return Finding("pseudonym key", "note", detail, "The first local run makes one; or: tacit keys new")
    return _tried("pseudonym key", lambda: f"{load_key(chosen.key_path).key_id} in {chosen.key_path}", "tacit keys new")


def _landing(chosen: Settings) -> Finding:
    try:
        days = landing_days(chosen.landing)
    except TacitError as error:
        return Finding("landing zone", "note", error.what, error.then)
    return Finding("landing zone", "ok", f"{len(days)} days in {chosen.landing}, the newest {days[-1]}")


def _store(chosen: Settings) -> str:
    bring(chosen)
    return f"{chosen.store}, with a copy in {chosen.warehouse}"


def _warehouse(chosen: Settings) -> str:
    if not chosen.warehouse.exists():
        return f"none yet in {chosen.warehouse}"
    return f"{Warehouse(chosen.warehouse).verify()} files in {chosen.warehouse}, all whole"


def _disk(chosen: Settings) -> Finding:
    folder = chosen.warehouse.absolute()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free / (1 << 30)
    low = free < _FREE_GIB
    return Finding(
        "disk", "note" if low else "ok", f"{free:,.0f} GiB free for the warehouse", "Free some." if low else ""
    )


def _memory() -> Finding:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    low = total < _MEMORY_GIB
    then = f"Run with --workers 1; {_MEMORY_GIB} GiB is comfortable." if low else ""
    return Finding("memory", "note" if low else "ok", f"{total:,.0f} GiB", then)
