import itertools
from datetime import date

import pytest

from pipelines.readers.dedupe import Versions
from pipelines.readers.format import Context
from pipelines.readers.formats.native import NATIVE
from pipelines.readers.raw import Place
from pipelines.readers.sources import Source
from pipelines.readers.times import Clock, latest_for
from pipelines.steps.counts import require_balance
from schemas.errors import CountMismatch
from schemas.records import Event, Message


def place(line):
    return Place("a.jsonl", line, 0, 1, "0")


def collect(records):
    versions = Versions()
    read = NATIVE.reader(Context(Source(), Clock(latest_for(date(2026, 11, 2))), "web"))
    for line, fields in enumerate(records, 1):
        (record,) = read(fields, ())
        if isinstance(record, Message):
            versions.add_message(record, place(line))
        else:
            assert isinstance(record, Event)
            versions.add_event(record, place(line))
    return versions


def message(message_id="m1", content="hi", **more):
    return {
        "kind": "message",
        "conversation_id": "c",
        "message_id": message_id,
        "role": "user",
        "content": content,
        **more,
    }


VOTE = {
    "kind": "event",
    "conversation_id": "c",
    "message_id": "a1",
    "event": "thumbs_down",
    "at": "2026-11-02T10:00:00Z",
}


def test_a_record_sent_again_is_one_record():
    versions = collect([message(), message(), VOTE, VOTE])
    assert (len(versions.messages), len(versions.events), versions.duplicates, versions.superseded) == (1, 1, 2, 0)


def test_the_same_words_under_two_ids_are_two_messages():
    versions = collect([message("m1", "fix it"), message("m2", "fix it")])
    assert len(versions.messages) == 2
    assert versions.duplicates == 0


def test_equal_ids_of_two_sources_are_two_messages():
    versions = collect([message(source="web"), message(source="app")])
    assert len(versions.messages) == 2


def test_the_newest_version_wins_in_any_order():
    texts = [
        message(content="It is", created_at="2026-11-02T10:00:00Z"),
        message(content="It is nine", created_at="2026-11-02T10:00:00Z", completed_at="2026-11-02T10:00:03Z"),
        message(content="It is nine o'clock", created_at="2026-11-02T10:00:00Z", completed_at="2026-11-02T10:00:05Z"),
        message(content="It is"),
    ]
    kept = set()
    for order in itertools.permutations(texts):
        versions = collect(order)
        ((winner, _),) = versions.messages.values()
        kept.add(winner.content)
        assert versions.superseded == 3
    assert kept == {"It is nine o'clock"}


def test_two_votes_at_two_times_are_two_events():
    assert len(collect([VOTE, VOTE | {"at": "2026-11-02T10:00:05Z"}]).events) == 2


def test_a_lost_record_fails_the_run():
    counts = {
        "records": 5,
        "messages": 2,
        "events": 1,
        "duplicates": 1,
        "superseded": 0,
        "set_aside": 0,
        "quarantined": 1,
    }
    require_balance("bucket 0", counts)
    with pytest.raises(CountMismatch, match="6 records in but 5 accounted for"):
        require_balance("bucket 0", counts | {"records": 6})
