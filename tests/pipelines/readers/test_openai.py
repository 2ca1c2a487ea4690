"""Logs of the OpenAI APIs: who said what, when it was said, how it ended, and in which conversation."""

from pathlib import Path
from typing import Any

import pytest

from pipelines.readers.calls import assemble
from pipelines.readers.raw import Place, Refusal
from schemas.enums import Role, Status
from schemas.reasons import Reason
from schemas.records import Message
from tests.pipelines.readers.kit import refusals
from tests.pipelines.readers.openai_kit import (
    ASKED,
    AT,
    INPUT,
    ITEMS,
    LITELLM,
    LOGGED,
    OUTPUT,
    SENT,
    TOLD,
    call,
    read,
    spoken,
)


def test_a_call_says_who_asked_what_and_when(tmp_path: Path) -> None:
    found = call(tmp_path, LOGGED)
    assert (spoken(found.input), spoken(found.output)) == (INPUT, OUTPUT)
    assert (found.conversation_id, found.user_id, found.model) == ("c1", "ann", "m-1")
    assert (found.call_id, found.started_at, found.ended_at, found.status) == (TOLD["id"], AT, None, Status.OK)


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
    found = call(tmp_path, {"request": {"messages": ASKED, "n": 2, "user": "ann"}, "response": {"choices": choices}})
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
    assert len({m.conversation_id for m, _ in made.messages}) == 1
    assert [m.content for m, _ in made.messages] == ["one", "Under the mat.", "two", "Under the mat."]
    assert made.messages[2][0].parent_id == made.messages[1][0].message_id


def test_calls_without_any_id_are_one_conversation_where_they_begin_alike(tmp_path: Path) -> None:
    def log(*said: str, at: int) -> dict[str, Any]:
        sent = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(said)]
        return {"messages": sent[:-1], "response": said[-1], "created": SENT + at, "model": "m"}

    logged = [log("hi", "Hello!", at=0), log("hi", " Hello!\n", "more", "More.", at=60), log("hi", "Hey!", at=70),
              log("hi", "Hello!", at=300)]  # fmt: skip
    made = assemble([(c, Place("f", n, 0, 1, "00")) for n, c in enumerate(read(tmp_path, *logged))], [])
    talks = sorted([m.content for m, _ in made.messages if m.conversation_id == c]
                   for c in {m.conversation_id for m, _ in made.messages})  # fmt: skip
    assert talks == [["hi", "Hello!", "more", "More.", "Hello!"], ["hi", "Hey!"]]
    assert all("id_from_content" in m.flags for m, _ in made.messages)


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
