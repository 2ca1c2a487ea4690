"""How fast native records are read, beside `json.loads` and `polars.read_ndjson` on the same file, in one run.

    python benchmarks/reading.py [--records 300000]

What is timed is all that happens to a record before its text meets the de-identifier: division of the file, decoding,
validation of every key, and routing to a bucket. One core; best of three.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import polars as pl

from pipelines.readers.containers.origin import Origin
from pipelines.readers.landing import context_for
from pipelines.readers.logfile import LogFile, open_log
from pipelines.readers.sources import Sources
from pipelines.steps.routes import Routes
from schemas.records import Message

_DAY = date(2026, 11, 2)
_LIMIT = 16 << 20
_WORDS = ["the", "reset", "button", "is", "behind", "your", "router", "hold", "it", "for", "ten", "seconds", "then"]


def main() -> None:
    """Write the records, time each way to read them, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=300_000)
    n = parser.parse_args().records
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chat.jsonl"
        _write(path, n)
        size = path.stat().st_size
        ways: list[tuple[str, Callable[[], int]]] = [
            ("tacit: divide, decode, validate, route", lambda: _tacit(path, Path(folder))),
            ("json.loads of every line", lambda: _json(path)),
            ("polars.read_ndjson", lambda: pl.read_ndjson(path).height),
        ]
        print(f"{n:,} native records, {size / 1e6:.0f} MB, {size // n} bytes a record")
        for name, way in ways:
            seconds = min(_timed(way, n) for _ in range(3))
            print(f"{name:40} {n / seconds:>10,.0f} records/s {size / seconds / 1e6:>7.0f} MB/s")


def _timed(way: Callable[[], int], expected: int) -> float:
    start = time.perf_counter()
    read = way()
    seconds = time.perf_counter() - start
    if read != expected:
        raise SystemExit(f"{read} records were read of {expected}.")
    return seconds


def _tacit(path: Path, folder: Path) -> int:
    log = open_log(Origin(path, path.name), context_for(Sources(), path.name, _DAY, "default"), _LIMIT)
    if not isinstance(log, LogFile):
        raise SystemExit("The file was not recognised.")
    routes = Routes(folder / "routes")
    read = 0
    for raw in log.records(_LIMIT):
        key = log.quick_key(raw)
        (message,) = log.items(raw)
        if key is None or not isinstance(message, Message):
            raise SystemExit("A record was refused.")
        routes.add_one(0, raw, key)
        read += 1
    routes.finish()
    return read


def _json(path: Path) -> int:
    with path.open("rb") as lines:
        return sum(1 for line in lines if json.loads(line))


def _write(path: Path, n: int) -> None:
    dice = random.Random(1)
    start = datetime(2026, 11, 2, tzinfo=UTC)
    with path.open("w", encoding="utf-8") as out:
        for i in range(n):
            record = {
                "kind": "message",
                "conversation_id": f"c{i // 8:08d}",
                "message_id": f"m{i}",
                "role": "assistant" if i % 2 else "user",
                "content": " ".join(dice.choices(_WORDS, k=dice.randint(4, 60))),
                "created_at": (start + timedelta(seconds=i / 10)).isoformat(),
                "user_id": f"u{i // 40}",
                "model": "large-2" if i % 2 else None,
            }
            out.write(json.dumps(record, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
