import json
from datetime import UTC, date, datetime

import pytest

from pipelines.readers.native import NativeDecoder
from pipelines.readers.raw import Refusal
from schemas.enums import EventKind, Role, Status
from schemas.reasons import Reason
from schemas.records import Event, Message

DAY = date(2026, 11, 2)
MESSAGE = {"kind": "message", "conversation_id": "c1", "message_id": "m1", "role": "user", "content": "hi"}
EVENT = {"kind": "event", "conversation_id": "c1", "event": "close", "at": "2026-11-02T10:00:00Z"}


def decode(record: object) -> Message | Event | Refusal:
    data = record if isinstance(record, bytes) else json.dumps(record).encode()
    return NativeDecoder(DAY, "web").decode(data)


def test_a_minimal_message_gets_the_documented_defaults():
    message = decode(MESSAGE)
    assert isinstance(message, Message)
    assert (message.source, message.role, message.status, message.has_attachment) == (
        "web",
        Role.USER,
        Status.OK,
        False,
    )
    assert (message.created_at, message.seq, message.parent_id, message.flags) == (None, None, None, ())


def test_a_null_optional_key_reads_as_absent():
    message = decode(MESSAGE | {"status": None, "has_attachment": None, "source": None, "model": None, "seq": None})
    assert isinstance(message, Message)
    assert (message.status, message.source) == (Status.OK, "web")


def test_content_that_was_not_captured_stays_null_and_empty_stays_empty():
    assert decode(MESSAGE | {"content": None}).content is None
    assert decode(MESSAGE | {"content": ""}).content == ""


def test_times_become_utc_whatever_their_zone():
    message = decode(MESSAGE | {"created_at": "2026-11-02T01:30:00.5+08:00"})
    assert message.created_at == datetime(2026, 11, 1, 17, 30, 0, 500000, tzinfo=UTC)


def test_nanoseconds_are_cut_off_not_rounded():
    message = decode(MESSAGE | {"created_at": "2026-11-02T01:30:00.123456789Z"})
    assert message.created_at.microsecond == 123456


def test_an_event_reads_with_its_comment():
    event = decode(EVENT | {"event": "thumbs_down", "message_id": "a1", "text": "wrong city"})
    assert isinstance(event, Event)
    assert (event.event, event.message_id, event.text) == (EventKind.THUMBS_DOWN, "a1", "wrong city")


def test_a_lone_surrogate_is_replaced_and_flagged():
    line = b'{"kind":"message","conversation_id":"c","message_id":"m","role":"user","content":"x\\ud83dabc"}'
    message = decode(line)
    assert (message.content, message.flags) == ("x\ufffdabc", ("surrogate_replaced",))


def test_a_whole_surrogate_pair_is_a_character():
    line = b'{"kind":"message","conversation_id":"c","message_id":"m","role":"user","content":"\\ud83d\\ude00"}'
    assert decode(line).content == "\U0001f600"


def test_unknown_keys_are_ignored_and_counted():
    decoder = NativeDecoder(DAY, "web")
    decoder.decode(json.dumps(MESSAGE | {"trace": 1, "tenant": "x"}).encode())
    decoder.decode(json.dumps(EVENT | {"role": "user"}).encode())
    assert decoder.unknown_keys == 3


@pytest.mark.parametrize(
    ("record", "reason", "field"),
    [
        (b'{"kind": "mess', Reason.INVALID_JSON, None),
        (b'{"kind": NaN}', Reason.INVALID_JSON, None),
        (b'{"kind":"message"} trailing', Reason.INVALID_JSON, None),
        (b'{"kind": "message", "content": "\xff"}', Reason.NOT_UTF8, None),
        (b"[" * 100_000 + b"]" * 100_000, Reason.RECORD_TOO_DEEP, None),
        ([1, 2], Reason.NOT_AN_OBJECT, None),
        ("text", Reason.NOT_AN_OBJECT, None),
        ({"conversation_id": "c"}, Reason.MISSING_KEY, "kind"),
        ({"kind": "metric"}, Reason.UNKNOWN_KIND, "kind"),
        ({"kind": None}, Reason.UNKNOWN_KIND, "kind"),
        ({k: v for k, v in MESSAGE.items() if k != "content"}, Reason.MISSING_KEY, "content"),
        ({k: v for k, v in MESSAGE.items() if k != "role"}, Reason.MISSING_KEY, "role"),
        ({k: v for k, v in MESSAGE.items() if k != "message_id"}, Reason.MISSING_KEY, "message_id"),
        (MESSAGE | {"content": ["hi"]}, Reason.WRONG_TYPE, "content"),
        (MESSAGE | {"seq": "1"}, Reason.WRONG_TYPE, "seq"),
        (MESSAGE | {"seq": 10**40}, Reason.WRONG_TYPE, "seq"),
        (MESSAGE | {"seq": True}, Reason.WRONG_TYPE, "seq"),
        (MESSAGE | {"conversation_id": 7}, Reason.WRONG_TYPE, "conversation_id"),
        (MESSAGE | {"conversation_id": None}, Reason.WRONG_TYPE, "conversation_id"),
        (MESSAGE | {"role": "human"}, Reason.UNKNOWN_VALUE, "role"),
        (MESSAGE | {"status": "done"}, Reason.UNKNOWN_VALUE, "status"),
        (EVENT | {"event": "sneeze"}, Reason.UNKNOWN_VALUE, "event"),
        (MESSAGE | {"message_id": "a\x00b"}, Reason.BAD_ID, "message_id"),
        (MESSAGE | {"message_id": " "}, Reason.BAD_ID, "message_id"),
        (MESSAGE | {"parent_id": ""}, Reason.BAD_ID, "parent_id"),
        (MESSAGE | {"conversation_id": "c" * 513}, Reason.BAD_ID, "conversation_id"),
        (MESSAGE | {"created_at": "2026-11-02T10:00:00"}, Reason.NAIVE_TIME, "created_at"),
        (MESSAGE | {"created_at": "yesterday"}, Reason.BAD_TIME, "created_at"),
        (MESSAGE | {"created_at": 1764412345}, Reason.BAD_TIME, "created_at"),
        (MESSAGE | {"created_at": "57882-11-02T10:00:00Z"}, Reason.TIME_OUT_OF_RANGE, "created_at"),
        (MESSAGE | {"completed_at": "1970-01-01T00:00:00Z"}, Reason.TIME_OUT_OF_RANGE, "completed_at"),
        (MESSAGE | {"created_at": "2026-11-04T00:00:00Z"}, Reason.TIME_OUT_OF_RANGE, "created_at"),
        (MESSAGE | {"created_at": "0001-01-01T00:00:00+23:00"}, Reason.TIME_OUT_OF_RANGE, "created_at"),
        ({k: v for k, v in EVENT.items() if k != "at"}, Reason.MISSING_KEY, "at"),
    ],
)
def test_a_faulty_record_is_refused_with_its_reason(record, reason, field):
    assert decode(record) == Refusal(reason, field)


def test_a_clock_that_runs_a_day_ahead_is_still_taken():
    assert isinstance(decode(MESSAGE | {"created_at": "2026-11-03T23:59:59Z"}), Message)
