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
from signals.text.fold import has_han

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
        han: The model of Chinese messages, where they are weighed otherwise.
    """

    name: str
    version: str
    intercept: float
    weights: Mapping[str, float]
    threshold: float
    buckets: Weights | None = None
    han: "Logistic | None" = None

    def probabilities(self, rows: Sequence[Mapping[str, float]], texts: Sequence[str]) -> list[float]:
        """Apply the model.

        Args:
            rows: Feature values; a feature that a row lacks is 0, one that the model does not know is ignored.
            texts: The user's own words, folded, one a row: their script says which weights count, and a model that has
                `buckets` reads them.

        Returns:
            Probabilities, rounded to six places so that they are the same on every machine.
        """
        odds = [self._of(text)._odds(row, text) for row, text in zip(rows, texts, strict=True)]
        return [round(float(p), 6) for p in 1.0 / (1.0 + np.exp(-np.array(odds, dtype=np.float64)))]

    def thresholds(self, texts: Sequence[str]) -> list[float]:
        """Least probability of a detection for each text."""
        return [self._of(text).threshold for text in texts]

    def _of(self, text: str) -> "Logistic":
        return self.han if self.han is not None and has_han(text) else self

    def _odds(self, row: Mapping[str, float], text: str) -> float:
        odds = self.intercept + sum(self.weights[k] * v for k, v in row.items() if k in self.weights)
        if self.buckets is None:
            return odds
        at, value = hashed(text)
        return odds + float(self.buckets[at] @ value)


@cache
def logistic(name: str) -> Logistic:
    """Load `models/NAME.json` once.

    Raises:
        ConfigError: The file is missing, or its numbers are not finite.
    """
    try:
        raw = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        han = _read(name, raw["version"], raw["han"]) if "han" in raw else None
        model = _read(name, raw["version"], raw, han)
        sound = all(_finite(part) for part in (model, han) if part is not None)
    except (OSError, ValueError, KeyError, binascii.Error):
        sound = False
    if not sound:
        raise ConfigError(
            f"The model {name} cannot be read.",
            state="No signal was computed.",
            then="Restore signals/models/ from the package, or fit it anew with `make train`.",
        ) from None
    return model


def _read(name: str, version: str, raw: Mapping[str, Any], han: Logistic | None = None) -> Logistic:
    return Logistic(name, version, raw["intercept"], raw["weights"], raw["threshold"], _buckets(raw), han)


def _finite(model: Logistic) -> bool:
    return bool(np.all(np.isfinite([model.intercept, model.threshold, *model.weights.values()])))


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
