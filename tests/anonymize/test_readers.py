"""Readers of names around models of other libraries, chosen by the policy."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from anonymize import Deidentifier, Item, Policy, PseudonymKey
from anonymize.names.readers import reader_of
from anonymize.view import View
from schemas.errors import AnonymizeError

KINDS = ["PERSON", "LOCATION", "ORGANIZATION"]


class FakeGliner:
    """The interface of GLiNER that is used: a model that knows two names."""

    @classmethod
    def from_pretrained(cls, name: str, *, local_files_only: bool) -> "FakeGliner":
        assert local_files_only
        if name != "known":
            raise OSError(name)
        return cls()

    def batch_predict_entities(
        self, texts: list[str], labels: list[str], threshold: float
    ) -> list[list[dict[str, Any]]]:
        assert labels == ["person", "location", "organization"]
        assert 0 < threshold < 1
        values = {"Ondalys Frew": "person", "魏澜": "person", "qty": "colour"}
        return [
            [{"start": t.index(v), "end": t.index(v) + len(v), "label": label} for v, label in values.items() if v in t]
            for t in texts
        ]


@pytest.fixture
def gliner(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("gliner")
    module.GLiNER = FakeGliner  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "gliner", module)


@pytest.mark.usefixtures("gliner")
def test_a_gliner_model_reads_both_languages(key: PseudonymKey) -> None:
    door = Deidentifier(key, Policy(english_model="gliner:known", chinese_model="gliner:known"))
    one, two = door.deidentify([Item("s", "Then Ondalys Frew took the qty of three."), Item("t", "昨天魏澜没来")])
    assert "Frew" not in (one.text or "")
    assert "qty of three" in (one.text or "")
    assert "魏澜" not in (two.text or "")


@pytest.mark.usefixtures("gliner")
@pytest.mark.parametrize("model", ["gliner:unknown", "hf:./no/such/folder"])
def test_a_model_that_is_not_here_stops_at_the_start(model: str) -> None:
    with pytest.raises(AnonymizeError, match="cannot be loaded"):
        reader_of("en", Policy(english_model=model))


def test_a_library_that_is_not_here_stops_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gliner", None)
    with pytest.raises(AnonymizeError, match="gliner"):
        reader_of("zh", Policy(chinese_model="gliner:known"))


@pytest.mark.slow
def test_a_token_classifier_reads_names(tmp_path: Path) -> None:
    """A model so small that it can be made here: it calls every word a person, and the rules keep the names."""
    import torch
    from transformers import BertConfig, BertForTokenClassification, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "then", "took", "three", "of", "them", "."]
    (tmp_path / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    BertTokenizerFast(vocab=str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    config = BertConfig(
        vocab_size=len(words), hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8,
        id2label={0: "O", 1: "B-PER"}, label2id={"O": 0, "B-PER": 1},
    )  # fmt: skip
    model = BertForTokenClassification(config)
    with torch.no_grad():
        model.classifier.weight.zero_()
        model.classifier.bias.copy_(torch.tensor([-9.0, 9.0]))
    model.save_pretrained(tmp_path)
    reader = reader_of("en", Policy(english_model=f"hf:{tmp_path}"))
    text = "Then Quenby took three of them."
    found = reader.analyze_many([View.of(text)], KINDS)[0]
    assert "Quenby" in {text[r.start : r.end] for r in found}
