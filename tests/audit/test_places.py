"""The audit finds what is planted in each kind of place, and says where, and never what."""

import base64
import bz2
import gzip
import json
import lzma
import sqlite3
import zipfile
import zlib

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from audit.canaries import Canary
from audit.pieces import CHUNK
from audit.report import Audit

VALUE = "Wilhelmina Thackeray"
WORDS = f"a note about {VALUE}, and nothing else"


def _parquet(path, text="plain", metadata=None, name="text", **options):
    table = pa.table({name: [text] * 3, "n": [1, 2, 3]}).replace_schema_metadata(metadata)
    pq.write_table(table, path, compression="zstd", **options)


def _nested(path):
    pq.write_table(pa.table({"evidence": [{"phrases": ["x", WORDS]}]}), path, compression="zstd")


def _duck_table(path):
    with duckdb.connect(path) as con:
        con.execute("CREATE TABLE notes AS SELECT ? AS text FROM range(5000)", [WORDS])


def _duck_view(path):
    with duckdb.connect(path) as con:
        con.execute(f"CREATE VIEW notes AS SELECT 1 AS n WHERE '{VALUE}' = ''")


def _duck_comment(path):
    with duckdb.connect(path) as con:
        con.execute("CREATE VIEW notes AS SELECT 1 AS n")
        con.execute(f"COMMENT ON COLUMN notes.n IS '{VALUE}'")


def _sqlite(path, value=WORDS):
    con = sqlite3.connect(path)
    con.execute("CREATE TABLE xcom (key TEXT, value BLOB)")
    con.execute("INSERT INTO xcom VALUES ('k', ?)", [value])
    con.commit()
    con.close()


def _sqlite_deleted(path):
    con = sqlite3.connect(path)
    con.execute("PRAGMA secure_delete = OFF")
    con.execute("CREATE TABLE log (text TEXT)")
    con.executemany("INSERT INTO log VALUES (?)", [[WORDS]] * 50)
    con.execute("DELETE FROM log")
    con.commit()
    con.close()


