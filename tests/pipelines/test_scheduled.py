"""The night cut into tasks: retries of any task, and two runs that get in each other's way."""

import json
from datetime import date

import pytest

from pipelines import scheduled
from pipelines.steps import publish as step
from schemas.errors import Fault, WarehouseBusy
from tests.conftest import settings_for
from tests.e2e.test_promises import digests
from warehouse.layout import Warehouse

DAY = "2026-11-02"


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """Settings of a small landing zone, given by the environment as a scheduler's workers get them."""
    landing = tmp_path / "landing"
    for day in (DAY, "2026-11-03"):
        (landing / f"dt={day}").mkdir(parents=True)
        base = {"kind": "message", "conversation_id": f"c-{day}", "source": "web", "created_at": f"{DAY}T10:00:00Z"}
        rows = [
            base | {"message_id": "u1", "role": "user", "content": "What is the capital of Chad?"},
            base | {"message_id": "a1", "role": "assistant", "content": "Lagos.", "created_at": f"{DAY}T10:00:02Z"},
            base | {"message_id": "u2", "role": "user", "content": "That is wrong.", "created_at": f"{DAY}T10:00:20Z"},
        ]
        (landing / f"dt={day}" / "web.jsonl").write_text("\n".join(map(json.dumps, rows)))
    made = settings_for(tmp_path, landing=landing)
    for name, value in (("LANDING", landing), ("WAREHOUSE", made.warehouse), ("KEY_FILE", made.key_path)):
        monkeypatch.setenv(f"TACIT_{name}", str(value))
    return made


def to_the_gate(day: str, run: str):
    plan = scheduled.begin(day, run)
    buckets = [scheduled.deidentify(plan, b) for b in plan["buckets"]]
    merged = scheduled.merge(plan, buckets)
    return plan, merged, buckets, [scheduled.detect(plan, c) for c in merged["chunks"]]


@pytest.mark.usefixtures("settings")
def test_every_task_can_be_tried_again():
    handed = to_the_gate(DAY, "manual__2026-11-03T00:00:00+00:00")
    plan, merged, buckets, chunks = handed
    assert scheduled.merge(plan, buckets)["chunks"] == merged["chunks"]
    assert [scheduled.detect(plan, c)["result"]["counts"] for c in merged["chunks"]] == [
        c["result"]["counts"] for c in chunks
    ]
    rows = scheduled.publish(*handed)["rows"]
    assert (rows["messages"], rows["exchanges"], rows["runs"]) == (3, 1, 1)


def test_a_publish_that_died_half_way_can_be_tried_again(settings, monkeypatch):
    scheduled.publish(*to_the_gate(DAY, "first"))
    file = settings.landing / f"dt={DAY}" / "web.jsonl"
    file.write_text(file.read_text().replace("Lagos", "Abuja"))
    handed = to_the_gate(DAY, "second")

    def half(warehouse, staged):
        whole(warehouse, [s for s in staged if s.table == "messages"])
        raise OSError("the machine went away")

    whole = step.publish
    monkeypatch.setattr(step, "publish", half)
    with pytest.raises(Fault, match="OSError"):
        scheduled.publish(*handed)
    monkeypatch.setattr(step, "publish", whole)
    scheduled.publish(*handed)
    retried = digests(settings.warehouse)
    scheduled.publish(*to_the_gate(DAY, "third"))
    assert digests(settings.warehouse) == retried


def test_a_run_that_was_overtaken_is_refused_and_the_next_try_is_right(settings):
    first = to_the_gate(DAY, "first")
    second = to_the_gate("2026-11-03", "second")
    scheduled.publish(*first)
    with pytest.raises(WarehouseBusy, match="Another run published"):
        scheduled.publish(*second)
    scheduled.publish(*to_the_gate("2026-11-03", "second"))
    warehouse = Warehouse(settings.warehouse)
    assert warehouse.scan("messages", [date(2026, 11, 2)]).collect().height == 6
    assert warehouse.scan("exchanges", [date(2026, 11, 2)]).collect().height == 2


def test_the_work_of_a_finished_run_is_gone_and_that_of_a_living_one_stays(settings):
    waiting = to_the_gate("2026-11-03", "waiting")
    scheduled.publish(*to_the_gate(DAY, "finished"))
    left = [p.name for p in (settings.warehouse / ".work").iterdir()]
    assert left == ["scheduled-waiting"]
    assert waiting[0]["work"].endswith("scheduled-waiting")
