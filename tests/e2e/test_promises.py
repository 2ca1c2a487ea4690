"""The promises that hold for a whole run, each with something that tries to break it."""

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from datetime import date
from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest

from anonymize.keys import create_key
from pipelines.night import run_night
from pipelines.readers.landing import context_for, landing_days, origins
from pipelines.readers.logfile import LogFile, open_log
from pipelines.readers.sources import Sources
from pipelines.settings import Settings
from pipelines.steps import detect as detect_step
from pipelines.steps import merge as merge_step
from pipelines.steps import publish as publish_step
from schemas.errors import CheckFailed, CountMismatch, KeyFault, LandingError
from tests.conftest import SAMPLES, settings_for
from warehouse.layout import Warehouse
from warehouse.query import run_query


def digests(warehouse: Path, leave_out: tuple[str, ...] = ("runs",)) -> dict[str, str]:
    """Every file that a reader can see, by its path."""
    files = (p for p in warehouse.rglob("*") if p.is_file() and not p.name.startswith("."))
    names = {p.relative_to(warehouse).as_posix(): p for p in files}
    return {n: sha256(p.read_bytes()).hexdigest() for n, p in names.items() if n.split("/")[0] not in leave_out}


def with_key_of(night_settings: Settings, folder: Path, **flags: object) -> Settings:
    (folder / "home" / "keys").mkdir(parents=True)
    shutil.copy2(night_settings.key_path, folder / "home" / "keys" / "pseudonym.key")
    return settings_for(folder, **flags)


