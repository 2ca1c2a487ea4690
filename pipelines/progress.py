"""How a run tells what it is doing."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Protocol


class Progress(Protocol):
    """Shows the steps of a run as they go. Methods may be called from any thread."""

    def begin(self, step: str, total: int) -> None:
        """A step of `total` units begins."""

    def advance(self, step: str) -> None:
        """One unit of the step is done."""

    def end(self, step: str) -> None:
        """The step is done."""

    def note(self, text: str) -> None:
        """Something happened that people should know even if the run fails later."""


class Silent:
    """Shows nothing."""

    def begin(self, step: str, total: int) -> None:
        """Nothing."""

    def advance(self, step: str) -> None:
        """Nothing."""

    def end(self, step: str) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""


class Clock:
    """Takes the wall time of each step, and tells a `Progress` about it.

    Attributes:
        seconds: Step to seconds, summed where a step comes more than once.
    """

    def __init__(self, progress: Progress) -> None:
        self.seconds: dict[str, float] = {}
        self.progress = progress

    @contextmanager
    def step(self, name: str, total: int = 1) -> Iterator[None]:
        """Time the block as one step of `total` units."""
        self.progress.begin(name, total)
        start = perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - start
            self.progress.end(name)
