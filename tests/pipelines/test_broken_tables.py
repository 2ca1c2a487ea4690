"""Torn and foreign files among the tables, a table of an older version, and a full disk, as a run meets them."""

import os
import re
import shutil
import subprocess

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quick import FIRST, SECOND, digests, land_two_days, make_quick
from typer.testing import CliRunner

from pipelines import night
from pipelines.cli.app import app
from pipelines.night import run_night
from pipelines.privacy.forget import forget
from pipelines.privacy.prune import prune
from pipelines.privacy.request import Request
from pipelines.progress import Silent
from pipelines.recompute import recompute_signals
from schemas import contract
from schemas.errors import KeyFault, WarehouseFault
from tests.conftest import settings_for
from warehouse.layout import Warehouse


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    make_quick(monkeypatch)


@pytest.fixture
def settings(tmp_path):
    land_two_days(tmp_path / "landing")
    return settings_for(tmp_path, landing=tmp_path / "landing", workers=1)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no Parquet at all", b"PAR1" + b"\xff" * 64 + b"PAR1"])
def test_a_torn_partition_is_set_aside_named_and_mended_by_its_day(settings, content):
    run_night(settings, [FIRST, SECOND])
    right = digests(settings.warehouse)
    torn = Warehouse(settings.warehouse).path("messages", FIRST)
    torn.write_bytes(content)
    report = run_night(settings, [SECOND])
    [aside] = report.aside
    assert aside.path == torn
    assert aside.kept.read_bytes() == content
    assert aside.landed == (FIRST, SECOND)
    Warehouse(settings.warehouse).verify()
    report = run_night(settings, list(aside.landed))
    assert report.aside == ()
    assert digests(settings.warehouse) == right


def test_a_file_that_somebody_put_there_is_set_aside_and_harms_nothing(settings):
    run_night(settings, [FIRST, SECOND])
    right = digests(settings.warehouse)
    stray = settings.warehouse / "messages" / "export" / "mine.parquet"
    stray.parent.mkdir()
    pl.DataFrame({"x": [1]}).write_parquet(stray)
    report = run_night(settings, [SECOND])
    assert [a.path for a in report.aside] == [stray]
    assert digests(settings.warehouse) == right


def foreign_schema(path):
    pl.DataFrame({"x": [1, 2]}).write_parquet(path)


HARMS = {
    "zero bytes": lambda path: path.write_bytes(b""),
    "cut in half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "another schema": foreign_schema,
    "a file beside it": lambda path: foreign_schema(path.with_name("export.parquet")),
    "a copy beside it": lambda path: shutil.copy(path, path.with_name("copy.parquet")),
    "another table's": lambda path: shutil.copy(path.parents[2] / "exchanges" / path.parent.name / path.name, path),
}


@pytest.mark.parametrize("harm", HARMS)
def test_every_command_names_the_file_and_works_on_where_it_can(settings, harm):
    run_night(settings, [FIRST, SECOND])
    right = digests(settings.warehouse)
    exchanges = str(Warehouse(settings.warehouse).scan("exchanges").collect().height)
    path = Warehouse(settings.warehouse).path("messages", FIRST)
    HARMS[harm](path)
    bad = str(path) if digests(settings.warehouse).keys() == right.keys() else f"{path.parent}/"

    def told(*command: str):
        asked = [*command, "--warehouse", str(settings.warehouse)]
        done = CliRunner().invoke(app, asked, env={"TACIT_HOME": str(settings.home)})
        assert f"warning: {bad}" in done.stderr, (command, done.output, done.exception)
        return done

    said = told("status", "--landing", str(settings.landing))
    assert said.exit_code == 0
    assert "messages" in said.stdout
    assert told("sql", "--format", "csv", "SELECT count(*) FROM exchanges").stdout.split()[1] == exchanges
    of_the_table = told("sql", "--format", "csv", "SELECT count(text) FROM messages")
    if "beside" in harm:
        assert of_the_table.stdout.split()[1] == "12", "files beside a partition are not read"
    else:
        # Whole as a Parquet file, of other columns: the warning is all that tells.
        assert isinstance(of_the_table.exception, WarehouseFault) or of_the_table.stdout.split()[1] == "8"
    assert told("catalogue").exit_code == 0
    with pytest.raises(WarehouseFault, match=f"^{re.escape(bad)}"):
        recompute_signals(settings, [SECOND])
    report = run_night(settings, [FIRST, SECOND])
    [aside] = report.aside
    assert str(aside.path).startswith(bad)
    assert aside.landed == (() if "beside" in harm else (FIRST, SECOND))
    assert digests(settings.warehouse) == right
    Warehouse(settings.warehouse).verify()


