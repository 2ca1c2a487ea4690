"""A stream comes out de-identified, with everything that is not masked as it was."""

import io
import json

import pytest

from anonymize import Deidentifier, PseudonymKey
from pipelines.privacy.jsontext import is_named, slots_of
from pipelines.privacy.redact import redact
from pipelines.privacy.streams import Scopes, Shape, shape_of, units_of
from schemas.reasons import Reason

LIMIT = 1 << 20


@pytest.fixture(scope="module")
def door():
    return Deidentifier(PseudonymKey(bytes(range(64, 96))))


@pytest.fixture
def run(door):
    def go(data, shape, scopes=Scopes(), fields=(), limit=LIMIT, explain=False):  # noqa: B008 - a frozen value
        raw = data if isinstance(data, bytes) else data.encode()
        units = units_of(io.BytesIO(raw), shape, scopes, fields, limit)
        parts = list(redact(units, shape, door, explain=explain))
        text = "".join(p.text for p in parts)
        return text, [f for p in parts for f in p.found], [w for p in parts for w in p.withheld]

    return go


TEXT = "Dear Ms Harriet Osgood,\r\n\r\nwrite to a.b@example.com \U0001f600.\n\n电话13800138000，谢谢\nno end of line"
LINES = (
    '{"conversation_id": "c1", "n": 1.50, "content": "I am Joanna Lindqvist", "user": {"id": "a.b@example.com"}}\n'
    '{"conversation_id":"c1","tags":["call 13800138000",null],"content":"\\u7535\\u8bdd13800138000"}\n'
    "\n"
    '{"conversation_id": "c2", "content": "Joanna wrote", "content": "twice a.b@example.com"}\n'
)


def test_a_text_loses_its_values_and_nothing_else(run):
    text, _, withheld = run(TEXT, Shape.TEXT)
    assert withheld == []
    for value in ("Osgood", "a.b@example.com", "13800138000"):
        assert value not in text
    assert text.startswith("Dear Ms <PERSON_")
    assert ",\r\n\r\nwrite to <EMAIL_" in text
    assert "> \U0001f600.\n\n电话<PHONE_" in text
    assert text.endswith(">，谢谢\nno end of line")


def test_json_lines_keep_keys_numbers_spacing_and_spelling(run):
    text, _, withheld = run(LINES, Shape.JSONL)
    assert withheld == []
    first, second, empty, last = text.splitlines()
    assert first.startswith('{"conversation_id": "c1", "n": 1.50, "content": "I am <PERSON_')
    assert json.loads(first)["user"]["id"].startswith("<EMAIL_")
    assert second.startswith('{"conversation_id":"c1","tags":["call <PHONE_')
    assert ',null],"content":"\\u7535\\u8bdd<PHONE_' in second
    assert empty == ""
    assert last.count("a.b@example.com") == 0


@pytest.mark.parametrize(("data", "shape"), [(TEXT, Shape.TEXT), (LINES, Shape.JSONL)])
def test_de_identified_output_passes_unchanged(run, data, shape):
    once, found, _ = run(data, shape, explain=True)
    again, nothing, withheld = run(once, shape, explain=True)
    assert found
    assert (again, nothing, withheld) == (once, [], [])


def test_a_long_text_in_many_blocks_is_masked_to_its_end_and_passes_unchanged(run):
    data = "".join(f"line {n} of a long log, nothing special\n" + "\n" * (n % 7 == 0) for n in range(4000))
    once, _, _ = run(data + "li.si@example.com\n" + data, Shape.TEXT)
    assert "li.si@example.com" not in once
    assert once.replace("line", "x").count("\n") == 2 * data.count("\n") + 1
    assert run(once, Shape.TEXT)[0] == once


def test_a_value_has_one_tag_in_a_conversation_and_another_in_the_next(run):
    rows = [{"conversation_id": c, "content": "mail a.b@example.com"} for c in ("c1", "c1", "c2")]
    data = "".join(json.dumps(r) + "\n" for r in rows)
    one, two, other = (json.loads(line)["content"] for line in run(data, Shape.JSONL)[0].splitlines())
    assert one == two != other
    same = [json.loads(line)["content"] for line in run(data, Shape.JSONL, Scopes(fixed="all"))[0].splitlines()]
    assert len(set(same)) == 1


