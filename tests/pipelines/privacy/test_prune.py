"""Old days go from all tables, whole, and readers meet no half of them."""

import shutil
from datetime import date, timedelta

import pytest
from talks_of_users import DAYS, ERASED, landing_zone

from pipelines.night import run_night
from pipelines.privacy import prune as prune_module
from pipelines.privacy.forget import forget
from pipelines.privacy.prune import prune
from pipelines.privacy.request import Request
from schemas.contract import tables
from schemas.errors import WarehouseBusy
from tests.conftest import settings_for
from tests.e2e.test_promises import digests
from warehouse.layout import Warehouse
from warehouse.query import run_query

FIRST, SECOND = (date.fromisoformat(d) for d in DAYS)
# What a night writes; the others hold what people or a second reader said, and erasures never go.
OF_A_NIGHT = set(tables()) - {"erasures", "reviews", "second_readings"}


@pytest.fixture(scope="module")
def run_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prune")
    settings = settings_for(folder, landing=landing_zone(folder / "landing"), workers=1)
    run_night(settings, [FIRST, SECOND])
    return settings


@pytest.fixture
def warehouse(run_once, tmp_path):
    shutil.copytree(run_once.warehouse, tmp_path / "warehouse")
    return Warehouse(tmp_path / "warehouse")


def pruned(warehouse, before, landed=(), *, dry_run=False):
    return prune(warehouse, before, list(landed), 7, dry_run=dry_run)


def test_days_before_the_date_go_from_every_table_and_the_others_stay_as_they_were(warehouse):
    derived = ("warehouse.duckdb", "marts")
    kept = {n: d for n, d in digests(warehouse.root, derived).items() if f"dt={SECOND}" in n}
    assert list(warehouse.root.glob(f"marts/*/dt={FIRST}"))
    done = pruned(warehouse, SECOND)
    assert {p.dt for p in done.parts} == {FIRST}
    assert {p.table for p in done.parts} == OF_A_NIGHT
    for name in kept:
        table = name.split("/")[0]
        assert warehouse.days(table) == [SECOND]
    assert digests(warehouse.root, derived) == kept
    assert not list(warehouse.root.rglob(f"dt={FIRST}"))
    assert not list((warehouse.root / ".staging").iterdir())
    assert run_query(warehouse, "SELECT DISTINCT dt FROM messages").rows() == [(SECOND,)]


def test_the_newest_day_is_never_removed(warehouse):
    pruned(warehouse, SECOND + timedelta(days=400))
    for name in OF_A_NIGHT:
        assert warehouse.days(name) == [SECOND]


def test_nothing_is_there_to_remove_twice(warehouse):
    pruned(warehouse, SECOND)
    before = digests(warehouse.root)
    assert pruned(warehouse, SECOND).parts == []
    assert digests(warehouse.root) == before


def test_a_dry_run_removes_nothing(warehouse):
    before = digests(warehouse.root, ())
    assert pruned(warehouse, SECOND, dry_run=True).parts
    assert digests(warehouse.root, ()) == before


def test_landing_days_that_would_bring_rows_back_are_named(warehouse):
    done = pruned(warehouse, SECOND, [FIRST, SECOND], dry_run=True)
    assert done.returning == [FIRST]
    assert done.reaching == [SECOND]
    assert pruned(warehouse, SECOND, [], dry_run=True).returning == []


def test_what_is_derived_goes_first_and_the_oldest_day_first(warehouse, monkeypatch):
    moved = []
    real = prune_module.os.replace
    monkeypatch.setattr(prune_module.os, "replace", lambda a, b: (moved.append(a.parts[-3]), real(a, b)))
    pruned(warehouse, SECOND)
    assert [t for t in moved if t in ("signals", "exchanges", "events", "messages")] == [
        "signals",
        "exchanges",
        "events",
        "messages",
    ]


def test_a_removal_that_is_cut_short_leaves_whole_partitions_and_is_ended_by_the_next(warehouse, monkeypatch):
    real = prune_module.os.replace
    moves = []

    def failing(a, b):
        if len(moves) == 3:
            raise KeyboardInterrupt
        moves.append(a)
        real(a, b)

    monkeypatch.setattr(prune_module.os, "replace", failing)
    with pytest.raises(KeyboardInterrupt):
        pruned(warehouse, SECOND)
    warehouse.verify()
    assert not run_query(warehouse, "SELECT * FROM exchanges").is_empty()
    monkeypatch.setattr(prune_module.os, "replace", real)
    pruned(warehouse, SECOND)
    assert warehouse.days("messages") == [SECOND]
    assert not list((warehouse.root / ".staging").iterdir())


def test_while_a_run_holds_the_warehouse_nothing_is_removed(warehouse):
    with warehouse.writer(), pytest.raises(WarehouseBusy):
        pruned(warehouse, SECOND)
    assert warehouse.days("messages") == [FIRST, SECOND]


def test_erasures_are_remembered(run_once, tmp_path):
    for name in ("landing", "warehouse", "home"):
        shutil.copytree(getattr(run_once, name), tmp_path / name)
    settings = settings_for(tmp_path, landing=tmp_path / "landing", workers=1)
    forget(settings, Request(user=ERASED))
    warehouse = Warehouse(settings.warehouse)
    days = warehouse.days("erasures")
    pruned(warehouse, days[-1] + timedelta(days=9))
    assert warehouse.days("erasures") == days
