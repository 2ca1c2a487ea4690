"""A Claude export: blocks beside text, branches by parent, and the clocks of the blocks."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines.readers.items import Item
from pipelines.readers.raw import RawRecord
from schemas.enums import Role, Status
from schemas.reasons import Reason
from schemas.records import Message
from tests.pipelines.readers.kit import items, items_of, opened, refusals
from tests.pipelines.readers.mutations import assert_withstands, mutated

NIL = "00000000-0000-4000-8000-000000000000"
SAMPLES = Path(__file__).parents[4] / "shared" / "formats" / "samples"


def stamp(seconds: float) -> str:
    return f"2026-11-01T10:{int(seconds) // 60:02}:{seconds % 60:09.6f}Z"


def at(seconds: float) -> datetime:
    return datetime.fromisoformat(stamp(seconds))


def turn(key: str, sender: str, text: str | None, seconds: float = 0, **more: Any) -> dict[str, Any]:
    record = {"uuid": key, "sender": sender, "text": text, "created_at": stamp(seconds), "updated_at": stamp(seconds)}
    return record | {"attachments": [], "files": []} | more


def block(text: Any, start: float | None = None, stop: float | None = None, kind: str = "text") -> dict[str, Any]:
    times = {"start_timestamp": start and stamp(start), "stop_timestamp": stop and stamp(stop)}
    return times | {"type": kind, "text": text, "citations": []}


def talk(*turns: Any, **more: Any) -> dict[str, Any]:
    record = {"uuid": "c1", "name": "Quinces", "created_at": stamp(0), "updated_at": stamp(99)}
    return record | {"account": {"uuid": "acc-1"}, "chat_messages": list(turns)} | more


def read(folder: Path, *records: Any, declared: dict[str, Any] | None = None) -> list[Item]:
    return items(folder, "conversations.jsonl", list(records), declared)


def messages(found: list[Item]) -> dict[str, Message]:
    return {m.message_id: m for m in found if isinstance(m, Message)}


def test_an_old_export_is_a_list_in_which_a_reply_is_stored_when_it_ends(tmp_path: Path) -> None:
    record = talk(turn("m1", "human", "When do quinces ripen?"), turn("m2", "assistant", "In October.", 60))
    q, a = read(tmp_path, record)
    assert isinstance(q, Message)
    assert isinstance(a, Message)
    assert (q.role, q.content, q.created_at, q.user_id, q.seq) == (
        Role.USER,
        "When do quinces ripen?",
        at(0),
        "acc-1",
        0,
    )
    assert (a.role, a.created_at, a.completed_at, a.seq) == (Role.ASSISTANT, None, at(60), 1)
    assert (a.conversation_id, a.source, a.parent_id, a.flags) == ("c1", "claude", None, ())


def test_the_declared_meaning_of_the_only_time_is_honoured(tmp_path: Path) -> None:
    record = talk(turn("m1", "human", "Hm?"), turn("m2", "assistant", "In October.", 60))
    _, a = read(tmp_path, record, declared={"reply_time": "first_token"})
    assert isinstance(a, Message)
    assert (a.created_at, a.completed_at, a.seq) == (at(60), None, None)


def test_blocks_say_when_the_words_were_streamed(tmp_path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "Let me see", "start_timestamp": stamp(2), "stop_timestamp": stamp(5)},
        block("In October,", 6, 8),
        {"type": "tool_use", "name": "look_up", "input": {}, "start_timestamp": stamp(8), "stop_timestamp": stamp(20)},
        {"type": "tool_result", "content": [{"type": "text", "text": "hits"}]},
        block("or after the first frost.", 21, 25),
    ]
    stand_in = "In October,\n```\nThis block is not supported.\n```\nor after the first frost."
    reply = turn("m2", "assistant", stand_in, 26, content=blocks, parent_message_uuid="m1")
    record = talk(turn("m1", "human", "When?", parent_message_uuid=NIL, content=[block("When?")]), reply)
    found = messages(read(tmp_path, record))
    assert found["m2"].content == "In October,\n\nor after the first frost."
    assert (found["m2"].created_at, found["m2"].completed_at, found["m2"].seq) == (at(6), at(25), None)
    assert (found["m1"].parent_id, found["m2"].parent_id) == (None, "m1")


def test_regenerated_and_edited_branches_are_kept_and_the_newest_is_taken(tmp_path: Path) -> None:
    record = talk(
        turn("q", "human", "When?", 0, parent_message_uuid=NIL),
        turn("a1", "assistant", "May.", 5, parent_message_uuid="q"),
        turn("a2", "assistant", "October.", 9, parent_message_uuid="q"),
        turn("q2", "human", "Where?", 20, parent_message_uuid="a2"),
    )
    found = messages(read(tmp_path, record))
    inferred = ("path_inferred",)
    assert {k: m.flags for k, m in found.items()} == {
        "q": inferred, "a1": ("off_branch", *inferred), "a2": inferred, "q2": inferred,
    }  # fmt: skip
    assert max(found, key=lambda k: found[k].seq or 0) == "q2"
    stated = messages(read(tmp_path, record | {"current_leaf_message_uuid": "a1"}))
    assert {k for k, m in stated.items() if "off_branch" in m.flags} == {"a2", "q2"}
    assert stated["a1"].flags == ()


def test_a_loop_or_a_parent_that_is_not_there_is_refused(tmp_path: Path) -> None:
    record = talk(
        turn("q", "human", "When?", parent_message_uuid=NIL),
        turn("x", "human", "round", parent_message_uuid="y"),
        turn("y", "assistant", "round", parent_message_uuid="x"),
        turn("lost", "assistant", "?", parent_message_uuid="gone"),
    )
    found = read(tmp_path, record)
    assert list(messages(found)) == ["q"]
    assert [(r.reason, r.field) for r in refusals(found)] == [
        (Reason.BROKEN_TREE, f"chat_messages[{n}].parent_message_uuid") for n in (1, 2, 3)
    ]


def test_a_root_of_another_name_is_a_root(tmp_path: Path) -> None:
    record = talk(
        turn("q", "human", "When?", parent_message_uuid="client-root"),
        turn("a", "assistant", "May.", 3, parent_message_uuid="q"),
    )
    assert {k: m.parent_id for k, m in messages(read(tmp_path, record)).items()} == {"q": None, "a": "q"}


@pytest.mark.parametrize(
    ("content", "text", "expected"),
    [
        ([{"text": "hi"}, {"text": None}, {"type": "tool_use"}], "", "hi"),
        ([{"type": "tool_use", "name": "x"}], "This block is not supported", None),
        ([{"type": "voice_note", "title": "x"}], "What I said", "What I said"),
        ([block(None)], "What I wrote", "What I wrote"),
        ([], "What I wrote", "What I wrote"),
        ([], None, ""),
        (None, "What I wrote", "What I wrote"),
        (None, None, None),
        ("junk", "What I wrote", "What I wrote"),
        ([None, block("a"), "b"], "", "a\n\nb"),
    ],
)
def test_text_is_found_wherever_it_stands(tmp_path: Path, content: Any, text: Any, expected: str | None) -> None:
    found = read(tmp_path, talk(turn("m", "human", text, content=content)))
    assert [m.content for m in messages(found).values()] == [expected]
    assert not refusals(found)


def test_files_and_attachments_are_noticed(tmp_path: Path) -> None:
    record = talk(
        turn("a", "human", "", attachments=[{"file_name": "a.txt", "extracted_content": "x"}]),
        turn("b", "human", "", files=[{"file_name": "b.png"}]),
        turn("c", "human", "", attachments=None, files=None),
    )
    assert [m.has_attachment for m in messages(read(tmp_path, record)).values()] == [True, True, False]


@pytest.mark.parametrize(
    ("reason", "status"),
    [("user_canceled", Status.STOPPED), ("max_tokens", Status.PARTIAL), ("end_turn", Status.OK), (7, Status.OK)],
)
def test_how_a_reply_ended_is_read_where_it_is_said(tmp_path: Path, reason: Any, status: Status) -> None:
    record = talk(turn("m", "assistant", "In Oct", stop_reason=reason))
    assert messages(read(tmp_path, record))["m"].status is status


def test_a_conversation_without_name_or_time_loads_and_invents_none(tmp_path: Path) -> None:
    record = talk(turn("m", "human", "Hm", created_at=None), name=None, created_at=None, account=None)
    (found,) = read(tmp_path, record)
    assert isinstance(found, Message)
    assert (found.created_at, found.completed_at, found.user_id) == (None, None, None)


def test_what_cannot_be_taken_is_refused_by_its_place(tmp_path: Path) -> None:
    record = talk(
        "junk",
        turn("m0", "robot", "beep"),
        turn("m1", "human", "Hm", created_at="2026-11-01T10:00:00"),
        turn("m2", "human", "kept", content=[7]),
        turn(7, "human", "no id"),  # type: ignore[arg-type]
    )
    found = read(tmp_path, record, talk() | {"chat_messages": None}, {"uuid": 1, "chat_messages": []})
    assert {k: m.content for k, m in messages(found).items()} == {"m1": "Hm", "m2": "kept"}
    assert [(r.reason, r.field) for r in refusals(found)] == [
        (Reason.WRONG_TYPE, "chat_messages[0]"),
        (Reason.UNKNOWN_VALUE, "chat_messages[1].sender"),
        (Reason.NAIVE_TIME, "chat_messages[2].created_at"),
        (Reason.WRONG_TYPE, "chat_messages[3].content"),
        (Reason.WRONG_TYPE, "chat_messages[4].uuid"),
        (Reason.WRONG_TYPE, "chat_messages"),
        (Reason.WRONG_TYPE, "uuid"),
    ]


FULL = talk(
    turn("q", "human", "When?", 0, parent_message_uuid=NIL, content=[block("When?")], attachments=[{}]),
    turn("a1", "assistant", "May.", 5, parent_message_uuid="q", content=[block("May.", 2, 5)], stop_reason="x"),
    turn("a2", "assistant", "October.", 9, parent_message_uuid="q"),
    current_leaf_message_uuid="a1",
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=st.lists(mutated(FULL), min_size=1, max_size=3))
def test_junk_at_any_place_is_refused_and_never_a_fault(tmp_path: Path, records: list[Any]) -> None:
    assert_withstands(tmp_path, "conversations.jsonl", records, {"format": "claude"})


@pytest.mark.gold
@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample exports are not here")
def test_the_sample_export_is_recognised_and_read() -> None:
    path = SAMPLES / "claude_export_conversations.json"
    log = opened(path)
    assert not isinstance(log, RawRecord)
    assert log.format.name == "claude"
    assert list(messages(items_of(path))) == ["m1", "m2"]
    assert messages(items_of(path))["m2"].completed_at == datetime(2026, 1, 1, 12, 1, tzinfo=UTC)
