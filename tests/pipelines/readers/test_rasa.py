"""Rasa: what was said among the events of a tracker, a row or a broker; the same message under the same id in each."""

import csv
import json
import sqlite3
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings

from pipelines.readers.raw import Refusal
from schemas.enums import Role
from schemas.reasons import Reason
from tests.pipelines.readers.kit import items, items_of, opened, refusals
from tests.pipelines.readers.mutations import assert_withstands, mutated

START = 1_793_610_000.25  # 2026-11-02 09:00:00.25 UTC


def at(second):
    return datetime.fromtimestamp(START + second, UTC)


def user(text, second, **changed):
    intent = {"intent": {"name": "ask", "confidence": 0.9}, "entities": [], "text": text}
    said = {"event": "user", "timestamp": START + second, "text": text, "parse_data": intent, "input_channel": "rest"}
    return {**said, "message_id": None, "metadata": {}, **changed}


def bot(text, second, **data):
    return {"event": "bot", "timestamp": START + second, "text": text, "data": data, "metadata": {}}


def other(event, second, **more):
    return {"event": event, "timestamp": START + second, **more}


EVENTS = [
    other("action", 0, name="action_session_start", policy=None),
    other("session_started", 0),
    other("action", 0, name="action_listen"),
    user("Is the pool open?", 1),
    other("user_featurization", 1.1, use_text_for_featurization=False),
    other("slot", 1.2, name="topic", value="pool"),
    bot("Let me look.", 1.5),
    bot("It opens at ten.", 2),
    user("And the sauna?", 9),
    other("rewind", 9.5),
    bot("Closed today.", 10),
]


def tracker(*events, **changed):
    return {"sender_id": "guest-7", "latest_event_time": START, "slots": {}, "events": list(events), **changed}


def rows(*events):
    return [
        {
            "id": n,
            "sender_id": "guest-7",
            "type_name": e["event"],
            "timestamp": e["timestamp"],
            "intent_name": None,
            "action_name": e.get("name"),
            "data": json.dumps(e),
        }
        for n, e in enumerate(events, 1)
    ]


def read(tmp_path, *records, **declared):
    return items(tmp_path, "rasa.jsonl", list(records), declared or None)


def test_a_tracker_is_what_was_said_in_it(tmp_path):
    found = read(tmp_path, tracker(*EVENTS))
    assert [(m.role, m.content, m.created_at) for m in found] == [
        (Role.USER, "Is the pool open?", at(1)),
        (Role.ASSISTANT, "Let me look.", at(1.5)),
        (Role.ASSISTANT, "It opens at ten.", at(2)),
        (Role.USER, "And the sauna?", at(9)),
        (Role.ASSISTANT, "Closed today.", at(10)),
    ]
    assert {(m.conversation_id, m.user_id) for m in found} == {("guest-7", "guest-7")}
    assert [m.completed_at for m in found if m.role is Role.ASSISTANT] == [at(1.5), at(2), at(10)]


@pytest.mark.parametrize(
    "records",
    [
        rows(*EVENTS),
        [{"sender_id": "guest-7", **e} for e in EVENTS],
        [tracker(*EVENTS[:5]), tracker(*EVENTS)],
        [tracker(*EVENTS[4:]), tracker(*EVENTS[:5])],
        [[tracker(*EVENTS)]],
        [{"name": "guest-7", "events": EVENTS}],
        [tracker(*EVENTS, _id={"$oid": "65f0"}, active_loop={})],
    ],
    ids=["table", "broker", "grown", "in two", "array", "dialogue", "mongodb"],
)
def test_a_message_has_one_id_whatever_file_it_stands_in(tmp_path, records):
    found = {m.message_id: m for m in read(tmp_path, *records)}
    assert found == {m.message_id: m for m in read(tmp_path, tracker(*EVENTS))}
    assert len(found) == 5


def test_a_message_keeps_the_id_that_its_channel_gave_it(tmp_path):
    (message,) = read(tmp_path, tracker(user("Hello", 1, message_id="abc")))
    assert message.message_id == "abc"


def test_the_same_words_at_another_time_are_another_message(tmp_path):
    found = read(tmp_path, tracker(user("Hello", 1), bot("Hi", 2), user("Hello", 3)))
    assert len({m.message_id for m in found}) == 3


