"""The sentence encoder that detectors are given, and the cosines that they take from it."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from schemas.errors import TacitError

Floats = NDArray[np.float32]
_CANARIES = ("the quick brown fox", "今天天气怎么样", "a")
_TOLERANCE = 1e-3


class EncoderFault(TacitError):
    """The encoder gives vectors that cannot be compared."""

    code = "encoder"


class Encoder(Protocol):
    """Turns texts into vectors. `name` and `revision` together stand for one vector space."""

    @property
    def name(self) -> str:
        """Name of the model."""

    @property
    def revision(self) -> str:
        """Version of its weights."""

    def encode(self, texts: Sequence[str]) -> Floats:
        """Encode texts into rows of length 1, float32, shape (number of texts, dimensions)."""


def check_encoder(encoder: Encoder) -> None:
    """Make sure that equal texts get equal vectors, and that nothing is missing from them.

    Raises:
        EncoderFault: A vector has a wrong shape, is not of length 1, holds NaN, or differs between two calls.
    """
    once, again = encoder.encode(list(_CANARIES)), encoder.encode(list(reversed(_CANARIES)))[::-1]
    sound = once.ndim == 2 and once.shape[0] == len(_CANARIES) and once.shape == again.shape
    if sound:
        sound = bool(np.all(np.abs(np.einsum("ij,ij->i", once, again) - 1.0) <= _TOLERANCE))  # NaN compares as false
    if not sound:
        raise EncoderFault(
            f"The encoder {encoder.name} does not give the same text the same unit vector.",
            state="No signal was computed.",
            then="Choose another encoder in the configuration, or reinstall its package.",
        )


class Cosines:
    """Cosine similarity of pairs of texts; each distinct text is encoded once.

    Args:
        encoder: The encoder; it is checked first.
        batch: Texts a call.
    """

    def __init__(self, encoder: Encoder, *, batch: int = 4096) -> None:
        check_encoder(encoder)
        self._encoder, self._batch = encoder, batch

    def of(self, pairs: Iterable[tuple[str, str]]) -> list[float | None]:
        """Compare the two texts of each pair.

        Args:
            pairs: Texts.

        Returns:
            Cosines from -1 to 1; None where a text is blank or its vector is not finite.
        """
        wanted = list(pairs)
        texts = sorted({text for pair in wanted for text in pair if text.strip()})
        if not texts:
            return [None] * len(wanted)
        # Sorted by length, texts of one batch need about the same work; the result does not depend on it.
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        parts = [
            self._encoder.encode([texts[i] for i in order[at : at + self._batch]])
            for at in range(0, len(order), self._batch)
        ]
        vectors = np.concatenate(parts)
        place = {texts[i]: at for at, i in enumerate(order)}
        out: list[float | None] = [None] * len(wanted)
        both = [(n, place[a], place[b]) for n, (a, b) in enumerate(wanted) if a in place and b in place]
        if both:
            index, left, right = (np.array(column) for column in zip(*both, strict=True))
            for start in range(0, len(index), self._batch):
                cut = slice(start, start + self._batch)
                cosine = np.einsum("ij,ij->i", vectors[left[cut]], vectors[right[cut]], dtype=np.float64)
                for n, value in zip(index[cut].tolist(), cosine.tolist(), strict=True):
                    # Rounded, so that the order of summation on another machine cannot flip a byte of the table.
                    out[n] = round(max(-1.0, min(1.0, value)), 5) if np.isfinite(value) else None
        return out
