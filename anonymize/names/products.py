"""The matrix products of spaCy's network by numpy's library, on one thread: three times as fast as its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from thinc.api import NumpyOps, Ops
from threadpoolctl import ThreadpoolController


class BlasOps(NumpyOps):  # type: ignore[misc]
    """The operations of the network as they are, but for the products."""

    gemm = Ops.gemm


def with_blas(model: Any) -> None:
    """Make a network and all of its layers take their products from numpy; run it within `one_thread`."""
    ops = BlasOps()
    for layer in model.walk():
        layer.ops = ops


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep numpy's products on one thread: by itself it takes every core, which other workers are using."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
