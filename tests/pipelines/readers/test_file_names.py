"""Files of any name that a disk allows: each is read, under a name that a table can hold and a terminal show."""

import gzip
import os
import sqlite3
from datetime import date

import polars as pl
import pytest

from pipelines.readers.landing import day_files, origin_named, origins
from pipelines.steps.scan import assert_unchanged, scan_day
from tests.conftest import settings_for

DAY = date(2026, 11, 2)
LINE = b'{"kind": "message", "conversation_id": "c1", "role": "user", "content": "when does the ferry leave"}\n'


def database(path):
    with sqlite3.connect(path) as con:
        con.execute("CREATE TABLE notes (id INTEGER)")
    con.close()


WRITERS = {
    ".jsonl": lambda path: path.write_bytes(LINE),
    ".jsonl.gz": lambda path: path.write_bytes(gzip.compress(LINE)),
    ".parquet": lambda path: pl.DataFrame({"n": [1]}).write_parquet(path.open("wb")),
    ".csv": lambda path: path.write_bytes(b"a,b\n1,2\n"),
    ".db": database,
}


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "landing" / f"dt={DAY}"
    made.mkdir(parents=True)
    return made


def odd(folder, name: bytes):
    try:
        path = folder / os.fsdecode(name)
        path.parent.mkdir(exist_ok=True)
        path.touch()
    except OSError:
        pytest.skip("this disk holds no such name")
    return path


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("stem", [b"caf\xe9", b"two\nlines", b"red\x1b[31m", b"\xff/inner"])
def test_a_file_of_any_name_is_scanned_and_found_again(folder, tmp_path, stem, suffix):
    path = odd(folder, stem + suffix.encode())
    WRITERS[suffix](path)
    settings = settings_for(tmp_path, landing=folder.parent, workers=1)
    scan = scan_day(settings, DAY, tmp_path / "work")
    [name] = [f.file for f in scan.files]
    assert name.isprintable()
    assert name.encode().endswith(suffix.encode())
    assert origin_named(folder.parent, DAY, name).path == path
    assert_unchanged(settings, scan)
    if suffix.startswith(".jsonl"):
        assert [(log.name, log.format) for log in scan.logs] == [(name, "native")]


def test_a_name_is_written_out_byte_by_byte(folder):
    odd(folder, b"caf\xe9.jsonl")
    odd(folder, "caf\u00e9.jsonl".encode())
    odd(folder, b"two\nlines.jsonl")
    assert list(day_files(folder.parent, DAY)) == ["caf\\xe9.jsonl", "caf\u00e9.jsonl", "two\\x0alines.jsonl"]


def test_two_files_never_share_a_name(folder):
    written, raw = odd(folder, rb"caf\xe9.jsonl"), odd(folder, b"caf\xe9.jsonl")
    assert day_files(folder.parent, DAY) == {r"caf\xe9.jsonl": written, r"~caf\xe9.jsonl": raw}
    assert {o.name: origin_named(folder.parent, DAY, o.name).path for o in origins(folder.parent, DAY)} == {
        r"caf\xe9.jsonl": written,
        r"~caf\xe9.jsonl": raw,
    }
