from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import duckdb
import frames
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas import contract
from schemas.errors import WarehouseFault
from warehouse.catalogue import connect, rebuild
from warehouse.layout import Warehouse
from warehouse.query import run_query
from warehouse.stage import Stage

DAY = frames.DAY
OTHER = DAY - timedelta(days=1)


def test_a_table_without_files_reads_as_typed_and_empty(warehouse):
    frame = warehouse.scan("messages").collect()
    assert frame.height == 0
    assert frame.schema == pl.Schema({**contract.table("messages").polars, "dt": pl.Date()})
    assert warehouse.days("messages") == []


def test_days_are_read_by_name_and_absent_ones_add_nothing(warehouse, put):
    for day in (DAY, OTHER):
        put("messages", day, frames.messages(day))
    assert warehouse.days("messages") == [OTHER, DAY]
    assert warehouse.scan("messages").collect().height == 12
    read = warehouse.scan("messages", days=[DAY, date(2020, 1, 1)], columns=["message_id", "dt"]).collect()
    assert read.columns == ["message_id", "dt"]
    assert read["dt"].unique().to_list() == [DAY]


def test_a_root_with_key_value_folders_adds_no_column(tmp_path):
    warehouse = Warehouse(tmp_path / "stage=prod" / "a[1]'s")
    with Stage(warehouse, "r") as stage:
        staged = stage.write("messages", DAY, frames.messages(), {})
        target = warehouse.path("messages", DAY)
        target.parent.mkdir(parents=True)
        staged.path.rename(target)
    assert warehouse.scan("messages").collect().columns == [*contract.table("messages").polars, "dt"]
    with connect(warehouse) as con:
        assert con.execute("SELECT count(*), min(dt) FROM messages").fetchall() == [(6, DAY)]


def _write_without(warehouse: Warehouse, column: str, day: date) -> None:
    """A file as an older version of the contract would have left it."""
    path = warehouse.path("messages", day)
    path.parent.mkdir(parents=True)
    shape = contract.table("messages")
    table = shape.conform(frames.messages(day)).to_arrow().cast(shape.arrow)
    pq.write_table(table.drop_columns([column]), path)


@pytest.mark.parametrize("old_first", [True, False])
def test_an_old_file_reads_null_for_a_newer_column_whatever_the_order(warehouse, put, old_first):
    old, new = (OTHER, DAY) if old_first else (DAY, OTHER)
    _write_without(warehouse, "model", old)
    put("messages", new, frames.messages(new))
    by_polars = warehouse.scan("messages").select("dt", "message_id", "model").collect().sort("message_id")
    with connect(warehouse) as con:
        by_duckdb = con.execute("SELECT dt, message_id, model FROM message_versions ORDER BY message_id").fetchall()
    assert by_polars.rows() == by_duckdb
    assert by_polars.filter(pl.col("dt") == old)["model"].is_null().all()
    assert by_polars.filter(pl.col("dt") == new)["model"].drop_nulls().len() == 3
    assert warehouse.verify(["messages"]) == 2


def test_a_column_that_all_files_are_too_old_for_is_there_and_null(warehouse):
    _write_without(warehouse, "model", DAY)
    with connect(warehouse) as con:
        assert con.execute("SELECT DISTINCT model FROM messages").fetchall() == [(None,)]
    assert warehouse.scan("messages", columns=["model"]).collect()["model"].null_count() == 6


def _runs_of_version_1(warehouse: Warehouse, day: date) -> None:
    """As a run wrote it before `inputs` told formats and declarations."""
    path = warehouse.path("runs", day)
    path.parent.mkdir(parents=True)
    shape = contract.table("runs")
    named = [f for f in shape.column("inputs").fields if f.name in ("file", "bytes", "sha256", "records")]
    inputs = pa.list_(pa.field("element", pa.struct([pa.field(f.name, f.arrow, f.nullable) for f in named])))
    fields = [pa.field(f.name, inputs if f.name == "inputs" else f.type, f.nullable) for f in shape.arrow]
    row = frames.runs().to_dicts()[0] | {
        "inputs": [{"file": "a.jsonl", "bytes": 3, "sha256": "0", "records": 1}],
    }
    pq.write_table(pa.Table.from_pylist([row], schema=pa.schema(fields)), path)


@pytest.mark.parametrize("old_first", [True, False])
def test_a_field_of_a_struct_that_an_old_file_lacks_reads_as_null(warehouse, put, old_first):
    old, new = (OTHER, DAY) if old_first else (DAY, OTHER)
    _runs_of_version_1(warehouse, old)
    inputs = [
        {"file": "b.jsonl", "format": "native", "bytes": 1, "sha256": "1", "records": 1, "named": "", "declared": ""}
    ]
    put(
        "runs",
        new,
        frames.runs().with_columns(inputs=pl.Series([inputs], dtype=contract.table("runs").polars["inputs"])),
    )
    query = "SELECT dt, inputs[1].file, inputs[1].format FROM runs ORDER BY dt"
    right = sorted([(old, "a.jsonl", None), (new, "b.jsonl", "native")])
    with connect(warehouse) as con:
        assert con.execute(query).fetchall() == right
    first = pl.col("inputs").list.first().struct
    read = warehouse.scan("runs").select("dt", first.field("file"), first.field("format")).sort("dt")
    assert read.collect().rows() == right
    assert run_query(warehouse, query).rows() == right
    assert warehouse.verify(["runs"]) == 2


