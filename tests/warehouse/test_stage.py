import errno
import os
import subprocess
import sys
import textwrap
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path

import frames
import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas import contract
from schemas.errors import ContractBroken, WarehouseFault
from warehouse import files
from warehouse.layout import Warehouse
from warehouse.publish import publish
from warehouse.stage import Stage, sweep

DAY = frames.DAY
META = {"code_version": "0.1", "config_digest": "abc", "key_id": "k1"}
COUNTS = contract.table("messages").column("entity_counts").polars
MAKERS = {
    "messages": frames.messages,
    "events": frames.events,
    "exchanges": frames.exchanges,
    "signals": frames.signals,
    "quarantine": frames.quarantine,
    "runs": frames.runs,
}


@pytest.mark.parametrize("table", MAKERS)
def test_a_partition_reads_back_as_it_was_given(stage, table):
    frame = MAKERS[table]()
    staged = stage.write(table, DAY, frame, META)
    shape = contract.table(table)
    assert pl.read_parquet(staged.path, hive_partitioning=False).equals(shape.conform(frame))
    assert pq.read_schema(staged.path).remove_metadata().equals(shape.arrow)
    assert staged.rows == frame.height


@pytest.mark.parametrize("table", list(contract.tables()))
def test_an_empty_partition_is_a_typed_file(stage, table):
    staged = stage.write(table, DAY, contract.table(table).empty(), META)
    assert staged.rows == 0
    assert pq.read_schema(staged.path).remove_metadata().equals(contract.table(table).arrow)


@pytest.mark.parametrize("table", MAKERS)
def test_equal_rows_in_any_order_give_equal_bytes(warehouse, table):
    frame = MAKERS[table]()
    digests = set()
    for number, rows in enumerate([frame, frame.reverse(), frame.sample(fraction=1, shuffle=True, seed=3)]):
        with Stage(warehouse, f"run-{number}") as opened:
            metadata = dict(sorted(META.items(), reverse=bool(number % 2)))
            digests.add(opened.write(table, DAY, rows, metadata).sha256)
    assert len(digests) == 1


def test_the_footer_holds_versions_and_what_was_given_and_no_time(warehouse, stage):
    publish(warehouse, [stage.write("messages", DAY, frames.messages(), META)])
    assert warehouse.footer("messages", DAY) == {
        "table": "messages",
        "schema_version": str(contract.table("messages").version),
        **META,
    }


def test_row_groups_prune_by_conversation(stage):
    base = frames.messages(turns=1).head(1)
    wide = base.select(pl.all().repeat_by(200_000).explode()).with_columns(
        pl.int_range(pl.len()).cast(pl.String).str.zfill(7).alias("conversation_id")
    )
    staged = stage.write("messages", DAY, wide, META)
    footer = pq.read_metadata(staged.path)
    assert footer.num_row_groups == 4
    assert footer.row_group(0).column(0).compression == "ZSTD"
    ranges = []
    for group in range(footer.num_row_groups):
        statistics = footer.row_group(group).column(1).statistics
        ranges.append((statistics.min, statistics.max))
    assert ranges == sorted(ranges)
    assert all(one[1] < two[0] for one, two in pairwise(ranges))


def _many_messages(rows: int) -> pl.DataFrame:
    base = frames.messages(turns=1).head(1)
    return base.select(pl.all().repeat_by(rows).explode()).with_columns(
        pl.int_range(pl.len()).cast(pl.String).str.zfill(7).alias("conversation_id"),
        text=pl.concat_str(pl.lit("some text "), pl.int_range(pl.len()) % 977),
    )


