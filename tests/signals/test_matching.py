"""Counting in bulk the words that two requests do not share gives what comparing them one by one gives."""

import random

import numpy as np
import pytest
from rapidfuzz import fuzz

from signals.compare import compare
from signals.matching import unmatched
from signals.profile import profile

WORDS = [
    *("walk", "walked", "walking", "talk", "talks", "boil", "boils", "egg", "eggs", "eg", "colour", "color", "colours"),
    *("harbour", "harbor", "锅", "鸡", "rope", "ropes", "roped", "signalling", "signaling", "signal", "keeper", "keep"),
    *("tide", "tides", "tidal", "café", "cafe", "naive", "naïve", "a", "ab", "abc", "abcd", "abce"),
]


def one_by_one(earlier, later):
    """The definition, word by word."""
    lost, gained = sorted(earlier - later), sorted(later - earlier)
    n_lost, n_gained, free = len(lost), len(gained), list(gained)
    if n_lost * n_gained > 400:
        return n_lost, n_gained
    for word in lost:
        twin = next((o for o in free if len(word) > 3 and fuzz.ratio(word, o) >= 75), None)
        if twin:
            free.remove(twin)
            n_lost, n_gained = n_lost - 1, n_gained - 1
    return n_lost, n_gained


def test_bulk_counts_are_those_of_single_pairs():
    dice = random.Random(5)
    contents = [frozenset(dice.sample(WORDS, dice.randint(0, 12))) for _ in range(300)]
    contents += [frozenset(f"w{n}{m}" for m in range(25)) for n in range(4)]
    left, right = (np.array([dice.randrange(len(contents)) for _ in range(5000)]) for _ in range(2))
    lost, gained = unmatched(left, right, contents)
    expected = [one_by_one(contents[a], contents[b]) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
    assert list(zip(lost.tolist(), gained.tolist(), strict=True)) == expected
    assert any(len(contents[a] - contents[b]) > e[0] for a, b, e in zip(left, right, expected, strict=True))


def test_nothing_to_compare_gives_nothing():
    lost, gained = unmatched(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), [])
    assert len(lost) == len(gained) == 0


@pytest.mark.parametrize(
    ("earlier", "later", "kinds", "exact"),
    [
        ("Boil 2 eggs", "boil 2 eggs!", (), True),
        ("Boil 2 eggs", "Boil 3 eggs", ("number",), False),
        ("turn the lamp on", "turn the lamp off", (), False),
        ("switch on the lamp", "switch off the lamp", ("polarity",), False),
        ("diff main against dev", "diff dev against main", ("order",), False),
        ("use the red rope", "do not use the red rope", ("polarity",), False),
        ("!!!", "!!!", (), False),
    ],
)
def test_a_pair_compared_among_others_is_what_it_is_alone(earlier, later, kinds, exact):
    pair = profile(earlier), profile(later)
    others = [profile(text) for text in ("Name a tree", "name a tree that blooms", "列出三种树", "列出兩種樹")]
    many = compare([others[0], pair[0], others[2]], [others[1], pair[1], others[3]])
    alone = compare([pair[0]], [pair[1]])
    many.settle(np.arange(3))
    alone.settle(np.arange(1))
    assert many.of(1) == alone.of(0)
    assert (many.of(1).changed, many.of(1).exact) == (kinds, exact)
