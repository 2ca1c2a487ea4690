"""Dify: a row is a turn, its votes are the user's, and its latency is the end of its reply."""

import copy
import csv
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings

from pipelines.readers.raw import Refusal
from schemas.enums import EventKind, Role, Status
from schemas.reasons import Reason
from schemas.records import Event, Message
from tests.pipelines.readers.kit import items, items_of, opened, refusals
from tests.pipelines.readers.mutations import assert_withstands, mutated

NIL = "00000000-0000-0000-0000-000000000000"
ASKED = 1_793_610_000  # 2026-11-02 09:00:00 UTC


def at(second):
    return datetime(2026, 11, 2, 9, 0, tzinfo=UTC) + (
        datetime.fromtimestamp(second, UTC) - datetime.fromtimestamp(0, UTC)
    )


def row(number=1, **changed):
    return {
        "id": f"m{number}",
        "conversation_id": "c1",
        "parent_message_id": None if number == 1 else f"m{number - 1}",
        "inputs": {},
        "query": f"Question {number}",
        "answer": f"Answer {number}",
        "message_files": [],
        "feedback": None,
        "retriever_resources": [],
        "agent_thoughts": [],
        "created_at": ASKED + 60 * (number - 1),
        "provider_response_latency": 2.5,
        "status": "normal",
        "error": None,
        **changed,
    }


def page(*rows):
    return {"limit": 20, "has_more": False, "data": list(rows)}


def read(tmp_path, *records, name="dify.jsonl", **declared):
    return items(tmp_path, name, list(records), declared or None)


def messages(found):
    return [i for i in found if isinstance(i, Message)]


def events(found):
    return [i for i in found if isinstance(i, Event)]


def test_a_page_of_the_api_is_a_request_and_a_reply_for_each_row(tmp_path):
    found = read(tmp_path, page(row(1), row(2)))
    assert [(m.role, m.message_id, m.content) for m in found] == [
        (Role.USER, "m1:query", "Question 1"),
        (Role.ASSISTANT, "m1", "Answer 1"),
        (Role.USER, "m2:query", "Question 2"),
        (Role.ASSISTANT, "m2", "Answer 2"),
    ]
    assert [m.parent_id for m in found] == [None, "m1:query", "m1", "m2:query"]


@pytest.mark.parametrize("records", [[row(1), row(2)], [[row(1), row(2)]], [page(row(1)), page(row(2))]])
def test_rows_are_the_same_messages_however_they_are_wrapped(tmp_path, records):
    assert read(tmp_path, *records) == read(tmp_path, page(row(1), row(2)))


def test_the_row_is_made_when_the_question_comes_and_its_latency_ends_the_reply(tmp_path):
    request, reply = read(tmp_path, row(1))
    assert (request.created_at, reply.created_at, reply.completed_at) == (at(0), at(0), at(2.5))


def test_a_latency_of_zero_is_an_unknown_one(tmp_path):
    _, reply = read(tmp_path, row(1, provider_response_latency=0.0))
    assert (reply.created_at, reply.completed_at) == (at(0), None)


def test_usage_tells_the_first_token(tmp_path):
    usage = {"usage": {"latency": 4.0, "time_to_first_token": 0.5}}
    _, reply = read(tmp_path, row(1, metadata=usage, provider_response_latency=None))
    assert (reply.created_at, reply.completed_at) == (at(0.5), at(4))


def test_milliseconds_are_told_from_seconds_by_magnitude(tmp_path):
    assert read(tmp_path, row(1, created_at=ASKED * 1000)) == read(tmp_path, row(1))


def test_rows_of_clients_without_branches_follow_one_another(tmp_path):
    found = read(tmp_path, row(1, parent_message_id=NIL), row(2, parent_message_id=NIL))
    assert [(m.message_id, m.parent_id) for m in found] == [(i, None) for i in ("m1:query", "m1", "m2:query", "m2")]
    old = [{k: v for k, v in row(n).items() if k != "parent_message_id"} for n in (1, 2)]
    assert read(tmp_path, *old) == found


