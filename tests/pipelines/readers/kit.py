"""What tests of readers share: a file's bytes in, the items of its records out."""

import json
from datetime import date
from pathlib import Path
from typing import Any

from pipelines.readers.containers.origin import Origin
from pipelines.readers.items import Item
from pipelines.readers.landing import context_for
from pipelines.readers.logfile import LogFile, open_log
from pipelines.readers.raw import RawRecord, Refusal
from pipelines.readers.sources import Source, Sources

DAY = date(2026, 11, 2)
LIMIT = 1 << 20
FIXTURES = Path(__file__).parent / "fixtures"


def opened(path: Path, declared: dict[str, Any] | None = None, day: date = DAY) -> LogFile | RawRecord:
    """Open a file as a night would, with what is declared about its source."""
    sources = Sources((Source(**declared),)) if declared else Sources()
    return open_log(Origin(path, path.name), context_for(sources, path.name, day, "default"), LIMIT)


def items_of(path: Path, declared: dict[str, Any] | None = None, day: date = DAY) -> list[Item]:
    """All items of all records of a file."""
    log = opened(path, declared, day)
    if isinstance(log, RawRecord):
        assert log.refusal
        return [log.refusal]
    return [item for raw in log.records(LIMIT) for item in log.items(raw)]


def items(folder: Path, name: str, value: Any, declared: dict[str, Any] | None = None, day: date = DAY) -> list[Item]:
    """Write a value as a file, as JSON or, for a `.jsonl` name, as one line for each element, and read it."""
    path = folder / name
    if isinstance(value, bytes):
        path.write_bytes(value)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(v, ensure_ascii=False) + "\n" for v in value), encoding="utf-8")
    else:
        path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return items_of(path, declared, day)


def refusals(found: list[Item]) -> list[Refusal]:
    """The refusals among items."""
    return [i for i in found if isinstance(i, Refusal)]
