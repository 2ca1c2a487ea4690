"""How near a message is in meaning to typical sentences of each kind, in any language that the encoder knows."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import yaml

from signals.encoder import Encoder

_FILE = Path(__file__).parent / "text" / "cues" / "prototypes.yaml"
_READ = 300
_NEAREST = 2


@cache
def sentences() -> dict[str, tuple[str, ...]]:
    """The typical sentences, by kind, in file order."""
    loaded = yaml.load(_FILE.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 -- strings only
    return {str(kind): tuple(map(str, group)) for kind, group in loaded.items()}


def nearness(texts: Sequence[str], encoder: Encoder, *, batch: int = 4096) -> list[dict[str, float]]:
    """Compare messages with the typical sentences.

    Args:
        texts: The users' own words; the first 300 characters are read.
        encoder: The encoder, already checked.
        batch: Texts a call.

    Returns:
        For each text, `near:KIND` to the mean cosine of the two nearest sentences; empty for a blank text.
    """
    kinds = {kind: encoder.encode(list(group)) for kind, group in sentences().items()}
    cut = [text[:_READ] for text in texts]
    distinct = sorted({text for text in cut if text.strip()}, key=lambda t: (len(t), t))
    known: dict[str, dict[str, float]] = {}
    for start in range(0, len(distinct), batch):
        part = distinct[start : start + batch]
        vectors = encoder.encode(part)
        near = {
            f"near:{kind}": np.sort(vectors @ group.T, axis=1)[:, -_NEAREST:].mean(axis=1)
            for kind, group in kinds.items()
        }
        for n, text in enumerate(part):
            known[text] = {kind: round(float(values[n]), 5) for kind, values in near.items() if np.isfinite(values[n])}
    return [known.get(text, {}) for text in cut]
