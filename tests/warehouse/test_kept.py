"""Views that are kept in files say what their SQL says, whatever happened to the tables since."""

import os
import shutil
from datetime import timedelta
from pathlib import Path

import duckdb
import frames
import polars as pl
import pyarrow.parquet as pq
import pytest

from warehouse.catalogue import connect, rebuild
from warehouse.kept import fresh_days, kept_days, kept_views, path_of
from warehouse.layout import Warehouse
from warehouse.publish import publish
from warehouse.query import run_query

DAY = frames.DAY
NEXT = DAY + timedelta(days=1)
COMPLAINTS = "SELECT sum(detected)::BIGINT AS n FROM exchange_counts WHERE signal = 'complain'"


@pytest.fixture
def published(warehouse, full_day) -> Warehouse:
    publish(warehouse, full_day())
    return warehouse


def in_any_client(warehouse: Warehouse, sql: str) -> list[tuple]:
    with duckdb.connect(warehouse.root / "warehouse.duckdb", read_only=True) as con:
        return con.execute(sql).fetchall()


def kept_files(warehouse: Warehouse) -> dict[str, bytes]:
    root = warehouse.root / "marts"
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*.parquet"))}


def test_what_is_kept_is_what_the_sql_gives(published, put):
    put("exchanges", NEXT, frames.exchanges(NEXT, complain=True))
    with connect(published) as con:
        live = {v.name: con.execute(f"FROM {v.name} ORDER BY ALL").fetchall() for v in kept_views()}
    rebuild(published)
    for view in kept_views():
        assert kept_days(published, view) == [DAY, NEXT]
        assert live[view.name]
        assert in_any_client(published, f"FROM {view.name} ORDER BY ALL") == live[view.name]
        assert run_query(published, f"FROM {view.name} ORDER BY ALL").rows() == live[view.name]


def test_a_day_that_was_published_since_is_right_at_once_in_tacit_and_after_a_rebuild_elsewhere(published, put):
    rebuild(published)
    put("exchanges", DAY, frames.exchanges(complain=True))
    put("exchanges", NEXT, frames.exchanges(NEXT, turns=2, complain=True))
    assert not any(fresh_days(published, view) for view in kept_views() if "exchanges" in view.kept)
    assert run_query(published, COMPLAINTS).item() == 5
    assert in_any_client(published, COMPLAINTS) == [(0,)]
    rebuild(published)
    assert in_any_client(published, COMPLAINTS) == [(5,)]


def test_a_change_of_the_next_day_reaches_what_came_next(warehouse, put):
    follow = frames.exchanges(turns=1, complain=True, outcome="followed", next_user_id="later")
    put("exchanges", DAY, follow)
    rebuild(warehouse)
    answer = frames.exchanges(NEXT, turns=1, request_id="later", dislike=False, repeat=False)
    put("exchanges", NEXT, answer)
    rebuild(warehouse)
    assert in_any_client(warehouse, "SELECT sum(recovered) FROM follow_through WHERE signal = 'complain'") == [(1,)]


def test_a_day_that_is_gone_goes_from_what_is_kept(published, put):
    put("exchanges", NEXT, frames.exchanges(NEXT, complain=True))
    rebuild(published)
    shutil.rmtree(published.path("exchanges", NEXT).parent)
    assert run_query(published, COMPLAINTS).item() == 0
    rebuild(published)
    assert in_any_client(published, COMPLAINTS) == [(0,)]
    assert {p.split("/")[1] for p in kept_files(published)} == {f"dt={DAY}"}


def test_messages_that_are_gone_are_noticed_too(published, put):
    put("messages", DAY - timedelta(days=1), frames.messages(DAY - timedelta(days=1)))
    rebuild(published)
    for back in (0, 1):
        shutil.rmtree(published.path("messages", DAY - timedelta(days=back)).parent)
    rebuild(published)
    assert in_any_client(published, "SELECT DISTINCT request_kind FROM exchange_counts") == [("not captured",)]


