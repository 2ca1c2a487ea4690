"""Archives give their log files as if they lay in the landing zone, and nothing that could hurt."""

import io
import json
import stat
import struct
import time
import zipfile
from hashlib import sha256

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines.readers.containers.archive import listing
from pipelines.readers.containers.document import document
from pipelines.readers.containers.lines import lines
from pipelines.readers.containers.origin import Origin, Spot
from pipelines.readers.containers.rows import rows
from pipelines.readers.landing import origin_named, origins, origins_at
from pipelines.readers.logfile import SUFFIXES
from pipelines.readers.raw import RawRecord
from schemas.errors import LandingError
from schemas.reasons import Reason
from tests.pipelines.readers.archives_kit import DAY, found, member, packed, reasons

LIMIT = 1 << 16
LINES = b"".join(b'{"n":%d,"pad":"%s"}\n' % (n, sha256(b"%d" % n).hexdigest().encode()) for n in range(5000))


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / f"dt={DAY}"
    path.mkdir()
    return path


def test_members_are_read_like_files(folder):
    chats = [{"n": n} for n in range(3)]
    files, findings = found(
        folder,
        packed(("conversations.json", json.dumps(chats)), ("more/Log.JSONL", LINES), ("./a//b.json", '{"n":9}')),
    )
    assert findings == []
    assert [o.name for o in files] == [
        "export.zip!conversations.json",
        "export.zip!more/Log.JSONL",
        "export.zip!a/b.json",
    ]
    assert [o.suffix for o in files] == [".json", ".jsonl", ".json"]
    records = list(document(files[0], LIMIT))
    assert [json.loads(r.data) for r in records] == chats
    assert list(document(files[0], LIMIT, [Spot(2, records[1].byte_offset, 7)])) == records[1:2]
    assert b"\n".join(r.data for r in lines(files[1], LIMIT)) + b"\n" == LINES


def test_each_is_found_again_by_its_name(folder):
    (folder / "a!b.json").write_bytes(b"{}")
    (folder / "sub").mkdir()
    files, _ = found(folder, packed(("c!d.json", "[1]"), ("e.json", "[2]")), "sub/x!y.ZIP")
    assert [o.name for o in files] == ["a!b.json", "sub/x!y.ZIP!c!d.json", "sub/x!y.ZIP!e.json"]
    for origin in files:
        again = origin_named(folder.parent, DAY, origin.name)
        assert (again.name, again.path, again.plain) == (origin.name, origin.path, origin.plain)
        assert list(document(again, LIMIT)) == list(document(origin, LIMIT))


@pytest.mark.parametrize("name", ["gone.json", "x.zip!gone.json", "gone.zip!a.json", "../dt=2026-11-02/x.zip!a.json"])
def test_a_name_that_is_not_there_is_an_error(folder, name):
    found(folder, packed(("a.json", "[]")), "x.zip")
    with pytest.raises(LandingError, match="not there any more") as caught:
        origin_named(folder.parent, DAY, name)
    assert "gone" not in str(caught.value)


def test_folders_hidden_members_and_pictures_are_passed_over(folder):
    data = packed(
        ("images/", ""), ("images/a.png", b"x"), ("chat.html", "x"), ("README", "x"), ("__MACOSX/._a.json", b"x"),
        (".hidden/a.json", b"x"), ("a.json", "[]"),
    )  # fmt: skip
    files, findings = found(folder, data)
    assert ([o.name for o in files], findings) == (["export.zip!a.json"], [])
    assert listing(folder / "export.zip", SUFFIXES).passed_over == 3


@pytest.mark.parametrize(
    "unsafe",
    [
        member("../a.json"),
        member("a/../../b.json"),
        member("a/.."),
        member("/etc/a.json"),
        member("C:a.json"),
        member("C:\\a.json"),
        member("a\\b.json"),
        member("a\nb.json"),
        member("a\u202enosj.json"),
        member("a.json", mode=stat.S_IFLNK | 0o777),
        member("a.json", mode=stat.S_IFIFO | 0o600),
        member("inner.zip"),
        member("a.jsonl.gz"),
        member("a.tar"),
    ],
    ids=lambda m: repr(m.filename),
)
def test_an_unsafe_member_is_named_by_its_number_only(folder, unsafe):
    files, findings = found(folder, packed(("first.json", "[]"), (unsafe, "[1]"), ("last.json", "[]")))
    assert [o.name for o in files] == ["export.zip!first.json", "export.zip!last.json"]
    assert reasons(findings) == [(2, Reason.MEMBER_UNSAFE)]
    ((name, finding),) = findings
    place = finding.place(name)
    assert place.file == "export.zip"
    entry = (folder / "export.zip").read_bytes()[place.byte_offset :][: place.bytes]
    assert entry.startswith(b"PK\1\2")
    assert sha256(entry).hexdigest() == place.sha256


