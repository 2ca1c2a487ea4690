"""Torn and foreign files among the tables, a table of an older version, and a full disk, as a run meets them."""

import os
import subprocess
from datetime import timedelta

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quick import FIRST, digests, land, make_quick, talk

from pipelines.night import run_night
from schemas import contract
from schemas.errors import WarehouseFault
from tests.conftest import settings_for
from warehouse.layout import Warehouse

SECOND = FIRST + timedelta(days=1)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    make_quick(monkeypatch)


@pytest.fixture
def settings(tmp_path):
    landing = tmp_path / "landing"
    land(landing, FIRST, [*talk("a", 0), *talk("b", 0.1)])
    land(landing, SECOND, [*talk("c", 1), *talk("a", 1.1)])
    return settings_for(tmp_path, landing=landing, workers=1)


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
