"""`tacit run --recompute signals`: what is derived comes out as a run from the raw logs would give it."""

import shutil

import polars as pl
import pytest
from quick import FIRST, SECOND, digests, land, make_quick, talk, vote

from pipelines.night import run_night
from pipelines.recompute import event_days, recompute_signals
from pipelines.steps.again import refused_before
from schemas.errors import NotFound
from signals import detect as detect_module
from signals.dislike import Dislike
from signals.skim import Skim
from tests.conftest import settings_for
from warehouse.layout import Warehouse

DERIVED = ("exchanges", "signals")


class Newer(Dislike):
    """A detector of a later version."""

    version = "99"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    make_quick(monkeypatch)


@pytest.fixture
def settings(tmp_path):
    landing = tmp_path / "landing"
    land(landing, FIRST, [*talk("a", 0), *talk("b", 0.1), vote("a", "a0", 0.01)])
    land(landing, SECOND, [*talk("c", 1), vote("b", "a1", 1.2), *talk("late", -2)])
    return settings_for(tmp_path, landing=landing, workers=1)


def test_a_new_version_gives_the_bytes_of_a_run_from_the_raw_logs_without_reading_them(settings, tmp_path, monkeypatch):
    run_night(settings, [FIRST, SECOND])
    before = digests(settings.warehouse)
    monkeypatch.setattr(detect_module, "DETECTORS", (Newer(), *detect_module.DETECTORS[1:-1], Skim()))
    fresh = settings.model_copy(update={"warehouse": tmp_path / "fresh"})
    run_night(fresh, [FIRST, SECOND])
    shutil.rmtree(settings.landing)
    report = recompute_signals(settings, event_days(Warehouse(settings.warehouse)))
    after = digests(settings.warehouse)
    assert after == digests(fresh.warehouse)
    assert after != before
    assert {p.table for p in report.published if p.changed} == {"signals", "runs"}
    assert report.counts["recompute"] == {"event_days": 3}
    assert "read" not in report.counts


def test_only_the_chosen_days_change(settings, monkeypatch):
    run_night(settings, [FIRST, SECOND])
    before = digests(settings.warehouse)
    monkeypatch.setattr(detect_module, "DETECTORS", (Newer(), *detect_module.DETECTORS[1:]))
    recompute_signals(settings, [FIRST])
    after = digests(settings.warehouse)
    assert {k for k in after if after[k] != before[k]} == {f"signals/dt={FIRST}/part.parquet"}


def test_the_same_version_passes_the_same_gate_changes_nothing_and_leaves_a_record(settings, monkeypatch):
    monkeypatch.undo()
    make_quick(monkeypatch, gate=True)
    run_night(settings, [FIRST, SECOND])
    before = digests(settings.warehouse, (*DERIVED, "messages", "events", "quality"))
    recompute_signals(settings, [FIRST])
    warehouse = Warehouse(settings.warehouse)
    assert digests(settings.warehouse, (*DERIVED, "messages", "events", "quality")) == before
    assert warehouse.days("runs") == [FIRST, SECOND]
    last = warehouse.scan("runs", [SECOND]).sort("finished_at").collect().row(-1, named=True)
    assert last["inputs"] == []
    assert {c["step"] for c in last["counts"]} == {"recompute", "detect"}
    assert {(p["table_name"], p["dt"]) for p in last["partitions"]} >= {("exchanges", FIRST), ("signals", FIRST)}


def test_refused_records_can_be_read_again_after_it(settings):
    folder = settings.landing / f"dt={SECOND}"
    (folder / "bad.jsonl").write_text('{"kind": "message"}\n')
    run_night(settings, [FIRST, SECOND])
    recompute_signals(settings, [SECOND])
    assert refused_before(Warehouse(settings.warehouse), SECOND, ()).height == 1
    run_night(settings, [SECOND], again=[])
    assert Warehouse(settings.warehouse).scan("quarantine").select(pl.len()).collect().item() == 1


def test_a_day_that_the_tables_do_not_hold_is_named(settings):
    with pytest.raises(NotFound, match="Nothing was ever published"):
        recompute_signals(settings, [FIRST])
    run_night(settings, [FIRST])
    with pytest.raises(NotFound, match="2030-01-01"):
        recompute_signals(settings, [FIRST, FIRST.replace(year=2030, month=1, day=1)])
