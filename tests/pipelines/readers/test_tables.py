"""CSV files divide into rows as spreadsheets and databases write them."""

import csv
import io
import json
import tracemalloc
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.readers.containers.origin import Origin, Spot
from pipelines.readers.containers.table import table
from schemas.reasons import Reason

LIMIT = 1 << 16


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@pytest.fixture
def read(folder):
    def reading(data, limit=LIMIT, name="a.csv", wanted=None):
        (folder / name).write_bytes(data)
        return list(table(Origin(folder / name, name), limit, wanted))

    return reading


def values(records):
    return [r.refusal.reason if r.refusal else json.loads(r.data) for r in records]


cells = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=8) | st.sampled_from(
    ['"', '""', ",", "\n", "a\nb", '","', " "]
)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(cells, min_size=3, max_size=3)), st.sampled_from(",;\t"), st.sampled_from(["\n", "\r\n"]))
def test_what_a_writer_of_csv_wrote_is_read_back(folder, rows, delimiter, line_end):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=line_end)
    writer.writerows([["id", "text", "time"], *rows])
    data = out.getvalue().encode()
    path = folder / "rows.csv"
    path.write_bytes(data)
    records = list(table(Origin(path, path.name), LIMIT))
    expected = [[c or None for c in row] for row in rows if any(c.strip(f" {delimiter}\r\n") for c in row)]
    found = [list(json.loads(r.data).values()) for r in records]
    assert [r for r in found if any((c or "").strip(f" {delimiter}\r\n") for c in r)] == expected
    for record in records:
        first = data[record.byte_offset :]
        assert data[: record.byte_offset].count(b"\n") == record.line - 1
        assert first
    wanted = [Spot(r.line, r.byte_offset, len(r.data)) for r in records[::2]]
    assert list(table(Origin(path, path.name), LIMIT, wanted)) == records[::2]


def test_rows_become_objects_of_strings_and_empty_cells_null(read):
    data = b'\xef\xbb\xbfid,text,n\r\n1,"two\r\nlines, ""quoted""",\r\n\r\n2,"",0.50\r\n'
    first, second = read(data)
    assert json.loads(first.data) == {"id": "1", "text": 'two\r\nlines, "quoted"', "n": None}
    assert json.loads(second.data) == {"id": "2", "text": None, "n": "0.50"}
    assert [(r.line, data[r.byte_offset :][:2]) for r in (first, second)] == [(2, b"1,"), (5, b"2,")]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b"id;text\n1;a,b\n"),
        ("a.csv", b"id\ttext\n1\ta,b\n"),
        ("a.csv", b'id;"a, b, c, d"\n1;a,b\n'),  # what stands in quotes is not counted
        ("a.tsv", b"id\ta;b;c,d,e\n1\ta,b\n"),
        ("a.csv", "id;text\n1;a,b\n".encode("utf-16")),  # as spreadsheets save "Unicode text"
    ],
)
def test_the_header_and_the_name_say_what_separates_cells(read, name, data):
    (row,) = values(read(data, name=name))
    assert list(row.values()) == ["1", "a,b"]


def test_a_column_that_is_named_twice_keeps_both(read):
    (row,) = values(read(b"id,id,id.2, n ,\n1,2,3,4,5\n"))
    assert row == {"id": "1", "id.2": "2", "id.2.2": "3", "n": "4", "": "5"}


def test_many_columns_of_one_name_are_named_in_no_time(read):
    n = 20_000
    (row,) = values(read(b",".join([b"a"] * n) + b"\n" + b",".join([b"1"] * n), limit=1 << 20))
    assert len(row) == n


def test_rows_of_another_width_cost_only_themselves(read):
    records = read(b"a,b\n1,2\n1\n1,2,3\n3,4\n,,,\n")
    assert values(records) == [{"a": "1", "b": "2"}, Reason.WRONG_TYPE, Reason.WRONG_TYPE, {"a": "3", "b": "4"}]
    place = records[2].place("a.csv")
    assert (place.line, place.byte_offset, place.bytes, place.sha256) == (4, 10, 5, sha256(b"1,2,3").hexdigest())


def test_a_row_that_is_not_utf8_costs_only_itself(read):
    assert values(read(b"a,b\n1,\xff\n3,4\n")) == [Reason.NOT_UTF8, {"a": "3", "b": "4"}]


def test_zero_bytes_are_characters_like_others(read):
    assert values(read(b"a,b\n1,x\0y\n\0\0\0\0\n")) == [{"a": "1", "b": "x\0y"}, Reason.WRONG_TYPE]


def test_stray_quotes_inside_a_cell_are_characters(read):
    assert values(read(b'a,b\n5" pipe,"x"y\n')) == [{"a": '5" pipe', "b": "xy"}]


def test_a_quote_that_never_closes_is_cut_off(read):
    assert values(read(b'a,b\n1,2\n3,"open\n5,6\n')) == [{"a": "1", "b": "2"}, Reason.INVALID_JSON]


def test_a_row_beyond_the_limit_is_refused_by_digest_and_the_next_is_read(read):
    long = b'3,"' + b'x""\n' * 5000 + b'"'
    first, refused, last = read(b"a,b\n1,2\n" + long + b"\n5,6\n", limit=100)
    assert values([first, last]) == [{"a": "1", "b": "2"}, {"a": "5", "b": "6"}]
    assert refused.refusal.reason is Reason.RECORD_TOO_LARGE
    assert (refused.line, refused.byte_offset, refused.bytes) == (3, 8, len(long))
    assert refused.digest == sha256(long).hexdigest()
    assert last.line == 3 + 5000 + 1


def test_memory_is_bounded_by_the_limit_where_a_quote_never_closes(folder):
    path = folder / "open.csv"
    path.write_bytes(b'a,b\n1,"' + (b"x, y" * 100 + b"\n") * 50_000)
    tracemalloc.start()
    try:
        (refused,) = table(Origin(path, path.name), LIMIT)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert refused.refusal.reason is Reason.RECORD_TOO_LARGE


@pytest.mark.parametrize("data", [b"", b"\n\n", b"a,b\n", b"\xef\xbb\xbfa,b"])
def test_nothing_or_a_header_alone_is_no_fault(read, data):
    assert read(data) == []


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xb1\xea\xcc\xe2,a\n1,2\n", Reason.NOT_UTF8),
        (b'"a,b\n1,2\n', Reason.INVALID_JSON),
        (b"a" * 2000 + b"\n1\n", Reason.RECORD_TOO_LARGE),
    ],
)
def test_without_a_header_nothing_is_read(read, data, reason):
    (finding,) = read(data, limit=1000)
    assert (finding.line, finding.refusal.reason) == (0, reason)
    assert finding.digest == sha256(data).hexdigest()