@pytest.mark.parametrize("borders", [[], [1], [65_536], [50_000, 65_535, 100_000], [100_000, 100_000, 140_000]])
def test_rows_in_parts_give_the_bytes_of_the_whole(stage, borders):
    whole = _many_messages(150_000)
    one = stage.write("messages", DAY, whole, META)
    edges = [0, *borders, whole.height]
    parts = (whole[a:b].sample(fraction=1, shuffle=True, seed=1) for a, b in pairwise(edges))
    again = stage.write_parts("messages", DAY, parts, META)
    assert (again.sha256, again.rows) == (one.sha256, 150_000)


def test_no_parts_are_a_typed_file(stage):
    staged = stage.write_parts("messages", DAY, [], META)
    assert staged.sha256 == stage.write("messages", DAY, contract.table("messages").empty(), META).sha256


def test_a_part_out_of_its_place_is_refused_and_leaves_no_file(stage):
    whole = _many_messages(10)
    with pytest.raises(ContractBroken, match="does not come after"):
        stage.write_parts("messages", DAY, [whole[5:], whole[:5]], META)
    assert not list(stage.folder.rglob("*.parquet"))


def test_nanoseconds_are_floored_to_microseconds(stage):
    exact = pl.Series([1764412345678901234], dtype=pl.Int64).cast(pl.Datetime("ns", "UTC"))
    frame = frames.messages(turns=1).with_columns(created_at=pl.lit(exact).first())
    assert frame.schema["created_at"] == pl.Datetime("ns", "UTC")
    staged = stage.write("messages", DAY, frame, META)
    read = pl.read_parquet(staged.path, hive_partitioning=False)
    assert read.schema["created_at"] == pl.Datetime("us", "UTC")
    assert read["created_at"].dt.epoch("us").unique().to_list() == [1764412345678901]


def test_another_zone_keeps_the_instant(stage):
    moment = datetime(2026, 11, 30, 1, 30, tzinfo=timezone(timedelta(hours=8)))
    column = pl.Series([moment]).dt.convert_time_zone("Asia/Shanghai")
    frame = frames.messages(turns=1).with_columns(created_at=pl.lit(column).first())
    read = pl.read_parquet(stage.write("messages", DAY, frame, META).path, hive_partitioning=False)
    assert read["created_at"].unique().to_list() == [datetime(2026, 11, 29, 17, 30, tzinfo=UTC)]


def _bent(table: str, **columns: pl.Expr) -> pl.DataFrame:
    return MAKERS[table]().with_columns(**columns)


@pytest.mark.parametrize(
    ("table", "frame", "says"),
    [
        ("exchanges", _bent("exchanges", gap_s=pl.lit(float("nan"))), "gap_s holds a number that is not finite"),
        ("exchanges", _bent("exchanges", p_skim=pl.lit(float("inf"))), "p_skim holds a number that is not finite"),
        (
            "signals",
            frames.signals().with_columns(pl.col("evidence").struct.with_fields(lexical=pl.lit(float("nan")))),
            "evidence.lexical holds a number that is not finite",
        ),
        ("messages", _bent("messages", role=pl.lit(None, pl.String)), "role holds nulls"),
        (
            "messages",
            _bent(
                "messages",
                entity_counts=pl.lit([{"entity": None, "n": 1}], contract.table("messages").polars["entity_counts"]),
            ),
            "entity_counts.entity holds nulls",
        ),
        ("messages", _bent("messages", created_at=pl.lit(datetime(2026, 11, 29))), "created_at holds times without"),
        ("messages", _bent("messages", n_chars=pl.lit(1.5)), "n_chars holds fractions"),
        ("messages", _bent("messages", conversation_id=pl.lit(7)), "conversation_id holds no strings"),
        ("messages", _bent("messages", n_chars=pl.lit("canary-value")), "another type"),
        ("messages", frames.messages().drop("role"), "lacks role"),
    ],
)
def test_a_frame_that_breaks_its_contract_is_refused_without_its_values(stage, table, frame, says):
    with pytest.raises(ContractBroken, match=says) as caught:
        stage.write(table, DAY, frame, META)
    assert "canary" not in str(caught.value)
    assert not list(stage.folder.rglob("*.parquet"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]))), max_size=8))
