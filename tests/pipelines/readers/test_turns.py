"""Tables of turns: declared columns, cells typed or spelled, and rows that say little."""

import csv
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from pipelines.readers.raw import Refusal
from schemas.enums import Role, Status
from schemas.reasons import Reason
from tests.pipelines.readers.kit import items, items_of
from tests.pipelines.readers.mutations import assert_withstands, mutated
from tests.pipelines.readers.turn_rows import ASKED, COLUMNS, FIRST, LAST, ROW, declared, messages, read


def test_a_row_is_a_request_and_its_reply(tmp_path: Path) -> None:
    request, reply = read(tmp_path, {})
    assert (request.role, request.content, request.created_at) == (Role.USER, "What is a fjord?", ASKED)
    assert (reply.role, reply.content, reply.created_at, reply.completed_at) == (
        Role.ASSISTANT, "An inlet of the sea.", FIRST, LAST,
    )  # fmt: skip
    assert (request.seq, reply.seq) == (2, 3)
    assert request.parent_id is None
    assert reply.parent_id is None
    assert {m.conversation_id for m in (request, reply)} == {"s1"}
    assert {m.user_id for m in (request, reply)} == {"u1"}
    assert (request.message_id, reply.message_id, reply.aliases) == ("t1-query", "t1-reply", ("t1",))
    assert (request.model, reply.model) == (None, "m-1")


def test_cells_that_are_all_strings_say_the_same(tmp_path: Path) -> None:
    spelled = {k: "" if v is None else str(v) for k, v in ROW.items()}
    found = items(tmp_path, "b.jsonl", [spelled], declared())
    assert found == read(tmp_path, {})


