"""SQLite databases are read without a trace, whoever made them."""

import gzip
import json
import re
import shutil
import sqlite3
import tracemalloc
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines.readers import logfile
from pipelines.readers.containers import sqlite
from pipelines.readers.containers.database import columns, database
from pipelines.readers.containers.origin import Origin, Spot
from pipelines.readers.format import Shape
from pipelines.readers.formats.native import NATIVE
from pipelines.readers.raw import RawRecord
from schemas.reasons import Reason
from tests.pipelines.readers.kit import opened

LIMIT = 1 << 16
QUERY = {"turns": "SELECT id, text FROM turns ORDER BY id"}
_ENDLESS = (
    "CREATE VIEW turns AS WITH RECURSIVE r(id, text) AS (SELECT 1, 1 UNION ALL SELECT id + 1, 1 FROM r) SELECT * FROM r"
)
TABLE = "CREATE TABLE turns (id INTEGER PRIMARY KEY, text TEXT)"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "log.db"


def make(path, *statements, rows=()):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in ("PRAGMA synchronous = OFF", *statements):
            db.execute(statement)
        if rows:
            db.executemany("INSERT INTO turns (text) VALUES (?)", [(r,) for r in rows])
    return Origin(path, path.name)


def read(origin, queries=None, limit=LIMIT, wanted=None):
    return list(database(origin, limit, wanted, queries=queries or QUERY))


def values(records):
    return [r.refusal.reason if r.refusal else json.loads(r.data) for r in records]


def test_rows_become_objects_that_name_their_query(path):
    origin = make(
        path, TABLE, "CREATE TABLE votes (turn INTEGER, up REAL)", "INSERT INTO votes VALUES (2, 0.5)", rows="ab"
    )
    votes = {"votes": "SELECT turn, up FROM votes ORDER BY turn"}
    records = read(origin, QUERY | votes)
    assert values(records) == [
        {"id": 1, "text": "a", "_table": "turns"},
        {"id": 2, "text": "b", "_table": "turns"},
        {"turn": 2, "up": 0.5, "_table": "votes"},
    ]
    assert [(r.line, r.byte_offset) for r in records] == [(1, None), (2, None), (3, None)]
    assert read(origin, QUERY | votes, wanted=[Spot(1, -1, 9), Spot(3, -1, 9)]) == [records[0], records[2]]


def test_tables_and_their_columns_tell_the_format(path):
    origin = make(
        path, TABLE, 'CREATE TABLE "a ""b" (x)', "CREATE VIEW v AS SELECT 1", "CREATE VIRTUAL TABLE f USING fts5(y)"
    )
    named = columns(origin)
    assert {"turns.id", "turns.text", 'a "b.x'} <= set(named)
    assert not {c for c in named if c.startswith(("v.", "f.", "sqlite_"))}


def test_a_format_is_recognised_by_the_schema_and_asks_its_queries(path, monkeypatch):
    turns = replace(
        NATIVE,
        name="turns",
        shapes=frozenset({Shape.DATABASE}),
        recognise=lambda g: "a table of turns" if g.columns == ("turns.id", "turns.text") else None,
        queries=QUERY,
    )
    monkeypatch.setattr(logfile, "FORMATS", (NATIVE, turns))
    make(path, TABLE, rows=["a"])
    log = opened(path)
    assert (log.format.name, log.why) == ("turns", "a table of turns")
    assert values(log.records(LIMIT)) == [{"id": 1, "text": "a", "_table": "turns"}]
    other = path.with_name("other.sqlite3")
    make(other, "CREATE TABLE turns (text)")
    assert opened(other).refusal.reason is Reason.FORMAT_UNKNOWN


def test_a_table_that_a_version_does_not_have_gives_nothing(path):
    origin = make(path, TABLE, rows=["a"])
    lacking = {"votes": "SELECT * FROM votes ORDER BY id", "late": "SELECT stars FROM turns ORDER BY id"}
    assert len(read(origin, lacking | QUERY)) == 1
    assert values(read(origin, lacking)) == [Reason.FORMAT_UNKNOWN]


def test_what_json_cannot_hold_costs_only_its_row(path):
    origin = make(path, TABLE, rows=["a", b"\xff\0", "b"])
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("INSERT INTO turns (text) VALUES (CAST(x'ff' AS TEXT))")
        db.execute("CREATE TABLE n (v REAL)")
        db.execute("INSERT INTO n VALUES (9e999)")
    records = read(origin, QUERY | {"n": "SELECT v FROM n ORDER BY v"})
    assert [r.refusal and (r.refusal.reason, r.refusal.field) for r in records] == [
        None,
        (Reason.WRONG_TYPE, "text"),
        None,
        (Reason.NOT_UTF8, "text"),
        (Reason.WRONG_TYPE, "v"),
    ]
    assert len({r.digest for r in records if r.refusal}) == 3


def test_huge_values_cost_only_their_rows_and_no_memory(path):
    origin = make(path, TABLE, rows=["a", "x" * 2000, "y" * 3_000_000, "z" * 3_000_000, "b", "y" * 3_000_000])
    tracemalloc.start()
    try:
        found = values(read(origin, limit=1000))
        assert tracemalloc.get_traced_memory()[1] < 2_500_000
    finally:
        tracemalloc.stop()
    large = Reason.RECORD_TOO_LARGE
    assert [f if f is large else f["text"] for f in found] == ["a", large, large, large, "b", large]


def test_a_huge_value_among_rows_that_are_sorted_ends_the_reading(path):
    origin = make(path, TABLE, rows=["a", "y" * 3_000_000])
    records = read(origin, {"turns": "SELECT id, text FROM turns ORDER BY text"}, limit=1000)
    assert (records[-1].line, records[-1].refusal.reason) == (0, Reason.RECORD_TOO_LARGE)


