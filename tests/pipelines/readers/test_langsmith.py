"""LangSmith: runs become calls and feedback becomes remarks, from the API, the SDK's batches and the bulk export."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from pipelines.readers.calls import assemble
from pipelines.readers.items import Call, Item, Remark
from pipelines.readers.raw import Place, Refusal
from pipelines.readers.spans import merge_calls
from schemas.enums import EventKind, Role, Status
from schemas.reasons import Reason
from tests.pipelines.readers.kit import items, items_of, refusals
from tests.pipelines.readers.mutations import assert_withstands, mutated

ASKED, ANSWER = "How deep is the Waddenzee?", "Two to three metres at high tide."


def at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-01T{clock}+00:00")


def run(run_id: str = "r1", kind: str = "chain", parent: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "id": run_id, "trace_id": "r1", "parent_run_id": parent, "name": "chat", "run_type": kind,
        "dotted_order": f"20261101T100000000000Zr1{'.' + run_id if parent else ''}", "session_id": "project-7",
        "start_time": "2026-11-01T10:00:00.000000", "end_time": "2026-11-01T10:00:05.000000", "first_token_time": None,
        "inputs": {"question": ASKED}, "outputs": {"output": ANSWER}, "error": None, "status": "success",
        "extra": {"metadata": {"thread_id": "th-1", "user_id": "u1", "ls_model_name": "m-1"}}, "events": [],
        "feedback_stats": {"user_score": {"n": 3, "avg": 0.0}}, **more,
    }  # fmt: skip


def feedback(**more: Any) -> dict[str, Any]:
    return {
        "id": "f1", "run_id": "r1", "trace_id": "r1", "key": "user_score", "score": 0, "value": None, "comment": None,
        "correction": None, "feedback_source": {"type": "api", "metadata": {}}, "session_id": "project-7",
        "created_at": "2026-11-01T10:09:00", "modified_at": "2026-11-01T10:09:00", **more,
    }  # fmt: skip


def calls(found: list[Item]) -> list[Call]:
    return [i for i in found if isinstance(i, Call)]


def votes(found: list[Item]) -> list[EventKind]:
    return [i.event for i in found if isinstance(i, Remark)]


def words(call: Call) -> list[tuple[str, str | None]]:
    return [(str(t.role), t.text) for t in (*(call.input or ()), *(call.output or ()))]


def merged(found: list[Item]) -> list[tuple[Call, Place]]:
    return merge_calls([(c, Place("f", 1, 0, 1, "d")) for c in calls(found)])[0]


def test_a_root_run_stands_for_its_trace_and_runs_of_models_are_steps(tmp_path: Path) -> None:
    model = run("r2", "llm", "r1", inputs={"messages": [[{"type": "human", "content": ASKED}]]},
                outputs={"generations": [[{"text": ANSWER, "message": {"type": "ai", "content": ANSWER}}]]},
                first_token_time="2026-11-01T10:00:01+00:00")  # fmt: skip
    tool = run("r3", "tool", "r1", inputs={"input": "depth"}, outputs={"output": "2 m"})
    inner = run("r4", "chain", "r1")
    whole, step = calls(items(tmp_path, "runs.jsonl", [run(), model, tool, inner]))
    assert (whole.call_id, whole.whole, whole.parent_id, words(whole)) == (
        "r1", True, None, [("user", ASKED), ("assistant", ANSWER)])  # fmt: skip
    assert (whole.source, whole.conversation_id, whole.trace_id, whole.user_id) == ("langsmith", "th-1", "r1", "u1")
    assert (step.call_id, step.whole, step.parent_id, step.model) == ("r2", False, "r1", "m-1")
    assert words(step) == words(whole)
    assert step.first_token_at == at("10:00:01")


def test_the_project_is_never_the_conversation(tmp_path: Path) -> None:
    alone = run(extra={"metadata": {}})
    named = [run(extra={"metadata": {key: "c9"}}) for key in ("session_id", "thread_id", "conversation_id")]
    found = calls(items(tmp_path, "runs.jsonl", [alone, *named]))
    assert [c.conversation_id for c in found] == [None, "c9", "c9", "c9"]


def test_times_without_a_zone_are_utc_unless_a_zone_is_declared(tmp_path: Path) -> None:
    mixed = [run(), run(start_time="2026-11-01T18:00:00+08:00", end_time=1793527205000)]
    first, second = calls(items(tmp_path, "runs.jsonl", mixed))
    assert (
        (first.started_at, first.ended_at) == (second.started_at, second.ended_at) == (at("10:00:00"), at("10:00:05"))
    )
    shifted = calls(items(tmp_path, "runs.jsonl", mixed, {"zone": "Asia/Shanghai"}))
    assert [c.started_at for c in shifted] == [datetime(2026, 11, 1, 2, tzinfo=UTC), at("10:00:00")]


def test_a_batch_of_the_sdk_completes_what_it_posted(tmp_path: Path) -> None:
    posted = run("r1", "llm", inputs={"messages": [{"role": "user", "content": ASKED}]}, outputs={}, end_time=None)
    posted.pop("parent_run_id")
    choices = [{"index": 0, "message": {"role": "assistant", "content": ANSWER}}]
    patch = {
        "id": "r1", "trace_id": "r1", "parent_run_id": None, "end_time": "2026-11-01T10:00:05+00:00",
        "outputs": {"choices": choices}, "extra": {"metadata": {"ls_model_type": "chat", "thread_id": "th-1"}},
        "events": [{"name": "start"}, {"name": "new_token", "time": "2026-11-01T10:00:01+00:00"},
                   {"name": "new_token", "time": "2026-11-01T10:00:02+00:00"}],
    }  # fmt: skip
    (call,) = calls(items(tmp_path, "batch.json", {"post": [posted], "patch": [patch]}))
    assert words(call) == [("user", ASKED), ("assistant", ANSWER)]
    assert (call.first_token_at, call.ended_at, call.whole) == (at("10:00:01"), at("10:00:05"), True)
    apart = items(tmp_path, "batches.jsonl", [{"post": [posted], "patch": []}, {"post": [], "patch": [patch]}])
    ((one, _),) = merged(apart)
    assert (words(one), one.started_at, one.ended_at) == (words(call), call.started_at, call.ended_at)


def test_the_bulk_export_holds_its_objects_as_json_in_columns_of_parquet(tmp_path: Path) -> None:
    row = {k: json.dumps(v) if isinstance(v, dict | list) else v for k, v in run().items()}
    row |= {"start_time": datetime(2026, 11, 1, 10), "end_time": datetime(2026, 11, 1, 10, 0, 5), "is_root": True}
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "runs.parquet")
    (call,) = calls(items_of(tmp_path / "runs.parquet"))
    assert words(call) == [("user", ASKED), ("assistant", ANSWER)]
    assert (call.conversation_id, call.model, call.started_at, call.whole) == ("th-1", "m-1", at("10:00:00"), True)


def test_runs_inside_runs_pages_and_lists_are_read(tmp_path: Path) -> None:
    tree = run(child_runs=[run("r5", "chain", "r1", child_runs=[run("r6", "llm", "r5")])])
    for name, value in (("a.json", tree), ("b.json", [tree]), ("c.json", {"runs": [tree], "cursors": {}})):
        assert [c.call_id for c in calls(items(tmp_path, name, value))] == ["r1", "r6"]
    deep = run()
    for n in range(200):
        deep = run(f"d{n}", child_runs=[deep])
    assert len(calls(items(tmp_path, "d.json", deep))) == 201


def test_the_state_of_a_graph_is_divided_into_request_and_answer(tmp_path: Path) -> None:
    human = {"type": "human", "content": ASKED, "id": "h1"}
    state = {"messages": [human, {"type": "ai", "content": ANSWER, "id": "a1"}]}
    (call,) = calls(items(tmp_path, "a.json", run(inputs={"messages": [{**human, "id": None}]}, outputs=state)))
    assert [t.message_id for t in (*(call.input or ()), *(call.output or ()))] == ["h1", "a1"]


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"error": "RateLimitError('429')", "status": "error"}, Status.ERROR),
        ({"error": "CancelledError()", "status": "error"}, Status.PARTIAL),
        ({"error": None, "status": "pending", "end_time": None}, Status.PARTIAL),
        ({}, Status.OK),
    ],
)
def test_how_a_run_ended_is_how_the_reply_ended(tmp_path: Path, given: dict[str, Any], status: Status) -> None:
    assert calls(items(tmp_path, "a.json", run(**given)))[0].status is status


def test_a_failed_run_and_its_retry_are_two_requests(tmp_path: Path) -> None:
    failed = run(outputs=None, error="timeout", status="error")
    again = run("r9", trace_id="r9", start_time="2026-11-01T10:00:20", end_time="2026-11-01T10:00:25")
    made = assemble(merged(items(tmp_path, "a.jsonl", [failed, again])), [])
    assert [m.content for m, _ in made.messages if m.role is Role.USER] == [ASKED, ASKED]


def test_experiments_on_data_sets_are_no_conversations(tmp_path: Path) -> None:
    assert items(tmp_path, "a.json", run(reference_example_id="e1")) == []


def test_times_that_a_migration_moved_cost_only_themselves(tmp_path: Path) -> None:
    moved = run(end_time="2026-12-20T10:00:05")
    found = items(tmp_path, "a.json", moved)
    assert refusals(found) == [Refusal(Reason.TIME_OUT_OF_RANGE, "end_time")]
    assert [(c.started_at, c.ended_at) for c in calls(found)] == [(at("10:00:00"), None)]


@pytest.mark.parametrize(
    ("given", "vote"),
    [
        ({}, EventKind.THUMBS_DOWN),
        ({"score": 1.0}, EventKind.THUMBS_UP),
        ({"score": False, "key": "thumbs_up"}, EventKind.THUMBS_DOWN),
        ({"score": None, "value": "thumbs_down"}, EventKind.THUMBS_DOWN),
        ({"score": -1, "key": "User-Feedback"}, EventKind.THUMBS_DOWN),
        ({"feedback_source": None}, EventKind.THUMBS_DOWN),
        ({"feedback_source": '{"type": "app"}'}, EventKind.THUMBS_DOWN),
    ],
)
def test_a_users_feedback_is_a_vote(tmp_path: Path, given: dict[str, Any], vote: EventKind) -> None:
    assert votes(items(tmp_path, "a.jsonl", [feedback(**given)])) == [vote]


@pytest.mark.parametrize(
    "given",
    [
        {"feedback_source": {"type": "model"}}, {"feedback_source": {"type": "auto_eval"}}, {"key": "correctness"},
        {"feedback_source": {"type": "api", "metadata": {"__run": {"run_id": "e"}}}}, {"score": None, "comment": "hm"},
        {"comparative_experiment_id": "c1"},
    ],
)  # fmt: skip
def test_verdicts_of_models_and_experiments_and_bare_comments_are_no_votes(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    assert items(tmp_path, "a.jsonl", [feedback(**given)], {"format": "langsmith"}) == []


def test_feedback_joins_the_reply_of_its_run_and_is_dated_by_its_last_change(tmp_path: Path) -> None:
    inner = run("r2", "llm", "r1")
    late = feedback(run_id="r2", comment="that is the North Sea", modified_at="2026-11-01T11:00:00")
    found = items(tmp_path, "runs.jsonl", [run(), inner]) + items(tmp_path, "feedback.jsonl", [late])
    made = assemble(merged(found), [(i, Place("f", 2, 0, 1, "d")) for i in found if isinstance(i, Remark)])
    reply = next(m for m, _ in made.messages if m.role is Role.ASSISTANT)
    ((event, _),) = made.events
    assert (event.message_id, event.conversation_id, event.at) == (reply.message_id, "th-1", at("11:00:00"))
    assert event.text == "that is the North Sea"


_BATCH = {"post": [run("r7", "llm")], "patch": [{"id": "r7", "outputs": {"output": ANSWER}, "events": [{}]}]}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(mutated([run(child_runs=[run("r2", "llm", "r1")]), feedback(), _BATCH, {"runs": [run()]}]))
def test_junk_is_withstood(tmp_path: Path, records: Any) -> None:
    assert_withstands(tmp_path, "junk.jsonl", records, {"format": "langsmith"})
