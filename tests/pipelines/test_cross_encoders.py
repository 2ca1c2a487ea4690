"""The tuned cross-encoder: a tiny one with random weights stands for what training makes."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from pipelines.cross_encoders import TunedCrossEncoder, joined, load_cross_encoder, tokens_of
from pipelines.settings import CROSS_ENCODER_CARD, load_settings
from schemas.errors import ConfigError
from signals.cross_encoder import JUDGED, SCRIPTS, Blend, Triple

pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

sys.path[:0] = [str(Path(__file__).parents[2] / folder) for folder in ("benchmarks", "samples")]
WORDS = [
    "no", "i", "asked", "for", "trains", "buses", "which", "go", "to", "leeds", "thank", "you", "the", "reply", "moon",
    "is", "far", "how",
]  # fmt: skip
NO = Triple("no i asked for trains", "which trains go to leeds", "the buses go")
THANKS = Triple("thank you", "how far is the moon", "the moon is far")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A base model of two small layers and a vocabulary of a few words."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    folder = tmp_path_factory.mktemp("base")
    vocabulary = {w: n for n, w in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        initializer_range=0.3,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def trained(base):
    """A tuner, and what it makes of two kinds of message."""
    from tuning import Tuner

    tuner = Tuner(base, len(JUDGED) + 1, epochs=8, rate=3e-3)
    read = tuner.read([NO, THANKS] * 40)
    truth = np.array([[1.0, 1.0, np.nan], [0.0, 0.0, 0.0]] * 40)
    return tuner, tuner.tune(read, truth, "test")


@pytest.fixture(scope="module")
def folder(trained, tmp_path_factory):
    """The folder that training writes."""
    from fit_cross_encoder import write

    tuner, model = trained
    out = tmp_path_factory.mktemp("models") / "cross-encoder"
    write(
        tuner,
        model,
        out,
        {signal: dict.fromkeys(SCRIPTS, Blend(0.1, 0.8, 0.3, 0.4)) for signal in JUDGED},
        {"sets": {}},
    )
    return out


def altered(folder, into, **card):
    """A copy of a folder whose card says something else."""
    for file in folder.iterdir():
        (into / file.name).write_bytes(file.read_bytes())
    known = json.loads((folder / CROSS_ENCODER_CARD).read_text())
    (into / CROSS_ENCODER_CARD).write_text(json.dumps(known | card))
    return into


def test_training_learns_to_tell_messages_apart_and_the_folder_says_the_same(trained, folder):
    tuner, model = trained
    wanted = tuner.odds(model, tuner.read([NO, THANKS]))[:, : len(JUDGED)]
    assert (wanted[0] > wanted[1]).all()
    loaded = TunedCrossEncoder(folder)
    assert loaded.encode([joined(NO), joined(THANKS)]) == pytest.approx(wanted, abs=1e-4)
    assert loaded.blends["complain"]["han"] == Blend(0.1, 0.8, 0.3, 0.4)
    assert len(loaded.revision) == 12


def test_training_the_same_twice_gives_the_same_but_for_rounding(trained):
    tuner, model = trained
    again = tuner.tune(tuner.read([NO, THANKS] * 40), np.array([[1.0, 1.0, np.nan], [0.0, 0.0, 0.0]] * 40), "again")
    read = tuner.read([NO, THANKS])
    assert tuner.odds(again, read) == pytest.approx(tuner.odds(model, read), abs=0.05)


def test_odds_depend_on_the_triple_alone(folder):
    loaded = TunedCrossEncoder(folder)
    alone = loaded.encode([joined(NO)])
    among = loaded.encode([joined(THANKS), joined(NO), joined(Triple("moon " * 300, "", ""))])
    assert np.array_equal(alone[0], among[1])


def test_of_long_texts_both_ends_are_read(base):
    tokenizer = transformers.AutoTokenizer.from_pretrained(base)
    long = " ".join(["no", *["the"] * 300, "leeds"])
    ids, kinds = tokens_of(tokenizer, Triple(long, long, long))
    assert len(ids) == len(kinds) <= 204
    assert tokenizer.convert_ids_to_tokens(ids).count("no") == 3
    assert tokenizer.convert_ids_to_tokens(ids).count("leeds") == 3


def test_a_kept_answer_is_the_answer(folder, tmp_path):
    odds = [load_cross_encoder(folder, tmp_path, size).odds([NO, THANKS, NO]) for size in (0, 1, 1)]
    assert np.array_equal(odds[0], odds[1])
    assert np.array_equal(odds[1], odds[2])
    assert list((tmp_path / "vectors").glob("*.sqlite"))


@pytest.mark.parametrize(
    ("card", "says"),
    [
        ({"weights": "0" * 64}, "weights that it was written with"),
        ({"known": [[["no", "no", "no"], [50.0, -50.0]]]}, "something else of known texts"),
        ({"known": []}, "something else of known texts"),
        ({"blends": {}}, "cannot be read"),
        ({"known": [[["no", "no", "no"], [1.0]]]}, "cannot be read"),
        ({"known": [[["no", "no"], [1.0, 1.0]]]}, "cannot be read"),
    ],
)
def test_a_folder_that_is_not_what_was_written_is_refused(folder, tmp_path, card, says):
    with pytest.raises(ConfigError, match=says) as refused:
        TunedCrossEncoder(altered(folder, tmp_path, **card))
    assert "make train-cross-encoder" in refused.value.then


def test_the_revision_follows_the_weights_and_how_its_word_is_weighed(folder, tmp_path):
    (tmp_path / "same").mkdir()
    (tmp_path / "other").mkdir()
    other = {signal: {script: asdict(Blend(0.1, 0.8, 0.3, 0.5)) for script in SCRIPTS} for signal in JUDGED}
    same, weighed = altered(folder, tmp_path / "same", note="x"), altered(folder, tmp_path / "other", blends=other)
    assert TunedCrossEncoder(same).revision == TunedCrossEncoder(folder).revision
    assert TunedCrossEncoder(weighed).revision != TunedCrossEncoder(folder).revision
    assert TunedCrossEncoder(weighed).digest == TunedCrossEncoder(folder).digest


def test_an_absent_folder_is_refused_and_none_is_none(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        load_cross_encoder(tmp_path / "absent", tmp_path, 0)
    assert load_cross_encoder(None, tmp_path, 0) is None


def test_the_digest_of_the_settings_follows_what_the_card_says_and_not_where_it_lies(folder, tmp_path):
    def digest(where):
        return load_settings({"cross_encoder": where}).settings.digest()

    (tmp_path / "same").mkdir()
    (tmp_path / "other").mkdir()
    none = load_settings().settings.digest()
    assert digest(folder) != none
    assert digest(altered(folder, tmp_path / "other", note="x")) != digest(folder)
    moved = tmp_path / "same" / CROSS_ENCODER_CARD
    moved.write_bytes((folder / CROSS_ENCODER_CARD).read_bytes())
    assert digest(moved.parent) == digest(folder)


def test_training_from_labelled_files_measures_and_writes_what_a_run_can_use(base, tmp_path, monkeypatch, capsys):
    import fit_cross_encoder
    from authored import read

    samples = Path(__file__).parents[2] / "samples"
    messages = [
        {"kind": "message", "conversation_id": told.id, "message_id": turn.id, "seq": n, "role": turn.role.value,
         "content": turn.text}
        for told in read(samples / "conversations")[0] if told.lang == "en" for n, turn in enumerate(told.turns)
    ]  # fmt: skip
    (tmp_path / "talk.jsonl").write_text("\n".join(map(json.dumps, messages)), encoding="utf-8")
    (tmp_path / "talk.labels.jsonl").write_bytes((samples / "labels.jsonl").read_bytes())
    out = tmp_path / "models" / "cross-encoder"
    for name in ("other.jsonl", "other.labels.jsonl"):
        (tmp_path / name).write_bytes((tmp_path / name.replace("other", "talk")).read_bytes())
    shared = ["fit", str(tmp_path), "talk", "--base", str(base), "--out", str(out)]
    monkeypatch.setattr(sys, "argv", shared)
    fit_cross_encoder.main()
    said = capsys.readouterr().out
    assert "| not seen | complain | both |" in said
    assert "rephrase, estimated / labelled: talk " in said
    card = json.loads((out / CROSS_ENCODER_CARD).read_text())
    assert set(card["provenance"]["sets"]) == {"talk.jsonl", "talk.labels.jsonl"}
    assert len(TunedCrossEncoder(out).revision) == 12
    monkeypatch.setattr(sys, "argv", [*shared, "--epochs", "1", "--frozen", "1", "--against", "other"])
    fit_cross_encoder.main()
    assert "| other | rephrase | both |" in capsys.readouterr().out
    assert json.loads((out / CROSS_ENCODER_CARD).read_text())["provenance"]["weighed_on"] == ["other"]
    assert len(TunedCrossEncoder(out).revision) == 12


@pytest.mark.parametrize("wrong", [["--against", "talk"], ["--aside", "other"]])
def test_sets_that_would_flatter_or_distort_the_weighing_are_refused_before_anything_is_read(tmp_path, wrong, capsys):
    import fit_cross_encoder

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["fit", str(tmp_path), "talk", *wrong])
        with pytest.raises(SystemExit):
            fit_cross_encoder.main()
    assert "--against" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_held_layers_keep_their_weights_and_the_whole_model_says_what_the_tuned_part_learnt(base, tmp_path, kind):
    import torch
    from tuning import Tuner

    if kind == "mpnet":
        config = transformers.MPNetConfig(
            vocab_size=len(WORDS) + 4, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
            initializer_range=0.3, pad_token_id=0,
        )  # fmt: skip
        transformers.MPNetModel(config).save_pretrained(tmp_path)
        transformers.AutoTokenizer.from_pretrained(base).save_pretrained(tmp_path)
        base = tmp_path
    before = transformers.AutoModel.from_pretrained(base).state_dict()
    tuner = Tuner(base, len(JUDGED) + 1, epochs=8, rate=3e-3, frozen=1)
    read = tuner.read([NO, THANKS] * 40)
    model = tuner.tune(read, np.array([[1.0, 1.0, np.nan], [0.0, 0.0, 0.0]] * 40), "test")
    after = model.encoder.state_dict()
    assert after.keys() == before.keys()
    changed = {name for name in after if not torch.equal(after[name], before[name])}
    assert changed
    assert all(name.startswith("encoder.layer.1.") for name in changed)
    odds = tuner.odds(model, read[:2])
    assert tuner.odds(model, read[1:2])[0] == pytest.approx(odds[1], abs=1e-4), "what pads a batch is not read"
    assert (odds[0, :2] > 1).all()
    assert (odds[1] < -1).all()


def test_a_base_of_which_nothing_would_be_tuned_is_refused(base):
    from tuning import Tuner

    tuner = Tuner(base, 1, frozen=2)
    with pytest.raises(SystemExit, match="2 layers"):
        tuner.tune(tuner.read([NO]), np.array([[1.0]]), "test")


def test_in_a_script_with_too_few_positives_the_small_model_judges_at_its_own_threshold():
    from foreseeing import Foreseen
    from halves import ENOUGH, blends_of

    from signals.logistic import logistic

    n = 4 * ENOUGH
    truth = np.arange(2 * n) % 2
    scripts = np.array(["other"] * n + ["han"] * n)
    truth[scripts == "han"] = 0
    odds = np.where(truth == 1, 1.0, -1.0) + np.arange(2 * n) % 7 / 4
    said = Foreseen(np.full(2 * n, "s"), np.arange(2 * n) % 2, scripts, truth, odds, odds[::-1])
    blends = blends_of("complain", said, 0.8)
    alone, both = blends["han"], blends["other"]
    assert (alone.intercept, alone.small, alone.close) == (0.0, 1.0, 0.0)
    assert [alone.threshold] == logistic("complain").thresholds(["\u4e2d"])
    assert both.small > 0.5
    assert alone.weigh(0.3, 5.0) == pytest.approx(0.3)
