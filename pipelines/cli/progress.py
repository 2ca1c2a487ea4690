"""Shows a run's progress: bars on a terminal, a line a step elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from pipelines.progress import Progress, Silent

_WORDS = {
    "scan": "Taking stock",
    "deidentify": "Reading and de-identifying",
    "merge": "Sorting by event day",
    "detect": "Linking and detecting",
    "publish": "Checking and publishing",
    "catalogue": "Building the catalogue",
}


@contextmanager
def live_progress(console: Console, *, quiet: bool = False) -> Iterator[Progress]:
    """A display for the time of the block."""
    if quiet:
        yield _Notes(console)
    elif not console.is_terminal:
        yield _Lines(console)
    else:
        columns = (TextColumn("{task.description:28}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Bars(*columns, console=console) as bars:
            yield _Bars(bars)


class _Notes(Silent):
    def __init__(self, console: Console) -> None:
        self._console = console

    def note(self, text: str) -> None:
        self._console.print(f"warning: {text}", markup=False, highlight=False, soft_wrap=True)


class _Bars(_Notes):
    def __init__(self, bars: Bars) -> None:
        super().__init__(bars.console)
        self._bars = bars
        self._tasks: dict[str, int] = {}

    def begin(self, step: str, total: int) -> None:
        self._tasks[step] = self._bars.add_task(_WORDS.get(step, step), total=total)

    def advance(self, step: str) -> None:
        self._bars.advance(self._tasks[step])  # type: ignore[arg-type]

    def end(self, step: str) -> None:
        total = self._bars.tasks[self._tasks[step]].total
        self._bars.update(self._tasks[step], completed=total)  # type: ignore[arg-type]


class _Lines(_Notes):
    def begin(self, step: str, total: int) -> None:
        units = f" ({total} units)" if total > 1 else ""
        self._console.print(f"{_WORDS.get(step, step)}{units}", highlight=False)