def test_a_conversation_may_be_named_by_another_field(run):
    rows = [{"thread": {"id": n}, "content": "mail a.b@example.com"} for n in (1, 1, 2)]
    data = "".join(json.dumps(r) + "\n" for r in rows)
    texts = [json.loads(x)["content"] for x in run(data, Shape.JSONL, Scopes(by="thread.id"))[0].splitlines()]
    assert texts[0] == texts[1] != texts[2]


def test_a_name_found_once_is_masked_in_the_whole_conversation(run):
    rows = [{"conversation_id": "c", "content": text} for text in ("我叫欧阳晓晓", "晚上欧阳晓晓吃饭")]
    text, _, _ = run("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), Shape.JSONL)
    assert "欧阳" not in text


def test_only_named_fields_are_touched(run):
    data = '{"content": "a.b@example.com", "meta": {"title": "c.d@example.com", "note": "e.f@example.com"}}\n'
    text, _, _ = run(data, Shape.JSONL, fields=("content", "meta.title"))
    assert "e.f@example.com" in text
    assert "a.b@example.com" not in text
    assert "c.d@example.com" not in text


def test_findings_say_where_and_by_which_rule_and_never_what(run):
    text = "Hello,\nI am Alex Rivera.\nMail \U0001f600 a.b@example.com"
    _, found, _ = run(text, Shape.TEXT, explain=True)
    lines = text.split("\n")
    by_type = {f.entity: f for f in found}
    assert lines[by_type["EMAIL"].line - 1][by_type["EMAIL"].start : by_type["EMAIL"].end] == "a.b@example.com"
    assert lines[by_type["PERSON"].line - 1][by_type["PERSON"].start : by_type["PERSON"].end] == "Alex Rivera"
    assert by_type["EMAIL"].rule == "EmailRecognizer"
    assert 0 < by_type["EMAIL"].score <= 1
    assert "Alex" not in repr(found)


def test_findings_keep_their_places_over_several_passes_and_from_elsewhere(door):
    from anonymize import Item

    texts = [
        "楼上的吴建民家漏水，电话13800138000。吴建民这人真离谱, a.b@example.com",
        "晚上吴建民吃饭，13800138000",
        "<PERSON_1>",
    ]
    items = [Item("places", t) for t in texts]
    explained = door.explain(items)
    assert [r for r, _ in explained] == door.deidentify(items)
    assert {f.rule for f in explained[1][1] if f.entity == "PERSON"} <= {"Spread", "ChineseNameRecognizer"}
    for text, (result, found) in zip(texts, explained, strict=True):
        rebuilt, at = [], 0
        for f in found:
            rebuilt.append(text[at : f.start])
            at = f.end
        kept = [*rebuilt, text[at:]]
        assert sum(result.counts.values()) == len(found)
        tags = result.text
        for piece in kept:  # what is between the findings is what is between the tags
            assert piece in tags
            tags = tags.partition(piece)[2] if piece else tags
    assert {text[f.start : f.end] for text, (_, found) in zip(texts, explained, strict=True) for f in found} == {
        "吴建民",
        "13800138000",
        "a.b@example.com",
    }


def test_what_cannot_be_scanned_is_withheld_and_named(run, door, monkeypatch):
    # A rule is only asked about texts in which its pattern occurs.
    rule = next(rule for rule in door._engine._rules if rule.supported_entities == ["EMAIL"])
    whole = rule.scan

    def faulty(view, entities):
        if "boom" in view.original:
            raise ValueError("made to fail")
        return whole(view, entities)

    monkeypatch.setattr(rule, "scan", faulty)
    text, _, withheld = run('{"a": "boom a.b@example.com", "b": "fine"}\n', Shape.JSONL)
    assert text == '{"a": null, "b": "fine"}\n'
    assert [(w.line, w.field, w.reason) for w in withheld] == [(1, "a", Reason.NOT_SCANNED)]
    text, _, withheld = run("boom\na.b@example.com\n", Shape.TEXT)
    assert text == "\n\n"
    assert [(w.line, w.reason) for w in withheld] == [(1, Reason.NOT_SCANNED)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"a": "\xff a.b@example.com"}\n', Reason.NOT_UTF8),
        (b'{"a": "a.b@example.com"\n', Reason.INVALID_JSON),
        (b"a.b@example.com\n", Reason.INVALID_JSON),
        (b"[" * 100_000 + b"\n", Reason.INVALID_JSON),
        (b'{"a": "' + b"x" * LIMIT + b'"}\n', Reason.RECORD_TOO_LARGE),
    ],
)
def test_a_line_that_is_no_record_is_withheld_and_the_rest_goes_on(run, line, reason):
    text, _, withheld = run(b'{"a": "one"}\n' + line + b'{"a": "two"}\n', Shape.JSONL)
    assert text == '{"a": "one"}\nnull\n{"a": "two"}\n'
    assert [(w.line, w.reason) for w in withheld] == [(2, reason)]


