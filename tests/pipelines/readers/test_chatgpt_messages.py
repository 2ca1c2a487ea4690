"""The messages of a ChatGPT export as the user saw them: roles, stops, parts, and injected text."""

from pathlib import Path
from typing import Any

import pytest

from schemas.enums import Role, Status
from schemas.reasons import Reason
from schemas.records import Message
from tests.pipelines.readers.chatgpt_kit import ASK, ROOT, T0, at, conversation, messages, read, said
from tests.pipelines.readers.kit import refusals


def test_injected_and_hidden_text_is_not_the_users(tmp_path: Path) -> None:
    profile = {
        "content_type": "user_editable_context",
        "user_profile": "I keep bees.",
        "user_instructions": "Be brief.",
    }
    memory = {"content_type": "model_editable_context", "model_set_context": "Keeps bees.", "repository": None}
    hidden = {"is_visually_hidden_from_conversation": True}
    record = conversation(
        ROOT,
        ("profile", "root", said("user", profile, None)),
        ("memory", "profile", said("assistant", memory, None)),
        ("custom", "memory", said("system", "Answer in verse.", None, metadata={"is_user_system_message": True})),
        ("hidden", "custom", said("user", "Original custom instructions", None, metadata=hidden)),
        ("light", "hidden", said("user", "Continue from the summary", None, weight=0)),
        ("q", "light", said("user", "Why do bees swarm?", 5.0)),
    )
    found = messages(read(tmp_path, record))
    assert {k: m.role for k, m in found.items()} == {
        "profile": Role.SYSTEM, "memory": Role.TOOL, "custom": Role.SYSTEM, "hidden": Role.SYSTEM,
        "light": Role.SYSTEM, "q": Role.USER,
    }  # fmt: skip
    assert found["profile"].content == "I keep bees.\n\nBe brief."
    assert found["q"].parent_id is None


@pytest.mark.parametrize(
    ("how", "status"),
    [
        ({"status": "in_progress"}, Status.STOPPED),
        ({"metadata": {"finish_details": {"type": "interrupted"}}}, Status.STOPPED),
        ({"status": "finished_partial_completion"}, Status.PARTIAL),
        ({"metadata": {"finish_details": {"type": "max_tokens"}}}, Status.PARTIAL),
        ({"status": "in_progress", "metadata": {"async_task_id": "task"}}, Status.PARTIAL),
        ({"metadata": {"finish_details": {"type": "stop", "stop_tokens": [1]}}}, Status.OK),
        ({"status": "in_progress", "metadata": {"finish_details": {"type": "stop"}}}, Status.OK),
        ({"status": "failed"}, Status.ERROR),
        ({"metadata": {"is_error": True}}, Status.ERROR),
        ({"metadata": None, "status": None}, Status.OK),
    ],
)
def test_how_a_reply_ended(tmp_path: Path, how: dict[str, Any], status: Status) -> None:
    record = conversation(ROOT, ASK, ("a", "q", said("assistant", "First, un", 3.0, **how)))
    assert messages(read(tmp_path, record))["a"].status is status


def test_a_reply_stopped_before_anything_was_shown_is_a_reply_without_text(tmp_path: Path) -> None:
    thoughts = {"content_type": "thoughts", "thoughts": []}
    record = conversation(
        ROOT,
        ASK,
        ("t", "q", said("assistant", thoughts, 1.0, status="in_progress")),
        ("q2", "t", said("user", "Never mind, what about pears?", 5.0)),
    )
    found = messages(read(tmp_path, record))
    assert (found["t"].role, found["t"].content, found["t"].status) == (Role.ASSISTANT, None, Status.STOPPED)
    assert found["q2"].parent_id == "t"


def test_a_thought_that_never_finished_is_no_stop_if_the_reply_came(tmp_path: Path) -> None:
    thoughts = {"content_type": "thoughts", "thoughts": []}
    thinking = ("t", "q", said("assistant", thoughts, 1.0, status="in_progress"))
    found = messages(read(tmp_path, conversation(ROOT, ASK, thinking, ("a", "t", said("assistant", "Winter.", 5.0)))))
    assert {k: m.status for k, m in found.items()} == {"q": Status.OK, "a": Status.OK}


def test_parts_that_are_objects_null_or_not_there(tmp_path: Path) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x", "width": 2}
    voice = [
        {"content_type": "audio_transcription", "text": "What is this?", "direction": "in"},
        {"content_type": "real_time_user_audio_video_asset_pointer", "audio_asset_pointer": {}},
    ]
    contents = {
        "seen": {"content_type": "multimodal_text", "parts": [picture, "what is this?"]},
        "only": {"content_type": "multimodal_text", "parts": [picture]},
        "voice": {"content_type": "multimodal_text", "parts": voice},
        "null": {"content_type": "text", "parts": ["hi", None]},
        "empty": {"content_type": "text", "parts": []},
        "absent": {"content_type": "text"},
        "code": {"content_type": "code", "language": "python", "text": "x"},
        "quote": {"content_type": "tether_quote", "text": "Quinces keep."},
        "odd": {"content_type": "a_new_kind", "text": "said anyway"},
    }
    record = conversation(ROOT, *((k, "root", said("user", c)) for k, c in contents.items()))
    found = {
        k: (m.content, m.has_attachment, m.flags)
        for k, m in messages(
            read(
                tmp_path,
                record,
            )
        ).items()
    }
    off = ("off_branch",)
    assert found == {
        "seen": ("what is this?", True, off), "only": (None, True, off), "voice": ("What is this?", True, off),
        "null": ("hi", False, off), "empty": ("", False, off), "absent": (None, False, off),
        "code": ("x", False, ("code", *off)), "quote": ("Quinces keep.", False, off), "odd": ("said anyway", False, ()),
    }  # fmt: skip


