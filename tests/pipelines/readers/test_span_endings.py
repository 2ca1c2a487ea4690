"""How a call ended, when its first token came, and which evaluations are votes of users."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from schemas.enums import EventKind, Status
from tests.pipelines.readers.genai_kit import ASKED, CHAT, CONTENT, START, read
from tests.pipelines.readers.kit import refusals
from tests.pipelines.readers.otlp import (
    SPAN,
    event,
    log,
    logs,
    only_call,
    remarks,
    span,
    spans,
)


def test_where_capture_is_off_the_exchange_is_known_and_its_text_is_not(tmp_path: Path) -> None:
    call = only_call(read(tmp_path, spans(span(CHAT))))
    assert (call.input, call.output) == (None, None)
    assert call.ended_at == START + timedelta(seconds=4)


def test_telemetry_of_no_assistant_comes_to_nothing(tmp_path: Path) -> None:
    web = span({"http.request.method": "POST", "url.path": "/chat"}, "00000000000000d4")
    vectors = span({"gen_ai.operation.name": "embeddings", "gen_ai.request.model": "e-1"}, "00000000000000e5")
    metrics: dict[str, Any] = {"resourceMetrics": [{"resource": {}, "scopeMetrics": []}]}
    assert read(tmp_path, spans(web, vectors), metrics, logs(log("app.started", "ready"))) == []


@pytest.mark.parametrize(
    ("attributes", "more", "status"),
    [
        ({"gen_ai.response.finish_reasons": ["length"]}, {}, Status.PARTIAL),
        ({"gen_ai.response.finish_reasons": ["stop"]}, {}, Status.OK),
        ({"gen_ai.response.finish_reasons": ["content_filter"]}, {}, Status.PARTIAL),
        ({"error.type": "timeout"}, {"status": {"code": 2, "message": "timed out"}}, Status.ERROR),
        ({}, {"status": {"code": "STATUS_CODE_ERROR"}}, Status.ERROR),
        ({"error.type": "asyncio.CancelledError"}, {"status": {"code": 2}}, Status.PARTIAL),
        ({}, {"status": {"code": "STATUS_CODE_OK"}}, Status.OK),
    ],
)
def test_how_a_call_ended_is_read_from_its_status_and_its_finish_reasons(
    tmp_path: Path, attributes: dict[str, Any], more: dict[str, Any], status: Status
) -> None:
    assert only_call(read(tmp_path, spans(span(CONTENT | attributes, **more)))).status is status


def test_a_failed_call_that_captured_its_input_came_to_nothing(tmp_path: Path) -> None:
    given_ = CHAT | {"gen_ai.input.messages": ASKED}
    assert only_call(read(tmp_path, spans(span(given_, status={"code": 2})))).output == ()
    assert only_call(read(tmp_path, spans(span(CHAT, status={"code": 2})))).output is None


@pytest.mark.parametrize(
    ("attributes", "events", "after"),
    [
        ({"gen_ai.response.time_to_first_chunk": 0.25}, [], 0.25),
        ({"ai.response.msToFirstChunk": 250.0}, [], 0.25),
        ({}, [event("ai.stream.firstChunk", at=0.5)], 0.5),
        ({}, [event("llm.content.completion.chunk", at=1), event("llm.content.completion.chunk", at=2)], 1),
        ({"gen_ai.response.time_to_first_chunk": 9.0}, [], None),  # after the end
        ({"gen_ai.response.time_to_first_chunk": 0}, [], None),
        ({"gen_ai.response.time_to_first_chunk": "soon"}, [], None),
    ],
)
def test_the_first_token_is_known_from_an_event_or_an_attribute(
    tmp_path: Path, attributes: dict[str, Any], events: list[Any], after: float | None
) -> None:
    call = only_call(read(tmp_path, spans(span(CONTENT | attributes, events=events))))
    assert call.first_token_at == (None if after is None else START + timedelta(seconds=after))


@pytest.mark.parametrize(
    ("name", "label", "event_"),
    [
        ("user_feedback", "thumbs_down", EventKind.THUMBS_DOWN),
        ("thumbs", "up", EventKind.THUMBS_UP),
        ("relevance", "bad", None),  # a judge's
        ("feedback", "bad", None),  # nobody says whose
    ],
)
def test_only_an_evaluation_that_is_plainly_a_users_is_a_vote(
    tmp_path: Path, name: str, label: str, event_: EventKind | None
) -> None:
    result = {"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.label": label}
    told = event("gen_ai.evaluation.result", result, at=9)
    for record in (spans(span(CONTENT, events=[told])), logs(log("gen_ai.evaluation.result", attributes=result, at=9))):
        found = remarks(read(tmp_path, record))
        assert [r.event for r in found] == ([] if event_ is None else [event_])
        assert all(r.call_id == SPAN and r.at == START + timedelta(seconds=9) for r in found)


def test_values_of_the_data_never_stand_in_a_refusal(tmp_path: Path) -> None:
    bad = span(CONTENT, "x\x00secret")
    (refusal,) = refusals(read(tmp_path, spans(bad)))
    assert "secret" not in str(refusal)
