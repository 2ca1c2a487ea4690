"""Spans are read alike in all the shapes in which exporters write them: their ids, their times, their services."""

import base64
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.readers.logfile import LogFile
from schemas.enums import Role
from schemas.reasons import Reason
from tests.pipelines.readers.genai_kit import ANSWERED, ASKED, CHAT, CONTENT, QUESTION, START, read
from tests.pipelines.readers.kit import opened, refusals
from tests.pipelines.readers.mutations import assert_withstands, mutated
from tests.pipelines.readers.otlp import (
    NANOS,
    SPAN,
    TRACE,
    calls,
    only_call,
    said,
    span,
    spans,
)


def test_a_span_of_no_length_has_no_end(tmp_path: Path) -> None:
    call = only_call(read(tmp_path, spans(span(CONTENT, start=3, end=3))))
    assert (call.started_at, call.ended_at) == (START + timedelta(seconds=3), None)


@pytest.mark.parametrize("nanos", [NANOS + 123_456_789, str(NANOS + 123_456_789)])
def test_nanoseconds_are_cut_off_and_may_be_a_string(tmp_path: Path, nanos: Any) -> None:
    call = only_call(read(tmp_path, spans(span(CONTENT, startTimeUnixNano=nanos))))
    assert call.started_at == START + timedelta(microseconds=123_456)


def test_an_impossible_time_costs_its_span_and_no_other(tmp_path: Path) -> None:
    late = span(CONTENT, "00000000000000b2", endTimeUnixNano=str(NANOS + 40 * 86_400 * 10**9))
    found = read(tmp_path, spans(late, span(CONTENT)))
    assert len(calls(found)) == 1
    (refusal,) = refusals(found)
    assert refusal.reason is Reason.TIME_OUT_OF_RANGE
    assert refusal.field == "resourceSpans[0].scopeSpans[0].spans[0].endTimeUnixNano"


def test_a_time_without_a_zone_needs_one_that_is_declared(tmp_path: Path) -> None:
    plain = {
        "name": "chat",
        "context": {"trace_id": TRACE, "span_id": SPAN},
        "start_time": "2026-11-02T17:00:00",
        "end_time": "2026-11-02T17:00:04+08:00",
        "attributes": CONTENT,
    }
    (refusal,) = refusals(read(tmp_path, plain))
    assert (refusal.reason, refusal.field) == (Reason.NAIVE_TIME, "start_time")
    assert only_call(read(tmp_path, plain, zone="Asia/Shanghai")).started_at == START


def test_ids_are_the_same_in_hexadecimal_in_base64_and_with_a_prefix(tmp_path: Path) -> None:
    b64 = [base64.b64encode(bytes.fromhex(i)).decode() for i in (TRACE, SPAN)]
    forms = [(TRACE.upper(), SPAN.upper()), (b64[0], b64[1]), (f"0x{TRACE}", f"0x{SPAN}")]
    for trace_id, span_id in forms:
        call = only_call(read(tmp_path, spans(span(CONTENT, span_id, traceId=trace_id, parentSpanId="0" * 16))))
        assert (call.trace_id, call.call_id, call.parent_id) == (TRACE, SPAN, None)


def _snake(value: Any) -> Any:
    if isinstance(value, list):
        return [_snake(v) for v in value]
    if isinstance(value, dict):
        return {"".join(f"_{c.lower()}" if c.isupper() else c for c in k): _snake(v) for k, v in value.items()}
    return value


def test_names_in_snake_case_and_one_pretty_printed_document_are_read_alike(tmp_path: Path) -> None:
    export = spans(span(CONTENT))
    expected = only_call(read(tmp_path, export))
    assert only_call(read(tmp_path, _snake(export))) == expected
    (tmp_path / "traces.json").write_text(json.dumps(export, indent=2))
    log_ = opened(tmp_path / "traces.json")
    assert isinstance(log_, LogFile)
    assert log_.format.name == "otel-genai"
    assert only_call(i for raw in log_.records(1 << 20) for i in log_.items(raw)) == expected
    assert only_call(read(tmp_path, export["resourceSpans"][0])) == expected


