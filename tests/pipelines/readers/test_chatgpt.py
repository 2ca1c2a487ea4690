"""A ChatGPT export: conversations, ids, times, and what junk in it comes to."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines.readers.raw import RawRecord
from schemas.enums import EventKind, Status
from schemas.records import Event, Message
from tests.pipelines.readers.chatgpt_kit import ASK, ROOT, conversation, messages, read, said, voted
from tests.pipelines.readers.kit import items, items_of, opened
from tests.pipelines.readers.mutations import assert_withstands, mutated

SAMPLES = Path(__file__).parents[4] / "shared" / "formats" / "samples"


def test_the_id_is_taken_from_either_key_and_made_from_the_first_message_without_both(tmp_path: Path) -> None:
    by_id = conversation(ROOT, ASK, conversation_id=None, id="c9")
    assert {m.conversation_id for m in messages(read(tmp_path, by_id)).values()} == {"c9"}
    old, grown = conversation(ROOT, ASK), conversation(ROOT, ASK, ("a", "q", said("assistant", "Yes", 3.0)))
    for record in (old, grown):
        del record["conversation_id"]
    (one,) = {m.conversation_id for m in read(tmp_path, old) if isinstance(m, Message)}
    assert {m.conversation_id for m in read(tmp_path, grown) if isinstance(m, Message)} == {one}


def test_a_conversation_in_two_shards_gives_each_message_once(tmp_path: Path) -> None:
    nodes = (ROOT, ASK, ("a", "q", said("assistant", "Late winter.", 4.0)))
    first = items(tmp_path, "conversations-000.jsonl", [conversation(*nodes)])
    second = items(tmp_path, "conversations-001.jsonl", [conversation(*nodes, ("q2", "a", said("user", "Why?", 60.0)))])
    assert second[:2] == first
    assert list(messages(second)) == ["q", "a", "q2"]


def test_two_nodes_of_one_message_id_are_two_messages(tmp_path: Path) -> None:
    record = conversation(ROOT, ASK, ("b", "q", said("assistant", "One")), ("c", "q", said("assistant", "Two")))
    for key in ("b", "c"):
        record["mapping"][key]["message"]["id"] = "same"
    found = messages(read(tmp_path, record))
    assert [m.content for m in found.values()][1:] == ["One", "Two"]
    assert found["same"].aliases == ("b",)


def test_a_split_emoji_is_mended_and_marked(tmp_path: Path) -> None:
    line = json.dumps(conversation(ROOT, ("q", "root", said("user", "x\ud83dabc")))) + "\n"
    (found,) = items(tmp_path, "conversations.jsonl", line.encode())
    assert isinstance(found, Message)
    assert (found.content, found.flags) == ("x\ufffdabc", ("surrogate_replaced",))


FULL = conversation(
    ROOT,
    ("s", "root", said("system", "", None)),
    (
        "q",
        "s",
        said("user", {"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer"}, "?"]}),
    ),
    ("t", "q", said("assistant", {"content_type": "thoughts", "thoughts": []}, 1.0, status="in_progress")),
    ("call", "t", said("assistant", {"content_type": "code", "text": "x"}, 2.0, recipient="python")),
    ("a", "call", said("assistant", "A quince.", 4.0, metadata={"finish_details": {"type": "interrupted"}})),
    ("b", "q", said("assistant", "A pear.", 9.0)),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=st.lists(mutated(FULL) | mutated(voted("thumbsUp", content='{"tags": ["x"], "text": "y"}')), max_size=3))
def test_junk_at_any_place_is_refused_and_never_a_fault(tmp_path: Path, records: list[Any]) -> None:
    assert_withstands(tmp_path, "conversations.jsonl", records, {"format": "chatgpt"})


@pytest.mark.gold
@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample exports are not here")
def test_the_sample_export_is_recognised_and_read() -> None:
    day = datetime(2065, 2, 1, tzinfo=UTC).date()
    path = SAMPLES / "chatgpt_export_conversations.json"
    log = opened(path, day=day)
    assert not isinstance(log, RawRecord)
    assert log.format.name == "chatgpt"
    found = messages(items_of(path, day=day))
    assert {k: (m.status, m.flags) for k, m in found.items()} == {
        "msg1": (Status.OK, ()), "msg2b": (Status.STOPPED, ("off_branch",)), "msg2": (Status.OK, ()),
    }  # fmt: skip
    (vote,) = items_of(SAMPLES / "chatgpt_export_message_feedback.json", day=day)
    assert isinstance(vote, Event)
    assert (vote.event, vote.text) == (EventKind.THUMBS_DOWN, "not-helpful")
