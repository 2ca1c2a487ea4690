"""Entries of the cue lexicons, each with sentences that it is for and ones that only look like it."""

from pathlib import Path

import pytest
import yaml
from talks import pair_verdicts

from signals.reactions import features, phrases
from signals.text.fold import fold
from signals.text.lexicon import lexicon

WRITTEN = yaml.safe_load((Path(__file__).parent / "cue_entries.yaml").read_text(encoding="utf-8"))
ENTRIES = {
    f"{name}.{group}.{entry}": sentences
    for name, groups in WRITTEN.items()
    for group, entries in groups.items()
    for entry, sentences in entries.items()
}


def found(entry, sentence):
    """Whether an entry of a lexicon finds a sentence, read as the signals read it."""
    name = entry.partition(".")[0]
    if name in ("complain", "dismiss", "guards"):
        return entry in phrases(sentence)
    return entry in {phrase.id for phrase in lexicon(name).find(fold(sentence))}


def test_every_entry_of_every_lexicon_has_its_sentences():
    assert set(ENTRIES) == {phrase.id for name in WRITTEN for phrase in lexicon(name).phrases}
    assert all(sentences["meant"] and sentences["alike"] for sentences in ENTRIES.values())


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_finds_what_it_is_for_and_not_what_looks_like_it(entry):
    assert [s for s in ENTRIES[entry]["meant"] if not found(entry, s)] == []
    assert [s for s in ENTRIES[entry]["alike"] if found(entry, s)] == []


def test_mockery_counts_as_no_praise_in_either_language():
    for text in ("真厉害，这么简单都能算错", "Great job, now you broke the whole page"):
        assert not any("guards.praise" in name for name in features(text))


@pytest.mark.parametrize(
    "text",
    ["不对，我说的是火车票", "不太满意", "我不是很喜欢", "没有用", "这样不行了", "说的不清楚了", "not very helpful",
     "that's not right", "this isn't great", "it doesnt help, not really useful", "这样对不对",
     "I don't think that's right", "not sure that's correct"],
)  # fmt: skip
def test_praise_that_is_denied_is_none(text):
    assert not any("guards.praise" in name for name in features(text))


@pytest.mark.parametrize(
    "text",
    ["对，就是这样", "不错", "很满意，不用再改", "不对的地方改好了，完美", "not bad at all, great", "没毛病",
     "that's right, I did not know", "works now, not a moment too soon", "特别好，特别满意", "好得不行，很好",
     "不是不好，很满意", "I don't think so, perfect"],
)  # fmt: skip
def test_praise_beside_a_denial_of_something_else_stays_praise(text):
    assert any("guards.praise" in name for name in features(text))


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
