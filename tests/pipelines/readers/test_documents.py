"""JSON documents divide into the same records however they are written, packed, or cut into chunks."""

import gzip
import json
import tracemalloc
from hashlib import sha256

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pipelines.readers.containers import window
from pipelines.readers.containers.document import document
from pipelines.readers.containers.origin import Origin, Spot
from pipelines.readers.decode import decode_json
from pipelines.readers.fields import Refused
from schemas.reasons import Reason

LIMIT = 1 << 16


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("documents") / "a.json"


@pytest.fixture
def read(tmp_path):
    def reading(data, limit=LIMIT, name="a.json", wanted=None):
        file = tmp_path / name
        file.write_bytes(data)
        return list(document(Origin(file, name), limit, wanted))

    return reading


def values(records):
    return [json.loads(r.data) for r in records]


def reasons(records):
    """For each record why it is refused, before or when it is decoded, else None."""
    found = []
    for record in records:
        try:
            found.append(record.refusal.reason if record.refusal else decode_json(record.data) and None)
        except Refused as refused:
            found.append(refused.reason)
    return found


unhurried = settings(deadline=None, max_examples=60)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
anything = st.recursive(
    scalars, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(), v, max_size=3), max_leaves=8
)
objects = st.dictionaries(st.text(), anything, max_size=3)
blanks = st.text(" \t\r\n", max_size=3)
chunks = st.integers(1, 40) | st.just(1 << 18)


def with_chunks(size, path, data, limit=LIMIT, wanted=None):
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window, "CHUNK_BYTES", size)
        return list(document(Origin(path, path.name), limit, wanted))


@unhurried
@given(st.lists(anything), st.none() | st.integers(0, 3), st.booleans(), blanks, chunks)
@example(["\\", '"', '\\"', "{", "[", "}\n{", "/"], 2, False, "\n", 1)
def test_an_array_gives_its_elements(path, elements, indent, ascii_only, blank, size):
    data = (blank + json.dumps(elements, indent=indent, ensure_ascii=ascii_only) + blank).encode("utf-8", "replace")
    records = with_chunks(size, path, data)
    assert values(records) == json.loads(data)
    assert [r.line for r in records] == list(range(1, len(elements) + 1))
    for record in records:
        assert data[record.byte_offset :].startswith(record.data)


@unhurried
@given(
    st.lists(objects | scalars),
    st.sampled_from(["\n", "\r\n", " ", ",", ",\n", "\n\n"]),
    st.none() | st.just(1),
    chunks,
)
def test_values_one_after_the_other_give_themselves(path, elements, separator, indent, size):
    data = separator.join(json.dumps(e, indent=indent) for e in elements).encode()
    assert values(with_chunks(size, path, data)) == elements


@unhurried
@given(st.lists(anything, min_size=1), st.none() | st.just(2), st.data())
def test_what_is_wanted_is_read_again_by_its_offset(path, elements, indent, data):
    records = with_chunks(1 << 18, path, json.dumps(elements, indent=indent).encode())
    picked = [r for r in records if data.draw(st.booleans())]
    wanted = [Spot(r.line, r.byte_offset, len(r.data)) for r in picked]
    assert list(document(Origin(path, path.name), LIMIT, wanted)) == picked


noise = st.lists(
    st.sampled_from(
        [b'"', b"\\", b"\n", b" ", b"{", b"}", b"[", b"]", b",", b":", b"1", b'{"a":1}', b"x", b"\0", b"\xff"]
    ),
    max_size=60,
).map(b"".join)


@unhurried
@given(noise, st.integers(1, 7), st.integers(1, 30))
def test_broken_text_is_divided_alike_however_the_chunks_fall(path, data, size, limit):
    assert with_chunks(size, path, data, limit) == with_chunks(1 << 18, path, data, limit)


@unhurried
@given(noise)
def test_of_broken_text_only_what_divides_records_is_in_none(path, data):
    assume(b"\0" not in data[:4])  # it may look like a wide encoding
    rest = bytearray(data)
    for record in with_chunks(1 << 18, path, data):
        if record.line:
            assert data[record.byte_offset :].startswith(record.data)
            rest[record.byte_offset : record.byte_offset + len(record.data)] = b" " * len(record.data)
    assert not rest.strip(b" \n,[]")


def test_a_pretty_printed_object_is_one_record(read):
    conversation = {"id": "c", "messages": [{"text": 'a "quoted"\nline {'}, {"text": "\\"}]}
    assert values(read(json.dumps(conversation, indent=4).encode())) == [conversation]


def test_arrays_that_were_pasted_together_are_divided_too(read):
    assert values(read(b'[{"n":0},{"n":1}]\n[{"n":2}]{"n":3}')) == [{"n": n} for n in range(4)]


