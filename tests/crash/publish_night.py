"""A run that the kill tests start and kill: stages two days, publishes them and rebuilds the catalogue.

As a program it serves runs: it has the libraries loaded, and forks a process for each line that it reads, which costs
tens of milliseconds where a new interpreter costs a second.
"""

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import polars as pl

from schemas import contract
from warehouse.catalogue import rebuild
from warehouse.layout import Warehouse
from warehouse.publish import publish
from warehouse.stage import Stage, sweep

DAYS = [date(2026, 11, 29) - timedelta(days=n) for n in range(2)]


def _events(day: date, rows: int) -> pl.DataFrame:
    moment = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return pl.DataFrame(
        {
            "event_id": [f"{n:05}" for n in range(rows)],
            "source": "app",
            "conversation_id": "c",
            "message_id": None,
            "event": "copy",
            "at": moment,
            "user_key": None,
            "text": None,
            "entity_counts": [[]] * rows,
            "arrival_dt": day,
        },
        schema=contract.table("events").polars,
    )


def night(root: Path, run_id: str, rows: int, on_step: Callable[[str], None] = lambda _: None) -> None:
    """Run one night; the same `rows` give the same bytes."""
    warehouse = Warehouse(root)
    with warehouse.writer():
        sweep(warehouse)
        with Stage(warehouse, run_id) as stage:
            staged = [stage.write("events", day, _events(day, rows), {}) for day in DAYS]
            staged += [stage.write("runs", day, contract.table("runs").empty(), {}) for day in DAYS]
            publish(warehouse, staged, on_step=on_step)
        rebuild(warehouse)


def night_killed_at(root: Path, run_id: str, rows: int, step: int) -> None:
    """Run one night that kills its own process at the given step."""
    seen = []

    def die(name: str) -> None:
        seen.append(name)
        if len(seen) > step:
            os.kill(os.getpid(), signal.SIGKILL)

    night(root, run_id, rows, die)


def serve() -> None:
    """For each line `[root, run_id, rows, step or null]`, fork a run; write its process id, then its wait status."""
    for line in sys.stdin:
        root, run_id, rows, step = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                if step is None:
                    night(Path(root), run_id, rows)
                else:
                    night_killed_at(Path(root), run_id, rows, step)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        _say(child)
        _say(os.waitpid(child, 0)[1])


def _say(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    serve()
