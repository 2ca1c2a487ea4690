"""LibreChat: messages of a tree, in a collection or in one conversation, flat or inside one another."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings

from pipelines.readers.raw import Refusal
from schemas.enums import EventKind, Role, Status
from schemas.reasons import Reason
from schemas.records import Event, Message
from tests.pipelines.readers.kit import items, opened, refusals
from tests.pipelines.readers.mutations import assert_withstands, mutated

ROOT = "00000000-0000-0000-0000-000000000000"


def asked(name="q1", parent=ROOT, text="Where is the station?", **changed):
    return {
        "messageId": name,
        "conversationId": "c1",
        "user": "u1",
        "parentMessageId": parent,
        "sender": "User",
        "text": text,
        "isCreatedByUser": True,
        "unfinished": False,
        "error": False,
        "createdAt": "2026-11-02T09:00:00.000Z",
        "updatedAt": "2026-11-02T09:00:00.000Z",
        **changed,
    }


def answered(name="a1", parent="q1", text="Behind the park.", **changed):
    return {
        **asked(name, parent, text),
        "sender": "Assistant",
        "isCreatedByUser": False,
        "endpoint": "openAI",
        "model": "small-1",
        "tokenCount": 4,
        "createdAt": "2026-11-02T09:00:04.000Z",
        "updatedAt": "2026-11-02T09:00:09.000Z",
        **changed,
    }


def at(second):
    return datetime(2026, 11, 2, 9, 0, second, tzinfo=UTC)


def read(tmp_path, *records, **declared):
    return items(tmp_path, "librechat.jsonl", list(records), declared or None)


def messages(found):
    return [i for i in found if isinstance(i, Message)]


def test_a_collection_is_requests_and_replies(tmp_path):
    request, reply = read(tmp_path, asked(), answered())
    assert (request.role, request.content, request.parent_id, request.created_at) == (
        Role.USER,
        "Where is the station?",
        None,
        at(0),
    )
    assert (reply.role, reply.parent_id, reply.model, reply.user_id) == (Role.ASSISTANT, "q1", "small-1", "u1")


def test_a_reply_is_stored_when_it_is_whole(tmp_path):
    _, reply = read(tmp_path, asked(), answered())
    assert (reply.created_at, reply.completed_at) == (None, at(4))
    _, reply = read(tmp_path, asked(), answered(), reply_time="first_token")
    assert (reply.created_at, reply.completed_at) == (at(4), None)


def test_an_export_from_mongodb_wraps_ids_and_dates(tmp_path):
    wrapped = {
        "_id": {"$oid": "65f0"},
        "user": {"$oid": "u1"},
        "createdAt": {"$date": "2026-11-02T09:00:04.000Z"},
        "updatedAt": {"$date": {"$numberLong": "1793610009000"}},
        "tokenCount": {"$numberInt": "4"},
        "feedback": {"rating": "thumbsDown"},
    }
    assert read(tmp_path, answered(**wrapped)) == read(tmp_path, answered(feedback={"rating": "thumbsDown"}))


def conversation(**content):
    return {
        "conversationId": "c1",
        "endpoint": "openAI",
        "title": None,
        "exportAt": "10:00:00 GMT+0000",
        "branches": True,
        "recursive": "messagesTree" in content,
        "options": {"promptPrefix": "Be brief."},
        **content,
    }


def test_an_exported_conversation_is_its_messages(tmp_path):
    bare = [{k: v for k, v in m.items() if k != "conversationId"} for m in (asked(), answered())]
    assert read(tmp_path, conversation(messages=bare)) == read(tmp_path, asked(), answered())


def test_a_tree_of_answers_is_the_same_messages_as_a_flat_list(tmp_path):
    second = answered("a2", text="Take the tram.")
    tree = {**asked(), "children": [{**answered(), "children": []}, {**second, "children": []}]}
    assert read(tmp_path, conversation(messagesTree=[tree])) == read(tmp_path, asked(), answered(), second)


def test_a_child_that_names_no_parent_has_the_one_it_stands_in(tmp_path):
    child = {k: v for k, v in answered().items() if k not in ("parentMessageId", "conversationId")}
    _, reply = read(tmp_path, conversation(messagesTree=[{**asked(), "children": [child]}]))
    assert (reply.parent_id, reply.conversation_id) == ("q1", "c1")


def test_a_deep_tree_is_read_to_its_end(tmp_path):
    tree = {**answered("m199", "m198"), "children": []}
    for n in range(198, -1, -1):
        tree = {**asked(f"m{n}", f"m{n - 1}"), "children": [tree]}
    found = read(tmp_path, conversation(messagesTree=[tree]))
    assert [m.message_id for m in found] == [f"m{n}" for n in range(200)]


def test_regenerated_answers_and_edited_requests_are_siblings(tmp_path):
    found = read(tmp_path, asked(), answered(), answered("a2"), asked("q2"), asked("q3", "a2"))
    assert [m.parent_id for m in found] == [None, "q1", "q1", None, "a2"]


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, Status.OK),
        ({"unfinished": True}, Status.STOPPED),
        ({"error": True}, Status.ERROR),
        ({"error": True, "unfinished": True}, Status.ERROR),
        ({"finish_reason": "length"}, Status.PARTIAL),
        ({"finish_reason": "stop"}, Status.OK),
        ({"text": "", "content": [{"type": "error", "error": "quota"}]}, Status.ERROR),
    ],
)
def test_how_an_answer_ended(tmp_path, changed, status):
    (reply,) = read(tmp_path, answered(**changed))
    assert reply.status is status


def test_text_is_taken_out_of_parts_and_nothing_else(tmp_path):
    parts = [
        {"type": "think", "think": "They want directions."},
        {"type": "text", "text": "Behind the park."},
        {"type": "tool_call", "tool_call": {"name": "map"}},
        {"type": "text", "text": {"value": "Or by tram."}},
        {"type": "text", "text": None},
        None,
    ]
    (reply,) = read(tmp_path, answered(text="", content=parts))
    assert reply.content == "Behind the park.\n\nOr by tram."


def test_an_image_with_a_request_is_an_attachment(tmp_path):
    by_file, by_part, plain = read(
        tmp_path,
        asked(files=[{"file_id": "f"}]),
        asked("q2", content=[{"type": "image_file", "image_file": {}}], text=""),
        asked("q3", files=[]),
    )
    assert [m.has_attachment for m in (by_file, by_part, plain)] == [True, True, False]
    assert by_part.content in (None, "")


@pytest.mark.parametrize(
    ("feedback", "kind", "text"),
    [
        ({"rating": "thumbsDown", "tag": "inaccurate", "text": "It moved."}, EventKind.THUMBS_DOWN, "It moved."),
        ({"rating": "thumbsUp", "tag": {"key": "clear"}, "text": ""}, EventKind.THUMBS_UP, None),
        ("thumbsDown", EventKind.THUMBS_DOWN, None),
    ],
)
def test_a_vote_is_placed_at_the_last_change_of_its_message(tmp_path, feedback, kind, text):
    _, vote = read(tmp_path, answered(feedback=feedback))
    assert (vote.event, vote.at, vote.message_id, vote.text, vote.flags) == (kind, at(9), "a1", text, ())


def test_a_vote_in_a_message_without_a_change_is_placed_at_its_end(tmp_path):
    _, vote = read(tmp_path, answered(feedback={"rating": "thumbsDown"}, updatedAt=None))
    assert (vote.at, vote.flags) == (at(4), ("time_inferred",))


def test_a_vote_without_any_time_is_refused_and_its_message_kept(tmp_path):
    found = read(tmp_path, answered(feedback={"rating": "thumbsDown"}, updatedAt=None, createdAt=None))
    assert len(messages(found)) == 1
    assert refusals(found) == [Refusal(Reason.MISSING_KEY, "feedback.updatedAt")]


def test_a_vote_that_was_taken_back_is_none(tmp_path):
    for gone in (None, {}, {"rating": None}):
        assert [i for i in read(tmp_path, answered(feedback=gone)) if isinstance(i, Event)] == []


def test_an_unknown_vote_is_refused(tmp_path):
    found = read(tmp_path, [answered(feedback={"rating": "sideways"})])
    assert refusals(found) == [Refusal(Reason.UNKNOWN_VALUE, "[0].feedback.rating")]


def test_who_spoke_is_told_by_the_sender_where_nothing_else_tells_it(tmp_path):
    request, reply = read(tmp_path, asked(isCreatedByUser=None), answered(isCreatedByUser=None))
    assert (request.role, reply.role) == (Role.USER, Role.ASSISTANT)
    (refusal,) = read(tmp_path, asked(isCreatedByUser=None, sender=None))
    assert refusal == Refusal(Reason.MISSING_KEY, "isCreatedByUser")


def test_the_collection_of_conversations_names_messages_and_holds_none(tmp_path):
    listed = {
        "_id": {"$oid": "1"},
        "conversationId": "c1",
        "title": "Trip",
        "endpoint": "openAI",
        "messages": [{"$oid": "65f0"}, "65f1"],
    }
    assert read(tmp_path, listed, asked()) == read(tmp_path, asked())


def test_naive_times_need_a_declared_zone(tmp_path):
    naive = asked(createdAt="2026-11-02T17:00:00")
    assert refusals(read(tmp_path, [naive])) == [Refusal(Reason.NAIVE_TIME, "[0].createdAt")]
    (request,) = read(tmp_path, naive, zone="Asia/Shanghai")
    assert request.created_at == at(0)


def test_a_message_that_cannot_be_taken_is_refused_and_the_others_go_on(tmp_path):
    found = read(tmp_path, conversation(messages=[asked(), 7, answered(messageId=None), answered("a2")]))
    assert [m.message_id for m in messages(found)] == ["q1", "a2"]
    assert [r.field for r in refusals(found)] == ["messages[1].message", "messages[2].messageId"]


def test_it_is_recognised_by_its_messages_and_by_its_export(tmp_path):
    for name, record in (("a.jsonl", asked()), ("b.jsonl", conversation(messages=[]))):
        path = tmp_path / name
        path.write_text(json.dumps(record) + "\n")
        assert opened(path).format.name == "librechat"


TREE = conversation(messagesTree=[{**asked(), "children": [answered(feedback={"rating": "thumbsUp"}, content=[{}])]}])


@given(mutated([TREE, conversation(messages=[asked(), answered()]), answered(feedback={"rating": "thumbsDown"})]))
@settings(max_examples=60, deadline=None)
def test_junk_anywhere_is_an_item_or_a_refusal(tmp_path_factory, records):
    assert_withstands(tmp_path_factory.mktemp("librechat"), "x.jsonl", records, {"format": "librechat"})