def test_what_was_set_aside_is_told_though_the_run_fails_later(settings, monkeypatch):
    run_night(settings, [FIRST])
    Warehouse(settings.warehouse).path("messages", FIRST).write_bytes(b"")
    notes = []
    monkeypatch.setattr(Silent, "note", lambda _self, text: notes.append(text))
    monkeypatch.setattr(night, "scan_day", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run_night(settings, [FIRST])
    assert "Run again, for the rows that it held: 2026-11-02" in notes[0]


def test_a_torn_run_record_is_set_aside_and_the_key_is_still_the_same(settings, tmp_path):
    run_night(settings, [FIRST])
    Warehouse(settings.warehouse).path("runs", FIRST).write_bytes(b"PAR1")
    other = settings_for(tmp_path, home=tmp_path / "other", landing=settings.landing, workers=1)
    with pytest.raises(KeyFault, match="was built with key"):
        run_night(other, [FIRST])
    run_night(settings, [FIRST])
    assert Warehouse(settings.warehouse).days("runs") == [FIRST]


def test_what_was_set_aside_twice_is_kept_twice_and_goes_with_the_retention(settings):
    for content in (b"one", b"two"):
        run_night(settings, [FIRST, SECOND])
        Warehouse(settings.warehouse).path("events", FIRST).write_bytes(content)
    run_night(settings, [FIRST, SECOND])
    aside = settings.warehouse / ".aside"
    assert sorted(p.read_bytes() for p in aside.iterdir()) == [b"one", b"two"]
    prune(Warehouse(settings.warehouse), FIRST, [], 7, dry_run=False)
    assert not list(aside.iterdir())


def test_nobody_is_forgotten_while_a_file_cannot_be_searched(settings):
    run_night(settings, [FIRST])
    path = Warehouse(settings.warehouse).path("messages", FIRST)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(WarehouseFault, match="not a whole Parquet file"):
        forget(settings, Request(user="user of a", conversation=None, sources=frozenset()))


def test_a_torn_record_of_erasures_stops_the_run(settings):
    path = Warehouse(settings.warehouse).path("erasures", FIRST)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"PAR1")
    with pytest.raises(WarehouseFault, match="not a whole Parquet file"):
        run_night(settings, [FIRST])
    assert path.read_bytes() == b"PAR1"


def test_a_partition_of_an_older_version_is_read_and_rewritten_when_touched(settings):
    run_night(settings, [FIRST, SECOND])
    right = digests(settings.warehouse)
    for table, column in (("messages", "aliases"), ("exchanges", "session_id")):
        path = Warehouse(settings.warehouse).path(table, SECOND)
        old = pl.read_parquet(path, hive_partitioning=False).drop(column)
        meta = Warehouse(settings.warehouse).footer(table, SECOND) | {"schema_version": "1"}
        shape = contract.table(table).arrow
        schema = pa.schema([f for f in shape if f.name != column], metadata=meta)
        pq.write_table(old.to_arrow().cast(schema), path)
    warehouse = Warehouse(settings.warehouse)
    assert warehouse.scan("exchanges").filter(pl.col("session_id").is_null()).collect().height > 0
    run_night(settings, [SECOND])
    assert digests(settings.warehouse) == right


def test_a_full_disk_is_named_and_leaves_the_tables_as_they_were(settings, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = (
        os.getuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], check=False, capture_output=True
        ).returncode
    )
    if not mounted:
        pytest.skip("no small disk can be mounted here")
    try:
        small = settings.model_copy(update={"warehouse": disk / "warehouse"})
        run_night(small, [FIRST])
        before = digests(small.warehouse)
        filler = disk / "filler"
        free = os.statvfs(disk)
        filler.write_bytes(b"\0" * (free.f_bavail - 2) * free.f_bsize)
        with pytest.raises(WarehouseFault, match=r"(?i)no space left|disk is full") as caught:
            run_night(small, [SECOND])
        assert "as they were" in str(caught.value) or "Nothing was" in str(caught.value)
        assert digests(small.warehouse) == before
        filler.unlink()
        run_night(small, [SECOND])
        assert Warehouse(small.warehouse).verify() > 0
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)
