"""A warehouse that is given as a URL: the night, the commands, retention and erasure, over the S3 protocol."""

from pathlib import Path

import polars as pl
import pytest
from quick import FIRST, SECOND, digests, land_two_days, make_quick
from typer.testing import CliRunner

from pipelines import scheduled
from pipelines.cli.app import app
from pipelines.night import run_night
from pipelines.privacy.prune import prune
from pipelines.settings import load_settings
from schemas.errors import ConfigError, WarehouseFault
from tests.conftest import settings_for
from warehouse.copy import pull
from warehouse.layout import Warehouse
from warehouse.ledger import attach
from warehouse.mend import set_aside
from warehouse.store import Store


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    make_quick(monkeypatch)


@pytest.fixture
def landing(tmp_path):
    land_two_days(tmp_path / "landing")
    return tmp_path / "landing"


@pytest.fixture
def settings(tmp_path, landing, bucket):
    chosen = settings_for(tmp_path, landing=landing, warehouse=f"{bucket}/warehouse", workers=1)
    attach(chosen.warehouse, chosen.store)
    return chosen


def objects(url: str) -> set[str]:
    return {key for key in Store(url).listing() if not key.startswith(".locks/")}


def files(root: Path) -> set[str]:
    return {p.relative_to(root).as_posix() for p in root.glob("*/dt=*/part.parquet")}


def test_a_night_into_a_bucket_gives_the_bytes_of_a_night_into_a_folder(settings, tmp_path, landing):
    run_night(settings, [FIRST, SECOND])
    local = settings_for(tmp_path, landing=landing, workers=1)
    run_night(local, [FIRST, SECOND])
    assert digests(settings.warehouse) == digests(local.warehouse)
    assert objects(settings.store) == files(local.warehouse)


def test_another_machine_goes_on_where_the_first_one_stopped(settings, tmp_path, landing):
    run_night(settings, [FIRST])
    other = settings_for(tmp_path, landing=landing, warehouse=settings.store, home=tmp_path / "other", workers=1,
                         key_file=settings.key_path)  # fmt: skip
    attach(other.warehouse, other.store)
    run_night(other, [SECOND])
    local = settings_for(tmp_path, landing=landing, workers=1)
    run_night(local, [FIRST, SECOND])
    assert digests(other.warehouse) == digests(local.warehouse)
    pull(settings.warehouse)
    assert digests(settings.warehouse) == digests(local.warehouse)


def test_the_tasks_of_a_scheduler_publish_into_the_bucket(settings, tmp_path, landing, monkeypatch):
    for name, value in (
        ("LANDING", landing), ("WAREHOUSE", settings.store), ("KEY_FILE", settings.key_path), ("HOME", settings.home),
    ):  # fmt: skip
        monkeypatch.setenv(f"TACIT_{name}", str(value))
    plan = scheduled.begin(str(FIRST), "manual")
    buckets = [scheduled.deidentify(plan, b) for b in plan["buckets"]]
    merged = scheduled.merge(plan, buckets)
    scheduled.publish(plan, merged, buckets, [scheduled.detect(plan, c) for c in merged["chunks"]])
    local = settings_for(tmp_path, landing=landing, workers=1)
    run_night(local, [FIRST])
    assert digests(settings.warehouse) == digests(local.warehouse)
    assert objects(settings.store) == files(local.warehouse)


def test_commands_take_the_url_and_see_what_another_machine_published(settings, tmp_path):
    run_night(settings, [FIRST])
    environment = {"TACIT_HOME": str(tmp_path / "analyst"), "TACIT_WAREHOUSE": settings.store}
    asked = ["sql", "--format", "csv", "SELECT count(*) AS n FROM messages"]
    first = CliRunner().invoke(app, asked, env=environment)
    assert first.stdout.split() == ["n", "8"], first.output
    run_night(settings, [SECOND])
    assert CliRunner().invoke(app, asked, env=environment).stdout.split() == ["n", "12"]
    said = CliRunner().invoke(app, ["status"], env=environment).stdout
    assert settings.store in said
    flagged = CliRunner().invoke(app, [*asked, "--warehouse", settings.store], env={"TACIT_HOME": str(tmp_path / "b")})
    assert flagged.stdout.split() == ["n", "12"]


def test_a_store_that_does_not_answer_is_told_in_words(settings, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    done = CliRunner().invoke(app, ["sql", "SELECT 1", "--warehouse", settings.store])
    assert isinstance(done.exception, WarehouseFault)
    assert "Check the address" in str(done.exception)
    assert "invented" not in str(done.exception)


def test_pruned_days_leave_the_bucket_too(settings):
    run_night(settings, [FIRST, SECOND])
    prune(Warehouse(settings.warehouse), SECOND, [], 7, dry_run=False)
    assert not [key for key in objects(settings.store) if f"dt={FIRST}" in key]
    assert objects(settings.store) == files(settings.warehouse)


def test_a_torn_object_and_a_stray_one_are_set_aside_and_leave_the_bucket(settings):
    run_night(settings, [FIRST, SECOND])
    right = digests(settings.warehouse)
    store = Store(settings.store)
    torn, stray = f"messages/dt={FIRST}/part.parquet", f"messages/dt={FIRST}/export.parquet"
    store.put(torn, store.get(torn)[:500])
    store.put(stray, store.get(f"messages/dt={SECOND}/part.parquet"))
    warehouse = Warehouse(settings.warehouse)
    with warehouse.writer():
        moved = set_aside(warehouse)
    assert {str(m.path).removeprefix(f"{settings.warehouse}/") for m in moved} == {torn, stray}
    assert not {torn, stray} & objects(settings.store)
    run_night(settings, [FIRST, SECOND])
    assert digests(settings.warehouse) == right
    assert objects(settings.store) == files(settings.warehouse)


def test_a_damaged_file_of_the_copy_is_fetched_again(settings):
    run_night(settings, [FIRST])
    path = Warehouse(settings.warehouse).path("messages", FIRST)
    right = pl.read_parquet(path)
    path.write_bytes(path.read_bytes()[:500])
    assert pull(settings.warehouse) == 1
    assert pl.read_parquet(path).equals(right)


def test_two_addresses_are_refused():
    with pytest.raises(ConfigError, match="Both warehouse"):
        load_settings({"warehouse": "s3://a/b", "store": "s3://c/d"})


def test_the_copy_lies_where_it_is_told_to(tmp_path):
    chosen = load_settings({"store": "s3://a/b", "warehouse": tmp_path / "copy"}).settings
    assert (chosen.store, chosen.warehouse) == ("s3://a/b", tmp_path / "copy")
    loaded = load_settings({"warehouse": "s3://a/b/", "home": tmp_path})
    assert loaded.settings.store == "s3://a/b"
    assert loaded.settings.warehouse.parent == tmp_path / "copies"
    assert loaded.origins["store"] == "flag"


def test_where_the_tables_lie_changes_no_result():
    assert load_settings({"warehouse": "s3://a/b"}).settings.digest() == load_settings().settings.digest()
