import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anonymize import Deidentifier, Item, Policy, PseudonymKey
from anonymize.view import View
from schemas.errors import AnonymizeError
from schemas.reasons import Reason

TAG = re.compile(r"<[A-Z_]+_[a-z2-7]{8}>")
PIECES = st.sampled_from(
    ["I am Alex Rivera", "王小明", "13800138000", "a.b@example.com", "<PERSON_1>", "<EMAIL_abcd2345>", " ", "\n",
    "，", "的", "密码", "：", "@", "::",
     "4111 1111 1111 1111", "Mr ", "Smith", "住在", "杭州市文三路1号", "https://a.example/u/joe?token=abcdef1",
     "\u200b", "\ud800", "ＡＢ", "\U0001f600", "name: ", "x", "1", "-", "'s"]
)  # fmt: skip
ADVERSE = ["a1-b2.", "7", "7 ", "@", "[", "<", ".", ":", "\n", " ", "a@", "`", "Ab ", "-", "/", "\u200b"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, max_size=12).map("".join))
def test_de_identified_text_passes_unchanged(door: Deidentifier, text: str) -> None:
    once = door.deidentify([Item("s", text)])[0].text
    assert once is not None
    again = door.deidentify([Item("s", once)])[0]
    assert again.text == once
    assert again.counts == {}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, max_size=10).map("".join))
def test_what_is_between_tags_is_the_original(door: Deidentifier, text: str) -> None:
    masked = door.deidentify([Item("s", text)])[0].text
    assert masked is not None
    at = 0
    for piece in TAG.split(masked):
        found = text.find(piece, at)
        assert found >= 0
        at = found + len(piece)


def test_order_and_batching_do_not_matter(door: Deidentifier) -> None:
    items = [
        Item("a", "I am Alex Rivera"),
        Item("a", "ALEX RIVERA called"),
        Item("b", "Alex Rivera"),
        Item("b", "我叫王小明"),
        Item("b", "王小明来了"),
    ]
    together = dict(zip(items, door.deidentify(items), strict=True))
    assert dict(zip(reversed(items), door.deidentify(items[::-1]), strict=True)) == together
    for scope in "ab":
        own = [i for i in items if i.scope == scope]
        assert door.deidentify(own) == [together[i] for i in own]
    assert door.deidentify([items[0], items[0]]) == [door.deidentify([items[0]])[0]] * 2


def test_one_person_is_one_tag_and_two_are_two(door: Deidentifier) -> None:
    first, second = door.deidentify([Item("c", "Alex met Bo. Alex left."), Item("c", "ALEX called")])
    tags = TAG.findall(first.text or "")
    assert len(tags) == 3
    assert tags[0] == tags[2] != tags[1]
    assert TAG.findall(second.text or "") == [tags[0]]


def test_scopes_do_not_link(door: Deidentifier) -> None:
    one, other = door.deidentify([Item("a", "a.b@example.com"), Item("b", "a.b@example.com")])
    assert one.text != other.text


def test_a_name_found_once_is_masked_in_the_whole_scope(door: Deidentifier) -> None:
    _, plain, elsewhere = door.deidentify([Item("d", "我叫欧阳晓晓"), Item("d", "晚上欧阳晓晓吃饭"), Item("e", "x")])
    assert "欧阳晓晓" not in (plain.text or "")
    assert elsewhere.text == "x"


def test_a_value_found_once_is_masked_in_the_whole_scope(door: Deidentifier) -> None:
    _, bare, number = door.deidentify(
        [
            Item("d2", "我的微信号是hill_walker88，QQ 3012345678"),
            Item("d2", "真发给hill_walker88他会拉黑我"),
            Item("d2", "3012345678搜不到"),
        ]
    )
    assert "hill_walker88" not in (bare.text or "")
    assert "3012345678" not in (number.text or "")


def test_a_given_name_is_masked_where_the_full_name_is_known(door: Deidentifier) -> None:
    _, later = door.deidentify([Item("d3", "媳妇叫尉迟小满"), Item("d3", "小满的妈妈也来了")])
    assert "小满" not in (later.text or "")


@pytest.mark.parametrize("others", [0, 60])
def test_a_name_is_found_again_among_few_names_and_among_many(door: Deidentifier, others: int) -> None:
    crowd = [Item("s", f"My name is Quen{a}{b} Abara{b}.") for a in "abcdefgh" for b in "klmnopqr"][:others]
    texts = ["My name is Odalys Quint.", "so odalys  quint and ODALYS left, Odalysque stayed", "Quint\nsaid no"]
    results = door.deidentify([Item("s", text) for text in texts] + crowd)
    again, alone = results[1].text or "", results[2].text or ""
    assert len(TAG.findall(again)) == 2
    assert "Odalysque" in again
    assert len(TAG.findall(alone)) == 1


def test_a_long_text_says_of_each_name_where_it_stood(door: Deidentifier) -> None:
    text = "王明，李强，" * 2_000
    found = door.explain([Item("e", text)])[0][1]
    assert {text[f.start : f.end] for f in found} == {"王明", "李强"}
    assert len(found) == 4_000


def test_the_longer_name_wins_over_a_part_that_a_rule_saw(door: Deidentifier) -> None:
    masked = door.deidentify([Item("d4", "楼上的吴建民家漏水。吴建民这人真离谱")])[0].text
    assert re.fullmatch(r"楼上的(<PERSON_\w{8}>)家漏水。\1这人真离谱", masked or "")


def test_labels_lose_identifiers_and_nothing_else(door: Deidentifier) -> None:
    labels = ["aster-2", "gpt-4o-2024-08-06", "web-chat", "Claude", "tuned-by a.b@example.com"]
    *kept, masked = door.mask_labels(labels)
    assert kept == labels[:-1]
    assert re.fullmatch(r"tuned-by <EMAIL_\w{8}>", masked)