def test_any_text_survives_the_round_trip(tmp_path, texts):
    base = frames.messages(turns=1).head(1)
    frame = pl.concat([base] * len(texts)) if texts else base.clear()
    frame = frame.with_columns(
        text=pl.Series(texts, dtype=pl.String),
        message_id=pl.Series([f"{n:02}" for n in range(len(texts))], dtype=pl.String),
    )
    with Stage(Warehouse(tmp_path), "r") as opened:
        staged = opened.write("messages", DAY, frame, {})
        assert pl.read_parquet(staged.path, hive_partitioning=False)["text"].to_list() == texts


@pytest.mark.parametrize("cause", [errno.ENOSPC, errno.EIO, errno.EACCES])
def test_a_disk_that_refuses_leaves_the_published_tables_and_no_rest(warehouse, put, monkeypatch, cause):
    put("messages", DAY, frames.messages())
    before = warehouse.path("messages", DAY).read_bytes()
    opened = Stage(warehouse, "r")
    opened.write("events", DAY, frames.events(), META)

    def refuse(_sink: files.Sink, _data: bytes) -> None:
        raise OSError(cause, os.strerror(cause))

    monkeypatch.setattr(files.Sink, "write", refuse)
    with pytest.raises(WarehouseFault, match=os.strerror(cause)) as caught:
        opened.write("messages", DAY, frames.messages(text="new"), META)
    assert "published tables are as they were" in str(caught.value)
    assert not opened.folder.exists()
    assert warehouse.path("messages", DAY).read_bytes() == before


def test_a_real_limit_on_file_size_is_reported_as_a_full_disk(tmp_path):
    script = """
        import resource, sys
        from pathlib import Path
        sys.path.insert(0, sys.argv[1])
        import frames
        from schemas.errors import WarehouseFault
        from warehouse.layout import Warehouse
        from warehouse.stage import Stage
        stage = Stage(Warehouse(Path(sys.argv[2])), "r")
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        try:
            stage.write("messages", frames.DAY, frames.messages(), {})
        except WarehouseFault as fault:
            assert "Free space" in str(fault), fault
            assert not stage.folder.exists()
            print("refused")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(Path(__file__).parent), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "refused\n", done.stderr


def test_bytes_that_do_not_read_back_are_refused(stage, monkeypatch):
    sync = files.Sink.sync

    def lose_a_byte(sink: files.Sink) -> None:
        sync(sink)
        path = next(stage.folder.rglob("part.parquet"))
        path.write_bytes(path.read_bytes()[:-1] + b"X")

    monkeypatch.setattr(files.Sink, "sync", lose_a_byte)
    with pytest.raises(WarehouseFault):
        stage.write("messages", DAY, frames.messages(), META)
    assert not stage.folder.exists()


@pytest.mark.parametrize("run_id", ["", "../x", "a/b", ".hidden", "x" * 200, "a b"])
def test_a_run_id_that_is_no_folder_name_is_refused(warehouse, run_id):
    with pytest.raises(ValueError, match="run id"):
        Stage(warehouse, run_id)


def test_sweep_removes_dead_runs_and_leaves_living_ones(warehouse):
    dead = warehouse.root / ".staging" / "dead" / "messages" / "dt=2026-11-29"
    dead.mkdir(parents=True)
    (dead / "part.parquet").write_bytes(b"half")
    with Stage(warehouse, "living") as living:
        staged = living.write("messages", DAY, frames.messages(), META)
        assert sweep(warehouse) == 1
        assert staged.path.exists()
    assert not list((warehouse.root / ".staging").iterdir())
    assert sweep(warehouse) == 0


@pytest.mark.usefixtures("stage")
def test_two_living_runs_cannot_share_an_id(warehouse):
    with pytest.raises(WarehouseFault, match="Another living run"):
        Stage(warehouse, "run-1")