def test_a_line_of_a_text_that_is_not_utf8_is_withheld_alone(run):
    text, _, withheld = run(b"one\n\xff a.b@example.com\nthree", Shape.TEXT)
    assert text == "one\n\nthree"
    assert [(w.line, w.reason) for w in withheld] == [(2, Reason.NOT_UTF8)]


def test_a_json_document_is_read_as_a_whole(run):
    text, found, _ = run('{\n  "note": "\\u5f20",\n  "mail": "a.b@example.com"\n}\n', Shape.JSON, explain=True)
    assert text.startswith('{\n  "note": "\\u5f20",\n  "mail": "<EMAIL_')
    assert [(f.line, f.field) for f in found] == [(3, "mail")]


def test_lone_surrogates_and_quotes_come_out_as_valid_json(run):
    data = '{"a": "\\ud800 \\"a.b@example.com\\" \\\\", "b": "电话13800138000 \\ud800"}\n'
    text, _, _ = run(data, Shape.JSONL)
    value = json.loads(text)
    assert value["a"].startswith('\ud800 "<EMAIL_')
    assert value["a"].endswith('" \\')
    assert value["b"].endswith(" \ud800")


@pytest.mark.parametrize(
    ("name", "start", "shape"),
    [
        ("a.jsonl", b"", Shape.JSONL),
        ("a.NDJSON", b"", Shape.JSONL),
        ("a.json", b"[]", Shape.JSON),
        ("-", b'{"a": 1}\n', Shape.JSONL),
        ("-", b'\xef\xbb\xbf{"a": 1}\r\n', Shape.JSONL),
        ("-", b"{not json}\n", Shape.TEXT),
        ("a.log", b"plain words", Shape.TEXT),
        ("a.log", b"\xff\xfe", Shape.TEXT),
        ("a.txt", b"", Shape.TEXT),
    ],
)
def test_the_shape_of_an_input_is_known_by_its_name_or_first_line(name, start, shape):
    assert shape_of(name, start) is shape


def test_string_values_are_found_with_the_keys_that_lead_to_them():
    text = '{"a": "x", "b": {"c": ["y", {"d": "z", "e": ["w"]}], "f\\u0041": "v"}, "g": ":{,"}'
    _, slots = slots_of(text)
    assert [(s.field, s.value) for s in slots] == [
        ("a", "x"),
        ("b.c", "y"),
        ("b.c.d", "z"),
        ("b.c.e", "w"),
        ("b.fA", "v"),
        ("g", ":{,"),
    ]
    assert all(json.loads(text[s.start : s.end]) == s.value for s in slots)


@pytest.mark.parametrize(
    ("record", "scope"),
    [
        ({"conversation_id": "c", "source": "web"}, "conversation\x1fweb\x1fc"),
        ({"conversation_id": 1}, "conversation\x1fdefault\x1f1"),
        ({"conversation_id": 0, "source": 7}, "conversation\x1fdefault\x1f0"),
        ({"conversation_id": True}, "file"),
        ({"conversation_id": ""}, "file"),
        ({"conversation_id": ["c"]}, "file"),
        ({}, "file"),
        (["c"], "file"),
    ],
)
def test_the_scope_of_a_record_is_that_of_its_conversation(record, scope):
    assert Scopes().of(record) == scope


def test_fields_are_named_by_key_or_path():
    assert is_named("a.content", ("content",))
    assert is_named("content.parts", ("content",))
    assert is_named("x.meta.title", ("meta.title",))
    assert not is_named("metatitle", ("title",))
    assert not is_named("meta.x.title", ("meta.title",))