def test_the_same_tables_give_the_same_bytes_and_nothing_is_made_twice(published):
    rebuild(published)
    before = {p: p.stat().st_ino for p in (published.root / "marts").rglob("*.parquet")}
    rebuild(published)
    assert {p: p.stat().st_ino for p in (published.root / "marts").rglob("*.parquet")} == before
    bytes_here = kept_files(published)
    shutil.rmtree(published.root / "marts")
    rebuild(published)
    assert kept_files(published) == bytes_here


def test_a_folder_that_was_copied_is_looked_at_and_not_made_anew(published, tmp_path):
    rebuild(published)
    there = tmp_path / "elsewhere"
    shutil.copytree(published.root, there)
    for path in (there / "exchanges").rglob("*.parquet"):
        os.utime(path)
    inodes = {p: p.stat().st_ino for p in (there / "marts").rglob("*.parquet")}
    moved = Warehouse(there)
    shutil.rmtree(published.root)
    with pytest.raises(duckdb.IOException, match="Repair it with: tacit catalogue"):
        in_any_client(moved, "SELECT count(*) FROM messages")
    with pytest.raises(duckdb.IOException, match="Repair it with: tacit catalogue"):
        in_any_client(moved, "FROM signal_rates")
    assert run_query(moved, "SELECT count(*) FROM messages").item() == 6  # whatever the catalogue file says
    rebuild(moved)
    assert in_any_client(moved, "SELECT count(*) FROM messages") == [(6,)]
    assert in_any_client(moved, COMPLAINTS) == [(0,)]
    assert {p: p.stat().st_ino for p in (there / "marts").rglob("*.parquet")} == inodes
    assert all(fresh_days(moved, view) == [DAY] for view in kept_views())


def test_one_torn_file_leaves_the_other_days_right(published, put):
    put("exchanges", NEXT, frames.exchanges(NEXT, complain=True))
    rebuild(published)
    published.path("exchanges", NEXT).write_bytes(b"PAR1 torn")
    rebuild(published)
    # Its day before looks at the torn day too; what does not read the table is right for both.
    reading = [view for view in kept_views() if "exchanges" in view.kept and view.name != "exchange_counts"]
    assert all(path_of(published, view, DAY).is_file() for view in kept_views() if view.name != "exchange_counts")
    assert all(kept_days(published, view) == [DAY] for view in reading)


def test_what_a_former_version_of_a_view_kept_is_thrown_away(published):
    rebuild(published)
    former = published.root / "marts" / "user_days-00000000" / f"dt={DAY}"
    former.mkdir(parents=True)
    (former / "part.parquet").write_bytes(b"")
    rebuild(published)
    assert not former.parent.exists()


def test_a_kept_file_that_was_torn_is_made_anew(published):
    rebuild(published)
    good = kept_files(published)
    for path in (published.root / "marts").rglob("*.parquet"):
        path.write_bytes(b"PAR1")
    rebuild(published)
    assert kept_files(published) == good


def test_a_kept_file_names_what_it_was_made_from_and_no_clock(published):
    rebuild(published)
    [view] = [v for v in kept_views() if v.name == "exchange_counts"]
    said = pq.read_metadata(path_of(published, view, DAY)).metadata
    assert said[b"tacit.files"] == f"exchanges/{DAY},messages/{DAY}".encode()
    assert len(said[b"tacit.made_from"]) == 64


def test_one_day_is_read_from_one_file(published, put):
    put("exchanges", NEXT, frames.exchanges(NEXT))
    path: Path = rebuild(published)
    with duckdb.connect(path, read_only=True) as con:
        plan = con.execute(f"EXPLAIN ANALYZE FROM signal_rates WHERE dt = '{NEXT}'").fetchall()[0][1]
    assert "Scanning Files: 1/2" in plan


def test_sums_of_probabilities_do_not_depend_on_the_order_of_rows(warehouse, put):
    thirds = frames.exchanges(turns=9).with_columns(p_complain=pl.Series([0.1 * n for n in range(9)]))
    put("exchanges", DAY, thirds)
    rebuild(warehouse)
    sql = "SELECT place, estimated FROM exchange_counts WHERE signal = 'complain' ORDER BY place"
    assert in_any_client(warehouse, sql) == [("first", 0.1), ("later", 3.5)]
