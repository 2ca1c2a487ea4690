"""A Claude Code transcript: whose words a line holds, what is a stop, and the chain of lines."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines.readers.items import Item
from pipelines.readers.raw import RawRecord
from schemas.enums import EventKind, Role, Status
from schemas.reasons import Reason
from schemas.records import Event, Message
from tests.pipelines.readers.kit import items, opened, refusals
from tests.pipelines.readers.mutations import assert_withstands, mutated

AT = datetime(2026, 11, 1, 10, 0, 3, 250_000, UTC)


def line(key: str, parent: str | None, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content} | more.pop("message", {})
    record = {"type": kind, "uuid": key, "parentUuid": parent, "sessionId": "s1", "isSidechain": False}
    return record | {"timestamp": "2026-11-01T10:00:03.250Z", "message": message, "version": "2.1.12"} | more


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "12 passed"}
CALL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make"}}


def read(folder: Path, *lines: Any, declared: dict[str, Any] | None = None) -> list[Item]:
    return items(folder, "s1.jsonl", list(lines), declared)


def only(folder: Path, record: dict[str, Any]) -> Message:
    (found,) = read(folder, line("first", None, "user", "hm"), record)[1:]
    assert isinstance(found, Message)
    return found


def test_a_reply_in_pieces_is_a_chain_of_messages_that_keep_all_text(tmp_path: Path) -> None:
    made_by = {"id": "msg_1", "model": "claude-x"}
    found = read(
        tmp_path,
        {"type": "file-history-snapshot", "messageId": "q", "snapshot": {}},
        line("q", None, "user", "Run the tests"),
        line("t", "q", "assistant", [{"type": "thinking", "thinking": "Let me"}], message=made_by),
        line("a1", "t", "assistant", [text("I will run them.")], message=made_by),
        line("c", "a1", "assistant", [CALL], message=made_by),
        line("r", "c", "user", [RESULT], toolUseResult={"stdout": "12 passed"}),
        line("a2", "r", "assistant", [text("All pass.")], message={"id": "msg_2", "model": "claude-x"}),
        {"type": "summary", "summary": "Tests", "leafUuid": "a2"},
    )
    assert [(m.message_id, m.parent_id, m.role, m.content) for m in found if isinstance(m, Message)] == [
        ("q", None, Role.USER, "Run the tests"),
        ("t", "q", Role.ASSISTANT, None),
        ("a1", "t", Role.ASSISTANT, "I will run them."),
        ("c", "a1", Role.ASSISTANT, None),
        ("r", "c", Role.TOOL, None),
        ("a2", "r", Role.ASSISTANT, "All pass."),
    ]
    q, *_, a2 = (m for m in found if isinstance(m, Message))
    assert (q.created_at, q.completed_at, q.conversation_id, q.source) == (AT, None, "s1", "claude-code")
    assert (a2.created_at, a2.completed_at, a2.model) == (None, AT, "claude-x")


@pytest.mark.parametrize("suffix", ["]", " for tool use]"])
@pytest.mark.parametrize("as_list", [True, False])
def test_an_interrupted_request_is_a_stop_and_not_the_users_words(tmp_path: Path, suffix: str, as_list: bool) -> None:
    words = "[Request interrupted by user" + suffix
    record = line("i", "a1", "user", [text(words)] if as_list else words)
    message, stop = read(tmp_path, record)
    assert isinstance(message, Message)
    assert isinstance(stop, Event)
    assert message.role is Role.SYSTEM
    assert (stop.event, stop.message_id, stop.conversation_id, stop.at) == (EventKind.STOP, "a1", "s1", AT)


@pytest.mark.parametrize(
    "more",
    [
        {"isMeta": True},
        {"isCompactSummary": True},
        {"isVisibleInTranscriptOnly": True},
        {"origin": {"kind": "task-notification"}},
    ],
)
def test_what_the_harness_wrote_is_not_the_users(tmp_path: Path, more: dict[str, Any]) -> None:
    assert only(tmp_path, line("m", "first", "user", "Stop hook feedback: wrong again", **more)).role is Role.SYSTEM


@pytest.mark.parametrize(
    "words",
    [
        "<command-name>/clear</command-name>\n<command-args></command-args>",
        "<local-command-stdout>done</local-command-stdout>",
        "<bash-input>ls</bash-input>",
        "  <system-reminder>be brief</system-reminder>",
        "This session is being continued from a previous conversation that ran out of context.",
    ],
)
def test_tagged_lines_are_injected(tmp_path: Path, words: str) -> None:
    assert only(tmp_path, line("m", "first", "user", words)).role is Role.SYSTEM
    assert only(tmp_path, line("m", "first", "user", [text(words)])).role is Role.SYSTEM


def test_the_users_words_beside_or_inside_what_was_injected_are_the_users(tmp_path: Path) -> None:
    beside = line("m", "first", "user", [text("<ide_opened_file>a.py</ide_opened_file>"), text("Rename it")])
    inside = "<command-name>/fix</command-name><command-args>the login</command-args>"
    for record, said in ((beside, "Rename it"), (line("m", "first", "user", inside), "the login")):
        found = only(tmp_path, record)
        assert (found.role, found.content) == (Role.USER, said)


def test_a_request_typed_while_the_agent_worked_is_the_users(tmp_path: Path) -> None:
    queued = {"type": "queued_command", "prompt": "and the docs", "commandMode": "prompt", "origin": {"kind": "human"}}
    record = line("m", "first", "attachment", None, attachment=queued)
    assert (only(tmp_path, record).role, only(tmp_path, record).content) == (Role.USER, "and the docs")
    record["attachment"] = queued | {"origin": {"kind": "peer"}}
    assert (only(tmp_path, record).role, only(tmp_path, record).content) == (Role.SYSTEM, None)


def test_agents_talk_to_one_another_in_a_conversation_without_a_user(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        line("x", None, "user", "Explore the code", isSidechain=True, agentId="ag1"),
        line("y", "x", "assistant", [text("Found it")], isSidechain=True),
    )
    assert [(m.conversation_id, m.role) for m in found if isinstance(m, Message)] == [
        ("s1/ag1", Role.SYSTEM), ("s1/sidechain", Role.TOOL),
    ]  # fmt: skip


def test_lines_that_are_no_turn_keep_the_chain(tmp_path: Path) -> None:
    assert only(tmp_path, line("p", "first", "progress", None)).content is None
    boundary = line("b", None, "system", None, subtype="compact_boundary", logicalParentUuid="p")
    found = only(tmp_path, boundary | {"content": "Compacted"})
    assert (found.role, found.content, found.parent_id) == (Role.SYSTEM, "Compacted", "p")
    assert read(tmp_path, line("q", None, "user", "hm"), {"type": "mode", "mode": "plan", "sessionId": "s1"})[1:] == []


@pytest.mark.parametrize(
    ("more", "role", "status"),
    [
        ({"isApiErrorMessage": True, "message": {"model": "<synthetic>"}}, Role.ASSISTANT, Status.ERROR),
        ({"message": {"model": "<synthetic>"}}, Role.SYSTEM, Status.OK),
        ({"message": {"stop_reason": "max_tokens"}}, Role.ASSISTANT, Status.PARTIAL),
        ({"message": {"stop_reason": None}}, Role.ASSISTANT, Status.OK),
    ],
)
def test_how_a_reply_ended(tmp_path: Path, more: dict[str, Any], role: Role, status: Status) -> None:
    found = only(tmp_path, line("a", "first", "assistant", [text("API Error: 529")], **more))
    assert (found.role, found.status) == (role, status)


def test_images_and_declared_times(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "aGk="}}
    found = only(tmp_path, line("m", "first", "user", [image, text("What is this?")]))
    assert (found.content, found.has_attachment) == ("What is this?", True)
    (reply,) = read(tmp_path, line("a", "q", "assistant", [text("Hm")]), declared={"reply_time": "first_token"})
    assert isinstance(reply, Message)
    assert (reply.created_at, reply.completed_at) == (AT, None)


def test_what_cannot_be_taken_is_refused(tmp_path: Path) -> None:
    good = line("q", None, "user", "hm")
    found = read(
        tmp_path, good, "junk", {"uuid": "x"}, line("q", None, "user", 7), good | {"uuid": None}, good | {"message": 1},
        good | {"timestamp": "noon"}, good | {"sessionId": "\x00"},
    )  # fmt: skip
    assert [(r.reason, r.field) for r in refusals(found)] == [
        (Reason.NOT_AN_OBJECT, None), (Reason.MISSING_KEY, "type"), (Reason.WRONG_TYPE, "message.content"),
        (Reason.WRONG_TYPE, "uuid"), (Reason.WRONG_TYPE, "message"), (Reason.BAD_TIME, "timestamp"),
        (Reason.BAD_ID, "sessionId"),
    ]  # fmt: skip
    assert len([m for m in found if isinstance(m, Message)]) == 2


@pytest.mark.parametrize(
    "first",
    [
        {"type": "summary", "summary": "Tests", "leafUuid": "a2"},
        {"type": "file-history-snapshot", "messageId": "q", "snapshot": {}},
        {"type": "queue-operation", "operation": "dequeue", "sessionId": "s1"},
        line("q", None, "user", "hm"),
    ],
)
def test_a_transcript_is_recognised_by_any_of_its_lines(tmp_path: Path, first: dict[str, Any]) -> None:
    read(tmp_path, first)
    log = opened(tmp_path / "s1.jsonl")
    assert not isinstance(log, RawRecord)
    assert log.format.name == "claude-code"


LINES = [
    line("q", None, "user", [text("<ide_x>"), text("Run it")], origin={"kind": "human"}),
    line("a", "q", "assistant", [text("Yes"), CALL], message={"model": "m", "stop_reason": "max_tokens"}),
    line("r", "a", "user", [RESULT]),
    line("i", "r", "user", "[Request interrupted by user]"),
    line("c", "i", "user", "<command-name>/x</command-name><command-args>y</command-args>", isSidechain=True),
    line("k", "c", "attachment", None, attachment={"type": "queued_command", "prompt": "z", "origin": {}}),
]


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=mutated(LINES) | st.lists(mutated(LINES[0]), max_size=2))
def test_junk_at_any_place_is_refused_and_never_a_fault(tmp_path: Path, records: list[Any]) -> None:
    assert_withstands(tmp_path, "s1.jsonl", records, {"format": "claude-code"})