def test_an_old_record_of_a_run_stays_when_its_day_is_written_anew(warehouse, put):
    _runs_of_version_1(warehouse, DAY)
    put("runs", DAY, warehouse.scan("runs", [DAY]).drop("dt").collect())
    assert warehouse.footer("runs", DAY)["schema_version"] == str(contract.table("runs").version)
    assert warehouse.scan("runs").collect()["inputs"].to_list()[0][0]["file"] == "a.jsonl"


def test_a_column_that_the_contract_dropped_is_left_out(warehouse):
    path = warehouse.path("messages", DAY)
    path.parent.mkdir(parents=True)
    shape = contract.table("messages")
    table = shape.conform(frames.messages()).to_arrow().cast(shape.arrow)
    pq.write_table(table.append_column("old", pa.array(range(6))), path)
    assert "old" not in warehouse.scan("messages").collect().columns
    with connect(warehouse) as con:
        assert "old" not in con.sql("FROM messages").columns


def test_the_calendar_day_does_not_move_with_the_zone_of_the_machine(warehouse, put, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    moment = datetime(2026, 11, 29, 17, 30, tzinfo=UTC)
    put("messages", DAY, frames.messages(created_at=moment, completed_at=None))
    with connect(warehouse) as con:
        rows = con.execute("SELECT DISTINCT created_at::DATE, dt FROM messages").fetchall()
    assert rows == [(DAY, DAY)]
    read = warehouse.scan("messages").select(pl.col("created_at").dt.date(), "dt").unique().collect()
    assert read.rows() == [(DAY, DAY)]


@pytest.mark.parametrize("content", [b"", b"PAR1", b"not parquet at all", b"PAR1" + b"\0" * 64 + b"PAR1"])
def test_verify_names_a_torn_file(warehouse, put, content):
    put("messages", OTHER, frames.messages(OTHER))
    path = warehouse.path("messages", DAY)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(WarehouseFault, match="not a whole Parquet file") as caught:
        warehouse.verify()
    assert str(path) in str(caught.value)
    with pytest.raises(WarehouseFault):
        warehouse.footer("messages", DAY)


def test_verify_names_a_truncated_file(warehouse, put):
    put("messages", DAY, frames.messages())
    path = warehouse.path("messages", DAY)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(WarehouseFault, match=str(path)):
        warehouse.verify(["messages"])


@pytest.mark.parametrize(
    "times",
    [
        pl.Series([datetime(2026, 11, 29, 10)]).cast(pl.Datetime("us")),  # no zone
        pl.Series([datetime(2026, 11, 29, 10)]).cast(pl.Datetime("ns")).dt.replace_time_zone("UTC"),
    ],
)
def test_verify_names_a_foreign_schema(warehouse, times):
    path = warehouse.path("messages", DAY)
    path.parent.mkdir(parents=True)
    pl.DataFrame({"source": ["app"], "created_at": times}).write_parquet(path, use_pyarrow=True)
    with pytest.raises(WarehouseFault, match=r"part\.parquet holds column \w+ in another type"):
        warehouse.verify(["messages"])


@pytest.mark.parametrize("where", ["dt=2026-11-29/other.parquet", "dt=2026-13-45/part.parquet", "part.parquet"])
def test_verify_names_a_file_in_the_wrong_place(warehouse, put, where):
    put("messages", DAY, frames.messages())
    stray = warehouse.root / "messages" / where
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(warehouse.path("messages", DAY).read_bytes())
    with pytest.raises(WarehouseFault, match="does not lie where a partition lies"):
        warehouse.verify(["messages"])
    assert warehouse.days("messages") == [DAY]


def test_every_engine_sees_the_same_rows_through_the_bare_glob(warehouse, put):
    for day in (DAY, OTHER):
        put("messages", day, frames.messages(day))
    glob = f"{warehouse.root}/messages/**/*.parquet"
    counted = duckdb.connect().execute("SELECT count(*) FROM read_parquet(?)", [glob]).fetchall()
    assert counted == [(12,)]
    assert pl.scan_parquet(glob).select(pl.len()).collect().item() == 12
    assert sum(pq.read_metadata(p).num_rows for p in Path(warehouse.root).glob("messages/**/*.parquet")) == 12


def test_an_empty_key_is_one_group_of_its_own_in_files_and_in_views(warehouse, put):
    rows = pl.concat(
        [
            frames.exchanges(turns=1, source="", model=""),
            frames.exchanges(turns=2, source="app", model="m").tail(1),
        ]
    )
    put("exchanges", frames.DAY, rows)
    rebuild(warehouse)
    right = [("", "", 1), ("app", "m", 1)]
    assert warehouse.scan("exchanges").select("source", "model", pl.lit(1)).sort("source").collect().rows() == right
    for view, count in (("exchanges", "count(*)"), ("signal_rates", "max(exchanges)")):
        sql = f"SELECT source, model, {count} FROM {view} GROUP BY ALL ORDER BY ALL"  # noqa: S608
        assert run_query(warehouse, sql).rows() == right, view
