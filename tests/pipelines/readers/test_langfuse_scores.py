"""Langfuse: which scores are votes of users, and what they are about."""

from pathlib import Path
from typing import Any

import pytest

from pipelines.readers.items import Remark
from pipelines.readers.raw import Refusal
from schemas.enums import EventKind, Role
from schemas.reasons import Reason
from tests.pipelines.readers.kit import refusals
from tests.pipelines.readers.langfuse_kit import at, put_together, read, score, trace, votes


@pytest.mark.parametrize(
    ("given", "vote"),
    [
        ({"value": 0}, EventKind.THUMBS_DOWN), ({"value": 1}, EventKind.THUMBS_UP),
        ({"value": -1}, EventKind.THUMBS_DOWN),
        ({"value": 0, "stringValue": "False", "dataType": "BOOLEAN"}, EventKind.THUMBS_DOWN),
        ({"value": True, "dataType": "BOOLEAN", "name": "thumbs_up"}, EventKind.THUMBS_UP),
        ({"value": 1, "stringValue": "negative", "dataType": "CATEGORICAL"}, EventKind.THUMBS_DOWN),
        ({"value": 0, "stringValue": "👍", "dataType": "CATEGORICAL", "name": "Thumbs"}, EventKind.THUMBS_UP),
        ({"value": "0", "name": "userFeedback"}, EventKind.THUMBS_DOWN),
        ({"value": 1, "dataType": "BOOLEAN", "name": "dislike"}, EventKind.THUMBS_DOWN),
        ({"value": 0, "dataType": "BOOLEAN", "name": "thumbs_down"}, EventKind.THUMBS_CLEAR),
        ({"value": 0, "name": "用户反馈"}, EventKind.THUMBS_DOWN),
    ],
)  # fmt: skip
def test_a_users_score_is_a_vote_however_it_is_typed(tmp_path: Path, given: dict[str, Any], vote: EventKind) -> None:
    assert votes(read(tmp_path, [score(**given)])) == [vote]


@pytest.mark.parametrize(
    "given",
    [
        {"source": "EVAL"}, {"source": "ANNOTATION"}, {"name": "hallucination"}, {"name": "helpfulness"},
        {"datasetRunId": "d1"}, {"dataType": "TEXT", "stringValue": "too long"}, {"name": "feedback-quality-judge"},
        {"stringValue": "neutral", "dataType": "CATEGORICAL"},
    ],
)  # fmt: skip
def test_scores_of_judges_experts_and_metrics_are_no_votes(tmp_path: Path, given: dict[str, Any]) -> None:
    assert read(tmp_path, [score(), score(**given)]) == read(tmp_path, [score()])


def test_names_and_spellings_that_are_declared_count_and_stars_that_are_not_are_refused(tmp_path: Path) -> None:
    stars = [score(name="csat", value=5), score(name="csat", value=1), score(name="csat", value=3)]
    assert read(tmp_path, stars, {"format": "langfuse"}) == []
    named = {"feedback_names": ["csat"]}
    assert [r.reason for r in refusals(read(tmp_path, stars, named))] == [Reason.UNKNOWN_VALUE] * 2
    scale = {**named, "votes": {"1": "thumbs_down", "2": "thumbs_down", "3": None, "4": "thumbs_up", "5": "thumbs_up"}}
    assert votes(read(tmp_path, stars, scale)) == [EventKind.THUMBS_UP, EventKind.THUMBS_DOWN]


def test_a_vote_that_was_flipped_is_dated_by_its_change_and_a_second_export_is_the_same(tmp_path: Path) -> None:
    flipped = score(value=1, updatedAt="2026-11-01T18:30:00.000Z")
    first, again, changed = read(tmp_path, [score(), score(), flipped])
    assert first == again
    assert isinstance(first, Remark)
    assert isinstance(changed, Remark)
    assert (first.event, first.at) == (EventKind.THUMBS_DOWN, at("10:05:00"))
    assert (changed.event, changed.at) == (EventKind.THUMBS_UP, at("18:30:00"))


def test_scores_inside_a_trace_and_beside_it_name_the_same_reply(tmp_path: Path) -> None:
    inside = read(tmp_path, {**trace(), "scores": [score(traceId=None, comment="wrong island")]})
    beside = read(tmp_path, trace()) + read(tmp_path, [score(comment="wrong island")])
    one, other = put_together(inside), put_together(beside)
    assert [e for e, _ in one.events] == [e for e, _ in other.events]
    reply = next(m for m, _ in one.messages if m.role is Role.ASSISTANT)
    assert [(e.message_id, e.conversation_id, e.text) for e, _ in one.events] == [
        (reply.message_id, "s1", "wrong island")
    ]


def test_a_score_on_a_step_or_a_session_is_about_the_reply_or_the_conversation(tmp_path: Path) -> None:
    step, whole = read(tmp_path, [score(observationId="o2"), score(traceId=None, sessionId="s1")])
    assert isinstance(step, Remark)
    assert isinstance(whole, Remark)
    assert (step.trace_id, step.call_id) == ("t1", "o2")
    assert (whole.trace_id, whole.conversation_id) == (None, "s1")
    nowhere = score(traceId=None)
    assert refusals(read(tmp_path, [nowhere], {"format": "langfuse"})) == [Refusal(Reason.MISSING_KEY, "traceId")]
