import numpy as np
import pytest

from signals.logistic import _buckets, packed
from signals.ngrams import BUCKETS, hashed
from signals.text.spoken_forms import spelled_out


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("thats not right", "that's not right"),
        ("you didnt read it", "you didn't read it"),
        ("这样对不对", "这样吗"),
        ("错误不对", "错误不对"),
    ],
)
def test_contractions_and_questions_are_spelled_out(written, meant):
    assert spelled_out(written) == meant
    assert spelled_out(meant) == meant


def test_tags_of_one_type_are_hashed_alike_and_names_differ():
    one, other = hashed("ask <person_x7k2mq> again"), hashed("ask <person_b4n8aa> again")
    assert np.array_equal(one[0], other[0])
    assert not np.array_equal(one[0], hashed("ask them again")[0])
    assert one[0].max() < BUCKETS


def test_an_empty_text_hashes_to_finite_values():
    at, value = hashed("")
    assert np.isfinite(value).all()
    assert len(at) == len(value)


def test_bucket_weights_survive_packing_to_within_a_step():
    weights = np.random.default_rng(3).normal(0, 0.2, BUCKETS)
    stored = packed(weights)
    back = _buckets({"hashed": stored})
    assert np.abs(back - weights).max() <= float(stored["step"])
