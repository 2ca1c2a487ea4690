"""The tool `llm`: its tables over the versions, what it prints from them, and when its times were."""

import json
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings

from pipelines.readers.formats.llm import LLM
from pipelines.readers.raw import Refusal
from schemas.enums import Role, Status
from schemas.reasons import Reason
from tests.pipelines.readers.kit import items, items_of, opened
from tests.pipelines.readers.mutations import assert_withstands, mutated

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
FIRST = """
    CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
    CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, prompt_json TEXT,
        options_json TEXT, response TEXT, response_json TEXT, conversation_id TEXT, duration_ms INTEGER,
        datetime_utc TEXT);
    INSERT INTO responses VALUES ('r1', 'small-1', 'Name a river', NULL, NULL, '{}', 'The Elbe.', NULL, 'c1', 1500,
        '2026-11-02T09:00:00.250000');
    INSERT INTO responses VALUES ('r2', 'small-1', 'Another', 'Be brief', NULL, '{}', 'Oder.', NULL, 'c1', 900,
        '2026-11-02T09:01:00+00:00');
"""
ATTACHMENTS = """
    CREATE TABLE prompt_attachments (response_id TEXT, attachment_id TEXT, "order" INTEGER);
    INSERT INTO prompt_attachments VALUES ('r2', 'x', 0);
"""
FRAGMENTS = """
    CREATE TABLE fragments (id INTEGER PRIMARY KEY, hash TEXT, content TEXT, datetime_utc TEXT, source TEXT);
    CREATE TABLE prompt_fragments (response_id TEXT, fragment_id INTEGER, "order" INTEGER);
    CREATE TABLE system_fragments (response_id TEXT, fragment_id INTEGER, "order" INTEGER);
    INSERT INTO fragments (id, hash, content) VALUES (1, 'h', 'Second page'), (2, 'i', 'First page'), (3, 'j', 'Rule');
    INSERT INTO prompt_fragments VALUES ('r2', 1, 1), ('r2', 2, 0);
    INSERT INTO system_fragments VALUES ('r2', 3, 0);
"""
TOOLS = """
    CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, response_id TEXT, name TEXT, arguments TEXT);
    CREATE TABLE tool_results (id INTEGER PRIMARY KEY, response_id TEXT, name TEXT, output TEXT);
    INSERT INTO responses (id, model, prompt, response, conversation_id, duration_ms, datetime_utc)
        VALUES ('r3', 'small-1', 'How late is it?', '', 'c1', 700, '2026-11-02T09:02:00'),
               ('r4', 'small-1', '', 'Nine.', 'c1', 800, '2026-11-02T09:02:02');
    INSERT INTO tool_calls VALUES (1, 'r3', 'clock', '{}');
    INSERT INTO tool_results VALUES (1, 'r4', 'clock', '09:02');
"""


def rows(script):
    """The rows that the statements give: one that asks for what is not there gives none."""
    db = sqlite3.connect(":memory:")
    db.row_factory = sqlite3.Row
    db.executescript(script)
    found = []
    for name, statement in LLM.queries.items():
        try:
            found += [{**dict(row), "_table": name} for row in db.execute(statement)]
        except sqlite3.OperationalError:
            continue
    return found


def stored(folder, script):
    """A file as the tool leaves it."""
    path = folder / "logs.db"
    with sqlite3.connect(path) as db:
        db.executescript(script)
    db.close()
    return path


def at(seconds):
    return START + timedelta(seconds=seconds)


def read(tmp_path, *records, **declared):
    return items(tmp_path, "llm.jsonl", list(records), {"format": "llm", **declared})


@pytest.mark.parametrize("script", [FIRST, FIRST + ATTACHMENTS, FIRST + ATTACHMENTS + FRAGMENTS])
def test_each_version_of_the_tables_gives_each_response_once(tmp_path, script):
    assert [row["id"] for row in rows(script)] == ["r1", "r2"]
    assert [row["id"] for row in rows(FIRST + ATTACHMENTS + FRAGMENTS + TOOLS)] == ["r1", "r2", "r3", "r4"]
    found = read(tmp_path, *rows(script))
    assert [(m.message_id, m.role) for m in found if m.role is not Role.SYSTEM] == [
        ("r1:prompt", Role.USER),
        ("r1", Role.ASSISTANT),
        ("r2:prompt", Role.USER),
        ("r2", Role.ASSISTANT),
    ]
    assert {m.conversation_id for m in found} == {"c1"}


def test_the_time_is_the_beginning_and_in_utc_with_or_without_a_zone(tmp_path):
    request, reply, _, second, _ = read(tmp_path, *rows(FIRST), zone="Asia/Shanghai")
    assert (request.created_at, reply.created_at, reply.completed_at) == (at(0.25), at(0.25), at(1.75))
    assert second.created_at == at(60)
    assert reply.seq > request.seq


def test_the_order_of_a_conversation_is_that_of_its_times(tmp_path):
    found = read(tmp_path, *rows(FIRST + ATTACHMENTS + FRAGMENTS + TOOLS))
    assert [m.seq for m in found] == sorted(m.seq for m in found)


