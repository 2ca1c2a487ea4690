"""Tables of turns: acts that are counted, votes, time on screen, and declarations that do not fit."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.readers.raw import RawRecord, Refusal
from pipelines.readers.sources import load_sources
from schemas.enums import EventKind, Status
from schemas.errors import ConfigError
from schemas.reasons import Reason
from tests.pipelines.readers.kit import items, items_of, opened, refusals
from tests.pipelines.readers.turn_rows import ASKED, COLUMNS, FIRST, LAST, ROW, declared, events, messages, read


@pytest.mark.parametrize("value", [1, 3, "1", "1.0", True, "true", "Yes"])
def test_a_count_above_zero_is_an_act(tmp_path: Path, value: Any) -> None:
    found = events(read(tmp_path, {"n_copy": value}))
    assert [(e.event, e.at, e.message_id, e.conversation_id) for e in found] == [
        (EventKind.COPY, LAST, "t1-reply", "s1")
    ]


@pytest.mark.parametrize("value", [0, "0", 0.0, False, "false", None, "", "NULL", "NaN"])
def test_no_count_and_a_count_of_zero_are_no_act(tmp_path: Path, value: Any) -> None:
    assert events(read(tmp_path, {"n_copy": value})) == []


@pytest.mark.parametrize("value", [-1, "many", [2], {"n": 1}, "9" * 40])
def test_a_count_that_is_none_is_refused_by_itself(tmp_path: Path, value: Any) -> None:
    found = read(tmp_path, {"n_copy": value})
    assert len(messages(found)) == 2
    assert [r.field for r in refusals(found)] == ["counters.copy"]


def test_an_act_is_dated_to_the_end_of_the_answer_as_far_as_it_is_known(tmp_path: Path) -> None:
    acted = {"n_copy": 1}
    assert [e.at for e in events(read(tmp_path, acted | {"t_last": None}))] == [FIRST]
    assert [e.at for e in events(read(tmp_path, acted | {"t_last": None, "t_first": None}))] == [ASKED]
    found = read(tmp_path, acted | {"t_last": None, "t_first": None, "t_ask": None})
    assert events(found) == []
    assert refusals(found) == [Refusal(Reason.MISSING_KEY, "times.copy")]


def test_a_close_is_never_dated_to_where_nothing_was_read(tmp_path: Path) -> None:
    found = read(tmp_path, {"n_close": 1})
    assert (events(found), refusals(found)) == ([], [Refusal(Reason.MISSING_KEY, "times.close")])
    timed = events(read(tmp_path, {"n_close": 1, "t_close": "2026-10-30T09:01:00Z"}))
    assert [(e.event, e.at) for e in timed] == [(EventKind.CLOSE, datetime(2026, 10, 30, 9, 1, tzinfo=UTC))]
    assert events(read(tmp_path, {"n_close": 0, "t_close": "2026-10-30T09:01:00Z"})) == []


def test_a_regeneration_without_a_time_does_not_look_like_skimming(tmp_path: Path) -> None:
    (event,) = events(read(tmp_path, {"n_regen": 2}))
    assert (event.event, event.at) == (EventKind.REGENERATE, ASKED)


def test_a_stop_ends_the_answer(tmp_path: Path) -> None:
    found = read(tmp_path, {"stopped": 1})
    assert messages(found)[1].status is Status.STOPPED
    assert [(e.event, e.at) for e in events(found)] == [(EventKind.STOP, LAST)]
    untimed = read(tmp_path, {"stopped": "yes", "t_last": None})
    assert messages(untimed)[1].status is Status.STOPPED
    assert events(untimed) == refusals(untimed) == []


@pytest.mark.parametrize(
    ("value", "event"),
    [
        ("down", EventKind.THUMBS_DOWN),
        ("👎", EventKind.THUMBS_DOWN),
        (-1, EventKind.THUMBS_DOWN),
        ("1", EventKind.THUMBS_UP),
    ],
)
def test_votes_are_read_in_their_spellings(tmp_path: Path, value: Any, event: EventKind) -> None:
    found = events(read(tmp_path, {"fb": value, "note": "wrong town"}))
    assert [(e.event, e.at, e.text) for e in found] == [(event, LAST, "wrong town")]


def test_stars_and_zeros_mean_what_is_declared_or_nothing(tmp_path: Path) -> None:
    for value in (5, "3", 0, "0"):
        found = read(tmp_path, {"fb": value})
        assert (events(found), refusals(found)) == ([], [Refusal(Reason.UNKNOWN_VALUE, "vote")])
    stars: dict[str, Any] = {
        "0": None,
        "1": "thumbs_down",
        "2": "thumbs_down",
        "3": None,
        "4": "thumbs_up",
        "5": "thumbs_up",
    }
    found = read(tmp_path, *({"fb": v, "tid": f"t{v}"} for v in range(6)), votes=stars)
    assert [e.event for e in events(found)] == [EventKind.THUMBS_DOWN] * 2 + [EventKind.THUMBS_UP] * 2
    assert refusals(found) == []


def test_a_comment_without_a_vote_is_not_lost(tmp_path: Path) -> None:
    assert refusals(read(tmp_path, {"note": "hm"})) == [Refusal(Reason.MISSING_KEY, "vote")]


def test_time_on_screen_becomes_visibility(tmp_path: Path) -> None:
    columns = COLUMNS | {"visible_s": "dwell"}
    found = events(read(tmp_path, {"dwell": "3.5", "n_close": 1}, columns=columns))
    left = datetime(2026, 10, 30, 9, 0, 5, 500000, tzinfo=UTC)
    assert [(e.event, e.at) for e in found] == [
        (EventKind.VISIBLE, ASKED),
        (EventKind.HIDDEN, left),
        (EventKind.CLOSE, left),
    ]
    milliseconds = COLUMNS | {"visible_ms": "dwell"}
    assert events(read(tmp_path, {"dwell": 3500, "n_close": 1}, columns=milliseconds)) == found


def test_a_missing_measure_is_not_zero(tmp_path: Path) -> None:
    columns = COLUMNS | {"visible_s": "dwell"}
    for missing in (None, "", "NaN"):
        assert [e.event for e in events(read(tmp_path, {"dwell": missing}, columns=columns))] == [EventKind.VISIBLE]
    assert [e.at for e in events(read(tmp_path, {"dwell": 0}, columns=columns))] == [ASKED, FIRST]
    for wrong in (-3, "long", 10**12):
        assert [r.field for r in refusals(read(tmp_path, {"dwell": wrong}, columns=columns))] == ["visible_s"]


def test_columns_must_be_declared(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="without its columns"):
        items(tmp_path, "a.jsonl", [ROW], {"format": "turns"})


def test_a_column_that_the_table_lacks_is_named(tmp_path: Path) -> None:
    pq.write_table(pa.table({"q": ["hi"], "a": ["ho"]}), tmp_path / "a.parquet")
    columns = {"query": "q", "answer": "a", "counters": {"copy": "n_coppy"}, "asked_at": "when"}
    with pytest.raises(ConfigError, match=r"asked_at \(when\), counters.copy \(n_coppy\)"):
        items_of(tmp_path / "a.parquet", declared(columns))
    assert len(items_of(tmp_path / "a.parquet", declared({"query": "q", "answer": "a"}))) == 2


def test_a_column_that_a_csv_lacks_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("q,a\nhi,ho\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"user \(uid\)"):
        items_of(tmp_path / "a.csv", declared({"query": "q", "user": "uid"}))


def test_an_empty_table_lacks_nothing(tmp_path: Path) -> None:
    pq.write_table(pa.table({"q": pa.array([], pa.string())}), tmp_path / "a.parquet")
    assert items_of(tmp_path / "a.parquet", declared()) == []


def test_a_table_is_never_taken_for_turns_by_itself(tmp_path: Path) -> None:
    pq.write_table(pa.table({"query": ["hi"], "answer": ["ho"]}), tmp_path / "a.parquet")
    log = opened(tmp_path / "a.parquet")
    assert isinstance(log, RawRecord) or log.format.name != "turns"


@pytest.mark.parametrize(
    "columns",
    [
        "{query: q, counters: {hidden: h}}",
        "{query: q, visible_s: a, visible_ms: b}",
        "{query: q, counters: {applause: c}}",
        "{answer: a}",
        "{query: q, colour: c}",
    ],
)
def test_what_cannot_be_declared_is_an_error(tmp_path: Path, columns: str) -> None:
    file = tmp_path / "sources.yaml"
    file.write_text(f"sources:\n  - {{files: '*.csv', format: turns, columns: {columns}}}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="columns"):
        load_sources(file)


def test_columns_without_their_format_are_an_error(tmp_path: Path) -> None:
    file = tmp_path / "sources.yaml"
    file.write_text("sources:\n  - {files: '*.csv', columns: {query: q}}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="format: turns"):
        load_sources(file)


def test_a_status_that_does_not_exist_cannot_be_declared(tmp_path: Path) -> None:
    file = tmp_path / "sources.yaml"
    file.write_text("sources:\n  - {format: turns, columns: {query: q}, statuses: {'9': gone}}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="statuses"):
        load_sources(file)
