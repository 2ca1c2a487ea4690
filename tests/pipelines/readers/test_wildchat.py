"""WildChat: rows whose replies alone have a time, and whose turns alone have an identity."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from pipelines.readers.raw import Refusal
from schemas.enums import Role
from schemas.reasons import Reason
from schemas.records import Message
from tests.pipelines.readers.kit import items, items_of, opened, refusals
from tests.pipelines.readers.mutations import assert_withstands, mutated

SAMPLES = Path(os.environ.get("TACIT_FORMATS", "../shared/formats/samples"))
NOON = "2024-05-04T12:00:00+00:00"
LATER = "2024-05-04T12:03:10+00:00"


def turn(
    number: int | None, asked: str, said: str | None, at: Any = NOON, ip: str | None = "ip1"
) -> list[dict[str, Any]]:
    beside = {"language": "English", "toxic": False, "redacted": False, "turn_identifier": number}
    return [
        {"role": "user", "content": asked, "timestamp": None, "hashed_ip": ip, "header": {"user-agent": "x"}, **beside},
        {"role": "assistant", "content": said, "timestamp": at, "hashed_ip": None, "header": None, **beside},
    ]


def row(*turns: list[dict[str, Any]], **beside: Any) -> dict[str, Any]:
    return {
        "conversation_hash": "c0ffee",
        "model": "gpt-4-0314",
        "timestamp": NOON,
        "conversation": [t for pair in turns for t in pair],
        "turn": len(turns),
        "language": "English",
        "toxic": False,
        "redacted": False,
        **beside,
    }


def messages(found: list[Any]) -> list[Message]:
    return [i for i in found if isinstance(i, Message)]


def test_the_time_of_a_reply_is_its_end_and_requests_have_none(tmp_path: Path) -> None:
    found = messages(items(tmp_path, "a.jsonl", [row(turn(41, "hi", "ho"), turn(52, "more", "no", LATER))]))
    assert [(m.role, m.content, m.created_at, m.completed_at) for m in found] == [
        (Role.USER, "hi", None, None),
        (Role.ASSISTANT, "ho", None, datetime(2024, 5, 4, 12, tzinfo=UTC)),
        (Role.USER, "more", None, None),
        (Role.ASSISTANT, "no", None, datetime(2024, 5, 4, 12, 3, 10, tzinfo=UTC)),
    ]
    assert [m.seq for m in found] == [0, 1, 2, 3]
    assert [m.message_id for m in found] == ["41-user", "41-assistant", "52-user", "52-assistant"]
    assert [m.parent_id for m in found] == [None, "41-user", "41-assistant", "52-user"]
    assert {m.user_id for m in found} == {"ip1"}
    assert [m.model for m in found] == [None, "gpt-4-0314", None, "gpt-4-0314"]


def test_what_the_only_time_means_can_be_declared(tmp_path: Path) -> None:
    found = messages(items(tmp_path, "a.jsonl", [row(turn(1, "hi", "ho"))], {"reply_time": "first_token"}))
    assert found[1].created_at == datetime(2024, 5, 4, 12, tzinfo=UTC)
    assert found[1].completed_at is None


def test_a_row_seen_twice_and_a_grown_one_give_each_turn_once(tmp_path: Path) -> None:
    short = row(turn(41, "hi", "ho"))
    grown = row(turn(41, "hi", "ho"), turn(52, "hi", "ho", LATER), conversation_hash="ot4er", timestamp=LATER)
    found = messages(items(tmp_path, "a.jsonl", [short, short, grown]))
    kept = {(m.conversation_id, m.message_id): m for m in found}
    assert len(kept) == 4
    assert all(kept[m.conversation_id, m.message_id] == m for m in found)


def test_equal_content_under_one_hash_is_two_conversations(tmp_path: Path) -> None:
    rows = [row(turn(41, "hi", "ho")), row(turn(97, "hi", "ho", LATER, "ip2"))]
    found = messages(items(tmp_path, "a.jsonl", rows))
    assert len({m.conversation_id for m in found}) == 2


def test_numbers_that_begin_anew_in_each_row_do_not_join_conversations(tmp_path: Path) -> None:
    rows = [row(turn(1, "hi", "ho")), row(turn(1, "what is a fjord?", "An inlet.")), row(turn(1, "hi", "ho", LATER))]
    found = messages(items(tmp_path, "a.jsonl", rows))
    assert len({m.conversation_id for m in found}) == 3


def test_an_identifier_that_stands_twice_loses_no_message(tmp_path: Path) -> None:
    found = messages(items(tmp_path, "a.jsonl", [row(turn(0, "hi", "ho"), turn(0, "hi", "ho"), turn(0, "hm", None))]))
    assert len({m.message_id for m in found}) == 6


def test_times_without_a_zone_are_utc_unless_declared(tmp_path: Path) -> None:
    rows = [row(turn(1, "hi", "ho", "2024-05-04T12:00:00"))]
    plain = messages(items(tmp_path, "a.jsonl", rows))[1]
    declared = messages(items(tmp_path, "b.jsonl", rows, {"zone": "Asia/Shanghai"}))[1]
    assert plain.completed_at == datetime(2024, 5, 4, 12, tzinfo=UTC)
    assert declared.completed_at == datetime(2024, 5, 4, 4, tzinfo=UTC)


def test_parquet_of_any_edition_gives_what_lines_give(tmp_path: Path) -> None:
    rows = [row(turn(41, "hi", "ho"), turn(52, "more", None, LATER), timestamp=LATER)]
    lines = items(tmp_path, "a.jsonl", rows)
    for name, kind in [("m", pa.timestamp("us", "UTC")), ("n", pa.timestamp("us")), ("o", pa.timestamp("ns", "UTC"))]:
        typed = [
            r | {"conversation": [t | {"timestamp": _instant(t["timestamp"])} for t in r["conversation"]]} for r in rows
        ]
        conversation = pa.list_(
            pa.struct({
                "role": pa.string(), "content": pa.large_string(), "timestamp": kind, "hashed_ip": pa.string(),
                "turn_identifier": pa.int64(), "toxic": pa.bool_(), "header": pa.struct({"user-agent": pa.string()}),
            })
        )  # fmt: skip
        table = pa.table({
            "conversation_hash": ["c0ffee"],
            "model": pa.array(["gpt-4-0314"]).dictionary_encode(),
            "timestamp": pa.array([_instant(LATER)], pa.timestamp("us")),
            "conversation": pa.array([t["conversation"] for t in typed], conversation),
        })  # fmt: skip
        pq.write_table(table, tmp_path / f"{name}.parquet")
        assert items_of(tmp_path / f"{name}.parquet") == lines


def _instant(value: str | None) -> datetime | None:
    return None if value is None else datetime.fromisoformat(value).replace(tzinfo=None)


def test_the_first_edition_has_one_time_a_row(tmp_path: Path) -> None:
    first = {
        "conversation_id": "v1-9",
        "model": "gpt-3.5-turbo",
        "timestamp": NOON,
        "conversation": [
            {"content": "hi", "language": "English", "redacted": False, "role": "user", "toxic": False},
            {"content": "ho", "language": "English", "redacted": False, "role": "assistant", "toxic": False},
            {"content": "hi", "language": "English", "redacted": False, "role": "user", "toxic": False},
            {"content": "ho", "language": "English", "redacted": False, "role": "assistant", "toxic": False},
        ],
        "toxic": False,
        "redacted": False,
    }
    found = messages(items(tmp_path, "a.jsonl", [first]))
    assert {m.conversation_id for m in found} == {"v1-9"}
    assert [m.completed_at for m in found] == [None, None, None, datetime(2024, 5, 4, 12, tzinfo=UTC)]
    assert len({m.message_id for m in found}) == 4
    late = messages(items(tmp_path, "b.jsonl", [first | {"timestamp": "1970-01-01T00:00:00Z"}]))
    assert len(late) == 4


def test_what_is_broken_is_refused_by_itself(tmp_path: Path) -> None:
    broken = row(turn(1, "hi", "ho", "1970-01-01T00:00:00Z"), turn(2, "more", "no", LATER))
    broken["conversation"] += ["junk", None, {"role": "user", "content": 3, "turn_identifier": 3}]
    found = items(
        tmp_path, "a.jsonl", [broken, {"conversation_hash": "x"}, {"conversation_hash": "x", "conversation": None}]
    )
    assert [m.content for m in messages(found)] == ["hi", "more", "no"]
    assert refusals(found) == [
        Refusal(Reason.TIME_OUT_OF_RANGE, "conversation[1].timestamp"),
        Refusal(Reason.WRONG_TYPE, "conversation[4]"),
        Refusal(Reason.WRONG_TYPE, "conversation[5]"),
        Refusal(Reason.WRONG_TYPE, "conversation[6].content"),
        Refusal(Reason.MISSING_KEY, "conversation"),
        Refusal(Reason.WRONG_TYPE, "conversation"),
    ]


def test_it_is_told_from_its_like(tmp_path: Path) -> None:
    items(tmp_path, "a.jsonl", [None, {}, row(turn(1, "hi", "ho"))])
    assert opened(tmp_path / "a.jsonl").format.name == "wildchat"  # type: ignore[union-attr]


@pytest.mark.gold
def test_the_sample_of_the_real_shape_is_read() -> None:
    sample = SAMPLES / "wildchat_row.json"
    if not sample.exists():
        pytest.skip("the samples are not beside the checkout")
    found = items_of(sample)
    assert [m.role for m in messages(found)] == [Role.USER, Role.ASSISTANT]
    assert refusals(found) == []


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(record=mutated(row(turn(1, "hi", "ho"), turn(2, "more", "no", LATER))))
def test_junk_anywhere_gives_items_and_never_a_fault(tmp_path: Path, record: Any) -> None:
    assert_withstands(tmp_path, "m.jsonl", [record], {"format": "wildchat"})
