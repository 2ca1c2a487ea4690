"""Entries of the cue lexicon, each with a sentence that it is for and one that only looks like it."""

import pytest
from talks import pair_verdicts

from signals.reactions import features, phrases

ENTRIES = [
    ("verdict_en.wrong_alone", "wrong one, the other harbour", "which one is the wrong oneness theorem"),
    ("verdict_en.no_sense", "That joke doesn't make a lot of sense", "make a sense of scale visible in the map"),
    ("verdict_en.not_quite", "Almost right, but not quite", "we close at ten but open at six"),
    ("verdict_en.not_quite", "not quite what I had in mind", "a quiet harbour, not quiet streets"),
    ("dislike_en.dont_like", "I'm not really satisfied with the colours", "I'm not in the office today"),
    ("dislike_en.dont_like", "I'm not too fond of this ending", "he is not too fond of boats, write him a letter"),
    ("failure_zh.error", "输了密码一直转圈", "教我一直转体的动作"),
    ("failure_zh.error", "照你说的做了，没搜到", "没搜索过的词怎么办"),
    ("sarcasm_zh.sarcasm", "真厉害，这么简单都能算错", "太厉害了，这次都对"),
    ("sarcasm_zh.sarcasm", "佩服佩服", "我很佩服这位作者，介绍一下"),
]


@pytest.mark.parametrize(("entry", "meant", "alike"), ENTRIES)
def test_an_entry_finds_what_it_is_for_and_not_what_looks_like_it(entry, meant, alike):
    assert f"complain.{entry}" in phrases(meant)
    assert f"complain.{entry}" not in phrases(alike)


def test_mockery_counts_as_no_praise_in_either_language():
    for text in ("真厉害，这么简单都能算错", "Great job, now you broke the whole page"):
        assert not any("guards.praise" in name for name in features(text))


@pytest.mark.parametrize(
    ("text", "cued", "strongly"),
    [("ANSWER ME", 1.0, 1.0), ("that's too short", 1.0, 0.0), ("what a tide", 0.0, 0.0), ("你又错了", 1.0, 1.0)],
)
def test_any_cue_and_any_strong_one_are_features_of_their_own(text, cued, strongly):
    found = features(text)
    assert (found["cued"], found["cued_strongly"]) == (cued, strongly)


def test_a_comma_is_a_comma_however_it_is_written(use):
    asked = "写一段介绍灯塔的文字"
    said = ["不对，我要的是短的", "不对, 我要的是短的", "不对、我要的是短的"]
    found = pair_verdicts([(asked, text) for text in said], use)
    assert [found[asked, text]["complain"] for text in said] == [True, True, True]
