"""Logs of the OpenAI APIs: who said what, when it was said, and how it ended, in the shapes of several gateways."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from pipelines.readers.calls import assemble
from pipelines.readers.items import Call, Remark, Turn
from pipelines.readers.raw import Place, RawRecord, Refusal
from schemas.enums import EventKind, Role, Status
from schemas.reasons import Reason
from schemas.records import Message
from tests.pipelines.readers.kit import items, opened, refusals
from tests.pipelines.readers.mutations import assert_withstands, mutated

SENT = 1793610000  # 2026-11-02T09:00:00Z
AT = datetime.fromtimestamp(SENT, UTC)
ASKED = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Where is the key?"}]
TOLD = {
    "id": "chatcmpl-0123456789abcdef", "object": "chat.completion", "created": SENT, "model": "m-1",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Under the mat."}, "finish_reason": "stop"}],
}  # fmt: skip
LOGGED = {"request": {"model": "m", "messages": ASKED, "user": "ann", "metadata": {"chat_id": "c1"}}, "response": TOLD}


def read(folder: Path, *records: Any, declared: dict[str, Any] | None = None) -> list[Any]:
    found = items(folder, "log.jsonl", list(records), declared)
    log = opened(folder / "log.jsonl", declared)
    assert not isinstance(log, RawRecord)
    assert log.format.name == "openai"
    return found


def call(folder: Path, record: Any, declared: dict[str, Any] | None = None) -> Call:
    (found,) = read(folder, record, declared=declared)
    assert isinstance(found, Call)
    return found


def spoken(turns: tuple[Turn, ...] | None) -> list[tuple[str, str | None]] | None:
    return None if turns is None else [(str(t.role), t.text) for t in turns]


INPUT = [("system", "Be kind."), ("user", "Where is the key?")]
OUTPUT = [("assistant", "Under the mat.")]


def test_a_call_says_who_asked_what_and_when(tmp_path: Path) -> None:
    found = call(tmp_path, LOGGED)
    assert (spoken(found.input), spoken(found.output)) == (INPUT, OUTPUT)
    assert (found.conversation_id, found.user_id, found.model) == ("c1", "ann", "m-1")
    assert (found.call_id, found.started_at, found.ended_at, found.status) == (TOLD["id"], AT, None, Status.OK)


CHUNKS = [
    {"id": "chatcmpl-0123456789abcdef", "object": "chat.completion.chunk", "created": SENT, "model": "m-1",
     "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]},
    {"id": "x", "choices": [{"index": 0, "delta": {"content": "Under "}, "finish_reason": None}]},
    {"id": "x", "choices": [{"index": 0, "delta": {"content": "the mat."}, "finish_reason": None}]},
    {"id": "x", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {"id": "x", "choices": [], "usage": {"total_tokens": 9}},
]  # fmt: skip
EVENTS = "".join(f"data: {json.dumps(c)}\n\n" for c in CHUNKS) + "data: [DONE]"
ITEMS = {
    "id": "resp_0123456789abcdef01", "object": "response", "created_at": SENT, "status": "completed", "model": "m-1",
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
         "content": [{"type": "output_text", "text": "Under the mat.", "annotations": []}]},
    ],
}  # fmt: skip
WHOLE = {"type": "response.completed", "response": ITEMS}
STREAM = [
    {"type": "response.created", "response": {"id": "resp_0123456789abcdef01", "status": "in_progress", "output": []}},
    {"type": "response.output_text.delta", "delta": "Under "},
    {"type": "response.output_text.delta", "delta": "the mat."},
]


@pytest.mark.parametrize(
    "record",
    [
        {"messages": ASKED, "choices": TOLD["choices"], "created": SENT, "id": "x"},
        {"messages": ASKED, "response": TOLD},
        {"messages": ASKED, "response": "Under the mat.", "model": "m"},
        {"request": {"messages": ASKED}, "response": json.dumps(TOLD)},
        {"request": json.dumps({"messages": ASKED}), "response": {"status": 200, "body": TOLD}},
        {"request": {"url": "/v1/chat", "body": {"messages": ASKED}}, "response": {"body": json.dumps(TOLD)}},
        {"request": {"messages": ASKED, "stream": True}, "response": CHUNKS},
        {"request": {"messages": ASKED, "stream": True}, "chunks": CHUNKS},
        {"request": {"messages": ASKED}, "response": EVENTS},
        {"request": {"instructions": "Be kind.", "input": "Where is the key?", "model": "m"}, "response": ITEMS},
        {"model": "m", "instructions": "Be kind.", "input": ASKED[1:], "output": ITEMS["output"]},
        {"request": {"model": "m", "input": ASKED}, "response": [*STREAM, WHOLE]},
        {"request": {"model": "m", "input": ASKED}, "response": STREAM},
        {"request": {"messages": [{"role": "developer", "content": [{"type": "text", "text": "Be kind."}]}, ASKED[1]]},
         "response": {"choices": [{"message": {"content": [{"type": "text", "text": "Under the mat."}]}}]}},
    ],
)  # fmt: skip
def test_every_shape_of_a_log_says_the_same(tmp_path: Path, record: dict[str, Any]) -> None:
    found = call(tmp_path, record)
    assert (spoken(found.input), spoken(found.output)) == (INPUT, OUTPUT)


def test_a_completion_of_a_prompt_is_a_call(tmp_path: Path) -> None:
    told = {
        "object": "text_completion",
        "created": SENT,
        "choices": [{"text": "Oak.", "index": 0, "finish_reason": "stop"}],
    }
    found = call(tmp_path, {"request": {"model": "m", "prompt": ["Name a tree."]}, "response": told})
    assert (spoken(found.input), spoken(found.output)) == ([("user", "Name a tree.")], [("assistant", "Oak.")])


LITELLM = {
    "id": "chatcmpl-0123456789abcdef", "trace_id": "s1", "call_type": "acompletion", "status": "success", "model": "m",
    "startTime": SENT + 0.5, "endTime": SENT + 4.25, "completionStartTime": SENT + 1.5, "end_user": "ann",
    "messages": ASKED, "response": {k: v for k, v in TOLD.items() if k != "created"}, "metadata": {}, "error_str": None,
}  # fmt: skip


def test_a_standard_logging_payload_has_all_times(tmp_path: Path) -> None:
    found = call(tmp_path, LITELLM)
    assert [t.timestamp() - SENT for t in (found.started_at, found.first_token_at, found.ended_at) if t] == [
        0.5,
        1.5,
        4.25,
    ]
    assert (found.trace_id, found.user_id, found.conversation_id) == ("s1", "ann", None)


def test_what_a_gateway_left_out_was_not_captured(tmp_path: Path) -> None:
    hidden = {"role": "user", "content": "redacted-by-litellm"}
    found = call(tmp_path, {**LITELLM, "messages": [hidden], "response": {"choices": [{"message": hidden}]}})
    assert (spoken(found.input), spoken(found.output)) == ([("user", None)], [("assistant", None)])


def test_a_failure_has_no_output(tmp_path: Path) -> None:
    found = call(tmp_path, {**LITELLM, "status": "failure", "response": None, "error_str": "timeout"})
    assert (found.output, found.status) == (None, Status.ERROR)


HELICONE = {
    "request_id": "0a1b2c3d-0000-4000-8000-000000000001", "request_created_at": "2026-11-02T09:00:00Z",
    "response_created_at": "2026-11-02T09:00:04Z", "request_body": {"model": "m", "messages": ASKED},
    "response_body": TOLD, "response_status": 200, "request_path": "/v1/chat/completions", "request_user_id": "ann",
    "request_properties": {"Helicone-Session-Id": "s1"}, "delay_ms": 4000, "time_to_first_token": 700,
    "feedback_rating": False, "feedback_created_at": "2026-11-02T09:01:00Z", "response_id": "r1",
}  # fmt: skip


def test_an_export_of_helicone_has_sessions_times_and_votes(tmp_path: Path) -> None:
    found, noted = read(tmp_path, HELICONE)
    assert (found.conversation_id, found.user_id, found.call_id) == ("s1", "ann", HELICONE["request_id"])
    assert [(t - AT).total_seconds() for t in (found.started_at, found.first_token_at, found.ended_at)] == [0, 0.7, 4]
    assert isinstance(noted, Remark)
    assert (noted.event, noted.call_id) == (EventKind.THUMBS_DOWN, found.call_id)


def test_the_two_files_of_a_batch_meet_by_the_id_that_they_share(tmp_path: Path) -> None:
    sent = {
        "custom_id": "r-1",
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {"model": "m", "messages": ASKED},
    }
    back = {"id": "batch_req_1", "custom_id": "r-1", "response": {"status_code": 200, "request_id": "q", "body": TOLD}}
    lost = {"id": "batch_req_2", "custom_id": "r-2", "response": None, "error": {"code": "batch_expired"}}
    first, second, third = read(tmp_path, sent, back, lost)
    assert first.call_id == second.call_id == "r-1"
    assert (spoken(first.input), first.output, second.input, spoken(second.output)) == (INPUT, None, None, OUTPUT)
    assert (third.output, third.status) == (None, Status.ERROR)


@pytest.mark.parametrize(
    ("choice", "said", "status"),
    [
        ({"message": {"content": "Und"}, "finish_reason": "length"}, [("assistant", "Und")], Status.PARTIAL),
        ({"message": {"content": "Und"}, "finish_reason": None}, [("assistant", "Und")], Status.PARTIAL),
        ({"message": {"content": None}, "finish_reason": "content_filter"}, [], Status.PARTIAL),
        ({"message": {"content": ""}, "finish_reason": "stop"}, [], Status.OK),
        ({"message": {"content": None, "refusal": "No."}, "finish_reason": "stop"}, [("assistant", "No.")], Status.OK),
        ({"message": {"content": None, "tool_calls": [{"id": "t"}]}, "finish_reason": "tool_calls"},
         [("assistant", None)], Status.OK),
        ({"message": {"content": None, "audio": {"transcript": "Here."}}}, [("assistant", "Here.")], Status.OK),
    ],
)  # fmt: skip
def test_how_a_reply_ended(tmp_path: Path, choice: dict[str, Any], said: list[Any], status: Status) -> None:
    found = call(tmp_path, {"request": {"messages": ASKED}, "response": {"choices": [choice]}})
    assert (spoken(found.output), found.status) == (said, status)


@pytest.mark.parametrize(
    ("status", "is_"),
    [("incomplete", Status.PARTIAL), ("failed", Status.ERROR), ("cancelled", Status.STOPPED), ("completed", Status.OK)],
)
def test_how_a_response_ended(tmp_path: Path, status: str, is_: Status) -> None:
    assert (
        call(tmp_path, {"request": {"model": "m", "input": "hi"}, "response": {**ITEMS, "status": status}}).status
        is is_
    )


def test_of_several_choices_the_first_is_on_the_branch(tmp_path: Path) -> None:
    choices = [
        {"index": 1, "message": {"content": "In the pot."}},
        {"index": 0, "message": {"content": "Under the mat."}},
    ]
    found = call(tmp_path, {"request": {"messages": ASKED, "n": 2}, "response": {"choices": choices}})
    assert [(t.text, t.flags) for t in found.output or ()] == [("Under the mat.", ()), ("In the pot.", ("off_branch",))]
    made = assemble([(found, Place("f", 1, 0, 1, "00"))], [])
    parents = {m.content: m.parent_id for m, _ in made.messages}
    assert parents["Under the mat."] == parents["In the pot."] is not None


def test_tools_are_neither_the_user_nor_the_reply(tmp_path: Path) -> None:
    steps = [
        *ASKED,
        {"role": "assistant", "content": None, "tool_calls": [{"id": "t", "type": "function"}]},
        {"role": "tool", "tool_call_id": "t", "content": "mat"},
        {"role": "function", "name": "find", "content": "mat"},
    ]
    assert [t.role for t in call(tmp_path, {"request": {"messages": steps}, "response": TOLD}).input or ()][2:] == [
        Role.ASSISTANT, Role.TOOL, Role.TOOL,
    ]  # fmt: skip
    called = [
        *ASKED, {"type": "function_call", "call_id": "t", "name": "find", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "t", "output": "mat"}, {"type": "web_search_call", "id": "w"},
    ]  # fmt: skip
    found = call(tmp_path, {"request": {"model": "m", "input": called}, "response": ITEMS})
    assert [t.role for t in found.input or ()][2:] == [Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]


def test_responses_that_name_the_one_before_are_one_conversation(tmp_path: Path) -> None:
    first = {"request": {"model": "m", "input": "one"}, "response": ITEMS}
    second = {"request": {"model": "m", "input": "two", "previous_response_id": ITEMS["id"]},
              "response": {**ITEMS, "id": "resp_0123456789abcdef02", "created_at": SENT + 60}}  # fmt: skip
    made = assemble([(c, Place("f", n, 0, 1, "00")) for n, c in enumerate(read(tmp_path, first, second))], [])
    assert {m.conversation_id for m, _ in made.messages} == {ITEMS["id"]}
    assert [m.content for m, _ in made.messages] == ["one", "Under the mat.", "two", "Under the mat."]
    assert made.messages[2][0].parent_id == made.messages[1][0].message_id


def test_a_short_id_that_a_server_gives_to_everything_is_no_id(tmp_path: Path) -> None:
    other = [{"role": "user", "content": "And the lamp?"}]
    one, two = read(tmp_path, {"messages": ASKED, "response": {**TOLD, "id": "cmpl-1"}},
                    {"messages": other, "response": {**TOLD, "id": "cmpl-1"}})  # fmt: skip
    assert one.call_id != two.call_id
    assert one.output_id == "cmpl-1"


@pytest.mark.parametrize(
    ("declared", "times"),
    [
        ({}, (AT, None, None)),
        ({"reply_time": "last_token"}, (None, None, AT)),
        ({"reply_time": "first_token"}, (None, AT, None)),
    ],
)
def test_the_time_of_a_line_means_what_is_declared(tmp_path: Path, declared: dict[str, Any], times: Any) -> None:
    found = call(tmp_path, {"timestamp": "2026-11-02T09:00:00Z", "messages": ASKED, "response": "Here."}, declared)
    assert (found.started_at, found.first_token_at, found.ended_at) == times


def test_a_file_to_tune_on_holds_a_conversation_a_line(tmp_path: Path) -> None:
    line = {"messages": [*ASKED, {"role": "assistant", "content": "Under the mat.", "weight": 0}]}
    found = read(tmp_path, line, line, {"messages": ASKED})
    assert all(isinstance(m, Message) for m in found)
    assert [(str(m.role), m.content, m.seq) for m in found[:3]] == [
        ("system", "Be kind.", 0), ("user", "Where is the key?", 1), ("assistant", "Under the mat.", 2),
    ]  # fmt: skip
    assert found[:3] == found[3:6]


def test_embeddings_are_passed_over(tmp_path: Path) -> None:
    embedded = {
        "request": {"model": "e", "input": ["a", "b"]},
        "response": {"object": "list", "data": [{"embedding": [1]}]},
    }
    assert read(tmp_path, LOGGED, embedded, {**LITELLM, "call_type": "aembedding"})[1:] == []


def test_a_message_that_is_none_is_refused_and_the_others_go_on(tmp_path: Path) -> None:
    found = read(tmp_path, {**LOGGED, "request": {"messages": [7, *ASKED, {"role": "user", "content": 3}]}}, LOGGED)
    assert spoken(found[0].input) == INPUT
    assert refusals(found) == [
        Refusal(Reason.WRONG_TYPE, "request.messages[0]"), Refusal(Reason.WRONG_TYPE, "request.messages[3].content"),
    ]  # fmt: skip


def test_a_time_that_is_none_costs_the_time_only(tmp_path: Path) -> None:
    found = read(tmp_path, {**LITELLM, "startTime": "soon"}, LOGGED)
    assert found[0].ended_at is not None
    assert refusals(found) == [Refusal(Reason.BAD_TIME, "startTime")]


@pytest.mark.parametrize(
    "record",
    [
        {"conversations": [{"from": "human", "value": "hi"}]},
        {"kind": "message", "messages": ASKED},
        {"prompt": "hi", "response": "ho"},
        {"conversationId": "c", "messages": [{"messageId": "m", "role": "user", "content": "hi"}]},
        {"messages": "hi"},
        {"object": "list", "data": [{"id": "m"}]},
    ],
)
def test_other_formats_are_left_to_their_readers(tmp_path: Path, record: dict[str, Any]) -> None:
    items(tmp_path, "log.jsonl", [record])
    log = opened(tmp_path / "log.jsonl")
    assert isinstance(log, RawRecord) or log.format.name != "openai"


ALL = [
    LOGGED,
    LITELLM,
    HELICONE,
    {"request": {"model": "m", "input": ASKED}, "response": ITEMS},
    {"request": {"messages": ASKED}, "response": CHUNKS},
    {"messages": [*ASKED, {"role": "assistant", "content": "x"}]},
]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(records=mutated(ALL))
def test_junk_at_any_place_costs_a_part_at_most(tmp_path: Path, records: Any) -> None:
    assert_withstands(tmp_path, "log.jsonl", records, {"format": "openai"})