PYTHON: dict[str, Any] = {
    "name": "chat small-1",
    "context": {"trace_id": f"0x{TRACE}", "span_id": f"0x{SPAN}", "trace_state": "[]"},
    "kind": "SpanKind.CLIENT",
    "parent_id": None,
    "start_time": "2026-11-02T09:00:00.000000Z",
    "end_time": "2026-11-02T09:00:04.000000Z",
    "status": {"status_code": "UNSET"},
    "attributes": CHAT | {"gen_ai.input.messages": json.dumps(ASKED), "gen_ai.output.messages": json.dumps(ANSWERED)},
    "events": [],
    "links": [],
    "resource": {"attributes": {"service.name": "helpdesk"}, "schema_url": ""},
}
JAVASCRIPT = {
    "name": "chat small-1",
    "spanContext": {"traceId": TRACE, "spanId": SPAN},
    "startTime": [NANOS // 10**9, 0],
    "endTime": [NANOS // 10**9 + 4, 0],
    "attributes": PYTHON["attributes"],
    "resource": {"attributes": {"service.name": "helpdesk"}},
    "status": {"code": 0},
}
JAEGER = {
    "data": [
        {
            "traceID": TRACE,
            "spans": [
                {
                    "traceID": TRACE,
                    "spanID": SPAN,
                    "operationName": "chat small-1",
                    "references": [],
                    "startTime": NANOS // 1000,
                    "duration": 4_000_000,
                    "tags": [{"key": k, "type": "string", "value": v} for k, v in PYTHON["attributes"].items()],
                    "logs": [],
                    "processID": "p1",
                }
            ],
            "processes": {"p1": {"serviceName": "helpdesk", "tags": []}},
        }
    ]
}
CLICKHOUSE = {
    "Timestamp": "2026-11-02T09:00:00.000000000Z",
    "TraceId": TRACE,
    "SpanId": SPAN,
    "ParentSpanId": "",
    "SpanName": "chat small-1",
    "ServiceName": "helpdesk",
    "SpanAttributes": PYTHON["attributes"],
    "Duration": 4 * 10**9,
    "StatusCode": "Unset",
}


@pytest.mark.parametrize(
    "record", [PYTHON, JAVASCRIPT, JAEGER, CLICKHOUSE, [PYTHON]], ids=["py", "js", "jaeger", "ch", "list"]
)
def test_spans_that_are_not_otlp_are_read_alike(tmp_path: Path, record: Any) -> None:
    log_ = opened(_written(tmp_path, record))
    assert isinstance(log_, LogFile)
    assert log_.format.name == "otel-genai"
    found = only_call(i for raw in log_.records(1 << 20) for i in log_.items(raw))
    assert found == only_call(read(tmp_path, spans(span(CONTENT))))


def _written(tmp_path: Path, record: Any) -> Path:
    path = tmp_path / "spans.json"
    path.write_text(json.dumps(record))
    return path


def test_a_service_that_names_itself_unknown_is_none(tmp_path: Path) -> None:
    assert only_call(read(tmp_path, spans(span(CONTENT), service="unknown_service:python"))).source == "otel-genai"
    found = read(tmp_path, spans(span(CONTENT), service="unknown_service"), source="bot")
    assert only_call(found).source == "bot"


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([PYTHON, JAVASCRIPT, JAEGER, CLICKHOUSE]).flatmap(mutated))
def test_junk_anywhere_is_refused_and_breaks_nothing(tmp_path_factory: pytest.TempPathFactory, record: Any) -> None:
    assert_withstands(tmp_path_factory.mktemp("junk"), "t.jsonl", [record], {"format": "otel-genai"})


def test_a_user_who_really_types_json_keeps_it(tmp_path: Path) -> None:
    typed = '[{"name": "parcel", "price": 3}]'
    given_ = {"llm.request.type": "chat", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": typed}
    assert said(only_call(read(tmp_path, spans(span(given_)))).input) == [("user", typed)]


def test_a_message_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    history = [*ASKED, {"role": "user", "content": 7}, None]
    found = read(tmp_path, spans(span(CONTENT | {"gen_ai.input.messages": json.dumps(history)})))
    assert said(calls(found)[0].input) == QUESTION
    (refusal,) = refusals(found)
    assert refusal.reason is Reason.WRONG_TYPE
    assert refusal.field == "resourceSpans[0].scopeSpans[0].spans[0].gen_ai.input.messages[1].content"


def test_a_lone_surrogate_is_mended_and_noted_on_each_turn(tmp_path: Path) -> None:
    line = json.dumps(spans(span(CONTENT))).replace("Where is", "Where \\ud83d is").encode()
    (tmp_path / "t.jsonl").write_bytes(line)
    log_ = opened(tmp_path / "t.jsonl")
    assert isinstance(log_, LogFile)
    call = only_call(i for raw in log_.records(1 << 20) for i in log_.items(raw))
    assert call.input is not None
    assert call.input[0].text == "Where \ufffd is my parcel?"
    assert call.input[0].flags == ("surrogate_replaced",)


def test_roles_of_every_provider_are_known(tmp_path: Path) -> None:
    history = [{"role": r, "content": r} for r in ("developer", "human", "model", "function")]
    call = only_call(read(tmp_path, spans(span(CHAT | {"gen_ai.input.messages": history}))))
    assert call.input is not None
    assert [t.role for t in call.input] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL]


def test_a_value_that_is_nested_too_deep_costs_its_span_and_no_other(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(60):
        deep = {"arrayValue": {"values": [deep]}}
    bad = span(CONTENT, "00000000000000b2")
    bad["attributes"].append({"key": "gen_ai.input.messages", "value": deep})
    found = read(tmp_path, spans(bad, span(CONTENT)))
    assert [c.call_id for c in calls(found)] == [SPAN]
    assert [r.reason for r in refusals(found)] == [Reason.RECORD_TOO_DEEP]
