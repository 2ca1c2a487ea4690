"""The shapes in which gateways log the calls of the OpenAI APIs, and what must not be taken for them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from pipelines.readers.items import Remark
from pipelines.readers.raw import RawRecord
from schemas.enums import EventKind, Status
from tests.pipelines.readers.kit import items, opened
from tests.pipelines.readers.mutations import assert_withstands, mutated
from tests.pipelines.readers.openai_kit import (
    ASKED,
    AT,
    CHUNKS,
    EVENTS,
    HELICONE,
    INPUT,
    ITEMS,
    LITELLM,
    LOGGED,
    OUTPUT,
    SENT,
    STREAM,
    TOLD,
    WHOLE,
    call,
    read,
    spoken,
)


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


def test_embeddings_are_passed_over(tmp_path: Path) -> None:
    embedded = {
        "request": {"model": "e", "input": ["a", "b"]},
        "response": {"object": "list", "data": [{"embedding": [1]}]},
    }
    assert read(tmp_path, LOGGED, embedded, {**LITELLM, "call_type": "aembedding"})[1:] == []


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
