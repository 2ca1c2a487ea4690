import json
from datetime import UTC, date, datetime

import pytest

from pipelines.readers.format import Context
from pipelines.readers.formats.native import NATIVE
from pipelines.readers.logfile import LogFile
from pipelines.readers.raw import RawRecord, Refusal
from pipelines.readers.sources import Source
from pipelines.readers.times import Clock, latest_for
from schemas.enums import EventKind, Role, Status
from schemas.reasons import Reason
from schemas.records import Event, Message

DAY = date(2026, 11, 2)
MESSAGE = {"kind": "message", "conversation_id": "c1", "message_id": "m1", "role": "user", "content": "hi"}
EVENT = {"kind": "event", "conversation_id": "c1", "event": "close", "at": "2026-11-02T10:00:00Z"}


def context(**declared: str) -> Context:
    source = Source(**declared)
    return Context(source, Clock(latest_for(DAY), source.tz), "web")


def decode(record: object, given: Context | None = None) -> Message | Event | Refusal:
    data = record if isinstance(record, bytes) else json.dumps(record).encode()
    given = given or context()
    log = LogFile(None, None, NATIVE, "declared", given, NATIVE.reader(given))
    (item,) = log.items(RawRecord(1, 0, data))
    return item


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
    given = context()
    decode(MESSAGE | {"trace": 1, "tenant": "x"}, given)
    decode(EVENT | {"role": "user"}, given)
    assert given.unknown_keys == 3


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
        (MESSAGE | {"content": 7}, Reason.WRONG_TYPE, "content"),
        (MESSAGE | {"content": [{"type": "text", "text": "hi"}, 7]}, Reason.WRONG_TYPE, "content"),
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
        (MESSAGE | {"created_at": True}, Reason.BAD_TIME, "created_at"),
        (MESSAGE | {"created_at": "1764412345 s"}, Reason.BAD_TIME, "created_at"),
        (MESSAGE | {"created_at": 176441234}, Reason.TIME_OUT_OF_RANGE, "created_at"),
        (MESSAGE | {"created_at": 10**30}, Reason.TIME_OUT_OF_RANGE, "created_at"),
        (MESSAGE | {"created_at": -1764412345}, Reason.TIME_OUT_OF_RANGE, "created_at"),
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


@pytest.mark.parametrize(
    "value",
    [
        1764412345,
        1764412345678,
        1764412345678901,
        1764412345678901234,
        1764412345.678,
        "1764412345.678",
        "1764412345678",
        "2025-11-29T10:32:25.678Z",
        "2025-11-29 10:32:25.678+00:00",
        "2025-11-29 10:32:25 UTC",
        "2025-11-29T18:32:25.678901234+08:00",
    ],
)
def test_every_spelling_of_a_time_lands_on_its_day(value):
    message = decode(MESSAGE | {"created_at": value})
    assert message.created_at.replace(microsecond=0) == datetime(2025, 11, 29, 10, 32, 25, tzinfo=UTC)


def test_the_unit_is_told_value_by_value_within_one_record():
    message = decode(MESSAGE | {"created_at": 1764412345, "completed_at": 1764412345678901234})
    assert (message.completed_at - message.created_at).total_seconds() == 0.678901


def test_a_time_without_a_zone_takes_the_declared_one():
    message = decode(MESSAGE | {"created_at": "2026-11-02T10:00:00"}, context(zone="Asia/Shanghai"))
    assert message.created_at == datetime(2026, 11, 2, 2, 0, tzinfo=UTC)


def test_a_declared_zone_leaves_times_that_state_their_own_alone():
    message = decode(MESSAGE | {"created_at": "2026-11-02T10:00:00Z"}, context(zone="Asia/Shanghai"))
    assert message.created_at == datetime(2026, 11, 2, 10, 0, tzinfo=UTC)


def test_content_in_parts_gives_its_text_and_never_its_notation():
    message = decode(MESSAGE | {"content": [{"type": "text", "text": "hi"}, {"text": None}, {"type": "tool_use"}]})
    assert message.content == "hi"


def test_an_image_among_the_parts_is_an_attachment():
    message = decode(
        MESSAGE | {"content": [{"content_type": "image_asset_pointer", "width": 2}, {"text": "what is this?"}]}
    )
    assert (message.content, message.has_attachment) == ("what is this?", True)
    alone = decode(MESSAGE | {"content": [{"type": "image_url"}]})
    assert (alone.content, alone.has_attachment) == (None, True)