FIELDS = "sig made needed flags method time date crc packed size name extra comment disk inner mode start"


def changed(data, at, **fields):
    """An archive with fields of the n-th directory entry overwritten."""
    place = -1
    for _ in range(at):
        place = data.index(b"PK\1\2", place + 1)
    layout = struct.Struct("<4s6H3L5H2L")
    values = dict(zip(FIELDS.split(), layout.unpack_from(data, place), strict=True)) | fields
    return data[:place] + layout.pack(*values.values()) + data[place + layout.size :]


TWO = packed(("a.json", "[1]"), ("b.json", "[2]"))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (changed(TWO, 2, flags=1), (2, Reason.MEMBER_UNSAFE)),  # encrypted
        (changed(TWO, 2, method=99), (2, Reason.FILE_UNSUPPORTED)),
        (changed(TWO, 2, start=0), (2, Reason.MEMBER_UNSAFE)),  # shares bytes with the first
        (packed(("a.json", "[1]"), (member("a.json"), "[2]")), (2, Reason.MEMBER_UNSAFE)),
        (packed(("a.json", "[1]"), (member("./a.json"), "[2]")), (2, Reason.MEMBER_UNSAFE)),
        (TWO.replace(b"b.json", b"\xff.json"), (2, Reason.MEMBER_UNSAFE)),
        (TWO[:-30] + TWO[-30:].replace(b"PK\5\6", b"PKxx"), (0, Reason.FILE_UNREADABLE)),
        (TWO[: len(TWO) // 2], (0, Reason.FILE_UNREADABLE)),
        (b"", (0, Reason.FILE_UNREADABLE)),
        (b"PK\5\6", (0, Reason.FILE_UNREADABLE)),
        (b"no archive", (0, Reason.FILE_UNREADABLE)),
        (TWO.replace(b"PK\1\2", b"PKxx"), (0, Reason.FILE_UNREADABLE)),
    ],
)
def test_what_cannot_be_trusted_is_refused_and_the_rest_is_read(folder, data, expected):
    files, findings = found(folder, data)
    assert reasons(findings) == [expected]
    assert all([r.data for r in document(o, LIMIT)] == [b"1"] for o in files)
    assert len(files) == (1 if expected[0] else 0)
    if not expected[0]:
        assert findings[0][1].digest == sha256(data).hexdigest()


def test_what_was_put_before_an_archive_or_behind_it_is_no_matter(folder):
    for data in (b"#!/bin/sh\n" * 9 + TWO, TWO + b"behind"):
        files, findings = found(folder, data)
        assert (len(files), findings) == (2, [])
        assert [r.data for o in files for r in document(o, LIMIT)] == [b"1", b"2"]


def last(origin):
    *before, finding = lines(origin, LIMIT)
    return before, finding


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize(
    "lie",
    [
        {"crc": 1},
        {"size": len(LINES) - 1},
        {"size": len(LINES) + 1},
        {"size": 1000},
        {"packed": 1000},
        {"start": 7},
    ],
    ids=str,
)
def test_members_that_are_not_what_the_directory_says_are_read_up_to_there(folder, method, lie):
    whole = packed((member("a.jsonl", compress_type=method), LINES))
    (origin,), _ = found(folder, whole)
    records = list(lines(origin, LIMIT))
    assert len(records) == 5000
    (origin,), _ = found(folder, changed(whole, 1, **lie))
    before, finding = last(origin)
    assert before == records[: len(before)]
    assert (finding.line, finding.refusal.reason) == (0, Reason.FILE_UNREADABLE)
    assert len(before) >= (4999 if lie.get("size", 5000) >= 5000 and lie.keys() & {"crc", "size"} else 0)


