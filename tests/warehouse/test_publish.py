import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path

import duckdb
import frames
import polars as pl
import pytest

from schemas import contract
from schemas.contract import PUBLISH_ORDER
from schemas.errors import WarehouseBusy, WarehouseFault
from warehouse import publish as publish_module
from warehouse.catalogue import connect
from warehouse.layout import Warehouse
from warehouse.publish import publish
from warehouse.query import run_query
from warehouse.stage import Stage
from warehouse.steady import read_steadily

DAY = frames.DAY
OTHER = DAY - timedelta(days=1)


def _tree(warehouse: Warehouse) -> dict[str, bytes]:
    return {str(p.relative_to(warehouse.root)): p.read_bytes() for p in warehouse.root.glob("*/dt=*/*")}


def test_partitions_are_published_in_the_order_in_which_they_derive(warehouse, stage):
    steps = []
    days = (DAY, OTHER)
    staged = [stage.write(t, d, contract.table(t).empty(), {}) for t in reversed(PUBLISH_ORDER) for d in days]
    done = publish(warehouse, staged, on_step=steps.append)
    assert [(p.table, p.dt) for p in done] == [(t, d) for t in PUBLISH_ORDER for d in (OTHER, DAY)]
    assert all(p.changed for p in done)
    assert steps[0] == "verified"
    assert steps[-1] == "done"
    assert warehouse.verify() == 2 * len(PUBLISH_ORDER)


def test_the_same_bytes_are_left_untouched(warehouse, stage):
    first = publish(warehouse, [stage.write("messages", DAY, frames.messages(), {})])
    before = first[0].path.stat()
    [again] = publish(warehouse, [stage.write("messages", DAY, frames.messages().reverse(), {})])
    after = again.path.stat()
    assert not again.changed
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    [new] = publish(warehouse, [stage.write("messages", DAY, frames.messages(text="new"), {})])
    assert new.changed


def test_nothing_is_published_where_one_staged_file_changed(warehouse, stage):
    staged = [stage.write("messages", DAY, frames.messages(), {}), stage.write("events", DAY, frames.events(), {})]
    staged[1].path.write_bytes(staged[1].path.read_bytes() + b" ")
    with pytest.raises(WarehouseFault, match="no longer what was staged"):
        publish(warehouse, staged)
    assert warehouse.days("messages") == []


def test_a_partition_staged_twice_is_refused(warehouse, stage):
    part = stage.write("messages", DAY, frames.messages(), {})
    with pytest.raises(ValueError, match="twice"):
        publish(warehouse, [part, part])


def test_a_disk_that_refuses_midway_says_how_far_it_came(warehouse, stage, monkeypatch):
    staged = [stage.write("messages", DAY, frames.messages(), {}), stage.write("events", DAY, frames.events(), {})]
    real = os.replace

    def refuse_events(source: Path, target: Path) -> None:
        if "events" in str(target):
            raise OSError(28, os.strerror(28))
        real(source, target)

    monkeypatch.setattr(publish_module.os, "replace", refuse_events)
    with pytest.raises(WarehouseFault, match=r"No space left.*1 of 2 partitions were published; each is whole"):
        publish(warehouse, staged)
    assert warehouse.verify() == 1


def test_stopping_at_any_step_then_running_again_gives_the_same_bytes(tmp_path):
    def night(warehouse: Warehouse, run_id: str, on_step) -> None:
        with warehouse.writer(), Stage(warehouse, run_id) as stage:
            staged = [
                stage.write("messages", DAY, frames.messages(text="new"), {}),
                stage.write("messages", OTHER, frames.messages(OTHER), {}),
                stage.write("exchanges", DAY, frames.exchanges(), {}),
                stage.write("signals", DAY, frames.signals(), {}),
            ]
            publish(warehouse, staged, on_step=on_step)

    def begin(name: str) -> Warehouse:
        warehouse = Warehouse(tmp_path / name)
        with Stage(warehouse, "old") as stage:
            publish(warehouse, [stage.write("messages", DAY, frames.messages(text="old"), {})])
        return warehouse

    clean = begin("clean")
    steps: list[str] = []
    night(clean, "r", steps.append)
    assert len(steps) == 14
    for stop in range(len(steps)):
        warehouse = begin(f"stop-{stop}")
        seen: list[str] = []

        def abort(step: str, seen: list[str] = seen, stop: int = stop) -> None:
            seen.append(step)
            if len(seen) > stop:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            night(warehouse, "r1", abort)
        warehouse.verify()
        night(warehouse, "r2", lambda _: None)
        assert _tree(warehouse) == _tree(clean), steps[stop]


