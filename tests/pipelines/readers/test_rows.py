"""Parquet: every type that writers choose gives the JSON that a line would have held."""

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.readers.containers.origin import Origin, Spot
from pipelines.readers.containers.rows import rows
from pipelines.readers.raw import RawRecord
from schemas.reasons import Reason

LIMIT = 1 << 20


def written(folder: Path, **columns: Any) -> list[RawRecord]:
    path = folder / "a.parquet"
    pq.write_table(pa.table(columns), path)
    return list(rows(Origin(path, path.name), LIMIT))


def values(folder: Path, **columns: Any) -> list[Any]:
    found = written(folder, **columns)
    assert not any(r.refusal for r in found)
    return [json.loads(r.data) for r in found]


NANOS = 1762074842123456789
SHOWN = datetime(2025, 11, 2, 9, 14, 2, 123456, tzinfo=UTC)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array(["é"], pa.large_string()), "é"),
        (pa.array(["é"], pa.string_view()), "é"),
        (pa.array(["é".encode()], pa.binary()), "é"),
        (pa.array(["é".encode()], pa.large_binary()), "é"),
        (pa.array(["é"]).dictionary_encode(), "é"),
        (pa.array([7], pa.uint64()), 7),
        (pa.array([2**63 + 1], pa.uint64()), 2**63 + 1),
        (pa.array([7], pa.int8()), 7),
        (pa.array([Decimal(1764412345678)], pa.decimal128(18, 0)), 1764412345678),
        (pa.array([Decimal("1764412345.678")], pa.decimal128(38, 9)), "1764412345.678000000"),
        (pa.array([float("nan")]), None),
        (pa.array([date(2026, 11, 2)]), "2026-11-02"),
        (pa.array([NANOS], pa.timestamp("ns", "UTC")), "2025-11-02T09:14:02.123456Z"),
        (pa.array([NANOS], pa.timestamp("ns")), "2025-11-02T09:14:02.123456"),
        (pa.array([NANOS // 10**9], pa.timestamp("s")), "2025-11-02T09:14:02"),
        (pa.array([SHOWN], pa.timestamp("us", "Asia/Shanghai")), "2025-11-02T17:14:02.123456+08:00"),
        (pa.array([timedelta(seconds=1)], pa.duration("ns")), "PT1S"),
        (pa.array([None], pa.null()), None),
        (pa.array([[("k", "v")]], pa.map_(pa.string(), pa.string())), {"k": "v"}),
        (pa.array([["a", None]], pa.large_list(pa.string())), ["a", None]),
    ],
)
def test_a_value_of_any_type_is_read(tmp_path: Path, column: pa.Array, expected: Any) -> None:
    assert values(tmp_path, c=column) == [{"c": expected}]


def test_types_are_mended_at_any_depth(tmp_path: Path) -> None:
    kind = pa.list_(
        pa.struct({
            "role": pa.binary(),
            "at": pa.timestamp("ns", "UTC"),
            "tags": pa.map_(pa.string(), pa.list_(pa.timestamp("ns"))),
        })
    )  # fmt: skip
    turn = {"role": b"user", "at": NANOS, "tags": [("seen", [NANOS, None])]}
    assert values(tmp_path, turns=pa.array([[turn, None], None, []], kind)) == [
        {
            "turns": [
                {
                    "role": "user",
                    "at": "2025-11-02T09:14:02.123456Z",
                    "tags": {"seen": ["2025-11-02T09:14:02.123456", None]},
                },
                None,
            ]
        },
        {"turns": None},
        {"turns": []},
    ]


def test_a_dictionary_inside_a_struct_is_read(tmp_path: Path) -> None:
    nested = pa.StructArray.from_arrays([pa.array(["user", "user"]).dictionary_encode()], ["role"])
    assert values(tmp_path, c=nested) == [{"c": {"role": "user"}}, {"c": {"role": "user"}}]


def test_pictures_in_the_table_are_left_out(tmp_path: Path) -> None:
    picture = pa.struct({"bytes": pa.binary(), "path": pa.string()})
    column = pa.array([[{"bytes": b"\x89PNG\xff", "path": "a.png"}]], pa.list_(picture))
    assert values(tmp_path, images=column) == [{"images": [{"path": "a.png"}]}]


@pytest.mark.parametrize("kind", [pa.binary(), pa.string()])
def test_text_that_is_not_utf8_costs_its_row_only(tmp_path: Path, kind: pa.DataType) -> None:
    column = pa.array([b"good", b"\xff\xfe", b"fine"]).view(kind)
    found = written(tmp_path, c=column)
    assert [r.refusal and r.refusal.reason for r in found] == [None, Reason.NOT_UTF8, None]
    assert [json.loads(r.data) for r in found if not r.refusal] == [{"c": "good"}, {"c": "fine"}]
    assert [r.line for r in found] == [1, 2, 3]
    assert len({r.place("a").sha256 for r in found}) == 3


def test_a_time_beyond_the_calendar_costs_its_row_only(tmp_path: Path) -> None:
    column = pa.array([NANOS // 1000, 1762074842123456 * 1000], pa.timestamp("us", "UTC"))
    found = written(tmp_path, at=column, text=pa.array(["a", "b"]))
    assert [r.refusal and r.refusal.reason for r in found] == [None, Reason.TIME_OUT_OF_RANGE]


def test_microseconds_and_nanoseconds_are_one_instant(tmp_path: Path) -> None:
    fine = values(tmp_path, at=pa.array([NANOS], pa.timestamp("ns", "UTC")))
    coarse = values(tmp_path, at=pa.array([NANOS // 1000], pa.timestamp("us", "UTC")))
    assert fine == coarse


def test_a_row_is_sought_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"n": list(range(3000))}), path, row_group_size=700)
    spots = [Spot(2, -1, 7), Spot(1500, -1, 10), Spot(3000, -1, 10)]
    found = list(rows(Origin(path, path.name), LIMIT, spots))
    assert [(r.line, json.loads(r.data)["n"]) for r in found] == [(2, 1), (1500, 1499), (3000, 2999)]


def test_a_row_beyond_the_limit_is_refused_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"c": ["a", "x" * 5000]}), path)
    found = list(rows(Origin(path, path.name), 1000))
    assert [r.refusal and r.refusal.reason for r in found] == [None, Reason.RECORD_TOO_LARGE]


def test_what_is_no_parquet_is_one_finding(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 and then nothing of the kind PAR1")
    found = list(rows(Origin(path, path.name), LIMIT))
    assert [(r.line, r.refusal and r.refusal.reason) for r in found] == [(0, Reason.FILE_UNREADABLE)]


def test_long_rows_are_held_a_few_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    texts = [str(n) + "x" * (1 << 20) for n in range(40)]
    pq.write_table(pa.table({"c": pa.array(texts, pa.string())}), path, use_dictionary=False, row_group_size=20)
    before = pa.total_allocated_bytes()
    most = 0
    for n, record in enumerate(rows(Origin(path, path.name), 2 * LIMIT)):
        most = max(most, pa.total_allocated_bytes() - before)
        assert json.loads(record.data)["c"] == texts[n]
    assert most < 35 << 20
