"""What holds for every text: found by trying to break it."""

import os
import re
import subprocess
import sys
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anonymize import Deidentifier, Item, PseudonymKey

TAG = re.compile(r"<[A-Z_]+_[a-z2-7]{8}>")
VALUES = st.sampled_from(
    ["Ines Calloway", "ines calloway", "iNeS CaLLoWay", "INES CALLOWAY", "裴文静", "王经理", "老韩", "秀英",
     "阿依古丽·买买提",
     "138 0013\n8000", "１３８００１３８０００", "1\u200b3800138000", "q.w@host.example",
     "q.w @ host.example", "4111 1111\n1111 1111",
     "GB82WEST1234\n5698765432", "11010119\n900101000x", "203.0.113.9", "sk-abcdEFGH1234567890abcd",
     "/home/iwest01/x",
     "12 Maple Street, Apt 4\nDundee, NY 14837", "浙江省杭州市西湖区文三路138号2幢301室",
     "wichita falls", "Wollongong", "Norbury Ltd",
     "石家庄", "海川师范学院", "<EMAIL_abcd2345>", "<PERSON_1>"]
)  # fmt: skip
AROUND = st.sampled_from(
    ["my name is ", "name: ", "我叫", "收件人：", "from ", "住在", " and ", "和", "、", ", ", ": ",
      "\n", " ", "。", "“", "”", '"', "```\n", "| ",
     "\u0301", "e\u0301", "\U0001f469\u200d\U0001f4bb", "\U0001f1e8\U0001f1f3", "\u200f", "\ufe0f", "\ud83d",
      "㎏", "ﬁ", "İ", "ß", "\x00", "def f(x):",
     "https://a.example/?token=", "PIN ", "说", "的", "MR. ", "hi ", "@", "(", ")", "#", "$", "1", "x"]
)  # fmt: skip
TEXTS = st.lists(st.one_of(VALUES, AROUND, st.text(max_size=4)), max_size=14).map("".join)
EASY = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


@EASY
@given(TEXTS)
def test_masking_twice_is_masking_once(door: Deidentifier, text: str) -> None:
    once = door.deidentify([Item("s", text)])[0].text
    assert once is not None
    again = door.deidentify([Item("s", once)])[0]
    assert (again.text, again.counts) == (once, {})


@EASY
@given(TEXTS)
def test_what_is_not_masked_is_the_original_in_its_order(door: Deidentifier, text: str) -> None:
    masked = door.deidentify([Item("s", text)])[0].text
    assert masked is not None
    pieces = TAG.split(masked)
    assert text.startswith(pieces[0])
    assert text.endswith(pieces[-1])
    at = 0
    for piece in pieces:
        found = text.find(piece, at)
        assert found >= 0
        at = found + len(piece)


@EASY
@given(st.lists(TEXTS, min_size=2, max_size=4))
def test_a_result_depends_on_the_set_of_its_scope_alone(door: Deidentifier, texts: list[str]) -> None:
    items = [Item(str(number % 2), text) for number, text in enumerate(texts)]
    results = dict(zip(items, door.deidentify(items), strict=True))
    assert dict(zip(items[::-1], door.deidentify(items[::-1]), strict=True)) == results
    alone = [item for item in items if item.scope == "0"]
    assert door.deidentify(alone) == [results[item] for item in alone]


def test_processes_of_other_hash_seeds_agree(key: PseudonymKey) -> None:
    texts = [
        "Quill, Ines and Corwin met at Norbury Ltd in Wollongong; ines calloway called 202-555-0143.",
        "裴文静、戴畅和何晨去了石家庄，收件人：叶子，13800138000",
        "PRESENT: INES CALLOWAY\nInes: hello\nCorwin: hi",
    ]
    code = (
        "import json, anonymize\n"
        f"door = anonymize.Deidentifier(anonymize.PseudonymKey(bytes.fromhex('{key.secret.hex()}')))\n"
        f"print(json.dumps([r.text for r in door.deidentify([anonymize.Item('k', t) for t in {texts!r}])]))"
    )
    root = Path(__file__).parents[2]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
        ).stdout
        for seed in ("1", "4242")
    }  # fmt: skip
    assert len(outputs) == 1
