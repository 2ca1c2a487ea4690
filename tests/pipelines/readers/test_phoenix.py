"""Phoenix: spans of its API and its data frames, and the votes of users among its annotations."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.readers.items import Item
from pipelines.readers.logfile import LogFile
from schemas.enums import EventKind
from schemas.reasons import Reason
from tests.pipelines.readers.kit import items, items_of, opened, refusals
from tests.pipelines.readers.mutations import assert_withstands, mutated
from tests.pipelines.readers.otlp import SPAN, TRACE, calls, only_call, remarks, said

VOTE = {
    "id": "U3BhbkFubm90YXRpb246MQ==",
    "span_id": SPAN,
    "name": "user_feedback",
    "annotator_kind": "HUMAN",
    "result": {"label": "thumbs_down", "score": 0.0, "explanation": "It is a jug."},
    "metadata": {},
    "identifier": "",
    "source": "API",
    "user_id": None,
    "created_at": "2026-11-02T09:00:10+00:00",
    "updated_at": "2026-11-02T09:00:20.5+00:00",
}
FRAME = {
    "context.span_id": SPAN,
    "context.trace_id": TRACE,
    "name": "ChatCompletion",
    "span_kind": "LLM",
    "parent_id": None,
    "start_time": datetime(2026, 11, 2, 9, tzinfo=UTC),
    "end_time": datetime(2026, 11, 2, 9, 0, 4, tzinfo=UTC),
    "status_code": "OK",
    "status_message": "",
    "attributes.openinference.span.kind": "LLM",
    "attributes.llm.input_messages": [{"message.role": "user", "message.content": "What is this?"}],
    "attributes.llm.output_messages": [{"message.role": "assistant", "message.content": "A kettle."}],
    "attributes.llm.model_name": "small-1",
    "attributes.session.id": "s-1",
    "attributes.metadata": {"user_id": "u-1"},
}
PLAIN = FRAME | {"start_time": "2026-11-02T09:00:00+00:00", "end_time": "2026-11-02T09:00:04+00:00"}
API: dict[str, Any] = {
    "id": "U3BhbjoxMjM=",
    "name": "ChatCompletion",
    "context": {"trace_id": TRACE, "span_id": SPAN},
    "span_kind": "LLM",
    "parent_id": None,
    "start_time": "2026-11-02T09:00:00+00:00",
    "end_time": "2026-11-02T09:00:04+00:00",
    "status_code": "OK",
    "status_message": "",
    "attributes": {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "What is this?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "A kettle.",
        "llm.model_name": "small-1",
        "session.id": "s-1",
        "user.id": "u-1",
    },
    "events": [],
}


def read(tmp_path: Path, *records: Any, **declared: Any) -> list[Item]:
    return items(tmp_path, "p.jsonl", list(records), {"format": "phoenix", **declared})


def vote(**changed: Any) -> dict[str, Any]:
    return VOTE | changed


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spans.json", {"data": [API], "next_cursor": None}),
        ("spans.jsonl", [API]),
        ("frame.jsonl", [PLAIN]),
        ("trace.json", {"traceId": TRACE, "spans": [API]}),
    ],
)
def test_spans_of_the_api_and_of_a_data_frame_are_recognised_and_alike(tmp_path: Path, name: str, value: Any) -> None:
    call = only_call(items(tmp_path, name, value))
    log = opened(tmp_path / name)
    assert isinstance(log, LogFile)
    assert log.format.name == "phoenix"
    assert (call.conversation_id, call.user_id, call.model, call.source) == ("s-1", "u-1", "small-1", "phoenix")
    assert (call.trace_id, call.call_id) == (TRACE, SPAN)
    assert said(call.input) == [("user", "What is this?")]
    assert said(call.output) == [("assistant", "A kettle.")]


def test_a_data_frame_in_parquet_has_nanoseconds_and_nulls(tmp_path: Path) -> None:
    other = dict.fromkeys(FRAME) | {
        "context.span_id": "00000000000000b2",
        "context.trace_id": TRACE,
        "span_kind": "TOOL",
    }
    table = pa.Table.from_pylist([FRAME, other])
    for name in ("start_time", "end_time"):
        n = table.schema.get_field_index(name)
        table = table.set_column(n, name, table[name].cast(pa.timestamp("ns", "UTC")))
    pq.write_table(table, tmp_path / "spans.parquet")
    call = only_call(items_of(tmp_path / "spans.parquet"))
    assert call.started_at == datetime(2026, 11, 2, 9, tzinfo=UTC)
    assert said(call.output) == [("assistant", "A kettle.")]


def test_a_vote_names_its_span_and_has_the_time_when_it_was_last_set(tmp_path: Path) -> None:
    (remark,) = remarks(items(tmp_path, "votes.json", [VOTE]))
    assert (remark.event, remark.call_id, remark.trace_id) == (EventKind.THUMBS_DOWN, SPAN, None)
    assert remark.at == datetime(2026, 11, 2, 9, 0, 20, 500_000, tzinfo=UTC)
    assert remark.text == "It is a jug."


@pytest.mark.parametrize(
    ("name", "label", "score", "event"),
    [
        ("user feedback", "👎", 0, EventKind.THUMBS_DOWN),
        ("user_feedback", "thumbs-up", 1, EventKind.THUMBS_UP),
        ("feedback", "Negative", 0.0, EventKind.THUMBS_DOWN),
        ("feedback", None, 0, EventKind.THUMBS_DOWN),
        ("feedback", None, -1.0, EventKind.THUMBS_DOWN),
        ("thumbs", None, 1.0, EventKind.THUMBS_UP),
        ("thumbs", "a bit slow", 0, EventKind.THUMBS_DOWN),
        ("thumbs_down", None, 1, EventKind.THUMBS_DOWN),
        ("thumbs_down", None, 0, None),
        ("userFeedback", "none", None, None),
        ("user_feedback", None, None, None),
        ("correctness", "bad", 0, None),
        ("note", None, None, None),
    ],
)
def test_votes_in_their_spellings(
    tmp_path: Path, name: str, label: str | None, score: float | None, event: EventKind | None
) -> None:
    found = read(tmp_path, vote(name=name, result={"label": label, "score": score, "explanation": None}))
    assert [r.event for r in remarks(found)] == ([] if event is None else [event])
    assert refusals(found) == []


def test_what_is_no_scale_of_thumbs_needs_a_declaration(tmp_path: Path) -> None:
    stars = vote(name="rating", result={"score": 4.0})
    (refusal,) = refusals(read(tmp_path, stars))
    assert (refusal.reason, refusal.field) == (Reason.UNKNOWN_VALUE, "score")
    (remark,) = remarks(read(tmp_path, stars, votes={"4": "thumbs_up"}))
    assert remark.event is EventKind.THUMBS_UP


@pytest.mark.parametrize("kind", ["LLM", "CODE", None])
def test_only_humans_vote(tmp_path: Path, kind: str | None) -> None:
    assert read(tmp_path, vote(annotator_kind=kind)) == []


@pytest.mark.parametrize(
    "row",
    [
        {"span_id": SPAN, "annotation_name": "user_feedback", "annotator_kind": "HUMAN", "label": "down", "score": 0.0},
        {"span_id": SPAN, "annotation_name": "user_feedback", "annotator_kind": "HUMAN", "result.label": "down"},
        {"context.span_id": SPAN, "name": "user_feedback", "annotator_kind": "HUMAN", "score": 0},
    ],
)
def test_the_columns_of_a_data_frame_of_annotations(tmp_path: Path, row: dict[str, Any]) -> None:
    path = tmp_path / "votes.parquet"
    pq.write_table(pa.Table.from_pylist([row | {"created_at": datetime(2026, 11, 2, 9, tzinfo=UTC)}]), path)
    log = opened(path)
    assert isinstance(log, LogFile)
    assert log.format.name == "phoenix"
    (remark,) = remarks(items_of(path))
    assert (remark.event, remark.call_id) == (EventKind.THUMBS_DOWN, SPAN)


def test_annotations_of_traces_and_sessions_name_those(tmp_path: Path) -> None:
    base = {k: v for k, v in VOTE.items() if k != "span_id"}
    of_trace, of_session = remarks(read(tmp_path, base | {"trace_id": TRACE}, base | {"session_id": "s-1"}))
    assert (of_trace.trace_id, of_trace.call_id) == (TRACE, None)
    assert of_session.conversation_id == "s-1"


def test_a_span_may_carry_its_annotations(tmp_path: Path) -> None:
    inside = {k: v for k, v in VOTE.items() if k != "span_id"}
    found = read(tmp_path, API | {"annotations": [inside, "junk"]})
    assert len(calls(found)) == 1
    assert [r.call_id for r in remarks(found)] == [SPAN]
    assert [r.field for r in refusals(found)] == ["annotations[1]"]


def test_a_vote_without_a_time_or_a_zone_is_refused(tmp_path: Path) -> None:
    timeless = vote(created_at=None, updated_at=None)
    naive = vote(updated_at="2026-11-02T09:00:00")
    found = refusals(read(tmp_path, timeless, naive))
    assert [(r.reason, r.field) for r in found] == [
        (Reason.MISSING_KEY, "created_at"),
        (Reason.NAIVE_TIME, "updated_at"),
    ]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([VOTE, PLAIN, API | {"annotations": [VOTE]}, {"data": [API, VOTE]}]).flatmap(mutated))
def test_junk_anywhere_is_refused_and_breaks_nothing(tmp_path_factory: pytest.TempPathFactory, record: Any) -> None:
    assert_withstands(tmp_path_factory.mktemp("junk"), "p.jsonl", [record], {"format": "phoenix"})
