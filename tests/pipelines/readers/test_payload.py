"""Whatever a tracer logs as input or output: the user's own words are found, and nothing else is taken for them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.readers.fields import Refused
from pipelines.readers.items import Turn
from pipelines.readers.payload import exchanged, has_words, read_payload
from schemas.enums import Role
from schemas.reasons import Reason
from tests.pipelines.readers.mutations import mutated

ASKED = "Where do the herons nest?"
ANSWER = "In the reeds, from March on."
PROMPT = "You know all about birds."


def said(value: Any, speaker: Role = Role.USER) -> list[tuple[str, str | None]] | None:
    turns = read_payload(value, speaker)
    return None if turns is None else [(str(t.role), t.text) for t in turns]


def lc(name: str, content: Any, **more: Any) -> dict[str, Any]:
    path = ["langchain", "schema", "messages", name]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": {"content": content, **more}}


INPUTS = {
    "text": ASKED,
    "JSON in a string": json.dumps({"question": ASKED}),
    "JSON in a string in a string": json.dumps(json.dumps({"args": [ASKED], "kwargs": {}})),
    "a message": {"role": "user", "content": ASKED},
    "messages": [{"role": "user", "content": ASKED}],
    "a request": {"model": "m-1", "messages": [{"role": "user", "content": ASKED}], "temperature": 0},
    "a batch of one": {"messages": [[lc("HumanMessage", ASKED)]]},
    "input": {"input": ASKED},
    "query": {"query": ASKED, "top_k": 5},
    "question": {"inputs": {"question": ASKED, "context": ["Page 4", "Page 9"]}},
    "prompt": {"prompt": ASKED, "maxTokens": 60},
    "named arguments": {"args": [{"db": 1}], "kwargs": {"user_message": ASKED}},
    "an argument beside ids": {"args": ["asst_01wKwj2rT7CN", ASKED, 3], "kwargs": {}},
    "messages as arguments": {"args": [[{"role": "user", "content": ASKED}], {"stream": True}], "kwargs": {}},
    "LangChain messages": [{"type": "human", "content": ASKED, "example": False}],
    "LangChain pairs": {"messages": [["human", ASKED]]},
    "LangChain dictionaries": [{"type": "human", "data": {"content": ASKED}}],
    "LangChain serialised": {"lc": 1, "id": ["ChatPromptValue"], "kwargs": {"messages": [lc("HumanMessage", ASKED)]}},
    "Gemini": {"contents": [{"role": "user", "parts": [{"text": ASKED}]}]},
    "Anthropic blocks": [{"role": "user", "content": [{"type": "text", "text": ASKED}]}],
    "Bedrock": [{"role": "user", "content": [{"text": ASKED}]}],
    "Responses API": {"input": [{"role": "user", "content": [{"type": "input_text", "text": ASKED}]}]},
    "OpenTelemetry": [{"role": "user", "parts": [{"type": "text", "content": ASKED}]}],
    "Pydantic AI": [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": ASKED}]}],
    "Pydantic AI events": [{"event.name": "gen_ai.user.message", "role": "user", "content": ASKED}],
    "Vercel UI messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": ASKED}]}],
    "LlamaIndex": {"messages": [{"role": "user", "blocks": [{"block_type": "text", "text": ASKED}]}]},
}  # fmt: skip

OUTPUTS = {
    "text": ANSWER,
    "a message": {"role": "assistant", "content": ANSWER},
    "answer": {"answer": ANSWER, "sources": ["Page 4"]},
    "a chat completion": {"choices": [{"message": {"role": "assistant", "content": ANSWER}}, {"message": {}}]},
    "a completion": {"choices": [{"text": ANSWER, "index": 0}]},
    "LangChain generations": {"generations": [[{"text": ANSWER, "message": lc("AIMessage", ANSWER)}]]},
    "LangChain text generations": {"generations": [[{"text": ANSWER}]]},
    "Gemini": {"candidates": [{"content": {"role": "model", "parts": [{"text": ANSWER}]}}]},
    "Anthropic": {"content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": ANSWER}]},
    "Anthropic blocks": [{"type": "text", "text": ANSWER}],
    "Bedrock": {"output": {"message": {"role": "assistant", "content": [{"text": ANSWER}]}}},
    "Responses API": {"output": [{"type": "reasoning"}, {"type": "message", "role": "assistant", "content": [
        {"type": "output_text", "text": ANSWER}]}]},
    "Pydantic AI": [{"kind": "response", "parts": [{"part_kind": "thinking", "content": "Hm."},
                                                   {"part_kind": "text", "content": ANSWER}]}],
    "Vercel AI SDK": {"text": ANSWER, "toolCalls": None},
    "outputs": {"outputs": {"output": ANSWER}},
}  # fmt: skip


@pytest.mark.parametrize("shape", INPUTS)
def test_the_users_words_are_found_in(shape: str) -> None:
    assert said(INPUTS[shape]) == [("user", ASKED)]


@pytest.mark.parametrize("shape", OUTPUTS)
def test_the_answer_is_found_in(shape: str) -> None:
    assert [t for t in said(OUTPUTS[shape], Role.ASSISTANT) or [] if t[1]] == [("assistant", ANSWER)]


@pytest.mark.parametrize(
    "value",
    [
        None, 3, True, "", "  ", [], {}, [1, 2], "[1, 2]", {"topic": "herons"}, {"city": "Gent", "limit": 5},
        '{"city": "Gent"}', "{'city': 'Gent'}", {"content": "role"}, {"args": [], "kwargs": {}},
        {"args": ["thread_fbB5caAj0sEp", "run_RsJmiMTr02kBz"], "kwargs": {}}, {"args": ["red", "blue"], "kwargs": {}},
        {"input": {"city": "Gent"}}, ["one text", "another"],
        {"text": "Page 4 of a report", "length": 50}, [{"score": 0.7, "page": 4}],
        {"id": "asst_1", "object": "assistant", "instructions": PROMPT},
    ],
)  # fmt: skip
def test_what_is_not_known_to_hold_words_holds_none(value: Any) -> None:
    assert read_payload(value) is None


def test_a_text_that_only_looks_like_json_is_a_text() -> None:
    assert said("[1] says they nest in reeds, is that so?") == [("user", "[1] says they nest in reeds, is that so?")]
    assert said('{"a": 1,} why does this not parse?') == [("user", '{"a": 1,} why does this not parse?')]


def test_json_that_was_cut_off_is_refused_and_never_shown_as_words() -> None:
    with pytest.raises(Refused) as refused:
        read_payload('{"messages": [{"role": "user", "content": "Where do the her')
    assert refused.value.reason is Reason.INVALID_JSON


def test_all_roles_of_a_history_keep_their_places() -> None:
    history = [
        {"role": "developer", "content": PROMPT},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]},
        {"role": "tool", "content": "[]", "tool_call_id": "c1"},
        {"role": "assistant", "content": "Good morning."},
        {"role": "user", "content": ASKED},
    ]
    roles = ["system", "user", "assistant", "tool", "assistant", "user"]
    texts = [PROMPT, "Hello", None, "[]", "Good morning.", ASKED]
    assert said({"messages": history}) == list(zip(roles, texts, strict=True))


def test_earlier_turns_and_a_system_prompt_come_before_the_request() -> None:
    value = {"input": ASKED, "system": PROMPT, "chat_history": [["human", "Hello"], ["ai", "Good morning."]]}
    assert said(value) == [("system", PROMPT), ("user", "Hello"), ("assistant", "Good morning."), ("user", ASKED)]


def test_what_tools_give_back_in_the_users_role_is_not_the_users() -> None:
    parts: list[dict[str, Any]] = [
        {"type": "tool_result", "content": "4 nests"},
        {"type": "tool_call_response", "result": "4"},
        {"functionResponse": {}},
    ]
    for part in parts:
        assert [t.role for t in read_payload([{"role": "user", "content": [part]}]) or ()] == [Role.TOOL]
    pydantic = {"kind": "request", "parts": [{"part_kind": "tool-return", "content": "4 nests"}]}
    assert [t.role for t in read_payload([pydantic]) or ()] == [Role.TOOL]


def test_a_role_that_nobody_knows_is_neither_the_users_nor_the_assistants() -> None:
    assert said([{"role": "narrator", "content": "Night fell."}, {"role": "user", "content": ASKED}]) == [
        ("system", "Night fell."),
        ("user", ASKED),
    ]


def test_the_definition_of_a_tool_that_stands_among_messages_is_passed_over() -> None:
    tool = {"role": "tool", "content": {"type": "function", "function": {"name": "count_nests"}}}
    assert said([{"role": "user", "content": ASKED}, tool]) == [("user", ASKED)]


@pytest.mark.parametrize(
    "value",
    [
        [{"toolCallId": "c1", "toolName": "count_nests", "input": "{}"}],
        {"role": "assistant", "content": "", "additional_kwargs": {"tool_calls": [{"id": "c1"}]}},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "count_nests", "input": {}}]},
        {"output": [{"type": "function_call", "name": "count_nests", "arguments": "{}"}]},
    ],
)
def test_a_call_of_a_tool_is_a_turn_without_words(value: Any) -> None:
    assert said(value, Role.ASSISTANT) == [("assistant", None)]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": "data:"}},
        {"inlineData": {"mimeType": "image/png", "data": ""}},
        {"kind": "image-url", "url": "https://example.org/a.png"},
        {"image": {"format": "png"}},
    ],
)
def test_a_file_beside_the_words_is_an_attachment(part: dict[str, Any]) -> None:
    turns = read_payload([{"role": "user", "content": [{"text": ASKED, "type": "text"}, part]}])
    assert turns == (Turn(role=Role.USER, text=ASKED, has_attachment=True),)


def test_the_state_of_an_agent_is_divided_into_request_and_answer() -> None:
    asked = read_payload({"messages": [{"type": "human", "content": ASKED, "id": None}]})
    state = [
        {"type": "human", "content": "Hello", "id": "h1"},
        {"type": "ai", "content": "Good morning.", "id": "a1"},
        {"type": "human", "content": ASKED, "id": "h2"},
        {"type": "ai", "content": ANSWER, "id": "a2"},
    ]
    found = exchanged(asked, read_payload({"messages": state}, Role.ASSISTANT))
    assert [t.message_id for t in found.input or ()] == ["h1", "a1", "h2"]
    assert [(t.message_id, t.text) for t in found.output or ()] == [("a2", ANSWER)]


def test_a_state_that_ends_with_another_request_does_not_replace_the_input() -> None:
    asked = read_payload(ASKED)
    found = exchanged(asked, read_payload([["human", "Another"], ["ai", ANSWER]], Role.ASSISTANT))
    assert found.input == asked
    assert has_words(found.output, Role.ASSISTANT)
    assert exchanged(None, None) == (None, None)


def test_a_users_message_that_cannot_be_read_is_refused_and_a_tools_is_not() -> None:
    with pytest.raises(Refused):
        read_payload([{"role": "user", "content": 5}])
    assert said([{"role": "tool", "content": 5}, {"role": "user", "content": ASKED}]) == [
        ("tool", None),
        ("user", ASKED),
    ]


def test_nesting_without_end_is_given_up() -> None:
    value: Any = ASKED
    for _ in range(500):
        value = {"input": value}
    assert read_payload(value) is None
    text = ASKED
    for _ in range(12):
        text = json.dumps(text)
    assert read_payload(text) is None


@given(mutated({"in": INPUTS, "out": OUTPUTS}), st.sampled_from(Role))
def test_junk_gives_turns_or_nothing_or_a_refusal(value: Any, speaker: Role) -> None:
    for group in value.values() if isinstance(value, dict) else ():
        for payload in group.values() if isinstance(group, dict) else (group,):
            try:
                found = read_payload(payload, speaker)
            except Refused:
                continue
            assert found is None or all(isinstance(t, Turn) and type(t.text) in (str, type(None)) for t in found)
