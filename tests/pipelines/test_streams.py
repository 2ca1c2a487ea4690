import gzip
import json
from datetime import date, datetime
from hashlib import sha256

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from pipelines.readers.landing import context_for, day_files, landing_days, origins
from pipelines.readers.logfile import open_log
from pipelines.readers.raw import RawRecord
from pipelines.readers.sources import Sources
from pipelines.steps import scan
from schemas.errors import LandingError
from schemas.reasons import Reason
from tests.conftest import settings_for

DAY = date(2026, 11, 2)
LIMIT = 1 << 16


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / f"dt={DAY}"
    path.mkdir()
    return path


def read(folder, name, limit=LIMIT):
    """What a night reads of the only file of a landing day."""
    (origin,) = origins(folder.parent, DAY)
    assert origin.name == name
    log = open_log(origin, context_for(Sources(), name, DAY, "default"), limit)
    return [log] if isinstance(log, RawRecord) else list(log.records(limit))


def numbered(n):
    return b"".join(b'{"n": %d, "pad": "%s"}\n' % (i, sha256(b"%d" % i).hexdigest().encode()) for i in range(n))


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.jsonl", lambda d: d),
        ("a.ndjson", lambda d: d),
        ("a.jsonl.gz", gzip.compress),
        ("a.jsonl.gz", lambda d: gzip.compress(d[:100]) + gzip.compress(d[100:])),
        ("a.jsonl.zst", lambda d: zstandard.ZstdCompressor().compress(d)),
        ("a.jsonl.zst", lambda d: b"".join(zstandard.ZstdCompressor().compress(p) for p in (d[:100], d[100:]))),
        ("A.JSONL", lambda d: d),
    ],
)
def test_every_packing_gives_the_same_records(folder, name, pack):
    data = numbered(500)
    (folder / name).write_bytes(pack(data))
    records = read(folder, name)
    assert [json.loads(r.data)["n"] for r in records] == list(range(500))
    assert [r.line for r in records] == list(range(1, 501))
    for record in records:
        assert data[record.byte_offset :].startswith(record.data)


def test_bom_blank_lines_crlf_and_a_missing_last_newline_are_no_trouble(folder):
    (folder / "a.jsonl").write_bytes(b'\xef\xbb\xbf{"n":0}\r\n\r\n  \n{"n":1}\n{"n":2}')
    records = read(folder, "a.jsonl")
    assert [(r.line, json.loads(r.data)["n"]) for r in records] == [(1, 0), (4, 1), (5, 2)]


def test_an_overlong_line_is_refused_by_digest_and_the_next_one_read(folder):
    long = b"x" * (5 * LIMIT + 3)
    (folder / "a.jsonl").write_bytes(b'{"n":0}\n' + long + b'\n{"n":1}\n')
    first, refused, last = read(folder, "a.jsonl")
    assert (refused.refusal.reason, refused.line, refused.byte_offset) == (Reason.RECORD_TOO_LARGE, 2, 8)
    assert refused.place("a.jsonl").bytes == len(long) + 1
    assert json.loads(first.data)["n"] == 0
    assert json.loads(last.data)["n"] == 1
    assert last.byte_offset == 8 + len(long) + 1


def test_a_line_of_exactly_the_limit_is_read(folder):
    body = b'{"pad": "' + b"x" * (LIMIT - 11) + b'"}'
    (folder / "a.jsonl").write_bytes(body + b"\n" + body + b"y\n")
    fits, too_long = read(folder, "a.jsonl")
    assert fits.refusal is None
    assert too_long.refusal.reason is Reason.RECORD_TOO_LARGE


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.jsonl.gz", gzip.compress(numbered(50_000))[:-3000]),
        ("a.jsonl.zst", zstandard.ZstdCompressor().compress(numbered(50_000))[:-3000]),
        ("a.jsonl.gz", b"not compressed at all\n"),
        ("a.parquet", b"PAR1 and then nothing"),
        ("a.parquet", b""),
    ],
)
def test_a_damaged_file_is_named_after_what_could_be_read(folder, name, data):
    (folder / name).write_bytes(data)
    *before, finding = read(folder, name)
    assert finding.refusal.reason is Reason.FILE_UNREADABLE
    assert finding.place(name).sha256 == sha256(data).hexdigest()
    assert finding.line == 0
    assert all(r.refusal is None for r in before)


