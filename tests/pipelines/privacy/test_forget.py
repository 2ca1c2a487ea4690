"""A user who was erased is in no table, and no later run brings the user back."""

import json
import shutil
from datetime import date

import duckdb
import polars as pl
import pytest
from talks_of_users import DAYS, ERASED, OTHER, THIRD, landing_zone, talk

from anonymize.keyring import rotate_key
from anonymize.keys import load_key
from pipelines.night import run_night
from pipelines.privacy import forget as forget_module
from pipelines.privacy.forget import forget
from pipelines.privacy.request import Request
from pipelines.readers.landing import landing_days
from schemas.contract import tables
from schemas.errors import ErasureFault, KeyFault, NotFound, WarehouseBusy
from tests.conftest import settings_for
from tests.e2e.test_promises import digests
from warehouse.layout import Warehouse

BOTH_DAYS = [date.fromisoformat(d) for d in DAYS]
DERIVED = ("runs", "quality", "erasures", "warehouse.duckdb")


@pytest.fixture(scope="module")
def run_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("forget")
    settings = settings_for(folder, landing=landing_zone(folder / "landing"), workers=1)
    run_night(settings, BOTH_DAYS)
    return settings


@pytest.fixture
def settings(run_once, tmp_path):
    """A warehouse of one's own, of the same runs under the same key."""
    for name in ("landing", "warehouse", "home"):
        shutil.copytree(getattr(run_once, name), tmp_path / name)
    return settings_for(tmp_path, landing=tmp_path / "landing", workers=1)


def user_key(settings, user=ERASED):
    return load_key(settings.key_path).user_key("web", user)


def rows_of(settings, table):
    return Warehouse(settings.warehouse).scan(table).collect()


def test_every_row_of_the_user_goes_and_others_stay(settings):
    theirs = {t: rows_of(settings, t).filter(pl.col("user_key") == user_key(settings, OTHER)) for t in ("messages",)}
    done = forget(settings, Request(user=ERASED))
    assert done.removed == {"messages": 11, "events": 2, "exchanges": 4, "signals": done.removed["signals"]}
    assert done.removed["signals"] > 0
    assert done.left == {}
    assert done.conversations == 3
    gone = user_key(settings)
    for name in tables():
        if name != "erasures":
            assert gone not in json.dumps(rows_of(settings, name).to_dicts(), default=str), name
    messages = rows_of(settings, "messages")
    assert set(messages["conversation_id"]) == {"b", "c", "d", "both"}
    assert set(messages.filter(pl.col("conversation_id") == "both")["message_id"]) == {"both-m1", "both-m5"}
    assert messages.filter(pl.col("user_key") == user_key(settings, OTHER)).equals(theirs["messages"])
    Warehouse(settings.warehouse).verify()


def test_what_views_keep_of_the_user_goes_too(settings):
    def users():
        kept = (pl.read_parquet(p) for p in settings.warehouse.glob("marts/*/dt=*/part.parquet"))
        return {u for rows in kept if "user_id" in rows.columns for u in rows["user_id"]}

    def number(user):
        return duckdb.execute("SELECT md5_number_lower(?)", [f"web/{user_key(settings, user)}"]).fetchone()[0]

    assert number(ERASED) in users()
    forget(settings, Request(user=ERASED))
    assert users() == {number(OTHER), number(THIRD)}


@pytest.mark.slow
def test_the_tables_come_out_as_if_the_user_had_never_been_there(settings, tmp_path):
    forget(settings, Request(user=ERASED))
    after = digests(settings.warehouse, DERIVED)
    other = settings.model_copy(update={"warehouse": tmp_path / "fresh"})
    shutil.copytree(settings.warehouse / "erasures", other.warehouse / "erasures")
    for day in reversed(BOTH_DAYS):
        run_night(other, [day])
    assert digests(other.warehouse, DERIVED) == after