def test_nothing_appears_beside_a_database_that_was_copied_while_it_was_written(tmp_path):
    source = tmp_path / "source.db"
    with closing(sqlite3.connect(source, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(TABLE)
        db.execute("INSERT INTO turns (text) VALUES ('a')")
        db.execute("PRAGMA wal_checkpoint(FULL)")
        folder = tmp_path / "landing"
        folder.mkdir()
        shutil.copy(source, folder / "log.db")
    before = (folder / "log.db").read_bytes()
    folder.chmod(0o500)
    try:
        assert [v["text"] for v in values(read(Origin(folder / "log.db", "log.db")))] == ["a"]
        assert [p.name for p in folder.iterdir()] == ["log.db"]
    finally:
        folder.chmod(0o700)
    assert (folder / "log.db").read_bytes() == before
    packed = tmp_path / "log.db.gz"
    packed.write_bytes(gzip.compress(before))
    assert [v["text"] for v in values(read(Origin(packed, packed.name)))] == ["a"]


def test_a_compressed_database_beyond_what_is_held_is_not_supported(path, monkeypatch):
    make(path, TABLE, rows=["x" * 5000])
    packed = path.with_name("log.db.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    monkeypatch.setattr(sqlite, "HELD_BYTES", 4096)
    assert values(read(Origin(packed, packed.name))) == [Reason.FILE_UNSUPPORTED]


@pytest.mark.parametrize("data", [b"", b"SQLite format 3\0", b"SQLite format 3\0" + b"\xff" * 5000, b"id,text\n1,a\n"])
def test_what_is_no_database_is_unreadable(path, data):
    path.write_bytes(data)
    found = columns(Origin(path, path.name))
    assert isinstance(found, RawRecord)
    assert found.refusal.reason is Reason.FILE_UNREADABLE
    assert values(read(Origin(path, path.name))) == [Reason.FILE_UNREADABLE]
    assert opened(path).refusal.reason is Reason.FILE_UNREADABLE


def test_rows_before_a_corrupt_page_are_read_to_the_last(path):
    origin = make(path, "PRAGMA page_size = 1024", TABLE, rows=[f"{n:0500}" for n in range(400)])
    whole = read(origin)
    with path.open("r+b") as file:
        file.seek(1024 * 100)
        lost = int(re.findall(rb"0{400}\d{100}", file.read(1024))[0])
        file.seek(1024 * 100)
        file.write(b"\xee" * 1024)
    *before, finding = read(origin)
    assert before == whole[:lost]
    assert (finding.line, finding.refusal.reason) == (0, Reason.FILE_UNREADABLE)


def test_a_truncated_database_is_damage_and_no_fault(path):
    origin = make(path, TABLE, rows=[f"{n:0500}" for n in range(400)])
    with path.open("r+b") as file:
        file.truncate(20_000)
    assert values(read(origin))[-1] is Reason.FILE_UNREADABLE


@pytest.mark.parametrize(
    "hostile",
    [
        ["CREATE TABLE secret (id, text)", "CREATE VIEW turns AS SELECT id, text FROM secret"],
        ["CREATE VIRTUAL TABLE turns USING fts5(id, text)"],
        [_ENDLESS],
    ],
)
def test_only_tables_are_read(path, hostile):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in hostile:
            db.execute(statement)
    assert values(read(Origin(path, path.name))) == [Reason.FORMAT_UNKNOWN]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT load_extension('x') FROM turns",
        "SELECT readfile('/etc/hosts') FROM turns",
        "SELECT * FROM pragma_database_list",
        "SELECT (SELECT count(*) FROM main.f) FROM turns",
    ],
)
def test_a_query_cannot_reach_beyond_the_tables(path, query):
    origin = make(path, TABLE, "CREATE VIRTUAL TABLE f USING fts5(y)", rows=["a"])
    assert values(read(origin, {"q": query})) == [Reason.FORMAT_UNKNOWN]


def test_the_steps_of_a_query_are_bounded_by_the_size_of_the_file(path, monkeypatch):
    origin = make(path, TABLE, rows="ab" * 50)
    monkeypatch.setattr(sqlite, "_STEPS_AT_LEAST", 1000)
    monkeypatch.setattr(sqlite, "_STEPS_A_BYTE", 1)
    far = {"q": "SELECT count(*) AS n FROM turns a, turns b, turns c, turns d ORDER BY n"}
    assert values(read(origin, far)) == [Reason.EXPANDS_TOO_FAR]
    assert len(read(origin)) == 100


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(16, 6000), st.sampled_from([b"\0", b"\xff" * 4, b"\1", b"\r"])), min_size=1))
def test_whatever_is_overwritten_nothing_but_rows_and_findings_comes_of_it(tmp_path, places):
    path = tmp_path / "a.db"
    if not path.exists():
        make(
            path, "PRAGMA page_size = 1024", TABLE, "CREATE INDEX i ON turns (text)", rows=["x" * n for n in range(80)]
        )
    whole = path.read_bytes()
    data = bytearray(whole)
    for place, junk in places:
        data[place : place + len(junk)] = junk
    broken = tmp_path / "b.db"
    broken.write_bytes(data)
    origin = Origin(broken, broken.name)
    assert isinstance(columns(origin), tuple | RawRecord)
    for record in read(origin, QUERY | {"sorted": "SELECT text FROM turns ORDER BY text"}):
        assert record.refusal or json.loads(record.data)
    assert path.read_bytes() == whole