@pytest.mark.parametrize("data", [b"", b" \n", b"[]", b"\xef\xbb\xbf", b"\xef\xbb\xbf[ ]\r\n"])
def test_nothing_is_no_fault(read, data):
    assert read(data) == []


def test_a_byte_order_mark_is_passed_over_and_counted_in_offsets(read):
    (record,) = read(b'\xef\xbb\xbf{"n":0}')
    assert (record.byte_offset, record.data) == (3, b'{"n":0}')


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_encodings_are_read_without_offsets(read, encoding):
    data = json.dumps([{"text": "你好 😀"}, {"n": 1}], ensure_ascii=False).encode(encoding)
    records = read(data)
    assert values(records) == [{"text": "你好 😀"}, {"n": 1}]
    assert [r.byte_offset for r in records] == [None, None]
    assert read(data, wanted=[Spot(2, -1, 7)]) == records[1:]


def test_half_a_character_at_the_end_of_a_wide_file_is_damage(read):
    *before, finding = read('[{"n":1}, {"n":2}'.encode("utf-16")[:-1])
    assert values(before[:1]) == [{"n": 1}]
    assert finding.refusal.reason is Reason.FILE_UNREADABLE


def test_what_is_not_utf8_costs_only_its_record(read):
    records = read(b'[{"n":1}, {"n":"\xff"}, {"n":"\xed\xa0\x80"}, {"n":2}]')
    assert reasons(records) == [None, Reason.NOT_UTF8, Reason.NOT_UTF8, None]


def test_a_record_beyond_the_limit_is_refused_by_digest_and_the_next_is_read(read):
    long = b'{"text": "' + b"x" * 300_000 + b'"}'
    first, refused, last = read(b'[{"n":0}, ' + long + b', {"n":1}]', limit=1000)
    assert values([first, last]) == [{"n": 0}, {"n": 1}]
    assert refused.refusal.reason is Reason.RECORD_TOO_LARGE
    place = refused.place("a.json")
    assert (place.line, place.byte_offset, place.bytes, place.sha256) == (2, 10, len(long), sha256(long).hexdigest())


def test_memory_is_bounded_by_the_limit_whatever_the_file_holds(tmp_path):
    (tmp_path / "big").write_bytes(b'[{"text": "' + b"x" * 20_000_000 + b'"},' + b'{"n":1},' * 10_000 + b'{"n":1}]')
    tracemalloc.start()
    try:
        n = sum(1 for _ in document(Origin(tmp_path / "big", "big"), LIMIT))
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()
    assert n == 10_002


@pytest.mark.parametrize("key", ["data", "messages", "conversations", "items"])
def test_an_array_in_a_wrapper_is_divided_only_if_the_whole_is_too_large(read, key):
    turns = [{"n": n, "text": "x" * 50} for n in range(20)]
    whole = {"object": "list", "note": 'a "[{" b', "more": False, "next": None, "count": 20, key: turns, "last": "x"}
    assert values(read(json.dumps(whole, indent=1).encode(), limit=5000)) == [whole]
    data = json.dumps(whole, indent=1).encode()
    records = read(data, limit=500)
    assert values(records) == turns
    wanted = [Spot(r.line, r.byte_offset, len(r.data)) for r in records[3:5]]
    assert read(data, limit=500, wanted=wanted) == records[3:5]


def test_what_else_a_divided_wrapper_holds_is_refused_unless_it_is_a_scalar(read):
    whole = {"data": [{"n": 0}, {"n": 1}], "page": 1, "trace": {"n": 2}, "more": [1], "pad": "x" * 80}
    records = read(json.dumps(whole).encode() + b'{"n": 3}', limit=60)
    assert reasons(records) == [None, None, *[Reason.RECORD_TOO_LARGE] * 3, None]
    assert json.loads(records[-1].data) == {"n": 3}
    spots = [Spot(r.line, -1 if r.byte_offset is None else r.byte_offset, r.bytes) for r in records[2:3]]
    assert read(json.dumps(whole).encode() + b'{"n": 3}', limit=60, wanted=spots) == records[2:3]


@pytest.mark.parametrize(
    "whole",
    [
        {"trace": {"id": "t"}, "data": [{"n": 0}] * 20},  # the elements would mean nothing without it
        {"data": [0, 1] * 40},
        {"data": {"n": "x" * 100}},
    ],
)
def test_other_objects_that_are_too_large_are_one_record(read, whole):
    records = read(json.dumps(whole).encode() + b'\n{"n":1}', limit=60)
    assert reasons(records) == [Reason.RECORD_TOO_LARGE, None]