def test_rows_of_csv_say_the_same(tmp_path: Path) -> None:
    with (tmp_path / "a.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ROW)
        writer.writeheader()
        writer.writerow(ROW | {"a": 'An inlet,\n"of the sea".'})
        writer.writerow(dict.fromkeys(ROW, ""))
    found = items_of(tmp_path / "a.csv", declared())
    assert found == read(tmp_path, {"a": 'An inlet,\n"of the sea".'})


def test_typed_cells_of_parquet_say_the_same(tmp_path: Path) -> None:
    times = {
        k: pa.array([datetime.fromisoformat(ROW[k])], pa.timestamp("ns", "UTC")) for k in ("t_ask", "t_first", "t_last")
    }
    others = {k: [v] for k, v in ROW.items() if k not in times}
    typed = others | times | {"m": pa.array(["m-1"]).dictionary_encode(), "n": pa.array([1.0]), "tid": ["t1"]}
    pq.write_table(pa.table(typed), tmp_path / "a.parquet")
    assert items_of(tmp_path / "a.parquet", declared()) == read(tmp_path, {})


def test_naive_times_need_a_declared_zone(tmp_path: Path) -> None:
    naive = {"t_ask": "2026-10-30 09:00:00", "t_first": None, "t_last": None}
    assert read(tmp_path, naive) == [Refusal(Reason.NAIVE_TIME, "asked_at")]
    found = messages(read(tmp_path, naive, zone="Asia/Shanghai"))
    assert found[0].created_at == datetime(2026, 10, 30, 1, tzinfo=UTC)


@pytest.mark.parametrize("value", [1793350800, 1793350800000, "1793350800.000", 1793350800000000000, 1793350800.0])
def test_epochs_of_any_unit_are_one_time(tmp_path: Path, value: Any) -> None:
    assert messages(read(tmp_path, {"t_ask": value}))[0].created_at == datetime(2026, 10, 30, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "value", ["2026-10-30", "2026/10/30", "20261030", "2026-W44-5", "30/10/2026 09:00", "soon", True, [1]]
)
def test_what_is_no_time_is_refused(tmp_path: Path, value: Any) -> None:
    assert read(tmp_path, {"t_ask": value}) == [Refusal(Reason.BAD_TIME, "asked_at")]


@pytest.mark.parametrize(
    "value", ["2026/10/30 9:00", "2026-10-30 09:00:00.000", "2026.10.30 9:00:00", "2026/10/30 01:00:00Z"]
)
def test_times_of_spreadsheets_are_read_with_the_declared_zone(tmp_path: Path, value: str) -> None:
    found = messages(read(tmp_path, {"t_ask": value}, zone="Asia/Shanghai"))
    assert found[0].created_at == datetime(2026, 10, 30, 1, tzinfo=UTC)


def test_what_was_not_answered_has_no_reply(tmp_path: Path) -> None:
    gone = {"a": None, "t_first": None, "t_last": None, "st": None, "n_copy": None, "n_regen": None, "stopped": None}
    assert [m.role for m in messages(read(tmp_path, gone))] == [Role.USER]
    failed = messages(read(tmp_path, gone | {"st": "error"}))
    assert [(m.role, m.content, m.status) for m in failed][1:] == [(Role.ASSISTANT, None, Status.ERROR)]


def test_an_answer_that_is_never_logged_is_not_captured(tmp_path: Path) -> None:
    columns = {"query": "q", "conversation": "sid", "order": "n"}
    assert [m.content for m in messages(read(tmp_path, {}, columns=columns))] == ["What is a fjord?", None]


@pytest.mark.parametrize(
    ("value", "status"),
    [(None, Status.OK), ("", Status.OK), ("SUCCESS", Status.OK), ("aborted", Status.STOPPED), ("failed", Status.ERROR)],
)
def test_how_an_answer_ended_is_spelled_in_several_ways(tmp_path: Path, value: Any, status: Status) -> None:
    assert messages(read(tmp_path, {"st": value}))[1].status is status


def test_a_status_of_the_source_is_declared(tmp_path: Path) -> None:
    assert read(tmp_path, {"st": "7"}) == [Refusal(Reason.UNKNOWN_VALUE, "status")]
    found = messages(read(tmp_path, {"st": "7"}, {"st": 7}, statuses={"7": "partial"}))
    assert [m.status for m in found] == [Status.OK, Status.PARTIAL] * 2


def test_without_turn_and_order_the_times_say_both(tmp_path: Path) -> None:
    bare = {k: v for k, v in COLUMNS.items() if k not in ("turn", "order")}
    again = {"t_ask": "2026-10-30T09:02:00Z", "t_first": None, "t_last": None}
    found = messages(read(tmp_path, {}, again, {}, columns=bare))
    assert found[0:2] == found[4:6]
    assert len({m.message_id for m in found}) == 4
    seqs = [m.seq for m in found[:4] if m.seq is not None]
    assert seqs == sorted(seqs)
    assert len(set(seqs)) == 4


def test_order_names_the_turn_where_no_id_does(tmp_path: Path) -> None:
    bare = {k: v for k, v in COLUMNS.items() if k != "turn"}
    found = messages(read(tmp_path, {"n": "2"}, columns=bare))
    assert [(m.message_id, m.seq) for m in found] == [("turn-2-query", 4), ("turn-2-reply", 5)]


def test_without_a_conversation_the_user_has_a_stream(tmp_path: Path) -> None:
    found = read(tmp_path, {"sid": None, "n_copy": 1})
    assert {i.conversation_id for i in found} == {None}
    assert {i.user_id for i in found} == {"u1"}


def test_without_conversation_and_user_or_time_a_row_stands_alone(tmp_path: Path) -> None:
    nobody = {"sid": None, "uid": "", "tid": None, "n": None}
    timeless = {"sid": None, "tid": None, "n": None, "t_ask": None, "t_first": None, "t_last": None}
    found = messages(read(tmp_path, nobody, nobody | {"q": "And a loch?"}, timeless))
    assert len({m.conversation_id for m in found}) == 3
    assert None not in {m.conversation_id for m in found}
    assert all(m.flags == ("session_inferred",) for m in found)
    assert [m.seq for m in found[4:]] == [0, 1]


def test_blank_rows_are_passed_over_and_odd_ones_refused(tmp_path: Path) -> None:
    blank = dict.fromkeys(ROW, "")
    rows = [blank, dict.fromkeys(ROW), "x", {"a": "no query"}, ROW | {"q": 7}, ROW | {"uid": [1]}, ROW | {"n": "1.5"}]
    assert items(tmp_path, "a.jsonl", rows, declared()) == [
        Refusal(Reason.NOT_AN_OBJECT),
        Refusal(Reason.MISSING_KEY, "query"),
        Refusal(Reason.WRONG_TYPE, "query"),
        Refusal(Reason.WRONG_TYPE, "user"),
        Refusal(Reason.WRONG_TYPE, "order"),
    ]


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(record=mutated(ROW | {"n_copy": 1, "fb": "down", "note": "no", "dwell": 3, "n_close": 1, "file": 1}))
def test_junk_anywhere_gives_items_and_never_a_fault(tmp_path: Path, record: Any) -> None:
    columns = COLUMNS | {"visible_s": "dwell", "attachment": "file"}
    assert_withstands(tmp_path, "m.jsonl", [record], declared(columns))
