"""Chatwoot: a message is the same in a webhook and in a list, and what the customer never saw is not read."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings

from pipelines.readers.raw import Refusal
from schemas.enums import Role, Status
from schemas.reasons import Reason
from tests.pipelines.readers.kit import items, opened, refusals
from tests.pipelines.readers.mutations import assert_withstands, mutated

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


def hook(name=1, kind="incoming", content="Where is my parcel?", **changed):
    return {
        "event": "message_created",
        "id": name,
        "content": content,
        "created_at": "2026-11-02T09:00:00.000Z",
        "message_type": kind,
        "content_type": "text",
        "content_attributes": {},
        "private": False,
        "source_id": None,
        "sender": {"id": 7, "name": "Ann Example", "type": "contact"},
        "conversation": {"id": 12, "inbox_id": 3, "contact_inbox": {"contact_id": 7}, "messages": []},
        "account": {"id": 2, "name": "Shop"},
        **changed,
    }


def listed(name=1, kind=0, content="Where is my parcel?", **changed):
    return {
        "id": name,
        "content": content,
        "account_id": 2,
        "inbox_id": 3,
        "conversation_id": 12,
        "message_type": kind,
        "created_at": int(START.timestamp()),
        "private": False,
        "status": "sent",
        "content_type": "text",
        "sender": {"id": 7, "type": "contact"},
        **changed,
    }


def read(tmp_path, *records, **declared):
    return items(tmp_path, "chatwoot.jsonl", list(records), declared or None)


def test_a_webhook_is_a_message(tmp_path):
    (message,) = read(tmp_path, hook())
    assert (message.role, message.content, message.created_at) == (Role.USER, "Where is my parcel?", START)
    assert (message.conversation_id, message.message_id, message.user_id) == ("2:12", "1", "7")


@pytest.mark.parametrize(
    "record",
    [
        [listed()],
        {"meta": {}, "payload": [listed()]},
        {"id": 12, "inbox_id": 3, "can_reply": True, "account_id": 2, "messages": [listed(conversation_id=None)]},
        {"data": {"meta": {}, "payload": [{"id": 12, "inbox_id": 3, "account_id": 2, "messages": [listed()]}]}},
        hook(event="message_updated"),
        hook(conversation={"display_id": "12"}, contact={"id": "7"}, sender={"id": "9"}),
    ],
    ids=["array", "page", "conversation", "page of conversations", "update", "first version"],
)
def test_a_message_is_the_same_wherever_it_is_written(tmp_path, record):
    assert read(tmp_path, record) == read(tmp_path, hook())


@pytest.mark.parametrize("spelling", ["2026-11-02 09:00:00 UTC", 1_793_610_000, "2026-11-02T10:00:00+01:00"])
def test_times_are_written_in_three_ways(tmp_path, spelling):
    assert read(tmp_path, hook(created_at=spelling)) == read(tmp_path, hook())


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("incoming", Role.USER),
        (1, Role.ASSISTANT),
        ("activity", Role.SYSTEM),
        (3, Role.SYSTEM),
        ("template", Role.SYSTEM),
    ],
)
def test_who_speaks(tmp_path, kind, role):
    (message,) = read(tmp_path, hook(message_type=kind))
    assert message.role is role


def test_a_reply_is_shown_whole_and_belongs_to_the_customer(tmp_path):
    (reply,) = read(tmp_path, hook(2, "outgoing", "On its way.", sender={"id": 44, "type": "agent_bot"}))
    assert (reply.created_at, reply.completed_at, reply.user_id, reply.status) == (START, START, "7", Status.OK)
    (failed,) = read(tmp_path, hook(2, "outgoing", status="failed"))
    assert failed.status is Status.ERROR


def test_private_notes_are_left_out(tmp_path):
    assert read(tmp_path, hook(kind="outgoing", private=True), hook(2)) == read(tmp_path, hook(2))


def test_a_deleted_message_has_no_words(tmp_path):
    (message,) = read(tmp_path, hook(content="This message was deleted", content_attributes={"deleted": True}))
    assert message.content is None


def test_a_file_without_words(tmp_path):
    (message,) = read(tmp_path, hook(content=None, attachments=[{"file_type": "image"}]))
    assert (message.content, message.has_attachment) == (None, True)


def test_what_happened_to_a_conversation_is_no_message(tmp_path):
    changed = {"event": "conversation_status_changed", "id": 12, "inbox_id": 3, "status": "resolved"}
    assert read(tmp_path, hook(), changed) == read(tmp_path, hook())


def test_what_cannot_be_taken_is_refused_and_the_others_go_on(tmp_path):
    page = {"payload": [listed(), listed(2, 9), listed(None), "junk", listed(3, created_at="soon")]}
    found = read(tmp_path, page)
    assert len(found) == 5
    assert [(r.reason, r.field) for r in refusals(found)] == [
        (Reason.UNKNOWN_VALUE, "payload[1].message_type"),
        (Reason.MISSING_KEY, "payload[2].id"),
        (Reason.WRONG_TYPE, "payload[3].payload"),
        (Reason.BAD_TIME, "payload[4].created_at"),
    ]
    assert read(tmp_path, hook(), {"what": 1})[1] == Refusal(Reason.MISSING_KEY, "message_type")


@pytest.mark.parametrize("record", [hook(), {"payload": [listed()]}, {"inbox_id": 3, "messages": [listed()]}])
def test_it_is_recognised_by_its_messages(tmp_path, record):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(record) + "\n")
    assert opened(path).format.name == "chatwoot"


@given(mutated([hook(), {"payload": [listed(), {"inbox_id": 3, "messages": [listed()]}]}]))
@settings(max_examples=60, deadline=None)
def test_junk_anywhere_is_an_item_or_a_refusal(tmp_path_factory, records):
    assert_withstands(tmp_path_factory.mktemp("chatwoot"), "x.jsonl", records, {"format": "chatwoot"})
