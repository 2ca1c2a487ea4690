import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import duckdb
import publish_night
import pytest

from schemas.errors import WarehouseBusy
from warehouse.layout import Warehouse

OLD, NEW = 50, 80


class Runs:
    """Starts runs in processes of their own, by way of `publish_night.serve`."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server

    def start(self, root: Path, step: int | None = None) -> int:
        self._server.stdin.write(json.dumps([str(root), "killed", NEW, step]) + "\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())

    def killed(self) -> bool:
        """Waits for the run to end."""
        status = int(self._server.stdout.readline())
        assert status in (0, signal.SIGKILL)
        return status == signal.SIGKILL


@pytest.fixture(scope="module")
def runs() -> Iterator[Runs]:
    here = [str(Path(__file__).parents[2]), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(here)}
    with subprocess.Popen(
        [sys.executable, publish_night.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as server:
        yield Runs(server)
        server.stdin.close()


def _digests(root: Path) -> dict[str, str]:
    files = sorted(root.glob("*/dt=*/*"))
    return {str(f.relative_to(root)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """In memory where there is such a place: `kill -9` loses no written page, so waiting for a disk proves nothing."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as made:
        yield Path(made)


@pytest.fixture
def clean(folder: Path) -> dict[str, str]:
    root = folder / "clean"
    publish_night.night(root, "old", OLD)
    publish_night.night(root, "new", NEW)
    return _digests(root)


def _begin(root: Path) -> None:
    publish_night.night(root, "old", OLD)


def _all_is_well_after(root: Path, clean: dict[str, str]) -> None:
    warehouse = Warehouse(root)
    warehouse.verify()
    # Whatever was published is a whole partition, old or new, under every name that a reader's glob finds.
    for day in publish_night.DAYS:
        assert warehouse.scan("events", days=[day]).collect().height in (OLD, NEW)
    with duckdb.connect(root / "warehouse.duckdb", read_only=True) as con:
        assert con.execute("SELECT count(*) FROM event_versions").fetchall()[0][0] >= 2 * OLD
    publish_night.night(root, "again", NEW)
    assert _digests(root) == clean
    assert sorted(p.name for p in root.iterdir()) == [
        ".lock",
        ".staging",
        "events",
        "runs",
        "warehouse.duckdb",
    ]
    assert not list((root / ".staging").iterdir())


def test_killed_at_each_step_of_the_publish(runs, folder, clean):
    seen: list[str] = []
    root = folder / "count"
    _begin(root)
    publish_night.night(root, "count", NEW, seen.append)
    for step in range(len(seen)):
        root = folder / f"step-{step}"
        _begin(root)
        runs.start(root, step)
        assert runs.killed()
        _all_is_well_after(root, clean)


def _kill_at_random(runs: Runs, folder: Path, clean: dict[str, str], times: int, seed: int) -> int:
    chance = random.Random(seed)
    root = folder / "measured"
    _begin(root)
    begun = time.monotonic()
    runs.start(root)
    assert not runs.killed()
    length = time.monotonic() - begun
    killed = 0
    for number in range(times):
        root = folder / f"random-{number}"
        _begin(root)
        pid = runs.start(root)
        time.sleep(chance.uniform(0, length))
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        killed += runs.killed()
        _all_is_well_after(root, clean)
    return killed


def test_killed_at_random_moments(runs, folder, clean):
    assert _kill_at_random(runs, folder, clean, times=20, seed=1) > 0


@pytest.mark.slow
def test_killed_two_hundred_times(runs, folder, clean):
    assert _kill_at_random(runs, folder, clean, times=200, seed=2) > 50


def test_a_killed_run_keeps_neither_the_lock_nor_its_stage(runs, folder):
    root = folder / "w"
    _begin(root)
    runs.start(root, step=3)
    assert runs.killed()
    assert (root / ".staging" / "killed").exists()
    try:
        publish_night.night(root, "next", NEW)
    except WarehouseBusy:
        pytest.fail("the lock outlived its process")
    assert not (root / ".staging" / "killed").exists()