def test_of_two_writers_one_is_told_that_the_other_runs(warehouse, stage):
    part = stage.write("messages", DAY, frames.messages(), {})
    hold = "import sys,pathlib\nfrom warehouse.layout import Warehouse\n"
    hold += "with Warehouse(pathlib.Path(sys.argv[1])).writer():\n print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(warehouse.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(WarehouseBusy, match=rf"Another run holds the warehouse \(process {other.pid}\)"):
            publish(warehouse, [part])
        assert warehouse.days("messages") == []
        other.kill()
    publish(warehouse, [part])
    assert warehouse.days("messages") == [DAY]


def test_a_second_writer_in_the_same_process_is_refused(warehouse):
    with warehouse.writer():
        with pytest.raises(WarehouseBusy), Warehouse(warehouse.root).writer():
            pass
        with pytest.raises(WarehouseBusy), warehouse.writer():
            pass
    with warehouse.writer():
        pass


def test_a_worker_that_outlives_a_killed_run_does_not_keep_the_lock(warehouse):
    script = """
        import os, sys, time
        from pathlib import Path
        from warehouse.layout import Warehouse
        with Warehouse(Path(sys.argv[1])).writer():
            child = os.fork()
            if child == 0:
                print(os.getpid(), flush=True)  # from the child: by now it has let go of the lock
                time.sleep(60)
                os._exit(0)
            time.sleep(60)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), str(warehouse.root)], stdout=subprocess.PIPE
    ) as run:
        child = int(run.stdout.readline())
        try:
            with pytest.raises(WarehouseBusy), warehouse.writer():
                pass
            run.kill()
            run.wait()
            with warehouse.writer():
                pass
        finally:
            os.kill(child, signal.SIGKILL)


Reader = Callable[[], list[tuple[str, int]]]
QUERY = "SELECT text, count(*) FROM {} GROUP BY text"


@contextmanager
def _by_view(warehouse: Warehouse) -> Iterator[Reader]:
    with connect(warehouse, threads=1) as con:
        query = QUERY.format("message_versions")
        yield lambda: read_steadily(warehouse, lambda: con.execute(query).fetchall())


@contextmanager
def _by_glob(warehouse: Warehouse) -> Iterator[Reader]:
    with duckdb.connect(config={"threads": 1}) as con:
        query = QUERY.format(f"'{warehouse.root}/messages/**/*.parquet'")
        yield lambda: read_steadily(warehouse, lambda: con.execute(query).fetchall())


@contextmanager
def _by_query(warehouse: Warehouse) -> Iterator[Reader]:
    yield lambda: run_query(warehouse, QUERY.format("messages")).rows()


@contextmanager
def _by_polars(warehouse: Warehouse) -> Iterator[Reader]:
    yield lambda: warehouse.scan("messages").group_by("text").agg(pl.len()).collect().rows()


def test_a_reader_sees_the_old_partition_or_the_new_one_and_never_an_error(warehouse, put):
    """Each version holds one text throughout and its own number of rows, so that a mixture shows."""
    put("messages", DAY, frames.messages(turns=1, text="version 0"))
    stop = threading.Event()

    def keep_reading(reader: Callable[[Warehouse], AbstractContextManager[Reader]]) -> list[list[tuple[str, int]]]:
        seen = []
        with reader(warehouse) as read:
            # A pause lets the publishing thread have its turn.
            while not stop.wait(0.005):
                seen.append(read())
        return seen

    with ThreadPoolExecutor(4) as pool:
        reading = [pool.submit(keep_reading, reader) for reader in (_by_view, _by_glob, _by_query, _by_polars)]
        try:
            for version in range(1, 201):
                put("messages", DAY, frames.messages(turns=1 + version % 7, text=f"version {version}"))
        finally:
            stop.set()
        results = [future.result() for future in reading]
    for seen in results:
        assert seen
        for [(text, rows)] in seen:
            assert rows == 2 * (1 + int(text.split()[1]) % 7)


def test_a_read_during_which_a_file_was_replaced_is_repeated(warehouse, put):
    put("messages", DAY, frames.messages(text="old"))
    attempts = []

    def read() -> str:
        attempts.append(1)
        text = warehouse.scan("messages").collect()["text"][0]
        if len(attempts) == 1:
            put("messages", DAY, frames.messages(text="new"))
            raise OSError("the file changed under the reader")
        return text

    assert read_steadily(warehouse, read) == "new"
    with pytest.raises(ZeroDivisionError):
        read_steadily(warehouse, lambda: 1 / 0)


def test_files_that_never_rest_are_reported(warehouse, put):
    versions = count()
    with pytest.raises(WarehouseBusy, match="replaced during every"):
        read_steadily(
            warehouse, lambda: put("messages", DAY, frames.messages(text=f"version {next(versions)}")), patience_s=0.1
        )
