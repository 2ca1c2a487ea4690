"""Hashed words and character sequences of a message: what the learned part of Complain reads beside the cue phrases."""

import re
import zlib
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from signals.text.tokens import tokens

BUCKETS = 1 << 13
_READ = 300
_WORDS = 40
_LENGTHS = (3, 4)
# A comma with a space after it, as in English, and one without, as in Chinese, are one.
_AFTER_MARK = re.compile(r"(?<=[,;:!?。]) ")
_TAG = re.compile(r"<([a-z_]+)_[a-z0-9]+>")
# Against the other features, which lie between 0 and 1; cross-validated.
_SCALE = 8.0

Weights = NDArray[np.float64]


@lru_cache(maxsize=4096)
def hashed(folded: str) -> tuple[NDArray[np.int64], Weights]:
    """Hash a message.

    Args:
        folded: The user's own words, folded; the first 300 characters are read. A tag counts by its type.

    Returns:
        Distinct buckets below `BUCKETS` in order, and the value of each. Values of a message have the same length
        as those of any other, so that a long message says no more than a short one.
    """
    said = _AFTER_MARK.sub("", _TAG.sub(r"<\1>", folded))[:_READ]
    words = ["^", *tokens(said)[:_WORDS], "$"]
    text = f"^{said}$"
    parts = {f"1{w}" for w in words[1:-1]} | {f"2{a} {b}" for a, b in pairwise(words)}
    for n in _LENGTHS:
        parts |= {f"c{text[k : k + n]}" for k in range(len(text) - n + 1)}
    sums: dict[int, float] = {}
    value = _SCALE / len(parts) ** 0.5
    for part in parts:
        digest = zlib.crc32(part.encode())
        bucket = digest % BUCKETS
        # Two parts in one bucket shall cancel as often as they add up.
        sums[bucket] = sums.get(bucket, 0.0) + (value if digest >> 31 else -value)
    order = sorted(sums)
    return np.array(order, dtype=np.int64), np.array([round(sums[b], 9) for b in order])