def test_corrupt_bytes_in_a_member_are_read_up_to_there(folder):
    whole = packed(("a.jsonl", LINES))
    middle = len(whole) // 2
    (origin,), _ = found(folder, whole[:middle] + b"\xff" * 64 + whole[middle + 64 :])
    before, finding = last(origin)
    assert b"\n".join(r.data for r in before[:1000]) in LINES
    assert 1000 < len(before) <= 5000
    assert finding.refusal.reason is Reason.FILE_UNREADABLE


def test_archives_that_were_written_as_streams_or_with_wide_sizes_are_read(folder):
    out = io.BytesIO()
    out.seekable = lambda: False  # sizes then stand behind the content
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", LINES)
        with archive.open("b.jsonl", "w", force_zip64=True) as stream:
            stream.write(LINES)
    files, findings = found(folder, out.getvalue())
    assert findings == []
    for origin in files:
        assert b"\n".join(r.data for r in lines(origin, LIMIT)) + b"\n" == LINES


@pytest.mark.parametrize("before", [b"", b"shifted"])
def test_a_directory_in_wide_numbers_is_read(folder, before):
    out = io.BytesIO(packed(("a.json", "[1]")))
    data = out.getvalue()
    end = data.rindex(b"PK\5\6")
    start = data.index(b"PK\1\2")
    entry = data[start:end]
    wide = struct.pack("<HHQQQ", 1, 24, 3, struct.unpack_from("<L", entry, 20)[0], 0)
    entry = changed(entry, 1, packed=0xFFFFFFFF, size=0xFFFFFFFF, start=0xFFFFFFFF, extra=len(wide)) + wide
    end_64 = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, len(entry), start)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, start + len(entry), 1)
    tail = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    (origin,), findings = found(folder, before + data[:start] + entry + end_64 + locator + tail)
    assert findings == []
    assert [r.data for r in document(origin, LIMIT)] == [b"1"]


def test_tables_in_archives_are_held_in_memory(folder):
    out = io.BytesIO()
    pq.write_table(pa.table({"n": [1, 2]}), out)
    (origin,), _ = found(folder, packed(("a.parquet", out.getvalue())))
    assert [r.data for r in rows(origin, LIMIT)] == [b'{"n":1}', b'{"n":2}']


def test_an_archive_that_the_disk_refuses_is_an_error(folder, monkeypatch):
    def refused(*_):
        raise PermissionError(13, "Permission denied")

    (folder / "a.zip").write_bytes(TWO)
    monkeypatch.setattr("pipelines.readers.landing.listing", refused)
    with pytest.raises(LandingError, match="PermissionError"):
        list(origins(folder.parent, DAY))


def test_any_file_or_folder_can_be_looked_into(folder):
    (folder / "x.zip").write_bytes(TWO)
    (folder / "plain.jsonl").write_bytes(b"")
    assert [o.name for o in origins_at(folder / "x.zip")] == ["x.zip!a.json", "x.zip!b.json"]
    assert [o.name for o in origins_at(folder)] == ["plain.jsonl", "x.zip!a.json", "x.zip!b.json"]


def test_twenty_thousand_members_take_seconds(folder):
    data = packed(*((f"{n}.json", "[1]") for n in range(20_000)))
    began = time.monotonic()
    files, findings = found(folder, data)
    assert (len(files), findings) == (20_000, [])
    for origin in files[::10]:
        assert len(list(document(origin_named(folder.parent, DAY, origin.name), LIMIT))) == 1
    assert time.monotonic() - began < 20


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, len(TWO) - 1), st.sampled_from([b"\0", b"\xff" * 4, b"\1", b"P"])), min_size=1)
)
def test_whatever_is_overwritten_nothing_but_files_and_findings_comes_of_it(tmp_path, places):
    data = bytearray(TWO)
    for place, junk in places:
        data[place : place + len(junk)] = junk
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    for each in origins_at(path):
        if isinstance(each, Origin):
            assert all(isinstance(r, RawRecord) for r in document(each, LIMIT))
        else:
            assert each[1].refusal


def test_the_finding_of_a_member_reads_no_further_than_its_damage(folder):
    (origin,), _ = found(folder, changed(packed(("a.jsonl", LINES)), 1, crc=1))
    finding = origin.refused(Reason.FILE_UNREADABLE)
    assert isinstance(finding, RawRecord)
    assert (finding.bytes, finding.digest) == (len(LINES), sha256(LINES).hexdigest())