@pytest.mark.parametrize(("name", "pack"), [("a.jsonl.gz", gzip.compress), ("a.jsonl.zst", zstandard.compress)])
def test_records_before_the_damage_are_read_to_the_last(folder, name, pack):
    (folder / name).write_bytes(pack(numbered(100))[:-2])
    *before, finding = read(folder, name)
    assert finding.refusal.reason is Reason.FILE_UNREADABLE
    assert [json.loads(r.data)["n"] for r in before] == list(range(len(before)))
    # zstd gives up its last block as a whole; gzip loses no record when only its trailer is cut.
    assert len(before) == (100 if name.endswith("gz") else 0)


def test_a_file_that_no_reader_takes_is_named(folder):
    (folder / "notes.docx").write_bytes(b"PK")
    (only,) = read(folder, "notes.docx")
    assert only.refusal.reason is Reason.FILE_UNSUPPORTED


def test_an_empty_file_holds_no_records(folder):
    for name in ("a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.json", "a.csv"):
        (folder / name).write_bytes(b"")
        assert read(folder, name) == []
        (folder / name).unlink()


def test_parquet_rows_become_the_records_that_json_lines_would_hold(folder):
    rows = [
        {
            "kind": "message",
            "conversation_id": "c",
            "content": "你好",
            "created_at": datetime.fromisoformat("2026-11-02T10:00:00+08:00"),
        },
        {"kind": "message", "conversation_id": "c", "content": None, "created_at": None},
    ]
    zoned = pa.schema(
        [
            ("kind", pa.string()),
            ("conversation_id", pa.binary()),
            ("content", pa.string()),
            ("created_at", pa.timestamp("ns", "UTC")),
        ]
    )
    table = pa.table(
        {n: [r[n].encode() if n == "conversation_id" else r[n] for r in rows] for n in zoned.names}, schema=zoned
    )
    pq.write_table(table, folder / "a.parquet")
    first, second = (json.loads(r.data) for r in read(folder, "a.parquet"))
    assert first == {"kind": "message", "conversation_id": "c", "content": "你好", "created_at": "2026-11-02T02:00:00Z"}
    assert second["content"] is None


def test_a_file_that_arrives_during_the_scan_stops_the_run_and_is_not_passed_over(tmp_path, monkeypatch):
    landing = tmp_path / "landing"
    (landing / f"dt={DAY}").mkdir(parents=True)
    (landing / f"dt={DAY}" / "a.jsonl").write_bytes(b"{}\n")

    def late(*given):
        (landing / f"dt={DAY}" / "b.jsonl").write_bytes(b"{}\n")
        return open_log(*given)

    monkeypatch.setattr(scan, "open_log", late)
    settings = settings_for(tmp_path, landing=landing, workers=1)
    found = scan.scan_day(settings, DAY, tmp_path / "work")
    assert [f.file for f in found.files] == ["a.jsonl"]
    with pytest.raises(LandingError, match="changed"):
        scan.assert_unchanged(settings, found)


def test_hidden_files_and_unfinished_uploads_are_left_alone(folder):
    for name in ("a.jsonl", ".a.jsonl.swp", "_tmp/b.jsonl", "sub/c.jsonl"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"")
    assert list(day_files(folder.parent, DAY)) == ["a.jsonl", "sub/c.jsonl"]


def test_days_are_found_in_order_and_a_zone_without_any_is_an_error(tmp_path):
    for name in ("dt=2026-11-03", "dt=2026-11-02", "dt=soon", "other"):
        (tmp_path / name).mkdir()
    assert landing_days(tmp_path) == [date(2026, 11, 2), date(2026, 11, 3)]
    with pytest.raises(LandingError, match="No landing day"):
        landing_days(tmp_path / "other")
    with pytest.raises(LandingError, match="not a folder"):
        day_files(tmp_path / "absent", DAY)


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_wide_encodings_as_windows_writes_them_are_read(folder, name):
    text = '{"kind":"message","conversation_id":"c","content":"你好"}\r\n'
    (folder / name).write_bytes(text.encode("utf-16"))
    (record,) = read(folder, name)
    assert json.loads(record.data)["content"] == "你好"
    assert record.byte_offset is None


@pytest.mark.parametrize("data", [b"[]", b" \n", b"\xef\xbb\xbf[\n]\n"])
def test_a_document_without_records_is_no_fault(folder, data):
    (folder / "message_votes.json").write_bytes(data)
    assert read(folder, "message_votes.json") == []