def _zip(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("logs/a.log", WORDS * 100)


PLACES = {
    "a log": lambda p: p.write_text(WORDS),
    "a log in capitals": lambda p: p.write_text(WORDS.upper()),
    "a log in UTF-16": lambda p: p.write_text(WORDS, encoding="utf-16"),
    "JSON": lambda p: p.write_text(json.dumps({"a": [{"b": WORDS}]})),
    "Base64 in JSON": lambda p: p.write_text(json.dumps({"a": base64.b64encode(WORDS.encode()).decode()})),
    "far into a large file": lambda p: p.write_bytes(b"x" * (CHUNK - 7) + VALUE.encode() + b"y" * 100),
    "a Parquet value": lambda p: _parquet(p, WORDS),
    "a Parquet value without statistics": lambda p: _parquet(p, WORDS, write_statistics=False),
    "a nested Parquet value": _nested,
    "Parquet metadata": lambda p: _parquet(p, metadata={"note": VALUE}),
    "a Parquet column's name": lambda p: _parquet(p, name=VALUE),
    "a DuckDB table": _duck_table,
    "a DuckDB view": _duck_view,
    "a DuckDB comment": _duck_comment,
    "a SQLite row": _sqlite,
    "a compressed SQLite row": lambda p: _sqlite(p, zlib.compress(WORDS.encode() * 20)),
    "a deleted SQLite row": _sqlite_deleted,
    "gzip": lambda p: p.write_bytes(gzip.compress(WORDS.encode())),
    "bzip2": lambda p: p.write_bytes(bz2.compress(WORDS.encode())),
    "xz": lambda p: p.write_bytes(lzma.compress(WORDS.encode())),
    "zstd": lambda p: p.write_bytes(zstandard.compress(WORDS.encode())),
    "a member of a ZIP archive": _zip,
}


def audited(folder, **options):
    audit = Audit([Canary("person", VALUE)], **options)
    audit.folder("here", folder)
    return audit.report


@pytest.mark.parametrize("place", PLACES)
def test_what_is_planted_in_a_place_is_found_there(tmp_path, place):
    (tmp_path / ".hidden" / "inner").mkdir(parents=True)
    PLACES[place](tmp_path / ".hidden" / "inner" / "artefact")
    (tmp_path / "clean.txt").write_text("nothing to see here")
    report = audited(tmp_path)
    assert {where for where, _, _ in report.hits} == {"here/.hidden/inner/artefact"}
    assert {name for _, _, name in report.hits} == {"person"}
    assert VALUE not in repr(report)
    assert report.unsearched == {}
    assert not report.clean


def test_a_place_without_it_is_clean(tmp_path):
    _parquet(tmp_path / "a", "somebody else")
    _sqlite(tmp_path / "b", "somebody else")
    (tmp_path / "c").write_bytes(gzip.compress(b"somebody else"))
    report = audited(tmp_path)
    assert report.clean
    assert report.files == 3


def test_a_name_that_holds_a_canary_is_not_repeated(tmp_path):
    folder = tmp_path / VALUE
    folder.mkdir()
    (folder / "log.txt").write_text("x")
    report = audited(tmp_path)
    assert list(report.hits) == [("here/(a name that holds one)", "name", "person")]
    assert VALUE not in repr(report)


def test_a_table_whose_column_is_named_like_a_canary_does_not_repeat_it(tmp_path):
    _parquet(tmp_path / "a", name=VALUE, text="a.b@example.com")
    assert VALUE not in repr(audited(tmp_path))


@pytest.mark.parametrize(
    "content",
    [
        b"PAR1" + b"\x00" * 40,
        b"SQLite format 3\0" + b"\x01" * 200,
        b"\x1f\x8b\x08\x00" + b"\x00" * 30,
        b"\x28\xb5\x2f\xfd" + b"\xff" * 30,
        b"PK\x03\x04" + b"\x00" * 30,
        b"\x00" * 8 + b"DUCK" + b"\x00" * 100,
    ],
)
def test_what_cannot_be_taken_apart_is_said_so_and_its_bytes_are_searched(tmp_path, content):
    (tmp_path / "torn").write_bytes(content + VALUE.encode())
    report = audited(tmp_path)
    assert list(report.unsearched) == ["here/torn"]
    assert report.hits[("here/torn", "bytes", "person")] == 1
    assert not report.clean


def test_a_torn_file_alone_is_not_clean(tmp_path):
    (tmp_path / "torn").write_bytes(b"PAR1" + b"\x00" * 40)
    assert not audited(tmp_path).clean


def test_what_is_left_out_and_what_links_lead_to_is_not_searched(tmp_path):
    (tmp_path / "landing").mkdir()
    (tmp_path / "landing" / "raw.jsonl").write_text(WORDS)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "link").symlink_to(tmp_path / "landing")
    (tmp_path / "here" / "linked.jsonl").symlink_to(tmp_path / "landing" / "raw.jsonl")
    report = audited(tmp_path, leave_out=[tmp_path / "landing"])
    assert report.files == 0


def test_a_server_is_searched_by_its_url(tmp_path):
    _sqlite(tmp_path / "db")
    audit = Audit([Canary("person", VALUE)])
    audit.server("database", f"sqlite:///{tmp_path / 'db'}")
    assert list(audit.report.hits) == [("database", "column xcom.value", "person")]


def test_a_server_that_cannot_be_reached_is_not_taken_for_clean():
    audit = Audit([Canary("person", VALUE)])
    audit.server("database", "postgresql://somebody:s3cret@127.0.0.1:1/none")
    assert list(audit.report.unsearched) == ["database"]
    assert "s3cret" not in repr(audit.report)


def test_identifiers_are_counted_by_column(tmp_path):
    _parquet(tmp_path / "part.parquet", "write to a.b@example.com or <EMAIL_abcd2345>")
    report = audited(tmp_path)
    assert report.residual == {("here/part.parquet", "column text", "e-mail"): 3}
    assert report.clean