def test_events_without_a_time_are_told_apart_by_how_often_they_came(tmp_path):
    said = {"event": "user", "text": "Hello"}
    found = read(tmp_path, tracker(said, said, other("slot", 1, name="a", value=None)), format="rasa")
    assert len({m.message_id for m in found}) == 2
    assert [(m.seq, m.created_at) for m in found] == [(0, None), (1, None)]


@pytest.mark.parametrize(
    "text", ["/affirm", '/inform{"city": "Riga"}', "/affirm@0.9", " /deny ", "/SetSlots(a=b, c=d)"]
)
def test_a_payload_is_a_click_and_no_words(tmp_path, text):
    (message,) = read(tmp_path, tracker(user(text, 1)))
    assert (message.role, message.content, message.flags) == (Role.USER, None, ("clicked",))


@pytest.mark.parametrize("text", ["/home/ann is full", "/ what?", "yes/no", "/help me please", "50/50"])
def test_words_with_a_slash_are_words(tmp_path, text):
    (message,) = read(tmp_path, tracker(user(text, 1)))
    assert (message.content, message.flags) == (text, ())


@pytest.mark.parametrize(
    "event",
    [user("/session_start", 1), user("EXTERNAL: remind", 1), user("remind", 1, metadata={"is_external": True})],
)
def test_what_the_application_injects_is_not_the_users(tmp_path, event):
    (message,) = read(tmp_path, tracker(event))
    assert message.role is Role.SYSTEM


def test_a_bot_may_show_more_or_less_than_text(tmp_path):
    image, buttons, custom = read(
        tmp_path,
        tracker(
            bot("Look:", 1, image="x.png", buttons=None),
            bot(None, 2, buttons=[{"title": "Yes", "payload": "/affirm"}]),
            bot(None, 3, custom={"map": 1}),
        ),
    )
    assert (image.content, image.has_attachment) == ("Look:", True)
    assert [(m.content, m.has_attachment) for m in (buttons, custom)] == [(None, False)] * 2


def test_an_event_that_cannot_be_taken_is_refused_and_the_others_go_on(tmp_path):
    found = read(tmp_path, tracker(user("a", 1), 7, None, user(5, 2), {"timestamp": 1}, user("b", 3, timestamp="soon")))
    assert [m.content for m in found if not isinstance(m, Refusal)] == ["a"]
    assert [(r.reason, r.field) for r in refusals(found)] == [
        (Reason.WRONG_TYPE, "events[1]"),
        (Reason.WRONG_TYPE, "events[3].text"),
        (Reason.MISSING_KEY, "events[4].event"),
        (Reason.BAD_TIME, "events[5].timestamp"),
    ]


def test_a_row_whose_data_is_no_json_is_refused(tmp_path):
    row = {**rows(user("a", 1))[0], "data": "{cut"}
    assert read(tmp_path, row) == [Refusal(Reason.INVALID_JSON, "data")]


def test_a_tracker_without_a_sender_is_refused(tmp_path):
    assert read(tmp_path, tracker(*EVENTS, sender_id=None), format="rasa") == [Refusal(Reason.WRONG_TYPE, "sender_id")]


@pytest.mark.parametrize(
    "record", [tracker(*EVENTS), rows(*EVENTS)[3], {"sender_id": "s", **EVENTS[3]}, {"name": "s", "events": EVENTS}]
)
def test_it_is_recognised_by_its_events(tmp_path, record):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(record) + "\n")
    assert opened(path).format.name == "rasa"


def test_the_sql_store_is_read_as_a_database_and_as_a_table(tmp_path):
    columns = ("id", "sender_id", "type_name", "timestamp", "intent_name", "action_name", "data")
    db = sqlite3.connect(tmp_path / "rasa.db")
    with db:
        db.execute(f"CREATE TABLE events ({', '.join(columns)})")
        db.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", [tuple(r.values()) for r in rows(*EVENTS)])
    db.close()
    with (tmp_path / "events.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows(*EVENTS))
    for name in ("rasa.db", "events.csv"):
        assert opened(tmp_path / name).format.name == "rasa"
        assert items_of(tmp_path / name) == read(tmp_path, tracker(*EVENTS))


@given(mutated([tracker(*EVENTS), *rows(*EVENTS[3:5]), {"sender_id": "s", **EVENTS[3]}]))
@settings(max_examples=80, deadline=None)
def test_junk_anywhere_is_an_item_or_a_refusal(tmp_path_factory, records):
    assert_withstands(tmp_path_factory.mktemp("rasa"), "x.jsonl", records, {"format": "rasa"})
