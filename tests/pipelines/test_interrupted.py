"""However a run ends, its workers end with it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = """
import os, sys, time
from pipelines.cli.errors import errors_in_words
from pipelines.engine import pool_of
from tests.pipelines.test_interrupted import note_and_wait
signal = __import__("signal")
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
with errors_in_words(), pool_of(2) as pool:
    pool.map(note_and_wait, [sys.argv[1]] * 4, lambda _: None)
"""


def note_and_wait(folder: str) -> None:
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(120)


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]
    except FileNotFoundError:
        return False


def within(seconds: float, condition) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_its_run(how, tmp_path):
    run = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)], stderr=subprocess.PIPE, text=True)
    assert within(30, lambda: len(list(tmp_path.iterdir())) == 2)
    workers = [int(p.name) for p in tmp_path.iterdir()]
    assert all(map(alive, workers))
    run.send_signal(how)
    run.wait(timeout=20)
    assert run.returncode != 0
    assert within(20, lambda: not any(map(alive, workers)))
