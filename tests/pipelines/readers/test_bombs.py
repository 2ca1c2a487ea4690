"""Bombs end in a finding, and logs that are merely regular are read whole."""

import gzip
import io
import json
import zipfile
from datetime import date, datetime, timedelta

import pytest
import zstandard

from pipelines.readers import streams
from pipelines.readers.containers.archive import listing
from pipelines.readers.containers.document import document
from pipelines.readers.containers.lines import lines
from pipelines.readers.containers.origin import Origin
from pipelines.readers.containers.table import table
from pipelines.readers.landing import origins
from pipelines.readers.logfile import SUFFIXES
from schemas.reasons import Reason
from tests.pipelines.readers.kit import items_of

DAY = date(2026, 11, 2)
LIMIT = 1 << 16
BOUND = 1 << 18


@pytest.fixture(autouse=True)
def lower_bounds(monkeypatch):
    monkeypatch.setattr(streams, "EXPANDS_BYTES", BOUND)


def zipped(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return out.getvalue()


def read(path, container):
    if path.suffix == ".zip":
        (origin,) = listing(path, SUFFIXES).origins(path, path.name)
        return list(container(origin, LIMIT))
    return list(container(Origin(path, path.name), LIMIT))


RECORD = b'{"n":1}\n'
BOMB = RECORD * (8 * BOUND // len(RECORD))


@pytest.mark.parametrize(
    ("name", "container", "data"),
    [
        ("a.jsonl.gz", lines, gzip.compress(BOMB)),
        ("a.jsonl.zst", lines, zstandard.compress(BOMB)),
        ("a.json.gz", document, gzip.compress(BOMB)),
        ("a.csv.gz", table, gzip.compress(b"a,b\n" + b"1,2\n" * (2 * BOUND))),
        ("a.zip", lines, zipped(a_jsonl=BOMB)),
        ("b.zip", document, zipped(a_json=BOMB)),
        ("A.JSONL.GZ", lines, gzip.compress(BOMB)),
    ],
)
def test_a_bomb_ends_in_a_finding_after_what_came_before(tmp_path, name, container, data):
    path = tmp_path / name
    path.write_bytes(data)
    *before, finding = read(path, container)
    assert (finding.line, finding.refusal.reason) == (0, Reason.EXPANDS_TOO_FAR)
    assert BOUND // 8 - 1000 < len(before) < BOUND
    assert all(r.refusal is None for r in before)


def test_a_bomb_of_one_record_is_no_more_than_that(tmp_path):
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(b'{"a":"' + b"x" * 8 * BOUND))
    assert [r.refusal.reason for r in read(path, document)] == [Reason.EXPANDS_TOO_FAR]


@pytest.mark.parametrize("name", ["a.parquet.gz", "a.db.gz"])
def test_what_must_be_held_in_memory_is_bounded_too(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"SQLite format 3\0" + bytes(8 * BOUND)))
    assert [r.reason for r in items_of(path)] == [Reason.EXPANDS_TOO_FAR]


def regular_log():
    """As regular as logs are: one client that asks one question again and again."""
    began = datetime.fromisoformat("2026-11-02T10:00:00+00:00")
    for n in range(20_000):
        record = {
            "kind": "message",
            "conversation_id": f"c-{n // 8}",
            "message_id": f"m-{n}",
            "role": "assistant" if n % 2 else "user",
            "content": "Service is healthy. Nothing to report." if n % 2 else "Is the service healthy?",
            "created_at": (began + timedelta(seconds=n)).isoformat(),
        }
        yield json.dumps(record).encode() + b"\n"


@pytest.mark.parametrize(
    "pack",
    [
        lambda d: ("a.jsonl.gz", gzip.compress(d, 9)),
        lambda d: ("a.jsonl.zst", zstandard.ZstdCompressor(level=12).compress(d)),
        lambda d: ("a.zip", zipped(a_jsonl=d)),
    ],
    ids=["gz", "zst", "zip"],
)
def test_the_most_regular_of_logs_is_read_whole(tmp_path, pack):
    data = b"".join(regular_log())
    name, packed = pack(data)
    assert len(data) > 10 * BOUND
    assert len(data) / len(packed) < streams.EXPANDS_TIMES / 2
    (tmp_path / name).write_bytes(packed)
    records = read(tmp_path / name, lines)
    assert (len(records), records[-1].refusal) == (20_000, None)


def test_what_is_small_may_be_as_regular_as_it_likes(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(RECORD * (BOUND // len(RECORD))))
    assert read(path, lines)[-1].refusal is None


def test_plain_files_have_no_bound(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(RECORD * (BOUND // 4))
    assert len(read(path, lines)) == BOUND // 4


def test_many_small_bombs_in_an_archive_are_one(tmp_path):
    folder = tmp_path / f"dt={DAY}"
    folder.mkdir()
    (folder / "a.zip").write_bytes(zipped(**{f"{n}_json": b" " * (BOUND // 2) for n in range(9)}, x_json="[1]"))
    everything = list(origins(tmp_path, DAY))
    files = [o.name for o in everything if isinstance(o, Origin)]
    assert files == [f"a.zip!{name}.json" for name in "012x"]
    assert [f[1].refusal.reason for f in everything[4:]] == [Reason.EXPANDS_TOO_FAR] * 6


def test_members_that_share_their_bytes_are_read_once(tmp_path):
    """The directory names one member many times under many names, so that a small file expands without bound."""
    data = zipped(aaaa_json=b"[1]")
    start, end = data.index(b"PK\1\2"), data.rindex(b"PK\5\6")
    entry = data[start:end]
    copies = b"".join(entry.replace(b"aaaa", b"%04d" % n) for n in range(1000))
    count = (1000).to_bytes(2, "little")
    tail = bytearray(data[end:])
    tail[8:12], tail[12:16] = count + count, len(copies).to_bytes(4, "little")
    path = tmp_path / "a.zip"
    path.write_bytes(data[:start] + copies + tail)
    found = listing(path, SUFFIXES)
    assert list(found.members) == ["0000.json"]
    assert [f.refusal.reason for f in found.findings] == [Reason.MEMBER_UNSAFE] * 999


def test_the_bounds_are_far_above_what_logs_come_to(monkeypatch):
    monkeypatch.undo()
    assert streams.EXPANDS_BYTES == 1 << 30
    assert streams.EXPANDS_TIMES == 200