@pytest.mark.slow
def test_running_the_landing_days_again_brings_nothing_back_and_counts_what_it_dropped(settings):
    forget(settings, Request(user=ERASED))
    before = digests(settings.warehouse)
    report = run_night(settings, landing_days(settings.landing))
    assert digests(settings.warehouse) == before
    read = report.counts["read"]
    assert read["forgotten"] == 13
    assert read["records"] == sum(read[n] for n in ("messages", "events", "duplicates", "superseded", "forgotten"))
    run_night(settings, [BOTH_DAYS[1]])  # on this day, a reply and a vote name nobody
    assert digests(settings.warehouse) == before


def test_the_record_of_an_erasure_names_pseudonyms_only(settings):
    done = forget(settings, Request(user=ERASED))
    [row] = rows_of(settings, "erasures").to_dicts()
    assert row["user_key"] == user_key(settings)
    assert row["run_id"] == done.run_id
    assert {r["table_name"]: r["rows"] for r in row["removed"]} == done.removed
    assert {p["table_name"] for p in row["partitions"]} >= {"messages", "events", "exchanges", "signals"}
    text = json.dumps(row, default=str)
    assert ERASED not in text
    assert not any(f'"{c}"' in text for c in ("a", "late", "both", "a-m1"))


def test_the_landing_files_that_still_hold_the_user_are_named(settings):
    landed = forget(settings, Request(user=ERASED), dry_run=True).landed
    # Of the first day: 5 records of `a`, one of `late`, and of `both` the user's own and what names nobody.
    assert landed.files == {f"dt={DAYS[0]}/web.jsonl": 9, f"dt={DAYS[1]}/web.jsonl": 4}
    assert landed.unread == 0


def test_a_dry_run_writes_nothing(settings):
    before = digests(settings.warehouse, ())
    said = forget(settings, Request(user=ERASED), dry_run=True)
    assert said.run_id is None
    assert said.removed["messages"] == 11
    assert digests(settings.warehouse, ()) == before


def test_an_erasure_asked_for_again_finds_nothing_left_to_do(settings):
    first = forget(settings, Request(user=ERASED))
    before = digests(settings.warehouse, ())
    again = forget(settings, Request(user=ERASED))
    assert first.already is None
    assert again.already is not None
    assert again.removed == {}
    assert digests(settings.warehouse, ()) == before


