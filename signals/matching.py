"""Which content words of two requests have no counterpart in the other, for many pairs at once.

A word counts as kept where the other request holds it, or a word that differs by spelling or inflection only. Words are
numbers here and pairs are rows of arrays: which word of which request is missing, which two missing words could be one
(by length and letters, which rule out nearly all of them), and only of what remains the characters are compared.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

_SAME_WORD = 75.0
_SHORT_WORD = 3
TOO_MANY = 400
_CHUNK = 1024

Ints = NDArray[np.int64]
# Numbers of rows and words of one chunk, and lengths of words: small, so that they stay near the processor.
Bits = NDArray[np.uint64]
Places = NDArray[np.int32 | np.int16]


def unmatched(left: Ints, right: Ints, contents: Sequence[frozenset[str]]) -> tuple[Ints, Ints]:
    """Count the content words of each side of each pair that the other side lacks.

    Args:
        left: Index into `contents` of the earlier request of each pair.
        right: The same of the later one.
        contents: Content words of each distinct request.

    Returns:
        Words of the earlier one without a counterpart, and words of the later one; shape (number of pairs,) each. A
        word of the earlier one that is longer than three characters is matched with the first of the later one, both
        in alphabetical order, that is at least 75 % alike, unless the two sides lack more than 400 combinations.
    """
    parts = [_of_chunk(left[at : at + _CHUNK], right[at : at + _CHUNK], contents) for at in range(0, len(left), _CHUNK)]
    if not parts:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    lost, gained = zip(*parts, strict=True)
    return np.concatenate(lost), np.concatenate(gained)


def _of_chunk(left: Ints, right: Ints, contents: Sequence[frozenset[str]]) -> tuple[Ints, Ints]:
    used, places = np.unique(np.concatenate([left, right]), return_inverse=True)
    bags = [contents[n] for n in used.tolist()]
    left, right = places[: len(left)], places[len(left) :]
    names = list(set().union(*bags))
    number = dict(zip(names, range(len(names)), strict=True))
    sizes = np.fromiter(map(len, bags), dtype=np.int32, count=len(bags))
    words = np.fromiter(map(number.__getitem__, chain.from_iterable(bags)), dtype=np.int32, count=int(sizes.sum()))
    holds = np.zeros((len(bags), max(len(names), 1)), dtype=bool)
    holds[np.repeat(np.arange(len(bags)), sizes), words] = True
    starts = np.cumsum(sizes, dtype=np.int32) - sizes

    def missing(of: Ints, beside: Ints) -> tuple[Places, Places]:
        """Pair and word of every word on one side that the other lacks."""
        pair, place = _spread(sizes[of], starts[of])
        word = words[place]
        absent = np.flatnonzero(~holds.ravel()[beside[pair] * holds.shape[1] + word])
        return pair[absent], word[absent]

    pair, lost = missing(left, right)
    other, gained = missing(right, left)
    n_lost, n_gained = np.bincount(pair, minlength=len(left)), np.bincount(other, minlength=len(left))
    lengths = np.fromiter(map(len, names), dtype=np.int16, count=len(names))
    few = n_lost * n_gained <= TOO_MANY
    mine, theirs = few[pair] & (lengths[lost] > _SHORT_WORD), few[other] & (lengths[gained] >= _SHORT_WORD)
    pair, lost, other, gained = pair[mine], lost[mine], other[theirs], gained[theirs]
    each = np.bincount(other, minlength=len(left)).astype(np.int32)
    index, across = _spread(each[pair], (np.cumsum(each, dtype=np.int32) - each)[pair])
    letters = _letters(names, lengths)
    near = _same_letters(letters[lost][index], lengths[lost][index], letters[gained][across], lengths[gained][across])
    index, across = index[near], across[near]
    twins = _twins(names, lost[index], gained[across])
    index, across = index[twins], across[twins]
    kept = _pair_off(names, pair[index], lost[index], gained[across], len(left))
    return n_lost - kept, n_gained - kept


def _spread(counts: Places, starts: Places) -> tuple[Places, Places]:
    """For each row its slice of something: the row and the place of every element."""
    row = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    shift = starts - (np.cumsum(counts, dtype=np.int32) - counts)
    return row, np.arange(len(row), dtype=np.int32) + shift[row]


def _same_letters(first: Bits, long: Places, second: Bits, short: Places) -> Ints:
    """Rows of word pairs of which neither lacks so many letters of the other that they could not be alike enough."""
    most = np.minimum(long - np.bitwise_count(first & ~second), short - np.bitwise_count(second & ~first))
    return np.flatnonzero(8 * most >= 3 * (long + short))


def _letters(names: Sequence[str], lengths: Places) -> Bits:
    """The characters of each word as bits of a number; characters that share a bit only rule out less."""
    if not names:
        return np.zeros(0, dtype=np.uint64)
    codes = np.frombuffer("".join(names).encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    found: Bits = np.bitwise_or.reduceat(
        np.uint64(1) << (codes & np.uint64(63)), np.cumsum(lengths, dtype=np.int64) - lengths
    )
    return found


def _twins(names: Sequence[str], first: Places, second: Places) -> NDArray[np.bool_]:
    """Whether the two words of each row are at least 75 % alike; each combination is compared once."""
    if not len(first):
        return np.zeros(0, dtype=bool)
    keys, where = np.unique(first.astype(np.int64) * len(names) + second, return_inverse=True)
    a, b = (keys // len(names)).tolist(), (keys % len(names)).tolist()
    alike = process.cpdist(
        [names[n] for n in a], [names[n] for n in b], scorer=fuzz.ratio, score_cutoff=_SAME_WORD, workers=1
    )
    found: NDArray[np.bool_] = (alike > 0)[where]
    return found


def _pair_off(names: Sequence[str], pair: Places, first: Places, second: Places, n: int) -> Ints:
    """How many words of each pair find a counterpart of their own."""
    counts = np.bincount(pair, minlength=n)
    several: dict[int, list[tuple[str, str]]] = {}
    open_ = counts[pair] > 1
    for row, a, b in zip(pair[open_].tolist(), first[open_].tolist(), second[open_].tolist(), strict=True):
        several.setdefault(row, []).append((names[a], names[b]))
    for row, twins in several.items():
        taken: tuple[set[str], set[str]] = set(), set()
        for one, other in sorted(twins):
            if one not in taken[0] and other not in taken[1]:
                taken[0].add(one)
                taken[1].add(other)
        counts[row] = len(taken[0])
    return counts
