"""Pairs of a prompt and a response, and what must not be taken for them."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from pipelines.readers.raw import RawRecord, Refusal
from schemas.enums import Role
from schemas.reasons import Reason
from schemas.records import Message
from tests.pipelines.readers.kit import items, opened, refusals
from tests.pipelines.readers.mutations import assert_withstands, mutated

ALPACA = {"instruction": "Translate.", "input": "Guten Tag", "output": "Good day", "id": 4, "system": "Be brief."}


def messages(found: list[Any]) -> list[Message]:
    return [i for i in found if isinstance(i, Message)]


@pytest.mark.parametrize(
    "keys",
    [
        ("prompt", "response"),
        ("prompt", "completion"),
        ("instruction", "output"),
        ("question", "answer"),
        ("query", "response"),
    ],
)
def test_a_pair_is_a_conversation_of_one_turn(tmp_path: Path, keys: tuple[str, str]) -> None:
    found = messages(items(tmp_path, "a.jsonl", [{keys[0]: "hi", keys[1]: "ho"}, {keys[0]: "hm", keys[1]: None}]))
    assert [(m.role, m.content) for m in found] == [
        (Role.USER, "hi"),
        (Role.ASSISTANT, "ho"),
        (Role.USER, "hm"),
        (Role.ASSISTANT, None),
    ]
    assert found[0].conversation_id == found[1].conversation_id != found[2].conversation_id
    assert opened(tmp_path / "a.jsonl").format.name == "pairs"  # type: ignore[union-attr]


def test_the_matter_of_an_instruction_belongs_to_the_request(tmp_path: Path) -> None:
    found = messages(items(tmp_path, "a.jsonl", [ALPACA]))
    assert [(m.role, m.content, m.conversation_id) for m in found] == [
        (Role.SYSTEM, "Be brief.", "4"),
        (Role.USER, "Translate.\n\nGuten Tag", "4"),
        (Role.ASSISTANT, "Good day", "4"),
    ]


def test_earlier_turns_come_first(tmp_path: Path) -> None:
    row = {"instruction": "And a conifer?", "output": "Fir.", "history": [["Name a tree.", "Oak."]]}
    assert [m.content for m in messages(items(tmp_path, "a.jsonl", [row]))] == [
        "Name a tree.", "Oak.", "And a conifer?", "Fir.",
    ]  # fmt: skip


def test_what_is_broken_is_refused_by_itself(tmp_path: Path) -> None:
    rows = [{"prompt": "hi", "response": "ho"}, {"prompt": "hi", "response": 4}, {"prompt": "hi"}, 3]
    rows.append({"prompt": "hi", "response": "ho", "history": [["a", 3], "b", 5]})
    found = items(tmp_path, "a.jsonl", rows)
    assert refusals(found) == [
        Refusal(Reason.WRONG_TYPE, "response"),
        Refusal(Reason.MISSING_KEY, "response"),
        Refusal(Reason.NOT_AN_OBJECT),
        Refusal(Reason.WRONG_TYPE, "history[0]"),
        Refusal(Reason.WRONG_TYPE, "history[2]"),
    ]


@pytest.mark.parametrize(
    "row",
    [
        {"query": "hi", "answer": "ho", "conversation_id": "1", "created_at": 1},
        {"prompt": "hi", "response": "ho", "timestamp": "2026-10-30T09:00:00Z"},
        {"prompt": "hi", "response": "ho", "rating": 1},
        {"prompt": ["hi"], "response": "ho"},
    ],
)
def test_a_log_that_says_more_is_not_stripped_to_a_pair(tmp_path: Path, row: dict[str, Any]) -> None:
    items(tmp_path, "a.jsonl", [row])
    log = opened(tmp_path / "a.jsonl")
    assert isinstance(log, RawRecord) or log.format.name != "pairs"


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(record=mutated(ALPACA | {"history": [["a", "b"], ["c", "d"]]}))
def test_junk_anywhere_gives_items_and_never_a_fault(tmp_path: Path, record: Any) -> None:
    assert_withstands(tmp_path, "m.jsonl", [record], {"format": "pairs"})
