"""Small logistic models whose coefficients stand in `models/*.json`: read, checked and applied with numpy alone."""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from schemas.errors import ConfigError
from signals.ngrams import BUCKETS, Weights, hashed

_FOLDER = Path(__file__).parent / "models"


@dataclass(frozen=True)
class Logistic:
    """A fitted model.

    Attributes:
        name: File name without its ending.
        version: Version of the coefficients; part of every signal's `rule_version`.
        intercept: Log-odds where every feature is 0.
        weights: Feature name to log-odds per unit.
        threshold: Threshold that cross-validation chose, precision favoured.
        buckets: Log-odds of the hashed parts of a text (`signals.ngrams.hashed`); null where it reads none.
    """

    name: str
    version: str
    intercept: float
    weights: Mapping[str, float]
    threshold: float
    buckets: Weights | None = None

    def probabilities(self, rows: Sequence[Mapping[str, float]], texts: Sequence[str] | None = None) -> list[float]:
        """Apply the model.

        Args:
            rows: Feature values; a feature that a row lacks is 0, one that the model does not know is ignored.
            texts: Folded texts, one a row, for a model that has `buckets`.

        Returns:
            Probabilities, rounded to six places so that they are the same on every machine.
        """
        odds = [self.intercept + sum(self.weights[k] * v for k, v in row.items() if k in self.weights) for row in rows]
        if self.buckets is not None and texts is not None:
            read = [hashed(text) for text in texts]
            odds = [z + float(self.buckets[at] @ value) for z, (at, value) in zip(odds, read, strict=True)]
        return [round(float(p), 6) for p in 1.0 / (1.0 + np.exp(-np.array(odds, dtype=np.float64)))]


@cache
def logistic(name: str) -> Logistic:
    """Load `models/NAME.json` once.

    Raises:
        ConfigError: The file is missing, or its numbers are not finite.
    """
    try:
        raw = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        model = Logistic(name, raw["version"], raw["intercept"], raw["weights"], raw["threshold"], _buckets(raw))
        sound = bool(np.all(np.isfinite([model.intercept, model.threshold, *model.weights.values()])))
    except (OSError, ValueError, KeyError, binascii.Error):
        sound = False
    if not sound:
        raise ConfigError(
            f"The model {name} cannot be read.",
            state="No signal was computed.",
            then="Restore signals/models/ from the package, or fit it anew with `make train`.",
        ) from None
    return model


def packed(weights: Weights) -> dict[str, float | str]:
    """Write bucket weights as whole steps from -127 to 127, in base 64.

    Args:
        weights: One weight a bucket.

    Returns:
        `step` and `weights`, as a model's file holds them.
    """
    step = max(round(float(np.abs(weights).max()) / 127, 6), 1e-6)
    steps = np.clip(np.round(weights / step), -127, 127).astype(np.int8)
    return {"step": step, "weights": base64.b64encode(steps.tobytes()).decode("ascii")}


def _buckets(raw: Mapping[str, Any]) -> Weights | None:
    if "hashed" not in raw:
        return None
    steps = np.frombuffer(base64.b64decode(raw["hashed"]["weights"], validate=True), dtype=np.int8)
    if len(steps) != BUCKETS:
        raise ValueError("buckets")
    found: Weights = steps.astype(np.float64) * float(raw["hashed"]["step"])
    return found
