from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.spans import Found, resolve
from anonymize.tags import normalise, tag_spans
from anonymize.view import WRITTEN, View


@given(st.text(max_size=80))
def test_offsets_of_the_folded_text_map_into_the_original(text: str) -> None:
    view = View.of(text)
    assert len(view.text) == len(view.skeleton)
    edges = [view.span(i, i + 1) for i in range(len(view.text))]
    assert all(0 <= low < high <= len(text) for low, high in edges)
    assert edges == sorted(edges)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("ＡＢ１２", "AB12"),
        ("a\u200bb", "ab"),
        ("㎏", "㎏"),
        ("…", "…"),
        ("１３８－００", "138-00"),
        ("\ud800x", "\ufffdx"),
        ("：（）", ":()"),
    ],
)
def test_folding_keeps_one_character_for_one(text: str, folded: str) -> None:
    assert View.of(text).text == folded


def test_tags_are_hidden_from_recognizers() -> None:
    text = "to <EMAIL_abcd2345> now"
    view = View.of(text, tag_spans(text))
    assert "EMAIL" not in view.text
    assert len(view.text) == len(text)


def test_in_a_long_text_a_tag_is_one_character_and_what_follows_keeps_its_place() -> None:
    text = "ab <PERSON_abcd2345> cd " * 100
    view = View.of(text, tag_spans(text))
    assert len(view.text) == len("ab x cd ") * 100
    assert view.text[:8] == f"ab {WRITTEN} cd "
    start = view.text.rindex("cd")
    assert text[slice(*view.span(start, start + 2))] == "cd"


@pytest.mark.parametrize("text", ["<PERSON_1>", "<CN_RESIDENT_ID_abcd2345>", "<A_0>"])
def test_placeholders_of_any_origin_are_tags(text: str) -> None:
    assert tag_spans(f"x{text}y") == [(1, 1 + len(text))]


@pytest.mark.parametrize("text", ["<person_1>", "<PERSON>", "List<String_t", "<PERSON_1 >"])
def test_other_angle_brackets_are_no_tags(text: str) -> None:
    assert tag_spans(text) == []


@pytest.mark.parametrize(
    ("entity", "one", "other"),
    [
        ("PERSON", "ALEX  Rivera", "alex rivera"),
        ("PHONE", "138-0013-8000", "＋86 13800138000"),
        ("CREDIT_CARD", "4111 1111 1111 1111", "4111111111111111"),
        ("EMAIL", "A.B@Example.com", "a.b@example.com"),
        ("CN_RESIDENT_ID", "11010119900101000x", "11010119900101000X"),
    ],
)
def test_spellings_of_one_value_are_one(entity: str, one: str, other: str) -> None:
    assert normalise(entity, one) == normalise(entity, other)


def test_a_secret_is_itself_only() -> None:
    assert normalise("SECRET", "aB") != normalise("SECRET", "ab")


@given(
    st.lists(
        st.tuples(st.integers(0, 20), st.integers(1, 9), st.sampled_from("ABC"), st.sampled_from([0.5, 0.9])),
        max_size=8,
    ),
    st.randoms(),
)
def test_overlaps_become_disjoint_whatever_their_order(raw: list, random: object) -> None:
    text = "abcdefghijklmnopqrstuvwxyz0123456789"
    found = [Found(start, start + size, kind, score, "a rule") for start, size, kind, score in raw]
    spans = resolve(text, found, [])
    assert all(a.end <= b.start for a, b in pairwise(spans))
    random.shuffle(found)  # type: ignore[attr-defined]
    assert resolve(text, found, []) == spans
    covered = {i for s in spans for i in range(s.start, s.end)}
    assert covered <= {i for r in found for i in range(r.start, r.end)}


def test_patterns_are_compiled_in_one_place_where_they_are_silent_and_bounded() -> None:
    package = Path(__file__).parents[2] / "anonymize"
    compiling = {p.name for p in package.rglob("*.py") if "re2.compile" in p.read_text(encoding="utf-8")}
    assert compiling == {"base.py"}


def test_traditional_characters_are_read_as_simplified_ones_and_stay_in_the_text() -> None:
    view = View.of("張經理說後來乾隆")
    assert view.text == "张经理说后来乾隆"
    assert view.original == "張經理說後來乾隆"
