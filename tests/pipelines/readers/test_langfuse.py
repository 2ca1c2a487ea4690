"""Langfuse: traces and observations become calls, whichever way they were exported."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings

from schemas.enums import EventKind, Role, Status
from schemas.reasons import Reason
from tests.pipelines.readers.kit import items, refusals
from tests.pipelines.readers.langfuse_kit import (
    ANSWER,
    ASKED,
    at,
    calls,
    observation,
    put_together,
    read,
    score,
    trace,
    votes,
    words,
)
from tests.pipelines.readers.mutations import assert_withstands, mutated

_SAID = [{"role": "user", "content": ASKED}]
_RECORDS = [
    {"trace": trace(scores=[score()]), "observations": [observation("o1", input=_SAID)]},
    trace(observations=[observation("o2", "SPAN", input={"args": [ASKED], "kwargs": {}})]),
    score(),
    observation("o3", input=ASKED, output={"choices": [{"message": {"content": ANSWER}}]}, userId="u1"),
]


def test_a_trace_whose_own_input_and_output_hold_words_is_one_exchange(tmp_path: Path) -> None:
    steps = [
        observation("o1", "SPAN", endTime="2026-11-01T10:00:06.000Z"),
        observation("o2", parentObservationId="o1", model="m-1", input=[{"role": "user", "content": ASKED}],
                    output={"role": "assistant", "content": ANSWER}, completionStartTime="2026-11-01T10:00:02.500Z"),
        observation("o3", "TOOL", parentObservationId="o1", input={"query": "ferry"}, output="timetable"),
    ]  # fmt: skip
    download = {"trace": trace(input=json.dumps(json.dumps({"args": [ASKED], "kwargs": {}}))), "observations": steps}
    whole, step = calls(read(tmp_path, download))
    assert (whole.whole, step.whole, step.call_id) == (True, False, "o2")
    assert words(whole) == [("user", ASKED), ("assistant", ANSWER)]
    assert (whole.source, whole.conversation_id, whole.trace_id, whole.user_id) == ("langfuse", "s1", "t1", "u1")
    assert (whole.model, whole.started_at, whole.first_token_at) == ("m-1", at("10:00:00"), at("10:00:02.500"))
    assert whole.ended_at == at("10:00:04")  # it was streamed, so the user saw it as the model wrote it


def test_an_answer_that_was_not_streamed_was_seen_when_everything_was_done(tmp_path: Path) -> None:
    steps = [
        observation("o1", "SPAN", endTime="2026-11-01T10:00:06.000Z"),
        observation("o2", output=ANSWER, input=ASKED),
    ]
    assert calls(read(tmp_path, {"trace": trace(), "observations": steps}))[0].ended_at == at("10:00:06")


def test_a_download_holds_its_observations_twice_and_they_are_read_once(tmp_path: Path) -> None:
    bare = observation("o1", input=None, output=None)
    full = observation("o1", input=ASKED, output=ANSWER)
    found = calls(read(tmp_path, {"trace": trace(observations=[bare]), "observations": [full]}))
    assert [c.call_id for c in found] == ["trace:t1", "o1"]
    assert words(found[1]) == [("user", ASKED), ("assistant", ANSWER)]


def test_where_the_trace_holds_no_words_its_only_root_does_or_the_generations(tmp_path: Path) -> None:
    bare = trace(input={"document": 7}, output=None)
    root = observation("o1", "AGENT", input={"question": ASKED}, output=ANSWER)
    step = observation("o2", parentObservationId="o1", input=ASKED, output=ANSWER, model="m-2")
    found = calls(read(tmp_path, {"trace": bare, "observations": [root, step]}))
    assert [(c.call_id, c.whole, c.model) for c in found] == [("o1", True, "m-2"), ("o2", False, "m-2")]
    found = calls(read(tmp_path, {"trace": bare, "observations": [{**root, "input": None}, step]}))
    assert [(c.call_id, c.whole) for c in found] == [("o2", False)]


def test_the_users_own_words_are_preferred_to_what_an_application_made_of_them(tmp_path: Path) -> None:
    asked = [{"role": "user", "content": f"Use the timetable to answer: {ASKED}"}]
    step = observation("o1", input=asked, output=ANSWER, model="m-1")
    made = put_together(read(tmp_path, {"trace": trace(output={"stored": True}), "observations": [step]}))
    assert [(m.content, m.model) for m, _ in made.messages] == [(ASKED, None), (ANSWER, "m-1")]
    apart = items(tmp_path, "a.jsonl", [trace(output={"stored": True}), step])  # in tables, each is a row
    assert [m.content for m, _ in put_together(apart).messages] == [ASKED, ANSWER]


def test_pages_lists_and_sessions_hold_the_same_traces(tmp_path: Path) -> None:
    alone = calls(items(tmp_path, "a.json", trace()))
    assert calls(items(tmp_path, "b.json", [trace(), trace("t2")]))[:1] == alone
    assert calls(items(tmp_path, "c.jsonl", [trace()])) == alone
    page = {"data": [trace(scores=["sc1"], observations=["o1"])], "meta": {"page": 1}}
    assert calls(items(tmp_path, "d.json", page)) == alone
    session = {"id": "s1", "projectId": "p1", "createdAt": "x", "traces": [{**trace(), "sessionId": None}]}
    assert calls(items(tmp_path, "e.json", session)) == alone


def test_the_blob_storage_export_spells_the_same_with_underscores_and_utc_times_without_a_zone(tmp_path: Path) -> None:
    rows = [
        {"id": "o1", "trace_id": "t1", "type": "SPAN", "parent_observation_id": "", "level": "DEFAULT",
         "status_message": "", "start_time": "2026-11-01 10:00:00.000000",
         "end_time": "2026-11-01 10:00:05.250000", "session_id": "s1",
         "user_id": "u1", "input": json.dumps({"question": ASKED}), "output": ANSWER, "provided_model_name": ""},
        {"id": "o2", "trace_id": "t1", "type": "GENERATION", "parent_observation_id": "o1", "level": "DEFAULT",
         "status_message": "", "start_time": "2026-11-01 10:00:01.000000", "end_time": "2026-11-01 10:00:05.000000",
         "completion_start_time": "2026-11-01 10:00:02.000000", "session_id": "s1", "user_id": "u1", "input": "",
         "output": "", "provided_model_name": "m-1"},
    ]  # fmt: skip
    whole, step = calls(items(tmp_path, "rows.jsonl", rows))
    assert words(whole) == [("user", ASKED), ("assistant", ANSWER)]
    assert (whole.whole, whole.started_at, whole.ended_at) == (True, at("10:00:00"), at("10:00:05.250"))
    assert (step.model, step.parent_id, step.first_token_at) == ("m-1", "o1", at("10:00:02"))
    assert (step.input, step.output) == (None, None)
    elsewhere = items(tmp_path, "rows.jsonl", rows, {"zone": "Asia/Shanghai"})
    assert calls(elsewhere)[0].started_at == datetime(2026, 11, 1, 2, tzinfo=UTC)


def test_rows_of_observations_without_their_trace_leave_it_to_the_trace_to_stand_for_them(tmp_path: Path) -> None:
    root, step = observation("o1", "SPAN", input=ASKED, output=ANSWER), observation("o2", input=ASKED, output=ANSWER)
    assert [(c.call_id, c.whole) for c in calls(items(tmp_path, "o.jsonl", [root, step]))] == [("o2", False)]


def test_the_same_words_in_two_traces_are_two_turns_and_an_exported_copy_is_not(tmp_path: Path) -> None:
    turns = [trace("t1", "10:00:00"), trace("t2", "10:00:40")]
    steps = [observation("o1", endTime="2026-11-01T10:00:05Z", input=ASKED, output=ANSWER)]
    later = [{**steps[0], "id": "o2", "startTime": "2026-11-01T10:00:41Z", "endTime": "2026-11-01T10:00:45Z"}]
    downloads = [{"trace": t, "observations": o} for t, o in zip(turns, (steps, later), strict=True)]
    made = put_together(items(tmp_path, "a.jsonl", downloads))
    assert [m.content for m, _ in made.messages if m.role is Role.USER] == [ASKED, ASKED]
    twice = put_together(items(tmp_path, "b.jsonl", [*downloads, *downloads]))
    assert [m for m, _ in twice.messages] == [m for m, _ in made.messages]
    copied = {"trace": trace("t9", "10:00:00"), "observations": [{**steps[0], "id": "o9", "traceId": "t9"}]}
    made = put_together(items(tmp_path, "c.jsonl", [downloads[0], copied]))  # another id for the same start and words
    assert [m.content for m, _ in made.messages if m.role is Role.USER] == [ASKED]


def test_a_request_that_failed_keeps_its_place_before_the_retry(tmp_path: Path) -> None:
    failed = observation("o1", level="ERROR", statusMessage="rate limit", input=ASKED)
    bad, good = trace("t1", output=None), trace("t2", "10:00:09")
    found = items(tmp_path, "a.jsonl", [{"trace": bad, "observations": [failed]}, good])
    first = calls(found)[0]
    assert (first.status, first.output, first.whole) == (Status.ERROR, (), True)
    made = [(m.role, m.status) for m, _ in put_together(found).messages if m.role is Role.ASSISTANT or m.content]
    assert (Role.ASSISTANT, Status.ERROR) in made
    assert sum(role is Role.USER for role, _ in made) == 2


def test_judges_and_experiments_of_langfuse_itself_are_no_conversations(tmp_path: Path) -> None:
    quoting = "Classify: <trace>user: you are wrong again</trace>"
    for environment in ("langfuse-llm-as-a-judge", "langfuse-prompt-experiment", "sdk-experiment"):
        assert read(tmp_path, trace(environment=environment, input=quoting)) == []
    judge = observation("o2", "EVALUATOR", input=quoting, output="no")
    assert len(calls(read(tmp_path, {"trace": trace(), "observations": [judge]}))) == 1


def test_a_bad_part_costs_only_itself(tmp_path: Path) -> None:
    step = observation("o1", endTime="yesterday", input=[{"role": "user", "content": 5}], output=ANSWER)
    future = trace(
        timestamp="2026-12-30T10:00:00Z", scores=[score(value=9), score(timestamp="x"), None, "sc3", score()]
    )
    found = read(tmp_path, {"trace": future, "observations": [step, None, "o7"]})
    assert [(r.reason, r.field) for r in refusals(found)] == [
        (Reason.TIME_OUT_OF_RANGE, "timestamp"),
        (Reason.BAD_TIME, "observations[0].endTime"),
        (Reason.WRONG_TYPE, "observations[0].input.content"),
        (Reason.UNKNOWN_VALUE, "scores[0].value"),
        (Reason.BAD_TIME, "scores[1].timestamp"),
    ]
    whole, generation = calls(found)
    assert (whole.started_at, words(whole)) == (None, [("user", ASKED), ("assistant", ANSWER)])
    assert (generation.input, generation.ended_at, generation.started_at) == (None, None, at("10:00:01"))
    assert votes(found) == [EventKind.THUMBS_DOWN]


def test_a_mended_text_says_so(tmp_path: Path) -> None:
    broken = json.dumps(trace(input="Ferry \ud83d?")).encode()
    (call,) = calls(items(tmp_path, "a.json", broken))
    assert [(t.text, t.flags) for t in call.input or ()] == [("Ferry \ufffd?", ("surrogate_replaced",))]


def test_a_thread_that_only_metadata_name_is_the_conversation(tmp_path: Path) -> None:
    step = observation("o1", input=ASKED, output=ANSWER, metadata={"thread_id": "th-7"})
    found = calls(read(tmp_path, {"trace": trace(sessionId=None), "observations": [step]}))
    assert {c.conversation_id for c in found} == {"th-7"}
    assert calls(read(tmp_path, trace(sessionId=None)))[0].conversation_id is None


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(mutated(_RECORDS))
def test_junk_is_withstood(tmp_path: Path, records: Any) -> None:
    assert_withstands(tmp_path, "junk.jsonl", records, {"format": "langfuse"})
