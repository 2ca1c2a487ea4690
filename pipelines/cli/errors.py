"""Turns errors into words and exit codes, in one place."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from pipelines.faults import fault_of
from schemas.errors import TacitError


@contextmanager
def errors_in_words() -> Iterator[None]:
    """Show what the block raises as words, and exit with code 1.

    A `TacitError` is shown whole. Anything else is a fault in Tacit: of that only its kind and place are shown, since
    its message could quote data.
    """
    try:
        yield
    except TacitError as error:
        _show(error)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:
        _show(fault_of(error))
        sys.exit(1)


def _show(error: TacitError) -> None:
    console = Console(stderr=True)
    console.print(f"[bold red]{error.code}[/] ", end="")
    for part in (error.what, error.state, error.then):
        console.print(part, markup=False, highlight=False, soft_wrap=True)
