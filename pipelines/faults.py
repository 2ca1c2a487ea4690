"""Keeps values of the data out of errors that nobody foresaw."""

import traceback
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from schemas.errors import Fault, TacitError

_P = ParamSpec("_P")
_R = TypeVar("_R")
_FRAMES = 6


def without_values(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Wrap a step so that an unforeseen error leaves it as a `Fault` that names its kind and place only.

    A library's message may quote the value it choked on, and schedulers and process pools log messages and causes. The
    original error is not chained to the new one for the same reason.
    """

    @wraps(function)
    def wrapped(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except TacitError:
            raise
        except Exception as error:
            fault = fault_of(error)
        raise fault  # outside of the handler, so that it has no context

    return wrapped


def fault_of(error: Exception) -> Fault:
    """Describe an error by its kind and the last places of its traceback."""
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    places = "; ".join(f"{f.filename}:{f.lineno} in {f.name}" for f in frames)
    return Fault(
        f"Tacit failed with {type(error).__name__}, which it should not, at {places}.",
        state="Nothing is half published.",
        then="Please report this line with the output of `tacit doctor`.",
    )
