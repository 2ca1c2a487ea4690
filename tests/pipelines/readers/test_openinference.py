"""OpenInference: messages flattened or nested, and root chains that hold the user's own words."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from pipelines.readers.calls import assemble
from pipelines.readers.items import Item
from pipelines.readers.logfile import LogFile
from pipelines.readers.raw import Place
from schemas.enums import EventKind, Status
from tests.pipelines.readers.kit import items, opened
from tests.pipelines.readers.mutations import assert_withstands, mutated
from tests.pipelines.readers.otlp import SPAN, calls, event, only_call, remarks, said, span, spans

START = datetime(2026, 11, 2, 9, tzinfo=UTC)
CHILD = "00000000000000b2"
LLM = {
    "openinference.span.kind": "LLM",
    "llm.model_name": "small-1",
    "session.id": "s-1",
    "user.id": "u-1",
    "llm.input_messages.0.message.role": "system",
    "llm.input_messages.0.message.content": "Be brief.",
    "llm.input_messages.1.message.role": "user",
    "llm.input_messages.1.message.contents.0.message_content.type": "text",
    "llm.input_messages.1.message.contents.0.message_content.text": "What is this?",
    "llm.input_messages.1.message.contents.1.message_content.type": "image",
    "llm.input_messages.1.message.contents.1.message_content.image.image.url": "https://example.org/a.png",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "A kettle.",
}


def read(tmp_path: Path, *records: Any) -> list[Item]:
    return items(tmp_path, "t.jsonl", list(records), {"format": "openinference"})


def chain(sent: Any, came: Any = "A kettle.", kind: str = "CHAIN", **more: Any) -> dict[str, Any]:
    def value(held: Any, name: str) -> dict[str, Any]:
        if isinstance(held, str):
            return {f"{name}.value": held, f"{name}.mime_type": "text/plain"}
        return {f"{name}.value": json.dumps(held), f"{name}.mime_type": "application/json"}

    return span(
        {"openinference.span.kind": kind, "session.id": "s-1"} | value(sent, "input") | value(came, "output"), **more
    )


def test_flattened_messages_are_read_with_their_parts(tmp_path: Path) -> None:
    told = span(LLM, events=[event("First Token Stream Event", at=1)])
    (tmp_path / "t.jsonl").write_text(json.dumps(spans(told)))
    log = opened(tmp_path / "t.jsonl")
    assert isinstance(log, LogFile)
    assert log.format.name == "openinference"
    call = only_call(read(tmp_path, spans(told)))
    assert said(call.input) == [("system", "Be brief."), ("user", "What is this?")]
    assert said(call.output) == [("assistant", "A kettle.")]
    assert call.input is not None
    assert call.input[1].has_attachment
    assert (call.conversation_id, call.user_id, call.model, call.whole) == ("s-1", "u-1", "small-1", False)
    assert call.first_token_at == START + timedelta(seconds=1)


@pytest.mark.parametrize(
    "nested",
    [
        {
            "llm": {"input_messages": [{"message": {"role": "user", "content": "Hi"}}]},
            "openinference": {"span": {"kind": "LLM"}},
        },
        {"llm.input_messages": [{"message.role": "user", "message.content": "Hi"}], "openinference.span.kind": "LLM"},
        {"llm.input_messages": '[{"message": {"role": "user", "content": "Hi"}}]', "openinference.span.kind": "LLM"},
        {"openinference.span.kind": "LLM", "input.value": '{"messages": [{"role": "user", "content": "Hi"}]}'},
    ],
)  # fmt: skip
def test_nested_messages_are_the_same(tmp_path: Path, nested: dict[str, Any]) -> None:
    plain = {
        "context": {"trace_id": "t-1", "span_id": "a-1"},
        "start_time": "2026-11-02T09:00:00Z",
        "attributes": nested,
    }
    assert said(only_call(read(tmp_path, plain)).input) == [("user", "Hi")]


def test_calls_of_tools_are_turns_without_text(tmp_path: Path) -> None:
    told = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "23 times 87?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "multiply",
    }
    assert said(only_call(read(tmp_path, spans(span(told)))).output) == [("assistant", None)]


def test_hidden_texts_are_not_captured(tmp_path: Path) -> None:
    hidden = LLM | {"llm.output_messages.0.message.content": "__REDACTED__"}
    assert said(only_call(read(tmp_path, spans(span(hidden)))).output) == [("assistant", None)]
    call = only_call(read(tmp_path, spans(chain("__REDACTED__", "__REDACTED__"))))
    assert (call.input, call.output) == (None, None)


@pytest.mark.parametrize(
    "sent",
    ["What is this?", {"input": "What is this?"}, {"question": "What is this?", "k": 4}, {"query": "What is this?"},
     {"messages": [{"role": "user", "content": "What is this?"}]},
     {"messages": [[{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"],
                     "kwargs": {"content": "What is this?", "type": "human"}}]]}],
)  # fmt: skip
def test_a_root_chain_holds_the_users_words_where_a_field_says_so(tmp_path: Path, sent: Any) -> None:
    call = only_call(read(tmp_path, spans(chain(sent))))
    assert call.whole
    assert said(call.input) == [("user", "What is this?")]
    assert said(call.output) == [("assistant", "A kettle.")]


def test_what_is_not_clearly_words_is_none(tmp_path: Path) -> None:
    call = only_call(read(tmp_path, spans(chain({"doc_id": "d-3", "top_k": 4}, {"score": 0.3}))))
    assert (call.input, call.output, call.whole) == (None, None, True)


def test_an_answer_that_repeats_the_conversation_is_cut_after_the_request(tmp_path: Path) -> None:
    sent = [{"role": "user", "content": "What is this?"}]
    call = only_call(
        read(tmp_path, spans(chain({"messages": sent}, {"messages": [*sent, {"role": "ai", "content": "A kettle."}]})))
    )
    assert said(call.output) == [("assistant", "A kettle.")]


def test_a_prompt_that_a_chain_put_together_is_not_the_users(tmp_path: Path) -> None:
    prompt = span({"openinference.span.kind": "LLM", "input.value": "Context: … Question: …"}, CHILD, parentSpanId=SPAN)
    assert said(only_call(read(tmp_path, spans(prompt))).input) == [("system", "Context: … Question: …")]


def test_chains_tools_and_retrievers_inside_say_nothing(tmp_path: Path) -> None:
    inside = [chain("x", kind=k, span_id=f"{n:016x}", parentSpanId=SPAN) for n, k in enumerate(("CHAIN", "TOOL"), 1)]
    alone = [chain("x", kind=k, span_id=f"{n:016x}") for n, k in enumerate(("RETRIEVER", "EMBEDDING", "RERANKER"), 5)]
    assert read(tmp_path, spans(*inside, *alone)) == []


def test_what_a_judge_asks_is_nobodys_message(tmp_path: Path) -> None:
    asked = span(LLM, CHILD, parentSpanId=SPAN)
    (root,) = calls(read(tmp_path, spans(chain("<trace>user: wrong again</trace>", kind="EVALUATOR"), asked)))
    assert (root.input, root.output, root.whole) == ((), (), True)
    apart = [*calls(read(tmp_path, spans(asked))), root]  # the same, where each span is a record
    messages = assemble([(c, Place("t", 1, 0, 1, "")) for c in apart], []).messages
    assert [m for m, _ in messages if m.content] == []


def test_an_agent_that_gave_up_on_a_tool_is_one_exchange(tmp_path: Path) -> None:
    tool = span(
        {"openinference.span.kind": "TOOL", "output.value": "timeout"}, CHILD, status={"code": 2}, parentSpanId=SPAN
    )
    (call,) = calls(read(tmp_path, spans(chain("What is this?", kind="AGENT"), tool)))
    assert call.status is Status.OK


def test_annotations_in_a_span_are_votes_if_a_human_gave_them_under_such_a_name(tmp_path: Path) -> None:
    told = LLM | {
        "annotations.0.annotation.name": "user_feedback",
        "annotations.0.annotation.annotator_kind": "HUMAN",
        "annotations.0.annotation.label": "thumbs-down",
        "annotations.0.annotation.explanation": "It is a jug.",
        "annotations.1.annotation.name": "user_feedback",
        "annotations.1.annotation.annotator_kind": "LLM",
        "annotations.1.annotation.score": 0,
        "evaluations.0.evaluation.name": "correctness",
        "evaluations.0.evaluation.annotator_kind": "HUMAN",
        "evaluations.0.evaluation.label": "bad",
    }
    (remark,) = remarks(read(tmp_path, spans(span(told))))
    assert (remark.event, remark.call_id, remark.text) == (EventKind.THUMBS_DOWN, SPAN, "It is a jug.")
    assert remark.at == START + timedelta(seconds=4)


@settings(max_examples=100, deadline=None)
@given(mutated([spans(span(LLM)), spans(chain({"messages": [{"role": "user", "content": "Hi"}]}, kind="AGENT"))]))
def test_junk_anywhere_is_refused_and_breaks_nothing(tmp_path_factory: pytest.TempPathFactory, records: Any) -> None:
    assert_withstands(tmp_path_factory.mktemp("junk"), "t.jsonl", list(records), {"format": "openinference"})