def test_without_a_time_a_reply_still_follows_its_request(tmp_path):
    _, reply = read(tmp_path, row(1, parent_message_id=NIL, created_at=None))
    assert (reply.parent_id, reply.created_at, reply.completed_at) == ("m1:query", None, None)


def test_a_regenerated_answer_is_a_sibling_of_the_first(tmp_path):
    found = read(tmp_path, row(1), row(2), row(3, parent_message_id="m1"))
    assert [m.parent_id for m in found if m.role is Role.USER] == [None, "m1", "m1"]


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, Status.OK),
        ({"status": "error", "error": "quota", "answer": ""}, Status.ERROR),
        ({"error": "quota"}, Status.ERROR),
        ({"status": "stopped"}, Status.STOPPED),
        ({"status": "paused"}, Status.PARTIAL),
        ({"answer": ""}, Status.PARTIAL),
        ({"status": None}, Status.OK),
    ],
)
def test_how_an_answer_ended(tmp_path, changed, status):
    _, reply = read(tmp_path, row(1, **changed))
    assert reply.status is status


def test_an_unknown_status_refuses_the_reply_and_keeps_the_request(tmp_path):
    request, refusal = read(tmp_path, page(row(1, status="exploded")))
    assert (request.role, refusal) == (Role.USER, Refusal(Reason.UNKNOWN_VALUE, "data[0].status"))


@pytest.mark.parametrize(
    ("feedback", "kind"),
    [
        ({"rating": "dislike"}, EventKind.THUMBS_DOWN),
        ({"rating": "like"}, EventKind.THUMBS_UP),
        ({"rating": None}, None),
    ],
)
def test_the_users_vote_is_about_the_reply(tmp_path, feedback, kind):
    found = events(read(tmp_path, row(1, feedback=feedback)))
    assert [(e.event, e.message_id, e.at, e.flags) for e in found] == (
        [(kind, "m1", at(2.5), ("time_inferred",))] if kind else []
    )


def test_votes_of_the_staff_are_not_the_users(tmp_path):
    feedbacks = [
        {"rating": "dislike", "from_source": "admin", "content": "bad", "from_account": {"id": "a"}},
        {"rating": "dislike", "from_source": "user", "content": "wrong town", "from_end_user_id": "u9"},
    ]
    found = events(read(tmp_path, row(1, feedbacks=feedbacks)))
    assert [(e.user_id, e.text) for e in found] == [("u9", "wrong town")]


def test_a_conversation_of_the_console_lends_its_id_and_user_to_its_messages(tmp_path):
    bare = {k: v for k, v in row(1).items() if k != "conversation_id"}
    conversation = {"id": "c1", "model_config": {}, "from_end_user_id": "u1", "messages": [bare]}
    request, reply = read(tmp_path, conversation, format="dify")
    assert (request.conversation_id, reply.user_id) == ("c1", "u1")


def test_a_vote_in_a_table_of_its_own_joins_by_message(tmp_path):
    vote = {
        "id": "f1",
        "app_id": "a",
        "conversation_id": "c1",
        "message_id": "m1",
        "rating": "dislike",
        "content": None,
        "from_source": "user",
        "from_end_user_id": "u1",
        "from_account_id": None,
        "created_at": "2026-11-02T09:05:00Z",
        "updated_at": "2026-11-02T09:06:00Z",
    }
    (found,) = read(tmp_path, vote)
    assert (found.event, found.message_id, found.at, found.user_id) == (EventKind.THUMBS_DOWN, "m1", at(360), "u1")
    assert read(tmp_path, {**vote, "from_source": "admin"}) == []


def test_naive_times_of_a_table_dump_need_a_declared_zone(tmp_path):
    naive = row(1, created_at="2026-11-02 17:00:00")
    (refusal,) = read(tmp_path, page(naive))
    assert refusal == Refusal(Reason.NAIVE_TIME, "data[0].created_at")
    request, _ = read(tmp_path, page(naive), zone="Asia/Shanghai")
    assert request.created_at == at(0)


