"""What is done faster for many is what is done for few, and a match is what RE2's own wrapper says it is."""

import re2
from hypothesis import given
from hypothesis import strategies as st

from anonymize.matching import Compiled
from anonymize.names.spread import _occurrences
from anonymize.recognizers.base import within_bytes, within_text
from anonymize.spans import Found, _resolve, _resolve_many
from anonymize.tags import tag_spans
from anonymize.view import LONG, View

PATTERNS = ["a", "a*", "(a)|(b)", "王(明)?", "(?:^|[^a])(b+)(c)?", "$", "é|(a)b"]
TEXTS = st.text(alphabet="abc王明é😀 \n", max_size=30)
TAGS = ["<PERSON_abcdefgh>", "<A_a>", "<EMAIL_abcd2345>", "<X_abcdefgh1>", "_abcdefgh>", "<", "a", "é", "王", "\u200b"]
FOUND = st.builds(
    lambda start, length, entity, score: Found(start, start + length, entity, score, "R"),
    st.integers(0, 40),
    st.integers(1, 6),
    st.sampled_from(["PERSON", "EMAIL"]),
    st.sampled_from([0.6, 0.9]),
)


@given(st.sampled_from(PATTERNS), TEXTS, st.integers(0, 30), st.integers(0, 30))
def test_matches_are_those_of_the_package(pattern: str, text: str, low: int, high: int) -> None:
    theirs, ours = re2.compile(pattern), within_text(pattern)
    for sought in ((text,), (text, low, high)):
        expected = [
            (m.span(), m.group(), *(m.span(n) for n in range(1, ours.groups + 1))) for m in theirs.finditer(*sought)
        ]
        found = ours.finditer(*sought)
        assert [(m.span(), m.group(), *(m.span(n) for n in range(1, ours.groups + 1))) for m in found] == expected
    whole = [m.span() for m in theirs.finditer(text)]
    assert [m.span() for m in ours.over(text, text.encode())] == whole
    for act in ("search", "match", "fullmatch"):
        one, other = getattr(theirs, act)(text), getattr(ours, act)(text)
        assert (one is None) == (other is None)
        assert one is None or one.span() == other.span()


def test_bytes_are_sought_in_bytes() -> None:
    pattern = within_bytes(r"\xC8+")
    assert isinstance(pattern, Compiled)
    assert pattern.findall(b"a\xc8\xc8b\xc8") == [b"\xc8\xc8", b"\xc8"]
    assert pattern.found_in(b"abc") is None


@given(st.lists(FOUND, max_size=25), st.lists(st.integers(0, 40), unique=True, max_size=6))
def test_many_findings_are_settled_as_few_are(found: list[Found], cuts: list[int]) -> None:
    text, ends = "abc, 王" * 10, sorted(cuts)
    tags = list(zip(ends[::2], ends[1::2], strict=False))
    assert not found or _resolve_many(text, sorted(found), tags) == _resolve(text, sorted(found), tags)


@given(st.lists(st.sampled_from(TAGS), max_size=12))
def test_hidden_spans_of_short_texts_look_alike_in_each_script(parts: list[str]) -> None:
    text = "".join(parts)
    view = View.of(text, tag_spans(text))
    beside = View.of(text + "é", tag_spans(text + "é"))  # never ASCII, and so folded by the tables
    assert (beside.text[:-1], beside.skeleton[:-1]) == (view.text, view.skeleton)


@given(st.lists(st.sampled_from(TAGS), max_size=12))
def test_a_tag_of_a_long_text_is_the_same_mark(parts: list[str]) -> None:
    text = "".join(part for part in parts if part != "_abcdefgh>")
    spans = tag_spans(text)
    short, long = View.of(text, spans), View.of(text + " " * LONG, spans)
    assert len([c for c in long.text if c in "\ufff9\ufffc"]) == len(spans)
    assert long.text.count("\ufff9") == sum(text[end - 10] == "_" for _, end in spans)
    assert ("\ufff9" in short.text, "\ufffc" in short.text) == ("\ufff9" in long.text, "\ufffc" in long.text)


@given(st.text(alphabet="ab \n", max_size=30), st.sampled_from(["a", "ab", "a b", "aa"]))
def test_occurrences_stand_where_they_are_said_to(text: str, form: str) -> None:
    starts, ends = _occurrences(text, form)
    assert all(text[a:b].split() == form.split() for a, b in zip(starts, ends, strict=True))
    assert " " in form or len(starts) == text.count(form)
