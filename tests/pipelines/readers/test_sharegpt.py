"""ShareGPT: lists of turns in all their spellings, with what is broken in them counted."""

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from pipelines.readers.raw import RawRecord, Refusal
from schemas.enums import Role
from schemas.reasons import Reason
from schemas.records import Message
from tests.pipelines.readers.kit import items, items_of, opened, refusals
from tests.pipelines.readers.mutations import assert_withstands, mutated

SAMPLES = Path(os.environ.get("TACIT_FORMATS", "../shared/formats/samples"))


def talk(*turns: tuple[str, str | None], **beside: Any) -> dict[str, Any]:
    return {"conversations": [{"from": who, "value": text} for who, text in turns], **beside}


def messages(found: list[Any]) -> list[Message]:
    return [i for i in found if isinstance(i, Message)]


def test_turns_become_messages_in_order_without_times(tmp_path: Path) -> None:
    row = talk(("human", "How long do eggs keep?"), ("gpt", "Five weeks."), ("human", "And boiled?"), id="k_7")
    found = messages(items(tmp_path, "a.jsonl", [row]))
    assert [(m.role, m.content, m.seq) for m in found] == [
        (Role.USER, "How long do eggs keep?", 0),
        (Role.ASSISTANT, "Five weeks.", 1),
        (Role.USER, "And boiled?", 2),
    ]
    assert {m.conversation_id for m in found} == {"k_7"}
    assert [m.parent_id for m in found] == [None, found[0].message_id, found[1].message_id]
    assert all(m.created_at is None and m.completed_at is None for m in found)
    assert all(m.source == "sharegpt" and m.flags == () for m in found)


def test_junk_is_counted_and_the_rest_of_the_row_kept(tmp_path: Path) -> None:
    row = {
        "id": "x",
        "conversations": [
            {"from": "human", "value": "a"},
            "junk",
            {"from": "gpt", "value": None},
            {"from": "human", "value": "a"},
            {"from": "observation", "value": "x"},
            None,
            {"from": "narrator", "value": "meanwhile"},
            {"value": "who?"},
            {"from": "gpt"},
            {"from": "gpt", "value": 7},
        ],
    }
    found = items(tmp_path, "a.jsonl", [row])
    assert [(m.role, m.content) for m in messages(found)] == [
        (Role.USER, "a"),
        (Role.ASSISTANT, None),
        (Role.USER, "a"),
        (Role.TOOL, "x"),
    ]
    assert refusals(found) == [
        Refusal(Reason.WRONG_TYPE, "conversations[1]"),
        Refusal(Reason.WRONG_TYPE, "conversations[5]"),
        Refusal(Reason.UNKNOWN_VALUE, "conversations[6].from"),
        Refusal(Reason.MISSING_KEY, "conversations[7].role"),
        Refusal(Reason.MISSING_KEY, "conversations[8].value"),
        Refusal(Reason.WRONG_TYPE, "conversations[9].value"),
    ]
    first, _, second, _ = messages(found)
    assert first.message_id != second.message_id


@pytest.mark.parametrize(
    ("written", "role"),
    [
        ("human", Role.USER), ("Human", Role.USER), ("user", Role.USER), ("gpt", Role.ASSISTANT),
        ("chatgpt", Role.ASSISTANT), ("gpt-4", Role.ASSISTANT), ("bard", Role.ASSISTANT), ("bing", Role.ASSISTANT),
        ("assistant", Role.ASSISTANT), ("Claude-2", Role.ASSISTANT), ("system", Role.SYSTEM), ("tool", Role.TOOL),
        ("observation", Role.TOOL), ("function_call", Role.TOOL), ("function-response", Role.TOOL),
    ],
)  # fmt: skip
def test_every_spelling_of_a_role_is_read(tmp_path: Path, written: str, role: Role) -> None:
    found = messages(items(tmp_path, "a.jsonl", [talk(("human", "hi"), (written, "x"), id="1")]))
    assert found[1].role == role


@pytest.mark.parametrize(
    "row",
    [
        {"id": 3, "conversation": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]},
        {"id": 3, "items": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "ho"}]},
        {"id": 3, "messages": [{"from": "user", "content": "hi"}, {"from": "assistant", "content": "ho"}]},
        {"id": 3, "conversations": [{"role": "user", "value": "hi"}, {"from": "gpt", "text": "ho", "value": None}]},
    ],
)
def test_the_list_may_stand_under_other_keys(tmp_path: Path, row: dict[str, Any]) -> None:
    found = messages(items(tmp_path, "a.jsonl", [row]))
    assert [(m.role, m.content, m.conversation_id) for m in found] == [
        (Role.USER, "hi", "3"),
        (Role.ASSISTANT, "ho", "3"),
    ]


@pytest.mark.parametrize("ids", [{}, {"id": None}, {"id": ""}, {"id": ["a"]}, {"id": "a\nb"}])
def test_without_an_id_the_content_names_the_conversation(tmp_path: Path, ids: dict[str, Any]) -> None:
    one, same, other = talk(("human", "hi"), ("gpt", "ho")), talk(("human", "hi"), ("gpt", "ho")), talk(("human", "hm"))
    found = messages(items(tmp_path, "a.jsonl", [r | ids for r in (one, same, other)]))
    assert found[0:2] == found[2:4]
    assert found[4].conversation_id != found[0].conversation_id
    assert all(m.flags == ("id_from_content",) for m in found)