def test_the_feedback_export_gives_votes_and_no_texts_that_were_cut_short(tmp_path):
    export = {
        "export_info": {"data_source": "dify_feedback_export"},
        "feedback_data": [
            {
                "feedback_id": "f1",
                "conversation_id": "c1",
                "message_id": "m1",
                "user_query": "Question",
                "ai_response": "Answer...",
                "feedback_rating": "👎",
                "feedback_rating_raw": "dislike",
                "feedback_comment": "too long",
                "feedback_source": "user",
                "feedback_date": "2026-11-02 09:05:00",
                "from_end_user_id": "",
            }
        ],
    }
    (found,) = read(tmp_path, export, zone="UTC")
    assert (found.event, found.text, found.at) == (EventKind.THUMBS_DOWN, "too long", at(300))


def test_a_row_of_the_table_holds_json_in_strings(tmp_path):
    dumped = row(
        1,
        inputs='{"query": "From the form"}',
        query="",
        message_files="",
        feedbacks='[{"rating": "dislike"}]',
        feedback="",
    )
    request, _, vote = read(tmp_path, dumped)
    assert (request.content, vote.event) == ("From the form", EventKind.THUMBS_DOWN)


def test_a_table_of_messages_is_read_as_csv(tmp_path):
    columns = ("id", "conversation_id", "parent_message_id", "query", "answer", "inputs", "provider_response_latency")
    columns += ("created_at", "from_end_user_id", "status", "error", "model_id")
    dumped = {
        **row(1),
        "inputs": "{}",
        "created_at": "2026-11-02 09:00:00",
        "from_end_user_id": "u1",
        "model_id": "small-1",
    }
    with (tmp_path / "messages.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerow({k: "" if v is None else v for k, v in dumped.items()})
    request, reply = items_of(tmp_path / "messages.csv", {"zone": "UTC"})
    assert (request.content, request.user_id, request.parent_id, reply.parent_id) == (
        "Question 1",
        "u1",
        None,
        "m1:query",
    )
    assert (reply.model, reply.completed_at, reply.status) == ("small-1", at(2.5), Status.OK)


def test_files_come_with_whom_they_belong_to(tmp_path):
    files = [{"type": "image", "belongs_to": "user"}]
    request, reply = read(tmp_path, row(1, message_files=files))
    assert (request.has_attachment, reply.has_attachment) == (True, False)
    request, reply = read(tmp_path, row(1, answer="", message_files=[{"type": "image", "belongs_to": "assistant"}]))
    assert (request.has_attachment, reply.has_attachment, reply.status) == (False, True, Status.OK)


def test_what_is_no_row_is_refused_with_its_place_and_the_others_go_on(tmp_path):
    found = read(tmp_path, page("junk", row(1), None, row(2, id=""), row(3, conversation_id=7)))
    assert [r.field for r in refusals(found)] == ["data[0].data", "data[3].id", "data[4].conversation_id"]
    assert len(messages(found)) == 2


def test_a_list_of_conversations_holds_nothing_said(tmp_path):
    listed = page(
        {"id": "c1", "name": "Trip", "inputs": {}, "status": "normal", "introduction": "", "created_at": ASKED}
    )
    assert read(tmp_path, listed) == []


def test_a_declared_spelling_of_votes_comes_first(tmp_path):
    found = events(read(tmp_path, row(1, feedback={"rating": "5"}), votes={"5": "thumbs_up"}))
    assert [e.event for e in found] == [EventKind.THUMBS_UP]
    found = read(tmp_path, row(1, feedback={"rating": "5"}))
    assert refusals(found) == [Refusal(Reason.UNKNOWN_VALUE, "feedback.rating")]


def test_it_is_recognised_by_its_rows(tmp_path):
    path = tmp_path / "a.jsonl"
    items(tmp_path, "a.jsonl", [None, page(row(1))])
    assert opened(path).format.name == "dify"


@given(mutated([page(row(1, feedback={"rating": "like"}), row(2, feedbacks=[{"rating": "dislike"}])), row(3)]))
@settings(max_examples=60, deadline=None)
def test_junk_anywhere_is_an_item_or_a_refusal(tmp_path_factory, records):
    records = records if isinstance(records, list) else [records]
    assert_withstands(tmp_path_factory.mktemp("dify"), "x.jsonl", copy.deepcopy(records), {"format": "dify"})
