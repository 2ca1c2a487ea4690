"""A tuned model that reads a message, the request before it and the reply together, beside the small models.

The small models judge by features of each side. What makes a message a complaint or a rephrase is often the three texts
taken together, which a cross-encoder sees. It is optional; its word is weighed with theirs, and never alone.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from signals.link import Window
from signals.requests import Relation
from signals.text.fold import fold, has_han, unstopped

Floats = NDArray[np.float32]
# What it judges, in the order of its outputs.
JUDGED = ("complain", "rephrase")
# What the small models all but rule out is not read: no answer could make a detection of it.
LEAST = 0.02
# What it can read differs by script, and so does how its word is weighed.
SCRIPTS = ("han", "other")
_MOST = 1.0 - 1e-6
# Characters of each text that are read.
CHARACTERS = 2000


def script_of(text: str) -> str:
    """Which of `SCRIPTS` a message is written in: `han` where it holds a Chinese character."""
    return SCRIPTS[0] if has_han(text) else SCRIPTS[1]


class Triple(NamedTuple):
    """Three texts that are read together; folded, so that neither case, width nor script decide."""

    later: str
    earlier: str
    reply: str


@dataclass(frozen=True, slots=True)
class Blend:
    """How a small model's probability and the cross-encoder's log-odds become one probability.

    Attributes:
        intercept: Log-odds where both say even.
        small: Weight of the small model's log-odds.
        close: Weight of the cross-encoder's.
        threshold: Least probability of a detection that cross-validation chose.
    """

    intercept: float
    small: float
    close: float
    threshold: float

    def weigh(self, p: float, odds: float) -> float:
        """Probability from both, rounded to six places so that it is the same on every machine.

        Args:
            p: The small model's probability.
            odds: The cross-encoder's log-odds.
        """
        bounded = min(max(p, 1.0 - _MOST), _MOST)
        z = self.intercept + self.small * math.log(bounded / (1.0 - bounded)) + self.close * odds
        return round(1.0 / (1.0 + math.exp(-min(max(z, -30.0), 30.0))), 6)


class CrossEncoder(Protocol):
    """A tuned model. `name` and `revision` together stand for one set of weights."""

    @property
    def name(self) -> str:
        """Name of the model."""

    @property
    def revision(self) -> str:
        """Digest of its weights and of its blends."""

    @property
    def blends(self) -> Mapping[str, Mapping[str, Blend]]:
        """How its word is weighed, for each of `JUDGED` and each of `SCRIPTS`."""

    def odds(self, triples: Sequence[Triple]) -> Floats:
        """Log-odds of each of `JUDGED`, float32, shape (number of triples, 2). Each depends on its triple alone."""


def triples(window: Window, relations: Sequence[Relation], keys: Sequence[tuple[int, int]]) -> list[Triple]:
    """What is read of messages: each with the request that it resembles most, or else was answered, and the reply.

    Args:
        window: Linked conversations.
        relations: The earlier request that each message resembles most.
        keys: Exchange and row of each message.
    """
    earlier = {(r.exchange, r.row): r.earlier_row for r in relations}
    texts = window.messages["text"]
    requests, replies = (window.exchanges[name].to_list() for name in ("request_text", "reply_text"))
    found = []
    for exchange, row in keys:
        request = requests[exchange] if (exchange, row) not in earlier else texts[earlier[exchange, row]]
        found.append(Triple(*(_folded(text) for text in (texts[row], request, replies[exchange]))))
    return found


def _folded(text: str | None) -> str:
    return unstopped(fold((text or "")[:CHARACTERS]))


class CloseReading:
    """The messages of a window as a cross-encoder reads them; each is read once, whoever asks.

    Args:
        model: The cross-encoder.
        window: Linked conversations.
        relations: The earlier request that each message resembles most.
    """

    def __init__(self, model: CrossEncoder, window: Window, relations: Sequence[Relation]) -> None:
        self.model, self._window, self._relations = model, window, relations
        self._read: dict[tuple[int, int], list[float]] = {}

    def weighed(self, signal: str, keys: Sequence[tuple[int, int]], odds: Sequence[float]) -> list[float]:
        """Weigh the small model's probabilities with the cross-encoder's.

        Args:
            signal: One of `JUDGED`.
            keys: Exchange and row of each message.
            odds: Probability of each, by the small model.

        Returns:
            Probabilities; those below `LEAST` as they came.
        """
        doubtful = [key for key, p in zip(keys, odds, strict=True) if p >= LEAST]
        fresh = [key for key in dict.fromkeys(doubtful) if key not in self._read]
        if fresh:
            read = self.model.odds(triples(self._window, self._relations, fresh))
            self._read.update(zip(fresh, np.round(read.astype(np.float64), 4).tolist(), strict=True))
        blends, at = self._blends(signal, keys), JUDGED.index(signal)
        return [
            blend.weigh(p, self._read[key][at]) if p >= LEAST else p
            for key, p, blend in zip(keys, odds, blends, strict=True)
        ]

    def thresholds(self, signal: str, keys: Sequence[tuple[int, int]]) -> list[float]:
        """Least probability of a detection for each message.

        Args:
            signal: One of `JUDGED`.
            keys: Exchange and row of each message.
        """
        return [blend.threshold for blend in self._blends(signal, keys)]

    def _blends(self, signal: str, keys: Sequence[tuple[int, int]]) -> list[Blend]:
        texts, blends = self._window.messages["text"], self.model.blends[signal]
        return [blends[script_of(texts[row] or "")] for _, row in keys]