def test_attached_files_are_noticed(tmp_path: Path) -> None:
    message = said("user", "Summarise it", metadata={"attachments": [{"id": "file-1", "name": "notes.pdf"}]})
    assert messages(read(tmp_path, conversation(ROOT, ("q", "root", message))))["q"].has_attachment


def test_a_picture_that_a_tool_drew_is_the_reply(tmp_path: Path) -> None:
    drawn = {"content_type": "image_asset_pointer", "metadata": {"dalle": {"prompt": "a quince"}}}
    looked_up = {"content_type": "image_asset_pointer", "metadata": None}
    record = conversation(
        ROOT,
        ASK,
        ("page", "q", said("tool", {"content_type": "multimodal_text", "parts": ["page 1", looked_up]}, 1.0)),
        ("art", "page", said("tool", {"content_type": "multimodal_text", "parts": [drawn]}, 2.0)),
    )
    found = messages(read(tmp_path, record))
    assert (found["page"].role, found["art"].role) == (Role.TOOL, Role.ASSISTANT)
    assert (found["art"].content, found["art"].has_attachment) == (None, True)


def test_conversations_without_title_or_time_are_read_and_no_time_is_made_up(tmp_path: Path) -> None:
    timeless = conversation(ROOT, ("q", "root", said("user", "Hm", None)), title=None, create_time=None)
    timed = conversation(ROOT, ASK, conversation_id="c2", title=None)
    found = read(tmp_path, timeless, timed)
    assert [(m.conversation_id, m.created_at) for m in found if isinstance(m, Message)] == [("c1", None), ("c2", at(0))]
    assert not refusals(found)


def test_where_a_time_is_missing_the_messages_are_numbered_with_the_active_path_last(tmp_path: Path) -> None:
    record = conversation(
        ROOT,
        ("q", "root", said("user", "Why?", None)),
        ("on", "q", said("assistant", "So.", None)),
        ("off", "q", said("assistant", "Because.", 9.0)),
        current_node="on",
    )
    found = messages(read(tmp_path, record))
    assert sorted(found, key=lambda k: found[k].seq or 0) == ["q", "off", "on"]


@pytest.mark.parametrize("unit", [1, 1_000, 1_000_000, 1_000_000_000])
def test_times_are_read_in_any_unit(tmp_path: Path, unit: int) -> None:
    record = conversation(ROOT, ("q", "root", said("user", "Hm", create_time=int(T0) * unit)))
    assert messages(read(tmp_path, record))["q"].created_at == at(-0.5)


def test_an_impossible_time_is_refused_and_the_words_are_kept(tmp_path: Path) -> None:
    record = conversation(ROOT, ("q", "root", said("user", "Hm", create_time=9e9)), ("a", "q", said("assistant", "So")))
    found = read(tmp_path, record)
    assert [(r.reason, r.field) for r in refusals(found)] == [
        (Reason.TIME_OUT_OF_RANGE, "mapping[1].message.create_time")
    ]
    assert {k: (m.created_at, m.parent_id) for k, m in messages(found).items()} == {
        "q": (None, None),
        "a": (at(0), "q"),
    }


@pytest.mark.parametrize(
    ("message", "reason", "where"),
    [
        ({"author": None, "content": None}, Reason.MISSING_KEY, "mapping[1].message.author"),
        ({"author": {"role": 3}, "content": None}, Reason.WRONG_TYPE, "mapping[1].message.author.role"),
        (said("critic", "I disagree"), Reason.UNKNOWN_VALUE, "mapping[1].message.author.role"),
        (said("user", {"parts": 7}), Reason.WRONG_TYPE, "mapping[1].message.content.parts"),
        (said("user", {"parts": [7]}), Reason.WRONG_TYPE, "mapping[1].message.content.parts"),
    ],
)
def test_a_message_that_cannot_be_taken_is_refused_by_its_place(
    tmp_path: Path, message: dict[str, Any], reason: Reason, where: str
) -> None:
    found = read(tmp_path, conversation(ROOT, ("bad", "root", message), ("a", "bad", said("assistant", "Yes"))))
    assert [(r.reason, r.field) for r in refusals(found)] == [(reason, where)]
    assert messages(found)["a"].parent_id is None


def test_nodes_that_are_not_nodes_are_refused_or_passed_over(tmp_path: Path) -> None:
    record = conversation(ROOT, ASK)
    record["mapping"] |= {"null": None, "text": "junk", "bare": {"message": "junk"}}
    found = read(tmp_path, record)
    assert list(messages(found)) == ["q"]
    assert [(r.reason, r.field) for r in refusals(found)] == [
        (Reason.WRONG_TYPE, "mapping[3]"), (Reason.WRONG_TYPE, "mapping[4].message"),
    ]  # fmt: skip
