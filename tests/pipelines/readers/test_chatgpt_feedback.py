"""Votes and shared links of a ChatGPT export."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pipelines.readers.items import Item
from pipelines.readers.raw import RawRecord
from schemas.enums import EventKind
from schemas.reasons import Reason
from schemas.records import Event
from tests.pipelines.readers.chatgpt_kit import T0, voted
from tests.pipelines.readers.kit import items, opened, refusals


def feedback(folder: Path, *records: dict[str, Any], declared: dict[str, Any] | None = None) -> list[Item]:
    return items(folder, "message_feedback.jsonl", list(records), declared)


@pytest.mark.parametrize(
    ("spelling", "kind"),
    [("thumbsUp", "up"), ("thumbs_up", "up"), ("thumbsDown", "down"), ("thumbs_down", "down"), ("thumbs-down", "down")],
)
def test_a_vote_is_read_in_each_spelling(tmp_path: Path, spelling: str, kind: str) -> None:
    (found,) = feedback(tmp_path, voted(spelling))
    assert isinstance(found, Event)
    assert (found.event, found.message_id, found.conversation_id) == (EventKind(f"thumbs_{kind}"), "n7", "c1")
    assert (found.at, found.user_id) == (datetime(2026, 11, 1, 10, tzinfo=UTC), "user-1")


def test_a_vote_on_a_branch_that_was_left_names_its_message_once(tmp_path: Path) -> None:
    (found,) = feedback(tmp_path, voted("thumbs_down", id="vote", message_id="n7"))
    assert isinstance(found, Event)
    assert found.message_id == "n7"


def test_a_comment_stays_with_its_vote(tmp_path: Path) -> None:
    down = voted("thumbsDown", 10, content='{"tags": ["not-true", "it named the wrong town"], "text": "wrong city"}')
    found = feedback(tmp_path, down, voted("thumbsUp", 30))
    assert [(e.event, e.text) for e in found if isinstance(e, Event)] == [
        (EventKind.THUMBS_DOWN, "wrong city\n\nnot-true, it named the wrong town"), (EventKind.THUMBS_UP, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("it was rude", "it was rude"),
        (None, None),
        ("", None),
        ({"text": "rude"}, "rude"),
        ('{"tags": []}', None),
        ("[1]", "[1]"),
        ('{"text": "\\ud83d"}', "�"),
        pytest.param("[" * 100_000, "[" * 100_000, id="deep"),
    ],
)
def test_a_comment_that_is_not_json_is_read_as_it_stands(tmp_path: Path, content: Any, text: str | None) -> None:
    (found,) = feedback(tmp_path, voted("thumbsDown", content=content))
    assert isinstance(found, Event)
    assert found.text == text


def test_a_toggled_vote_keeps_both_clicks_and_a_vote_of_null_is_none(tmp_path: Path) -> None:
    found = feedback(tmp_path, voted("thumbsDown", 10), voted("thumbsDown", 15), voted(None, 20))
    assert [e.event for e in found if isinstance(e, Event)] == [EventKind.THUMBS_DOWN] * 2


def test_a_vote_that_is_none_or_has_no_time_is_refused(tmp_path: Path) -> None:
    found = feedback(tmp_path, voted("meh"), voted(5), voted("thumbsUp", create_time=None))
    assert [(r.reason, r.field) for r in refusals(found)] == [
        (Reason.UNKNOWN_VALUE, "rating"), (Reason.UNKNOWN_VALUE, "rating"), (Reason.MISSING_KEY, "create_time"),
    ]  # fmt: skip
    stars = feedback(tmp_path, voted(5), voted(1), declared={"votes": {"1": "thumbs_down", "5": "thumbs_up"}})
    assert [e.event for e in stars if isinstance(e, Event)] == [EventKind.THUMBS_UP, EventKind.THUMBS_DOWN]


def test_a_shared_link_is_an_act_only_where_its_time_is_known(tmp_path: Path) -> None:
    link = {"id": "s1", "conversation_id": "c1", "title": "Pruning", "is_anonymous": True}
    assert items(tmp_path, "shared_conversations.jsonl", [link]) == []
    (found,) = items(tmp_path, "shared_conversations.jsonl", [link | {"create_time": T0}])
    assert isinstance(found, Event)
    assert (found.event, found.message_id) == (EventKind.SHARE, None)


def test_rows_of_some_other_table_are_not_taken_for_votes(tmp_path: Path) -> None:
    row = {"id": "m1", "conversation_id": "c1", "rating": None, "content": "hello", "role": "user"}
    feedback(tmp_path, row)
    log = opened(tmp_path / "message_feedback.jsonl")
    assert isinstance(log, RawRecord) or log.format.name != "chatgpt"
    feedback(tmp_path, voted("thumbsUp", storage_protocol=1, a_new_key=1))
    log = opened(tmp_path / "message_feedback.jsonl")
    assert not isinstance(log, RawRecord)
    assert log.format.name == "chatgpt"
