"""OpenTelemetry GenAI: content wherever the versions of the conventions put it, and calls as their spans time them."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.readers.logfile import LogFile
from schemas.enums import Status
from tests.pipelines.readers import otlp
from tests.pipelines.readers.genai_kit import ANSWER, ANSWERED, ASKED, CHAT, CONTENT, QUESTION, START, read
from tests.pipelines.readers.kit import opened
from tests.pipelines.readers.mutations import assert_withstands, mutated
from tests.pipelines.readers.otlp import (
    SPAN,
    TRACE,
    calls,
    event,
    log,
    logs,
    only_call,
    said,
    span,
    spans,
)


def test_a_span_becomes_a_call_with_its_times_its_model_and_its_conversation(tmp_path: Path) -> None:
    given_ = CONTENT | {"gen_ai.conversation.id": "conv-7", "user.id": "u-1", "gen_ai.response.id": "chatcmpl-9"}
    call = only_call(read(tmp_path, spans(span(given_))))
    assert (call.source, call.conversation_id, call.user_id, call.model) == (
        "helpdesk",
        "conv-7",
        "u-1",
        "small-1-0613",
    )
    assert (call.trace_id, call.call_id, call.parent_id, call.output_id) == (TRACE, SPAN, None, "chatcmpl-9")
    assert (call.started_at, call.ended_at, call.first_token_at) == (START, START + timedelta(seconds=4), None)
    assert said(call.input) == QUESTION
    assert said(call.output) == ANSWER
    assert call.status is Status.OK


def test_messages_may_be_json_in_a_string_and_instructions_are_the_systems(tmp_path: Path) -> None:
    given_ = CHAT | {
        "gen_ai.input.messages": json.dumps(ASKED),
        "gen_ai.output.messages": json.dumps(ANSWERED),
        "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "Be brief."}]),
    }
    call = only_call(read(tmp_path, spans(span(given_))))
    assert said(call.input) == [("system", "Be brief."), *QUESTION]
    assert said(call.output) == ANSWER


def test_tool_calls_results_and_files_are_no_words_of_the_user(tmp_path: Path) -> None:
    history = [
        {"role": "user", "parts": [{"type": "uri", "modality": "image", "uri": "https://example.org/a.png"}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "t1", "name": "track", "arguments": {"n": 1}}]},
        {"role": "user", "parts": [{"type": "tool_call_response", "id": "t1", "result": "in Lyon"}]},
    ]
    call = only_call(read(tmp_path, spans(span(CHAT | {"gen_ai.input.messages": history}))))
    assert said(call.input) == [("user", None), ("assistant", None), ("tool", None)]
    assert call.input is not None
    assert [t.has_attachment for t in call.input] == [True, False, False]


def test_of_several_choices_the_first_is_the_answer(tmp_path: Path) -> None:
    other = [{"role": "assistant", "parts": [{"type": "text", "content": "No idea."}], "finish_reason": "stop"}]
    call = only_call(read(tmp_path, spans(span(CONTENT | {"gen_ai.output.messages": ANSWERED + other}))))
    assert said(call.output) == ANSWER


@pytest.mark.parametrize(
    "events",
    [
        [
            event("gen_ai.content.prompt", {"gen_ai.prompt": '[{"role":"user","content":"Where is my parcel?"}]'}),
            event("gen_ai.content.completion", {"gen_ai.completion": '[{"content": "It is in Lyon."}]'}),
        ],
        [
            event("gen_ai.user.message", {"gen_ai.event.content": '{"content": "Where is my parcel?"}'}),
            event("gen_ai.choice", {"gen_ai.event.content": '{"message": {"content": "It is in Lyon."}, "index": 0}'}),
        ],
        [
            event("gen_ai.user.message", {"content": '[{"text": "Where is my parcel?"}]'}),
            event("gen_ai.choice", {"message": '[{"text": "It is in Lyon."}]', "finish_reason": "end_turn"}),
        ],
        [
            event("gen_ai.user.message", {"content": "Where is my parcel?"}),
            event("gen_ai.choice", {"message": "It is in Lyon."}),
        ],
    ],
    ids=["1.27", "azure", "strands", "plain"],
)
def test_content_may_stand_in_the_events_of_a_span(tmp_path: Path, events: list[Any]) -> None:
    call = only_call(read(tmp_path, spans(span(CHAT, events=events))))
    assert said(call.input) == QUESTION
    assert said(call.output) == ANSWER


def test_an_event_without_content_is_a_turn_without_text(tmp_path: Path) -> None:
    call = only_call(read(tmp_path, spans(span(CHAT, events=[event("gen_ai.user.message", {"gen_ai.system": "x"})]))))
    assert said(call.input) == [("user", None)]


@pytest.mark.parametrize(
    "attributes",
    [
        {
            "llm.request.type": "chat",
            "gen_ai.prompt.0.role": "system",
            "gen_ai.prompt.0.content": "Be brief.",
            "gen_ai.prompt.1.role": "user",
            "gen_ai.prompt.1.content": '[{"type": "text", "text": "Where is my parcel?"}]',
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.content": "It is in Lyon.",
            "gen_ai.completion.0.finish_reason": "stop",
            "traceloop.association.properties.session_id": "conv-7",
        },
        {
            "ai.operationId": "ai.streamText.doStream",
            "ai.prompt.messages": json.dumps(
                [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": [{"type": "text", "text": "Where is my parcel?"}]},
                ]
            ),
            "ai.response.text": "It is in Lyon.",
            "ai.telemetry.metadata.sessionId": "conv-7",
        },
        {
            "ai.operationId": "ai.generateText",
            "ai.prompt": json.dumps({"system": "Be brief.", "prompt": "Where is my parcel?"}),
            "ai.response.text": "It is in Lyon.",
            "session.id": "conv-7",
        },
        {
            "gen_ai.operation.name": "chat",
            "events": json.dumps(
                [
                    {"event.name": "gen_ai.system.message", "role": "system", "content": "Be brief."},
                    {"event.name": "gen_ai.user.message", "role": "user", "content": "Where is my parcel?"},
                    {
                        "event.name": "gen_ai.choice",
                        "index": 0,
                        "message": {"role": "assistant", "content": "It is in Lyon."},
                    },
                ]
            ),
            "metadata": '{"thread_id": "conv-7"}',
        },
    ],
    ids=["openllmetry", "ai sdk step", "ai sdk", "pydantic ai"],
)
def test_relatives_of_the_conventions_say_the_same(tmp_path: Path, attributes: dict[str, Any]) -> None:
    call = only_call(read(tmp_path, spans(span(attributes))))
    assert said(call.input) == [("system", "Be brief."), *QUESTION]
    assert said(call.output) == ANSWER
    assert call.conversation_id == "conv-7"


def test_a_root_agent_stands_for_its_trace_and_one_inside_only_names_the_conversation(tmp_path: Path) -> None:
    agent = CONTENT | {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "conv-7"}
    inner = span(agent, "00000000000000b2", 1, 2, parentSpanId=SPAN)
    tool = span({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "track"}, "00000000000000c3")
    root, deeper = calls(read(tmp_path, spans(span(agent), inner, tool)))
    assert root.whole
    assert said(root.output) == ANSWER
    assert not deeper.whole
    assert (deeper.conversation_id, deeper.parent_id, deeper.input, deeper.output) == ("conv-7", SPAN, None, None)


def test_a_state_that_holds_the_conversation_is_cut_after_the_request(tmp_path: Path) -> None:
    turns = [("user", "Hello"), ("assistant", "Hi."), ("user", "Where is my parcel?"), ("assistant", "It is in Lyon.")]
    history = [{"role": r, "parts": [{"type": "text", "content": c}]} for r, c in turns]
    call = only_call(read(tmp_path, spans(span({"pydantic_ai.all_messages": json.dumps(history)}))))
    assert call.whole
    assert said(call.input) == turns[:3]
    assert said(call.output) == turns[3:]


def test_the_same_words_twice_are_two_calls(tmp_path: Path) -> None:
    again = span(CONTENT, "00000000000000b2", 40, 44)
    assert len(calls(read(tmp_path, spans(span(CONTENT), again)))) == 2


MIXED = spans(
    span(CONTENT, events=[event("gen_ai.evaluation.result", {"gen_ai.evaluation.name": "thumbs"})]),
    span(
        {"llm.request.type": "chat", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Hi"},
        "00000000000000b2",
    ),
)
LOGGED = logs(
    log("gen_ai.user.message", {"content": "Where is my parcel?"}),
    log("gen_ai.choice", {"index": 0, "message": {"content": "It is in Lyon."}}, at=4),
    log("gen_ai.client.inference.operation.details", attributes=CONTENT),
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([MIXED, LOGGED]).flatmap(mutated))
def test_junk_anywhere_is_refused_and_breaks_nothing(tmp_path_factory: pytest.TempPathFactory, record: Any) -> None:
    assert_withstands(tmp_path_factory.mktemp("junk"), "t.jsonl", [record], {"format": "otel-genai"})


@pytest.mark.gold
def test_a_real_file_of_the_ai_sdk_is_read_without_a_refusal() -> None:
    path = Path(__file__).parents[4] / "shared/formats/openinference_vercel_all_spans.json"
    if not path.exists():
        pytest.skip("the real files are not here")
    log_ = opened(path)
    assert isinstance(log_, LogFile)
    assert log_.format.name == "otel-genai"
    found = [i for raw in log_.records(1 << 20) for i in log_.items(raw)]
    assert len(calls(found)) == len(found) == 8
    assert sum(c.first_token_at is not None for c in calls(found)) == 1
    assert otlp.said(calls(found)[2].input)[-1] == ("user", "And what is 3 + 3?")  # type: ignore[index]
