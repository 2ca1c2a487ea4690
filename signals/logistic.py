"""Small logistic models whose coefficients stand in `models/*.json`: read, checked and applied with numpy alone."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from schemas.errors import ConfigError

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
    """

    name: str
    version: str
    intercept: float
    weights: Mapping[str, float]
    threshold: float

    def probabilities(self, rows: Sequence[Mapping[str, float]]) -> list[float]:
        """Apply the model.

        Args:
            rows: Feature values; a feature that a row lacks is 0, one that the model does not know is ignored.

        Returns:
            Probabilities, rounded to six places so that they are the same on every machine.
        """
        odds = [self.intercept + sum(self.weights[k] * v for k, v in row.items() if k in self.weights) for row in rows]
        return [round(float(p), 6) for p in 1.0 / (1.0 + np.exp(-np.array(odds, dtype=np.float64)))]


@cache
def logistic(name: str) -> Logistic:
    """Load `models/NAME.json` once.

    Raises:
        ConfigError: The file is missing, or its numbers are not finite.
    """
    try:
        raw = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        model = Logistic(name, raw["version"], raw["intercept"], raw["weights"], raw["threshold"])
        sound = bool(np.all(np.isfinite([model.intercept, model.threshold, *model.weights.values()])))
    except (OSError, ValueError, KeyError):
        sound = False
    if not sound:
        raise ConfigError(
            f"The model {name} cannot be read.",
            state="No signal was computed.",
            then="Restore signals/models/ from the package, or fit it anew with benchmarks/fit_signals.py.",
        ) from None
    return model
