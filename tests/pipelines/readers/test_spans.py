"""A call whose content stands apart from its span, in log records, is one call; so is one that was exported twice."""

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pipelines.readers.calls import assemble
from pipelines.readers.items import Call
from pipelines.readers.raw import Place
from pipelines.readers.spans import merge_calls
from schemas.enums import Status
from schemas.reasons import Reason
from tests.pipelines.readers.kit import items, refusals
from tests.pipelines.readers.otlp import SPAN, TRACE, calls, log, logs, said, span, spans

START = datetime(2026, 11, 2, 9, tzinfo=UTC)
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "small-1"}
SYSTEM = log("gen_ai.system.message", {"content": "Be brief."}, at=0.0)
FIX = log("gen_ai.user.message", {"content": "fix it"}, at=0.1)
DONE = log("gen_ai.assistant.message", {"content": "Done."}, at=0.2)
AGAIN = log("gen_ai.user.message", {"content": "fix it"}, at=0.3)
CHOICE = log("gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": {"content": "Sorry."}}, at=3)
HISTORY = [("system", "Be brief."), ("user", "fix it"), ("assistant", "Done."), ("user", "fix it")]


def read(tmp_path: Path, *records: Any) -> list[Call]:
    return calls(items(tmp_path, "t.jsonl", list(records), {"format": "otel-genai"}))


def merged(found: list[Call]) -> list[Call]:
    placed = [(c, Place("t.jsonl", n, n, 1, f"{n:064}")) for n, c in enumerate(found, 1)]
    results = {tuple(c for c, _ in merge_calls(list(order))[0]) for order in itertools.permutations(placed)}
    (result,) = results  # in whatever order they come
    assert merge_calls(placed)[1] == len(found) - len(result)
    return list(result)


def test_log_records_fill_the_span_that_they_belong_to(tmp_path: Path) -> None:
    (call,) = merged(read(tmp_path, spans(span(CHAT)), logs(SYSTEM, FIX, DONE, AGAIN, CHOICE)))
    assert said(call.input) == HISTORY
    assert said(call.output) == [("assistant", "Sorry.")]
    assert (call.trace_id, call.call_id, call.model) == (TRACE, SPAN, "small-1")
    assert (call.started_at, call.ended_at) == (START, START + timedelta(seconds=4))


def test_messages_that_were_exported_in_two_batches_are_one_history_and_real_repeats_stay(tmp_path: Path) -> None:
    (call,) = merged(read(tmp_path, logs(SYSTEM, FIX, DONE), logs(AGAIN, CHOICE)))
    assert said(call.input) == HISTORY
    assert call.started_at == START
    assert call.ended_at == START + timedelta(seconds=3)


def test_log_records_are_put_in_the_order_of_their_times(tmp_path: Path) -> None:
    (call,) = merged(read(tmp_path, logs(AGAIN, DONE, SYSTEM, FIX)))
    assert said(call.input) == HISTORY
    assert call.output is None


def test_what_was_exported_twice_is_there_once(tmp_path: Path) -> None:
    twice = read(tmp_path, spans(span(CHAT)), spans(span(CHAT)), logs(FIX, CHOICE), logs(FIX, CHOICE))
    (call,) = merged(twice)
    assert said(call.input) == [("user", "fix it")]
    assert said(call.output) == [("assistant", "Sorry.")]


def test_a_record_of_the_whole_call_needs_no_parts(tmp_path: Path) -> None:
    content = CHAT | {
        "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "fix it"}]}],
        "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": "Sorry."}]}],
        "gen_ai.conversation.id": "conv-7",
    }
    details = log("gen_ai.client.inference.operation.details", attributes=content, at=4)
    (call,) = merged(read(tmp_path, spans(span(CHAT)), logs(details), logs(FIX)))
    assert said(call.input) == [("user", "fix it")]
    assert call.conversation_id == "conv-7"
    assert call.started_at == START
    (alone,) = read(
        tmp_path, logs(log(details["eventName"], attributes=content | {"gen_ai.response.id": "r"}, spanId=""))
    )
    assert said(alone.output) == [("assistant", "Sorry.")]


def test_the_name_of_a_log_record_may_be_an_attribute(tmp_path: Path) -> None:
    old = log("", {"content": "fix it"}, attributes={"event.name": "gen_ai.user.message"})
    (call,) = read(tmp_path, logs(old))
    assert said(call.input) == [("user", "fix it")]


def test_content_that_was_not_captured_is_a_turn_without_text(tmp_path: Path) -> None:
    found = read(tmp_path, logs(log("gen_ai.user.message", {}), log("gen_ai.choice", {"index": 0, "message": {}})))
    (call,) = merged(found)
    assert said(call.input) == [("user", None)]
    assert said(call.output) == [("assistant", None)]


def test_a_log_record_without_a_span_or_a_time_is_refused(tmp_path: Path) -> None:
    lost = log("gen_ai.user.message", {"content": "a"}, spanId="")
    timeless = log("gen_ai.user.message", {"content": "a"}, timeUnixNano="0")
    found = refusals(items(tmp_path, "t.jsonl", [logs(lost, timeless)], {"format": "otel-genai"}))
    assert [(r.reason, r.field) for r in found] == [
        (Reason.MISSING_KEY, "resourceLogs[0].scopeLogs[0].logRecords[0].spanId"),
        (Reason.MISSING_KEY, "resourceLogs[0].scopeLogs[0].logRecords[1].timeUnixNano"),
    ]


def test_of_two_exports_of_a_span_the_finished_one_counts(tmp_path: Path) -> None:
    pending = span(CHAT | {"gen_ai.prompt": "fix it"}, endTimeUnixNano="0")
    finished = span(CHAT | {"gen_ai.prompt": "fix it", "gen_ai.completion": "Sorry.", "error.type": "timeout"})
    (call,) = merged(read(tmp_path, spans(pending), spans(finished)))
    assert (call.ended_at, call.status) == (START + timedelta(seconds=4), Status.ERROR)
    assert said(call.output) == [("assistant", "Sorry.")]


def test_spans_of_two_services_are_two_calls(tmp_path: Path) -> None:
    found = read(tmp_path, spans(span(CHAT), service="a"), spans(span(CHAT), service="b"))
    assert [c.source for c in merged(found)] == ["a", "b"]


def test_a_conversation_comes_out_of_spans_and_logs_with_both_clocks(tmp_path: Path) -> None:
    found = read(tmp_path, spans(span(CHAT)), logs(SYSTEM, FIX, DONE, AGAIN, CHOICE))
    made, _ = merge_calls([(c, Place("t.jsonl", 1, 0, 1, "0")) for c in found])
    messages = [m for m, _ in assemble(made, []).messages]
    assert [(str(m.role), m.content) for m in messages] == [*HISTORY, ("assistant", "Sorry.")]
    assert messages[3].created_at == START
    assert messages[4].completed_at == START + timedelta(seconds=4)
