"""LMSYS-Chat and Chatbot Arena: no times, no votes, and two conversations a row in the arena."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from schemas.enums import Role
from schemas.reasons import Reason
from schemas.records import Message
from tests.pipelines.readers.kit import items, opened, refusals
from tests.pipelines.readers.mutations import assert_withstands, mutated


def said(*texts: str | None) -> list[dict[str, Any]]:
    return [{"content": t, "role": "assistant" if n % 2 else "user"} for n, t in enumerate(texts)]


def chat(**beside: Any) -> dict[str, Any]:
    return {
        "conversation_id": "f00d",
        "model": "vicuna-13b",
        "conversation": said("I am NAME_1, say hi", "Hi NAME_1"),
        "turn": 1,
        "language": "English",
        "openai_moderation": [{"flagged": False}, {"flagged": False}],
        "redacted": True,
        **beside,
    }


def battle(**beside: Any) -> dict[str, Any]:
    return {
        "question_id": "b4",
        "model_a": "koala-13b",
        "model_b": "alpaca-13b",
        "winner": "model_b",
        "judge": "arena_user_9",
        "conversation_a": said("name a fish", "Carp."),
        "conversation_b": said("name a fish", "Cod."),
        "turn": 1,
        "tstamp": 1714824000.5,
        **beside,
    }


def messages(found: list[Any]) -> list[Message]:
    return [i for i in found if isinstance(i, Message)]


def test_a_chat_is_read_with_its_id_and_model(tmp_path: Path) -> None:
    found = messages(items(tmp_path, "a.jsonl", [chat()]))
    assert opened(tmp_path / "a.jsonl").format.name == "lmsys"  # type: ignore[union-attr]
    assert [(m.conversation_id, m.role, m.content, m.model) for m in found] == [
        ("f00d", Role.USER, "I am NAME_1, say hi", None),
        ("f00d", Role.ASSISTANT, "Hi NAME_1", "vicuna-13b"),
    ]
    assert all(m.created_at is None and m.completed_at is None and m.user_id is None for m in found)


def test_a_chat_without_a_list_is_refused(tmp_path: Path) -> None:
    found = items(tmp_path, "a.jsonl", [chat(), chat(conversation=None), chat(conversation=[*said("a"), "x"])])
    assert [(r.reason, r.field) for r in refusals(found)] == [
        (Reason.WRONG_TYPE, "conversation"),
        (Reason.WRONG_TYPE, "conversation[1]"),
    ]


def test_a_battle_is_two_conversations_of_one_user_and_no_vote(tmp_path: Path) -> None:
    found = items(tmp_path, "a.jsonl", [battle()])
    assert all(isinstance(i, Message) for i in found)
    assert [(m.conversation_id, m.content, m.model, m.user_id) for m in messages(found)] == [
        ("b4-koala-13b", "name a fish", None, "arena_user_9"),
        ("b4-koala-13b", "Carp.", "koala-13b", "arena_user_9"),
        ("b4-alpaca-13b", "name a fish", None, "arena_user_9"),
        ("b4-alpaca-13b", "Cod.", "alpaca-13b", "arena_user_9"),
    ]
    assert all(m.created_at is None for m in messages(found))


def test_a_model_against_itself_is_still_two_conversations(tmp_path: Path) -> None:
    found = messages(items(tmp_path, "a.jsonl", [battle(model_b="koala-13b")]))
    assert [m.conversation_id for m in found] == ["b4-a", "b4-a", "b4-b", "b4-b"]


def test_one_answer_judged_by_many_is_one_answer(tmp_path: Path) -> None:
    rows = [battle(judge="expert_1"), battle(judge=["gpt-4", "pair"], model_b="llama", conversation_b=said("q", "a"))]
    for r in rows:
        del r["tstamp"]
    found = [m for m in messages(items(tmp_path, "a.jsonl", rows)) if m.conversation_id == "b4-koala-13b"]
    assert found[:2] == found[2:]
    assert all(m.user_id is None for m in found)


def test_a_battle_held_as_json_in_strings_is_read_alike(tmp_path: Path) -> None:
    plain = battle()
    packed = plain | {k: json.dumps(plain[k]) for k in ("conversation_a", "conversation_b")}
    assert items(tmp_path, "a.jsonl", [plain]) == items(tmp_path, "b.jsonl", [packed])
    found = items(tmp_path, "c.jsonl", [packed | {"conversation_a": "[{", "question_id": 12}])
    assert [r.reason for r in refusals(found)] == [Reason.INVALID_JSON]
    assert [m.conversation_id for m in messages(found)] == ["12-alpaca-13b"] * 2


def test_prompts_and_responses_apart_are_put_together(tmp_path: Path) -> None:
    row = {
        "id": 30192,
        "model_a": "m-a",
        "model_b": "m-b",
        "prompt": '["name a fish", "and a bird?"]',
        "response_a": '["Carp.", "Wren."]',
        "response_b": '["Cod.", null]',
        "winner_model_a": 1,
    }
    found = items(tmp_path, "a.jsonl", [row, row | {"prompt": "name a fish"}])
    assert [(m.conversation_id, m.content) for m in messages(found)] == [
        ("30192-m-a", "name a fish"), ("30192-m-a", "Carp."), ("30192-m-a", "and a bird?"), ("30192-m-a", "Wren."),
        ("30192-m-b", "name a fish"), ("30192-m-b", "Cod."), ("30192-m-b", "and a bird?"), ("30192-m-b", None),
    ]  # fmt: skip
    assert [r.reason for r in refusals(found)] == [Reason.INVALID_JSON] * 2


@pytest.mark.parametrize(("fixture", "name"), [(chat(), "lmsys"), (battle(), "arena")])
def test_junk_anywhere_gives_items_and_never_a_fault(tmp_path: Path, fixture: dict[str, Any], name: str) -> None:
    @settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(record=mutated(fixture))
    def withstand(record: Any) -> None:
        assert_withstands(tmp_path, "m.jsonl", [record], {"format": name})

    withstand()