def test_only_the_object_that_begins_the_file_is_taken_for_a_wrapper(read):
    line = json.dumps({"id": "c", "messages": [{"text": "x" * 90}]}).encode()
    assert reasons(read(b'{"n":0}\n' + line + b"\n" + b'{"n":1}', limit=60)) == [None, Reason.RECORD_TOO_LARGE, None]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'[{"n":0}, {"n":1}', [0, 1, Reason.FILE_UNREADABLE]),
        (b'[{"n":0}, {"n":1}, {"te', [0, 1, Reason.INVALID_JSON, Reason.FILE_UNREADABLE]),
        (b'[{"n":0}, {"n":1}, {"text":"cut of', [0, 1, Reason.INVALID_JSON, Reason.FILE_UNREADABLE]),
        (b'{"n":0}\n{"n":1', [0, Reason.INVALID_JSON]),
        (b'[{"n":0} {"n":1},, {"n":2},]', [0, 1, 2]),  # separators are not missed
        (b'[{"n":0}, oops, {"n":1}]', [0, Reason.INVALID_JSON, 1]),
        (b'[{"n":0}, NaN, {"n":NaN}, {"n":1}]', [0, Reason.INVALID_JSON, Reason.INVALID_JSON, 1]),
        (b'{"n":0}}\n{"n":1}', [0, Reason.INVALID_JSON, 1]),
        (b'{"n":0}]\n{"n":1}', [0, Reason.INVALID_JSON, 1]),
        (b'12:30 INFO a "b\n{"n":0}\nTrace: x\n{"n":1}', [Reason.INVALID_JSON, 0, Reason.INVALID_JSON, 1]),
        (b'{"n":0}\n\0\0\0\0\0\0', [0, Reason.INVALID_JSON]),
        (b'{"n":0}\n{"text":"a\0b"}\n{"n":1}', [0, Reason.INVALID_JSON, 1]),
        # A writer died in the middle of a record, and another went on.
        (b'{"n":0}\n{"text":"cut of\n{"n":1}\n{"n":2}', [0, Reason.INVALID_JSON, 1, 2]),
        (b'{"n":0}\n{"a":{"b":1\n{"n":1}\n{"n":2}', [0, Reason.INVALID_JSON, 1, 2]),
        (b'{"n":0}\n{"a":"x", "b":\n{"n":1}\n{"n":2}', [0, Reason.INVALID_JSON, 2]),
        (b'[\n {"n":0},\n {"text":"no end},\n {"n":1},\n {"n":2}\n]', [0, Reason.INVALID_JSON, 1, 2]),
        (b'[{"a":[1,2}, {"n":1}]\n{"n":2}', [Reason.INVALID_JSON, 2, Reason.FILE_UNREADABLE]),
    ],
)
def test_broken_documents_give_what_can_be_read_and_name_the_rest(read, data, expected):
    records = read(data)
    found = [r or json.loads(raw.data)["n"] for raw, r in zip(records, reasons(records), strict=True)]
    assert found == expected


def test_the_finding_about_an_array_that_is_not_closed_says_how_far_the_file_was_read(read):
    data = b'[{"n":0}, {"n":1}'
    finding = read(data)[-1]
    assert (finding.line, finding.byte_offset) == (0, len(data))
    assert finding.place("a.json").sha256 == sha256(data).hexdigest()


def test_nesting_a_hundred_thousand_deep_is_one_record(read):
    deep = b"[" * 100_000 + b"]" * 100_000
    records = read(b"[" + deep + b',{"n":1}]', limit=1 << 20)
    assert reasons(records) == [Reason.RECORD_TOO_DEEP, None]
    assert reasons(read(b'{"a":' * 100_000, limit=1 << 20)) == [Reason.RECORD_TOO_DEEP]


def test_a_compressed_document_that_is_cut_is_read_up_to_there(read):
    data = json.dumps([{"n": n, "pad": sha256(b"%d" % n).hexdigest()} for n in range(5000)]).encode()
    whole = read(gzip.compress(data), name="a.json.gz")
    *before, finding = read(gzip.compress(data)[:-50_000], name="a.json.gz")
    assert before == whole[: len(before)]
    assert 1000 < len(before) < 4500
    assert finding.refusal.reason is Reason.FILE_UNREADABLE
    assert finding.byte_offset >= before[-1].byte_offset


def test_wanted_records_of_a_compressed_document_are_found_by_counting(read):
    data = gzip.compress(b'[{"n":0},{"n":1},{"n":2}]')
    records = read(data, name="a.json.gz")
    assert read(data, name="a.json.gz", wanted=[Spot(2, 9, 7)]) == records[1:2]