def test_a_label_that_cannot_be_scanned_is_withheld(door: Deidentifier, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door._engine, "_rules", [None])
    assert re.fullmatch(r"<SECRET_\w{8}>", door.mask_labels(["a.b@example.com"])[0])


def test_a_literal_placeholder_is_nobody(door: Deidentifier) -> None:
    one, two = door.deidentify([Item("f", "<PERSON_1> is my template variable"), Item("f", "我叫张三")])
    assert one.text == "<PERSON_1> is my template variable"
    assert "<PERSON_1>" not in (two.text or "")
    assert "张三" not in (two.text or "")


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("重量㎏，电话13800138000", r"重量㎏，电话<PHONE_\w{8}>"),
        (
            "\U0001f600\U0001f469\u200d\U0001f4bb mail a.b@example.com ok",
            "\U0001f600\U0001f469\u200d\U0001f4bb mail <EMAIL_\\w{8}> ok",
        ),
        ("tel 2025550143, ok", r"tel <PHONE_\w{8}>, ok"),
        ("x 4111 1111 1111 1111.com y", r"x <CREDIT_CARD_\w{8}>.*y"),
        (
            "Please 帮我给 Alex Rivera 和王小明发邮件, thanks",
            r"Please 帮我给 <PERSON_\w{8}> 和<PERSON_\w{8}>发邮件, thanks",
        ),
    ],
)
def test_exactly_the_value_gives_way(mask: Callable[[str], str], text: str, pattern: str) -> None:
    assert re.fullmatch(pattern, mask(text))


def test_a_long_text_is_scanned_to_its_last_line(door: Deidentifier) -> None:
    text = "plain words here. " * 66_667 + "\nli.si@example.com"
    masked = door.deidentify([Item("g", text)])[0].text
    assert masked is not None
    assert re.fullmatch(r"<EMAIL_\w{8}>", masked[-16:])


def test_a_text_beyond_the_limit_is_withheld(door: Deidentifier, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door._engine, "_policy", Policy(max_chars=10))
    long, short = door.deidentify([Item("h", "x" * 11), Item("h", "x" * 10)])
    assert (long.text, long.counts, long.reason) == (None, {}, Reason.NOT_SCANNED)
    assert short.text == "x" * 10


def test_a_fault_withholds_its_item_only(door: Deidentifier, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = door._engine._rules[0]
    whole = rule.scan

    def faulty(view: View, entities: frozenset[str]) -> list:
        if "boom" in view.text:
            raise ValueError("made to fail")
        return whole(view, entities)

    monkeypatch.setattr(door._engine, "_always", [*door._engine._always, 0])
    monkeypatch.setattr(rule, "scan", faulty)
    bad, good = door.deidentify([Item("i", "boom a.b@example.com"), Item("i", "a.b@example.com")])
    assert (bad.text, bad.reason) == (None, Reason.NOT_SCANNED)
    assert good.reason is None


def test_a_fault_of_a_model_withholds_its_item_only(door: Deidentifier, monkeypatch: pytest.MonkeyPatch) -> None:
    model = door._engine._models[0]
    whole = model.analyze_many

    def faulty(views: list, entities: list[str]) -> list:
        if any("Boom" in v.text for v in views):
            raise RuntimeError("made to fail")
        return whole(views, entities)

    monkeypatch.setattr(model, "analyze_many", faulty)
    bad, good = door.deidentify([Item("i", "Boom"), Item("i", "fine")])
    assert (bad.text, bad.reason) == (None, Reason.NOT_SCANNED)
    assert good.text == "fine"


@pytest.mark.parametrize("unit", ADVERSE)
def test_monotonous_text_is_scanned(door: Deidentifier, unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    assert door.deidentify([Item("j", text)])[0].reason is None


def test_every_entity_has_a_server(door: Deidentifier) -> None:
    served = door.describe()
    assert set(served) == set(Policy().masked)
    assert all(served.values())


def test_organisations_stay_where_the_policy_says_so() -> None:
    assert "ORGANIZATION" not in Policy(mask_organizations=False).masked


@pytest.mark.parametrize(
    "make",
    [
        lambda: Policy(entities=("PERSON", "SHOE_SIZE")),
        lambda: Policy(entities=()),
        lambda: Policy(chinese_model="other"),
    ],
)
def test_a_policy_that_nothing_serves_is_refused(make: Callable[[], Policy]) -> None:
    with pytest.raises(AnonymizeError):
        make()


def test_a_missing_model_stops_at_the_start(key: PseudonymKey) -> None:
    with pytest.raises(AnonymizeError):
        Deidentifier(key, Policy(english_model="no_such_model"))


def test_two_processes_agree_and_importing_is_light(door: Deidentifier, key: PseudonymKey) -> None:
    items = [["k", "我叫王小明, call 202-555-0143"], ["k", "Alex Rivera lives in Dundee"]]
    code = (
        "import sys, json; import anonymize\n"
        "heavy = [m for m in ('spacy', 'presidio_analyzer', 'onnxruntime') if m in sys.modules]\n"
        f"door = anonymize.Deidentifier(anonymize.PseudonymKey(bytes.fromhex('{key.secret.hex()}')))\n"
        f"print(json.dumps([heavy, [r.text for r in door.deidentify([anonymize.Item(*i) for i in {items!r}])]]))"
    )
    root = Path(__file__).parents[2]
    env = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": str(root)}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env, cwd=root)
    heavy, texts = json.loads(out.stdout.splitlines()[-1])
    assert heavy == []
    assert texts == [r.text for r in door.deidentify([Item(*i) for i in items])]
