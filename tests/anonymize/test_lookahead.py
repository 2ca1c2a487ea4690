"""What is looked up for many texts at once is what each text alone would say."""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anonymize import Deidentifier, Policy
from anonymize.lookahead import look_ahead
from anonymize.recognition import build_recognizers
from anonymize.recognizers.base import PATTERNS, RuleRecognizer, over_bytes, over_text
from anonymize.view import View

PIECES = st.sampled_from(
    [
        "Ines Calloway", "王经理", "收件人：赵敏慧", "13800138000", "１３８００１３８０００", "q.w@host.example",
        "4111 1111 1111 1111", "GB82WEST12345698765432", "203.0.113.9", "sk-abcdEFGH1234567890abcd", "/home/iwest01/x",
        "my name is ", "name: ", "12 Maple Street, Apt 4", "文三路138号2幢301室", "我妹妹丽华要", "Dr. May", "\n", " ",
        "，", ".", "密码：Zx9!kkqw", "born 3 March 1985", "@a_b_1", "https://a.example/?token=abc", "的",
        "<EMAIL_abcd2345>", "\u200b", "e\u0301", "\ud83d",
    ]
)  # fmt: skip
TEXTS = st.lists(st.lists(PIECES, max_size=6).map("".join), min_size=1, max_size=8)


@pytest.fixture(scope="module")
def rules(door: Deidentifier) -> list[RuleRecognizer]:
    del door  # its start registers all patterns
    registry = build_recognizers(Policy(languages=("en",)))
    return [r for r in registry.recognizers if isinstance(r, RuleRecognizer)]


def hits(rules: Sequence[RuleRecognizer], view: View) -> set[tuple[str, object]]:
    return {(rule.name, hit) for rule in rules for hit in (rule.find(view) if rule.may_find(view) else ())}


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(TEXTS)
def test_rules_find_the_same_with_and_without_looking_ahead(rules: list[RuleRecognizer], texts: list[str]) -> None:
    alone = [hits(rules, View.of(text)) for text in texts]
    views = [View.of(text) for text in texts]
    look_ahead(views)
    assert [hits(rules, view) for view in views] == alone


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (over_text(r"^a$"), {0}),
        (over_text(r"(?:^|[^b])c"), {2, 3}),
        (over_bytes(r"[^0-9]{3}7"), {4}),
        (over_text(r"d\b"), {5}),
        (over_text(r"e\nf"), {6}),
    ],
)
def test_ends_of_texts_are_as_ends_of_lines(pattern, found) -> None:
    views = [View.of(text) for text in ("a", "xa", "c", "bc c", "abc7", "d", "e\nf")]
    look_ahead(views)
    seen = {number for number, view in enumerate(views) if view.holds(pattern)}
    assert found <= seen
    assert {n for n, view in enumerate(views) if list(pattern.compiled.finditer(view.text))} <= seen


def test_a_pattern_made_later_is_sought_in_each_text() -> None:
    view = View.of("zebra 7")
    look_ahead([view])
    late = over_text("zebra")
    assert late.number == len(PATTERNS) - 1
    assert view.holds(late)
    assert len(list(view.matches(late))) == 1
