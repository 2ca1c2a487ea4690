"""Small models: weights of their own for Chinese, and rows that each depend on themselves alone."""

import json

import pytest

from schemas.errors import ConfigError
from signals import logistic as module
from signals.logistic import Logistic, logistic

ENGLISH = Logistic("m", "1", 0.0, {"asks": 1.0}, 0.5, han=Logistic("m", "1", -1.0, {"asks": 3.0}, 0.3))


def test_chinese_words_are_judged_by_weights_and_threshold_of_their_own():
    rows, texts = [{"asks": 1.0}, {"asks": 1.0}], ["why", "为什么"]
    assert ENGLISH.probabilities(rows, texts) == [pytest.approx(0.731059), pytest.approx(0.880797)]
    assert ENGLISH.thresholds(texts) == [0.5, 0.3]


def test_one_chinese_word_in_an_english_message_makes_it_chinese():
    assert ENGLISH.thresholds(["what does 谢谢 mean"]) == [0.3]


def test_a_model_without_chinese_weights_judges_all_messages_alike():
    plain = Logistic("m", "1", 0.0, {"asks": 1.0}, 0.5)
    assert plain.probabilities([{"asks": 1.0}] * 2, ["why", "为什么"]) == [pytest.approx(0.731059)] * 2
    assert plain.thresholds(["why", "为什么"]) == [0.5, 0.5]


def test_a_feature_that_the_model_does_not_know_is_ignored():
    assert ENGLISH.probabilities([{"new": 9.0}], ["why"]) == [0.5]


@pytest.mark.parametrize("part", ["weights", "han"])
def test_numbers_that_are_not_finite_are_refused(tmp_path, monkeypatch, part):
    sound = {"version": "1", "intercept": 0.0, "threshold": 0.5, "weights": {"asks": 1.0}}
    raw = sound | {"han": dict(sound)}
    (raw if part == "weights" else raw["han"])["weights"] = {"asks": float("nan")}
    (tmp_path / "broken.json").write_text(json.dumps(raw), encoding="utf-8")
    monkeypatch.setattr(module, "_FOLDER", tmp_path)
    with pytest.raises(ConfigError, match="cannot be read"):
        logistic("broken")


@pytest.mark.parametrize("name", ["complain", "rephrase"])
def test_the_shipped_models_that_need_it_have_chinese_weights(name):
    assert logistic(name).han is not None
