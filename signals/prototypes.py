"""How near a message is in meaning to typical sentences of each kind, in any language that the encoder knows."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import yaml

from signals.encoder import Vectors
from signals.text.fold import fold

_FILE = Path(__file__).parent / "text" / "cues" / "prototypes.yaml"
_READ = 300
_NEAREST = 2


@cache
def sentences() -> dict[str, tuple[str, ...]]:
    """The typical sentences, by kind, in file order."""
    loaded = yaml.load(_FILE.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 -- strings only
    return {str(kind): tuple(map(str, group)) for kind, group in loaded.items()}


def nearness(texts: Sequence[str], vectors: Vectors) -> list[dict[str, float]]:
    """Compare messages with the typical sentences.

    Args:
        texts: The users' own words, folded; the first 300 characters are read.
        vectors: Vectors of texts.

    Returns:
        For each text, `near:KIND` to the mean cosine of the two nearest sentences; empty for a blank text.
    """
    kinds = {kind: vectors.of([fold(sentence) for sentence in group]) for kind, group in sentences().items()}
    cut = [text[:_READ] for text in texts]
    distinct = sorted({text for text in cut if text.strip()})
    # In 64 bits, since a product of 32 depends in its seventh digit on how many texts are multiplied at once.
    found = vectors.of(distinct).astype(np.float64)
    known: dict[str, dict[str, float]] = {text: {} for text in distinct}
    for kind, group in kinds.items():
        nearest = np.sort(found @ group.T, axis=1)[:, -_NEAREST:].mean(axis=1) if distinct else ()
        for text, value in zip(distinct, nearest, strict=True):
            if np.isfinite(value):
                known[text][f"near:{kind}"] = round(float(value), 5)
    return [known.get(text, {}) for text in cut]
