"""Reading refused records again must leave the tables as if the records had been good at first."""

import json
import shutil
from datetime import date

import pytest
from polars.testing import assert_frame_equal

from pipelines.night import run_night
from pipelines.readers import logfile
from pipelines.readers.formats.native import NATIVE
from pipelines.readers.sources import SOURCES_FILE
from schemas.errors import LandingError
from tests.conftest import settings_for
from warehouse.layout import Warehouse

DAY = date(2026, 11, 2)
TABLES = ("messages", "events", "exchanges", "signals", "quarantine")


def message(conversation, number, role, content, at="2026-11-02T10:00:{:02d}Z", **more):
    return {
        "kind": "message",
        "conversation_id": conversation,
        "message_id": f"{conversation}-{number}",
        "role": role,
        "content": content,
        "created_at": at.format(number),
        **more,
    }


NAIVE = "2026-11-02T18:00:{:02d}"
TALK = [
    message("c1", 1, "user", "How do I reset the router that Margaret Hollis gave me?", NAIVE),
    message("c1", 2, "assistant", "Hold the button."),
    message("c1", 3, "user", "Margaret says that does not work, that is wrong."),
    message("c2", 1, "user", "Which bus goes to the harbour?"),
    message("c2", 2, "assistant", "Line 7."),
    message("c2", 3, "user", "Which bus goes to the harbour?"),
    message("c3", 1, "user", "Hello there", NAIVE),
    message("c4", 1, "human", "Good morning"),
]


@pytest.fixture
def night(tmp_path):
    """A landing zone with three faulty records, run once."""
    folder = tmp_path / "landing" / f"dt={DAY}"
    folder.mkdir(parents=True)
    (folder / "chat.jsonl").write_text("".join(json.dumps(m) + "\n" for m in TALK))
    settings = settings_for(tmp_path, landing=tmp_path / "landing", workers=1)
    run_night(settings, [DAY])
    return settings


def declare(settings, **source):
    (settings.landing / SOURCES_FILE).write_text(json.dumps({"sources": [source]}))


def clean_run(settings, tmp_path):
    """The same day in a warehouse of its own."""
    other = settings.model_copy(update={"warehouse": tmp_path / "clean"})
    run_night(other, [DAY])
    return Warehouse(other.warehouse)


def rows(warehouse, table):
    return warehouse.scan(table).collect()


def test_after_a_zone_is_declared_the_tables_are_those_of_a_clean_run(night, tmp_path):
    assert set(rows(Warehouse(night.warehouse), "quarantine")["reason"]) == {"naive_time", "unknown_value"}
    declare(night, zone="Asia/Shanghai")
    run_night(night, [DAY], again=[])
    clean = clean_run(night, tmp_path)
    for table in TABLES:
        assert_frame_equal(rows(Warehouse(night.warehouse), table), rows(clean, table))
    assert rows(clean, "quarantine")["reason"].to_list() == ["unknown_value"]


def test_a_name_in_a_record_that_was_refused_is_then_masked_in_its_whole_conversation(night):
    declare(night, zone="Asia/Shanghai")
    run_night(night, [DAY], again=["naive_time"])
    assert "Margaret" not in "".join(rows(Warehouse(night.warehouse), "messages")["text"])


def test_conversations_that_nothing_was_refused_of_are_not_read_again(night):
    declare(night, files="other.jsonl", zone="Asia/Shanghai")
    report = run_night(night, [DAY], again=["unknown_value"])
    assert report.counts["read"]["items"] == 1


def test_a_file_that_no_reader_took_is_read_when_one_does(tmp_path, monkeypatch):
    folder = tmp_path / "landing" / f"dt={DAY}"
    folder.mkdir(parents=True)
    (folder / "chat.jsonl").write_text("".join(json.dumps(m) + "\n" for m in TALK[3:6]))
    export = [{"id": "s1", "conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]}]
    (folder / "export.json").write_text(json.dumps(export))
    settings = settings_for(tmp_path, landing=tmp_path / "landing", workers=1)
    with monkeypatch.context() as patch:
        patch.setattr(logfile, "FORMATS", (NATIVE,))
        run_night(settings, [DAY])
    assert rows(Warehouse(settings.warehouse), "quarantine")["reason"].to_list() == ["format_unknown"]
    run_night(settings, [DAY], again=[])
    clean = clean_run(settings, tmp_path)
    for table in TABLES:
        for path in (clean.root / table).rglob("*.parquet"):
            again = settings.warehouse / path.relative_to(clean.root)
            assert again.read_bytes() == path.read_bytes()
    assert rows(clean, "quarantine").is_empty()


def test_a_file_that_was_mended_wants_a_run_of_the_whole_day(night):
    file = night.landing / f"dt={DAY}" / "chat.jsonl"
    file.write_text(file.read_text().replace("human", "user"))
    with pytest.raises(LandingError, match="not those that were read") as caught:
        run_night(night, [DAY], again=[])
    assert f"tacit run --day {DAY}" in caught.value.then


def test_settings_that_changed_want_a_run_of_the_whole_day(night):
    with pytest.raises(LandingError, match="Settings"):
        run_night(night.model_copy(update={"lookback_days": 3}), [DAY], again=[])


def test_a_file_that_reads_as_another_source_wants_a_run_of_the_whole_day(night):
    declare(night, source="support")
    with pytest.raises(LandingError, match="another format or source"):
        run_night(night, [DAY], again=[])


def test_a_day_that_was_never_run_cannot_be_replayed(night):
    shutil.rmtree(night.warehouse)
    with pytest.raises(LandingError, match="never run"):
        run_night(night, [DAY], again=[])
