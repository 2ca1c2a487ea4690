"""What a detector is: a small frozen object that declares itself and judges every exchange of a window."""

from typing import ClassVar, Protocol

import polars as pl

from schemas.enums import Signal
from signals.readings import Readings


class Detector(Protocol):
    """One of the six signals.

    Attributes:
        signal: Which one.
        version: Raised with every change of its rules.
        needs: What must have been logged for it to decide: `votes`, `clocks`, `text`, `encoder`.
        parameters: Names of the fields of `DetectSettings` that it reads.
        evidence: Fields of the evidence struct that it fills.
    """

    signal: ClassVar[Signal]
    version: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]
    parameters: ClassVar[tuple[str, ...]]
    evidence: ClassVar[tuple[str, ...]]

    def detect(self, readings: Readings) -> pl.DataFrame:
        """Judge every exchange.

        Args:
            readings: The window and what was read from it.

        Returns:
            One row an exchange, in the shape of `signals.verdicts.SCHEMA`.
        """
