"""Turns errors into words and exit codes, in one place."""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from schemas.errors import TacitError


@contextmanager
def errors_in_words() -> Iterator[None]:
    """Show what the block raises as words, and exit with code 1.

    A `TacitError` is shown whole. Anything else is a fault in Tacit: of that only its kind and place are shown, since
    its message could quote data.
    """
    console = Console(stderr=True)
    try:
        yield
    except TacitError as error:
        console.print(f"[bold red]{error.code}[/] ", end="")
        for part in (error.what, error.state, error.then):
            console.print(part, markup=False, highlight=False, soft_wrap=True)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except Exception as fault:
        console.print(f"[bold red]fault[/] Tacit failed with {type(fault).__name__}, which it should not.")
        for frame in traceback.extract_tb(fault.__traceback__)[-6:]:
            place = f"  {frame.filename}:{frame.lineno} in {frame.name}"
            console.print(place, markup=False, highlight=False, soft_wrap=True)
        console.print("Nothing is half published. Please report these lines with the output of `tacit doctor`.")
        sys.exit(1)