@pytest.mark.slow
def test_a_day_that_was_never_run_is_covered_too(settings):
    folder = settings.landing / "dt=2026-11-09"
    folder.mkdir()
    rows = talk("e", ERASED, "2026-11-09") + talk("f", OTHER, "2026-11-09", 11)
    (folder / "web.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    forget(settings, Request(user=ERASED))
    # The reply of the same conversation comes a day later and names nobody.
    later = settings.landing / "dt=2026-11-10"
    later.mkdir()
    (later / "web.jsonl").write_text(json.dumps(rows[3] | {"message_id": "e-m9", "user_id": None}) + "\n")
    run_night(settings, [date(2026, 11, 9), date(2026, 11, 10)])
    assert "e" not in set(rows_of(settings, "messages")["conversation_id"])
    assert "f" in set(rows_of(settings, "messages")["conversation_id"])


def test_a_conversation_goes_whole_whoever_wrote_in_it(settings):
    done = forget(settings, Request(conversation="both"))
    assert done.removed["messages"] == 5
    assert "both" not in set(rows_of(settings, "messages")["conversation_id"])
    assert user_key(settings) in set(rows_of(settings, "messages")["user_key"])
    before = digests(settings.warehouse)
    run_night(settings, BOTH_DAYS)
    assert digests(settings.warehouse) == before
    assert forget(settings, Request(conversation="both")).already is not None


def test_the_same_id_in_another_source_is_another_person(settings):
    rows = [r | {"source": "app", "conversation_id": f"app-{r['conversation_id']}"} for r in talk("a", ERASED, DAYS[0])]
    (settings.landing / f"dt={DAYS[0]}" / "app.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    run_night(settings, BOTH_DAYS)
    done = forget(settings, Request(user=ERASED, sources=frozenset({"app"})))
    assert list(done.users) == ["app"]
    assert done.removed["messages"] == 4
    assert user_key(settings) in set(rows_of(settings, "messages")["user_key"])


def test_what_is_left_in_the_files_of_a_view_is_seen(settings, monkeypatch):
    monkeypatch.setattr(forget_module, "rebuild", lambda _: None)
    with pytest.raises(ErasureFault, match="in marts/"):
        forget(settings, Request(user=ERASED))


@pytest.mark.parametrize(
    "request_", [Request(user="nobody"), Request(conversation="nowhere"), Request(ERASED, sources=frozenset({"app"}))]
)
def test_an_id_that_is_nowhere_is_not_taken_for_erased(settings, request_):
    before = digests(settings.warehouse, ())
    with pytest.raises(NotFound) as caught:
        forget(settings, request_)
    assert ERASED not in str(caught.value)
    assert digests(settings.warehouse, ()) == before


def test_while_a_run_holds_the_warehouse_nothing_is_erased(settings):
    with Warehouse(settings.warehouse).writer(), pytest.raises(WarehouseBusy):
        forget(settings, Request(user=ERASED))


def test_the_proof_reads_the_tables_and_not_its_own_memory(settings, monkeypatch):
    monkeypatch.setattr(forget_module, "_without", lambda *_: [])
    with pytest.raises(ErasureFault, match="11 in messages"):
        forget(settings, Request(user=ERASED))


def test_an_erasure_during_a_run_stops_that_run(settings, monkeypatch):
    from pipelines import scheduled

    for name in ("landing", "warehouse", "home"):
        monkeypatch.setenv(f"TACIT_{name.upper()}", str(getattr(settings, name)))
    plan = scheduled.begin(DAYS[0], "manual-1")
    buckets = [scheduled.deidentify(plan, b) for b in plan["buckets"]]
    merged = scheduled.merge(plan, buckets)
    chunks = [scheduled.detect(plan, c) for c in merged["chunks"]]
    assert forget(settings, Request(user=ERASED)).under_way == 1
    after = digests(settings.warehouse)
    with pytest.raises(WarehouseBusy, match="erased"):
        scheduled.publish(plan, merged, buckets, chunks)
    assert digests(settings.warehouse) == after


def test_tables_of_a_retired_key_are_erased_from_with_that_key(settings):
    rotate_key(settings.key_path)
    done = forget(settings, Request(user=ERASED))
    assert done.removed["messages"] == 11
    [footer] = {Warehouse(settings.warehouse).footer("messages", d)["tacit.key"] for d in BOTH_DAYS}
    assert footer != load_key(settings.key_path).key_id


def test_without_the_key_of_the_warehouse_nobody_is_erased(settings):
    _, _, kept = rotate_key(settings.key_path)
    kept.unlink()
    with pytest.raises(KeyFault, match="is needed"):
        forget(settings, Request(user=ERASED))


def test_kept_vectors_go_with_the_user(settings):
    folder = settings.home / "vectors"
    folder.mkdir(exist_ok=True)
    for name in ("one.sqlite", "one.sqlite-wal"):
        (folder / name).write_bytes(b"x")
    with pytest.raises(NotFound):
        forget(settings, Request(user="nobody"))
    assert len(list(folder.glob("one.*"))) == 2
    forget(settings, Request(user=ERASED), dry_run=True)
    assert len(list(folder.glob("one.*"))) == 2
    forget(settings, Request(user=ERASED))
    assert list(folder.iterdir()) == []


def test_vectors_that_cannot_be_deleted_are_an_error(settings, monkeypatch):
    def refuse(folder):
        raise PermissionError(folder)

    monkeypatch.setattr(forget_module, "clear_vectors", refuse)
    with pytest.raises(ErasureFault, match="kept vectors"):
        forget(settings, Request(user=ERASED))
    assert rows_of(settings, "messages").filter(pl.col("user_key") == user_key(settings)).is_empty()