def test_a_grown_conversation_gives_each_turn_once_and_branches_stay_apart(tmp_path: Path) -> None:
    start = (("human", "Name a tree."), ("gpt", "Oak."))
    rows = [
        talk(*start, id="t"),
        talk(*start, ("human", "Another."), ("gpt", "Elm."), id="t"),
        talk(*start, ("human", "A conifer."), id="t"),
    ]
    found = {m.message_id: m for m in messages(items(tmp_path, "a.jsonl", rows))}
    assert sorted(str(m.content) for m in found.values()) == ["A conifer.", "Another.", "Elm.", "Name a tree.", "Oak."]
    by_text = {m.content: m for m in found.values()}
    assert by_text["Another."].parent_id == by_text["A conifer."].parent_id == by_text["Oak."].message_id


def test_parts_of_a_split_conversation_stay_as_they_are_written(tmp_path: Path) -> None:
    rows = [talk(("human", "one"), ("gpt", "1"), id="QX_0"), talk(("human", "two"), ("gpt", "2"), id="QX_2")]
    assert [m.conversation_id for m in messages(items(tmp_path, "a.jsonl", rows))] == ["QX_0", "QX_0", "QX_2", "QX_2"]


def test_a_system_prompt_beside_the_list_comes_first(tmp_path: Path) -> None:
    row = talk(("human", "hi"), ("gpt", "ho"), id="1", system="Be brief.", tools="[]", model="m-1")
    found = messages(items(tmp_path, "a.jsonl", [row]))
    assert [(m.role, m.content, m.model) for m in found] == [
        (Role.SYSTEM, "Be brief.", None),
        (Role.USER, "hi", None),
        (Role.ASSISTANT, "ho", "m-1"),
    ]


def test_a_placeholder_is_a_file_only_where_the_row_holds_one(tmp_path: Path) -> None:
    rows = [
        talk(("human", "<image>\nWhat is this?"), ("gpt", "A mug."), id="1", image="mug.png"),
        talk(("human", "What does <image> mean in the docs?"), id="2"),
    ]
    assert [m.has_attachment for m in messages(items(tmp_path, "a.jsonl", rows))] == [True, False, False]


def test_text_in_parts_is_joined_and_null_parts_are_no_words(tmp_path: Path) -> None:
    row = {"id": "1", "conversations": [{"from": "human", "value": [{"type": "text", "text": "hi"}, {"text": None}]}]}
    assert [m.content for m in messages(items(tmp_path, "a.jsonl", [row]))] == ["hi"]


def test_a_lone_surrogate_is_mended_and_flagged(tmp_path: Path) -> None:
    line = b'{"id":"1","conversations":[{"from":"human","value":"x\\ud83dabc"}]}\n'
    found = messages(items(tmp_path, "a.jsonl", line))
    assert [(m.content, m.flags) for m in found] == [("x\ufffdabc", ("surrogate_replaced",))]


def test_parquet_rows_are_read_as_lines_are(tmp_path: Path) -> None:
    rows = [talk(("human", "hi"), ("gpt", None), id="1")]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    assert items_of(tmp_path / "a.parquet") == items(tmp_path, "a.jsonl", rows)


def test_odd_first_records_do_not_hide_the_format(tmp_path: Path) -> None:
    rows = [None, 3, {"conversations": None}, {"conversations": []}, {"id": "x"}, talk(("human", "hi"), id="y")]
    found = items(tmp_path, "a.jsonl", rows)
    assert [m.content for m in messages(found)] == ["hi"]
    assert [(r.reason, r.field) for r in refusals(found)] == [
        (Reason.NOT_AN_OBJECT, None),
        (Reason.NOT_AN_OBJECT, None),
        (Reason.WRONG_TYPE, "conversations"),
        (Reason.MISSING_KEY, "conversations"),
    ]


@pytest.mark.parametrize(
    "foreign",
    [
        {"messages": [{"role": "user", "content": "hi"}]},
        {"mapping": {}, "conversation": [{"role": "user", "content": "hi"}]},
        {"kind": "message", "conversation_id": "1", "message_id": "2", "role": "user", "content": "hi"},
        {"conversation": "hello"},
        {"conversations": [{"id": "1", "title": "x"}]},
    ],
)
def test_other_formats_are_left_to_their_readers(tmp_path: Path, foreign: dict[str, Any]) -> None:
    items(tmp_path, "a.jsonl", [foreign])
    log = opened(tmp_path / "a.jsonl")
    assert isinstance(log, RawRecord) or log.format.name != "sharegpt"


@pytest.mark.gold
def test_the_sample_of_the_real_shape_is_read() -> None:
    sample = SAMPLES / "sharegpt.json"
    if not sample.exists():
        pytest.skip("the samples are not beside the checkout")
    found = items_of(sample)
    assert [m.role for m in messages(found)] == [Role.USER, Role.ASSISTANT, Role.USER]
    assert refusals(found) == []


FIXTURE = [
    talk(("human", "hi"), ("gpt", "ho"), ("human", "no"), id="1", system="s", image="i"),
    {"id": 2, "conversation": [{"role": "user", "content": [{"type": "text", "text": "t"}]}, "junk"]},
    [{"from": "human", "value": "bare"}],
]


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=mutated(FIXTURE))
def test_junk_anywhere_gives_items_and_never_a_fault(tmp_path: Path, records: Any) -> None:
    if isinstance(records, list):
        assert_withstands(tmp_path, "m.jsonl", records, {"format": "sharegpt"})
