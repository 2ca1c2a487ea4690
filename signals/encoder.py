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
    """Make sure that equal texts get equal vectors, other texts other ones, and that nothing is missing from them.

    Raises:
        EncoderFault: A vector has a wrong shape, is not of length 1, holds NaN, differs between two calls, or is the
            same for every text.
    """
    once, again = encoder.encode(list(_CANARIES)), encoder.encode(list(reversed(_CANARIES)))[::-1]
    sound = once.ndim == 2 and once.shape[0] == len(_CANARIES) and once.shape == again.shape
    if sound:
        sound = bool(np.all(np.abs(np.einsum("ij,ij->i", once, again) - 1.0) <= _TOLERANCE))  # NaN compares as false
        sound = sound and bool(once[0] @ once[1] < 1.0 - _TOLERANCE)
    if not sound:
        raise EncoderFault(
            f"The encoder {encoder.name} does not give the same text the same unit vector, and another text another.",
            state="No signal was computed.",
            then="Choose another encoder in the configuration, or reinstall its package.",
        )


class Vectors:
    """Vectors of texts; each distinct text is encoded once, however many readers ask for it.

    Args:
        encoder: The encoder; it is checked first.
        batch: Texts a call.
    """

    def __init__(self, encoder: Encoder, *, batch: int = 4096) -> None:
        check_encoder(encoder)
        self._encoder, self._batch = encoder, batch
        self._place: dict[str, int] = {}
        self._parts: list[Floats] = []
        self._all: Floats | None = None

    def of(self, texts: Sequence[str]) -> Floats:
        """Vectors of texts that are not blank.

        Args:
            texts: Texts, repeated ones too.

        Returns:
            Unit rows, float32, shape (number of texts, dimensions).
        """
        # Sorted by length, texts of one batch need about the same work; the vectors do not depend on it.
        fresh = sorted({t for t in texts if t not in self._place}, key=lambda t: (len(t), t))
        for start in range(0, len(fresh), self._batch):
            part = fresh[start : start + self._batch]
            first = len(self._place)
            self._place.update((text, first + n) for n, text in enumerate(part))
            self._parts.append(self._encoder.encode(part))
            self._all = None
        if self._all is None:
            if not self._parts:
                return np.zeros((0, 1), dtype=np.float32)  # the encoder was not asked yet, so its width is not known
            self._all = np.concatenate(self._parts)
            self._parts = [self._all]
        return self._all[[self._place[t] for t in texts]]

    def cosines(self, pairs: Iterable[tuple[str, str]]) -> list[float | None]:
        """Compare the two texts of each pair.

        Args:
            pairs: Texts.

        Returns:
            Cosines from -1 to 1; None where a text is blank or its vector is not finite.
        """
        wanted = list(pairs)
        out: list[float | None] = [None] * len(wanted)
        both = [n for n, (a, b) in enumerate(wanted) if a.strip() and b.strip()]
        self.of([text for n in both for text in wanted[n]])
        for start in range(0, len(both), self._batch):
            part = both[start : start + self._batch]
            left, right = self.of([wanted[n][0] for n in part]), self.of([wanted[n][1] for n in part])
            for n, value in zip(part, np.einsum("ij,ij->i", left, right, dtype=np.float64).tolist(), strict=True):
                # Rounded, so that the order of summation on another machine cannot flip a byte of the table.
                out[n] = round(max(-1.0, min(1.0, value)), 5) if np.isfinite(value) else None
        return out