def test_fragments_stand_before_the_prompt_in_their_order(tmp_path):
    found = {m.message_id: m for m in read(tmp_path, *rows(FIRST + ATTACHMENTS + FRAGMENTS))}
    assert found["r2:prompt"].content == "First page\nSecond page\nAnother"
    assert found["r2:system"].content == "Rule\n\nBe brief"
    assert found["r1:prompt"].content == "Name a river"
    assert [found[k].has_attachment for k in ("r1:prompt", "r2:prompt")] == [False, True]


def test_a_tool_call_continues_the_request_before_it(tmp_path):
    found = {m.message_id: m for m in read(tmp_path, *rows(FIRST + ATTACHMENTS + FRAGMENTS + TOOLS))}
    assert (found["r3"].content, found["r3"].status) == (None, Status.OK)
    assert "r4:prompt" not in found
    assert (found["r4:tools"].role, found["r4:tools"].content, found["r4"].content) == (Role.TOOL, "09:02", "Nine.")


VERSIONS = (
    FIRST,
    FIRST + ATTACHMENTS,
    FIRST + ATTACHMENTS + FRAGMENTS,
    FIRST + ATTACHMENTS + FRAGMENTS + TOOLS,
)


@pytest.mark.parametrize("script", VERSIONS)
def test_a_database_is_recognised_and_read_whatever_its_version(tmp_path, script):
    path = stored(tmp_path, script)
    assert opened(path).format.name == "llm"
    assert items_of(path) == read(tmp_path, *rows(script))


def row(**changed):
    return {**rows(FIRST)[0], **changed}


def test_a_response_of_null_failed(tmp_path):
    _, reply = read(tmp_path, row(response=None))
    assert (reply.content, reply.status) == (None, Status.ERROR)


@pytest.mark.parametrize("took", [None, 0, -5, "soon"])
def test_without_a_duration_the_end_is_unknown(tmp_path, took):
    request, reply = read(tmp_path, row(duration_ms=took))
    assert (request.created_at, reply.completed_at) == (at(0.25), None)


OLD = """
    CREATE TABLE {name} (id INTEGER PRIMARY KEY, model TEXT, {time} TEXT, prompt TEXT, system TEXT, response TEXT,
        chat_id INTEGER {more});
    INSERT INTO {name} (model, {time}, prompt, response, chat_id) VALUES
        ('small-1', '2026-11-02 09:00:00', 'Name a river', 'The Elbe.', NULL),
        ('small-1', '2026-11-02 09:01:00', 'Another', 'Oder.', 1),
        ('small-1', '2026-11-02 09:02:00', 'Name a hill', 'Brocken.', NULL);
"""


@pytest.mark.parametrize(
    "script",
    [
        OLD.format(name="log", time="timestamp", more=""),
        OLD.format(name="logs", time="datetime_utc", more=", reply_to_id INTEGER, duration_ms INTEGER"),
    ],
)
def test_the_first_tables_named_a_chat_by_its_first_row(tmp_path, script):
    found = read(tmp_path, *rows(script))
    assert [m.conversation_id for m in found] == ["chat:1"] * 4 + ["chat:3"] * 2
    assert [m.message_id for m in found[:3]] == ["chat:1:prompt", "chat:1", "chat:2:prompt"]


def test_a_database_of_the_first_version_is_recognised(tmp_path):
    script = OLD.format(name="log", time="timestamp", more="")
    path = stored(tmp_path, script)
    assert opened(path).format.name == "llm"
    assert items_of(path) == read(tmp_path, *rows(script))


def test_the_first_table_kept_the_end(tmp_path):
    request, reply = read(tmp_path, *rows(OLD.format(name="log", time="timestamp", more="")))[:2]
    assert (request.created_at, reply.completed_at) == (None, at(0))


PRINTED = [
    {
        "id": "r1",
        "model": "small-1",
        "prompt": "Another",
        "system": None,
        "prompt_json": None,
        "response": "Oder.",
        "conversation_id": "c1",
        "duration_ms": 900,
        "datetime_utc": "2026-11-02T09:01:00+00:00",
        "conversation_name": "Rivers",
        "prompt_fragments": [{"hash": "h", "content": "A page"}],
        "attachments": [],
        "tool_calls": [],
    }
]


def test_what_the_tool_prints_is_read_alike(tmp_path):
    request, reply = read(tmp_path, PRINTED)
    assert (request.content, reply.content, reply.completed_at) == ("A page\nAnother", "Oder.", at(60.9))
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(PRINTED[0]) + "\n")
    assert opened(path).format.name == "llm"


def test_what_cannot_be_taken_is_refused(tmp_path):
    assert read(tmp_path, row(id=None)) == [Refusal(Reason.WRONG_TYPE, "id")]
    assert read(tmp_path, row(prompt=7)) == [Refusal(Reason.WRONG_TYPE, "prompt")]
    assert read(tmp_path, row(datetime_utc="2009-01-01T00:00:00")) == [
        Refusal(Reason.TIME_OUT_OF_RANGE, "datetime_utc")
    ]


@given(mutated([*rows(FIRST + ATTACHMENTS + FRAGMENTS + TOOLS), PRINTED]))
@settings(max_examples=60, deadline=None)
def test_junk_anywhere_is_an_item_or_a_refusal(tmp_path_factory, records):
    assert_withstands(tmp_path_factory.mktemp("llm"), "x.jsonl", records, {"format": "llm"})