@pytest.fixture
def small_landing(tmp_path) -> Path:
    """Two days of a dozen records, for tests that run often."""
    landing = tmp_path / "landing"
    for day in ("2026-11-02", "2026-11-03"):
        (landing / f"dt={day}").mkdir(parents=True)
        rows = []
        for c in range(3):
            base = {"kind": "message", "conversation_id": f"c{c}", "source": "web"}
            at = f"{day}T10:0{c}"
            rows += [
                base
                | {
                    "message_id": f"u1-{day}",
                    "role": "user",
                    "content": f"How do I reset router number {c}?",
                    "created_at": f"{at}:00Z",
                },
                base
                | {
                    "message_id": f"a1-{day}",
                    "role": "assistant",
                    "content": "Hold the button.",
                    "created_at": f"{at}:02Z",
                    "completed_at": f"{at}:04Z",
                },
                base
                | {
                    "message_id": f"u2-{day}",
                    "role": "user",
                    "content": "That is wrong, Ellen Marsh.",
                    "created_at": f"{at}:30Z",
                },
            ]
        (landing / f"dt={day}" / "web.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return landing


@pytest.mark.slow
def test_days_run_one_by_one_in_another_order_and_divided_otherwise_give_the_same_bytes(sample_night, tmp_path):
    settings = with_key_of(sample_night.settings, tmp_path, workers=1, buckets=3)
    for day in (date(2026, 11, 4), date(2026, 11, 2), date(2026, 11, 3)):
        run_night(settings, [day])
    ours, theirs = digests(settings.warehouse), digests(sample_night.settings.warehouse)
    catalogues = {ours.pop("warehouse.duckdb"), theirs.pop("warehouse.duckdb")}
    assert len(catalogues) == 2  # each names its own folder
    assert ours == theirs


@pytest.mark.slow
def test_running_again_on_two_processes_changes_no_byte_but_run_records(sample_night, tmp_path):
    settings = with_key_of(sample_night.settings, tmp_path, workers=2, buckets=2)
    shutil.copytree(sample_night.settings.warehouse, settings.warehouse)
    run_night(settings, landing_days(settings.landing))
    before = digests(settings.warehouse)
    report = run_night(settings, [date(2026, 11, 3)])
    assert digests(settings.warehouse) == before
    assert {p.table for p in report.published if p.changed} == {"runs"}


def test_shuffled_lines_in_merged_and_split_files_give_the_same_tables(sample_night, tmp_path):
    landing = tmp_path / "landing"
    dice = random.Random(5)
    for day in landing_days(SAMPLES / "landing"):
        logs = [
            open_log(origin, context_for(Sources(), origin.name, day, "default"), 16 << 20)
            for origin in origins(SAMPLES / "landing", day)
        ]
        read = (raw for log in logs if isinstance(log, LogFile) for raw in log.records(16 << 20))
        records = [raw.data for raw in read if raw.refusal is None]
        dice.shuffle(records)
        (landing / f"dt={day}").mkdir(parents=True)
        cut = len(records) // 3
        for name, part in (("a.jsonl", records[:cut]), ("b.jsonl", records[cut:])):
            (landing / f"dt={day}" / name).write_bytes(b"\n".join(part))
    settings = with_key_of(sample_night.settings, tmp_path, workers=1, landing=landing)
    run_night(settings, landing_days(landing))
    same = ("quarantine", "runs", "quality", "warehouse.duckdb")  # these name files, and the files differ
    assert digests(settings.warehouse, same) == digests(sample_night.settings.warehouse, same)


def test_a_day_without_files_is_published_as_an_empty_day(tmp_path, small_landing):
    settings = settings_for(tmp_path, landing=small_landing, workers=1)
    (small_landing / "dt=2026-11-09").mkdir()
    run_night(settings, [date(2026, 11, 9)])
    warehouse = Warehouse(settings.warehouse)
    for table in ("messages", "events", "exchanges", "signals", "quarantine"):
        assert warehouse.days(table) == [date(2026, 11, 9)]
        assert warehouse.scan(table).collect().is_empty()
        assert run_query(warehouse, f"SELECT * FROM {table}").is_empty()  # noqa: S608 - our own names
    assert warehouse.scan("runs").collect().height == 1


def test_a_delivery_that_shrinks_leaves_nothing_of_its_earlier_self(tmp_path, small_landing):
    settings = settings_for(tmp_path, landing=small_landing, workers=1)
    day = date(2026, 11, 2)
    file = small_landing / f"dt={day}" / "web.jsonl"
    stray = json.loads(file.read_text().splitlines()[0]) | {"message_id": "stray", "created_at": "2026-11-01T09:00:00Z"}
    file.write_text(file.read_text() + json.dumps(stray) + "\n")
    run_night(settings, [day])
    warehouse = Warehouse(settings.warehouse)
    assert warehouse.scan("messages", [date(2026, 11, 1)]).collect().height == 1
    file.write_text("\n".join(file.read_text().splitlines()[:3]))
    run_night(settings, [day])
    assert warehouse.scan("messages").collect().height == 3
    assert warehouse.scan("messages", [date(2026, 11, 1)]).collect().height == 0


def test_a_landing_folder_that_is_gone_does_not_empty_its_day(tmp_path, small_landing):
    settings = settings_for(tmp_path, landing=small_landing, workers=1)
    run_night(settings, [date(2026, 11, 2)])
    shutil.rmtree(small_landing / "dt=2026-11-02")
    with pytest.raises(LandingError, match="the tables hold rows"):
        run_night(settings, [date(2026, 11, 2)])
    assert not Warehouse(settings.warehouse).scan("messages").collect().is_empty()


def test_the_second_of_two_runs_at_once_ends_with_a_clear_error(tmp_path, small_landing):
    settings = settings_for(tmp_path, landing=small_landing, workers=1)
    with Warehouse(settings.warehouse).writer():
        command = [
            sys.executable,
            "-m",
            "pipelines",
            "run",
            "--landing",
            small_landing,
            "--warehouse",
            settings.warehouse,
        ]
        done = subprocess.run(
            [*map(str, command), "--all", "--workers", "1"],
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": "/usr/bin:/bin", "TACIT_HOME": str(settings.home)},
        )
    assert done.returncode == 1
    assert "busy" in done.stderr
    assert "Traceback" not in done.stderr


def test_another_key_than_the_warehouse_was_built_with_is_refused(tmp_path, small_landing):
    settings = settings_for(tmp_path, landing=small_landing, workers=1)
    run_night(settings, [date(2026, 11, 2)])
    settings.key_path.unlink()
    create_key(settings.key_path)
    with pytest.raises(KeyFault, match="was built with key"):
        run_night(settings, [date(2026, 11, 3)])


def test_a_file_that_grows_while_it_is_read_stops_the_run_before_anything_is_published(
    tmp_path, small_landing, monkeypatch
):
    settings = settings_for(tmp_path, landing=small_landing, workers=1)
    file = small_landing / "dt=2026-11-02" / "web.jsonl"
    check = publish_step.check

    def late_delivery(*args):
        file.write_text(file.read_text() + "\n")
        return check(*args)

    monkeypatch.setattr(publish_step, "check", late_delivery)
    with pytest.raises(LandingError, match="changed while"):
        run_night(settings, [date(2026, 11, 2)])
    assert Warehouse(settings.warehouse).days("messages") == []


def test_a_record_lost_between_steps_stops_the_run(tmp_path, small_landing, monkeypatch):
    settings = settings_for(tmp_path, landing=small_landing, workers=1)
    whole = merge_step._read
    monkeypatch.setattr(merge_step, "_read", lambda results, name: whole(results, name).head(5))
    with pytest.raises(CountMismatch, match="messages in buckets"):
        run_night(settings, [date(2026, 11, 2)])
    assert Warehouse(settings.warehouse).days("messages") == []


def test_a_failed_check_stops_the_publish_and_names_no_value(tmp_path, small_landing, monkeypatch):
    settings = settings_for(tmp_path, landing=small_landing, workers=1)
    run_night(settings, [date(2026, 11, 2)])
    before = digests(settings.warehouse, ())
    whole = detect_step.detect

    def broken(*args):
        found = whole(*args)
        return type(found)(found.exchanges.with_columns(outcome=pl.lit("Ellen Marsh")), found.signals)

    monkeypatch.setattr(detect_step, "detect", broken)
    with pytest.raises(CheckFailed) as caught:
        run_night(settings, [date(2026, 11, 2)])
    assert "exchanges" in str(caught.value)
    assert "Ellen" not in str(caught.value)
    assert digests(settings.warehouse, ()) == before


@pytest.mark.slow
def test_a_killed_run_leaves_whole_files_and_the_next_run_gives_the_same_bytes(tmp_path, small_landing):
    settings = settings_for(tmp_path, landing=small_landing, workers=1)
    run_night(settings, landing_days(small_landing))
    derived = (
        "runs",
        "warehouse.duckdb",
    )  # DuckDB gives each file that it makes an id of its own
    clean = digests(settings.warehouse, derived)
    command = [sys.executable, "-m", "pipelines", "run", "--landing", small_landing, "--warehouse", settings.warehouse]
    command = [*map(str, command), "--all", "--workers", "1", "--json"]
    environment = {"PATH": "/usr/bin:/bin", "TACIT_HOME": str(settings.home)}
    start = time.monotonic()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    whole = time.monotonic() - start
    dice = random.Random(11)
    for _ in range(5):
        shutil.rmtree(settings.warehouse)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        time.sleep(whole * dice.uniform(0.3, 1.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        Warehouse(settings.warehouse).verify()
        subprocess.run(command, check=True, capture_output=True, env=environment)
        assert digests(settings.warehouse, derived) == clean
        assert not run_query(Warehouse(settings.warehouse), "SELECT * FROM exchanges").is_empty()
