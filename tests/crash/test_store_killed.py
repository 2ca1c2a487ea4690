"""Runs into object storage that are killed at random moments, and another machine that goes on."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import publish_night
import pytest

from warehouse import lease
from warehouse.copy import pull
from warehouse.layout import Warehouse
from warehouse.ledger import attach
from warehouse.store import Store

OLD, NEW, KILLS = 50, 80, 25
LEASE_S = 1.0
SERVE = f"from warehouse import lease; lease.LEASE_S = {LEASE_S}; import publish_night; publish_night.serve()"


@pytest.fixture(autouse=True)
def short_lease(monkeypatch):
    monkeypatch.setattr(lease, "LEASE_S", LEASE_S)


@pytest.fixture
def server(s3_server) -> Iterator[subprocess.Popen[str]]:
    """Forks a run for each line that it is sent, as `publish_night.serve` says."""
    here = [str(Path(__file__).parents[2]), str(Path(__file__).parent), *sys.path]
    environment = {**os.environ, **s3_server, "PYTHONPATH": os.pathsep.join(here)}
    with subprocess.Popen(
        [sys.executable, "-c", SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as started:
        yield started
        started.stdin.close()


def start(server: subprocess.Popen[str], root: Path) -> int:
    server.stdin.write(json.dumps([str(root), "killed", NEW, None]) + "\n")
    server.stdin.flush()
    return int(server.stdout.readline())


def digests(store: Store, folder: Path) -> dict[str, str]:
    found = {}
    for key in store.listing():
        if not key.startswith(".locks/"):
            store.fetch(key, folder / "fetched")
            found[key] = hashlib.sha256((folder / "fetched").read_bytes()).hexdigest()
    return found


@pytest.mark.slow
def test_killed_at_random_moments_another_machine_gives_the_bytes_of_a_clean_run(server, bucket, tmp_path):
    chance = random.Random(3)
    url = f"{bucket}/warehouse"
    store, one, two = Store(url), tmp_path / "one", tmp_path / "two"
    for root in (one, two):
        attach(root, url)
    publish_night.night(one, "new", NEW)
    clean = digests(store, tmp_path)
    publish_night.night(one, "old", OLD)
    begun = time.monotonic()
    start(server, one)
    assert server.stdout.readline() == "0\n"
    length = time.monotonic() - begun
    killed = 0
    for number in range(KILLS):
        publish_night.night(one, f"old-{number}", OLD)
        pid = start(server, one)
        time.sleep(chance.uniform(0, length))
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        killed += server.stdout.readline() == f"{int(signal.SIGKILL)}\n"
        pull(two)
        Warehouse(two).verify()
        for day in publish_night.DAYS:
            assert Warehouse(two).scan("events", days=[day]).collect().height in (OLD, NEW)
        time.sleep(LEASE_S)  # the lock of the dead
        publish_night.night(two, f"again-{number}", NEW)
        assert digests(store, tmp_path) == clean
        pull(one)
        assert digests_of(one) == clean
    assert killed > KILLS / 2


def digests_of(root: Path) -> dict[str, str]:
    files = root.glob("[a-z]*/dt=*/part.parquet")
    return {p.relative_to(root).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}
