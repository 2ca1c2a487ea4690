"""Runs the same function over many units of work: in this process, or in a pool of them."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from schemas.errors import TacitError

_Unit = TypeVar("_Unit")
_Result = TypeVar("_Result")

# One thread a process: the pool fills the cores, and libraries that each start a thread a core would fight over them.
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS"), "1"
)
_UNITS_A_CHILD = 32  # then a fresh process takes over, so that caches of the language models cannot grow without end


def _start_worker() -> None:
    """Let a worker end with its run, and only with it.

    An interruption at the terminal reaches every process; the run's own ends the others. And a run that is killed can
    end nobody: without the watch, its workers would wait for work forever, models in memory.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class Pool:
    """Maps functions over units of work.

    Args:
        processes: How many work side by side; with 1, units run in this process.
    """

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._pool: ProcessPoolExecutor | None = None

    def map(
        self, function: Callable[[_Unit], _Result], units: Sequence[_Unit], done: Callable[[_Result], None]
    ) -> list[_Result]:
        """Apply a picklable function to every unit.

        Args:
            function: A module-level function, or a `functools.partial` of one.
            units: The units, in any number.
            done: Called with each result as it comes.

        Returns:
            Results in the order of the units.

        Raises:
            TacitError: What a unit raised, or that a process died.
        """
        if self._processes == 1 or len(units) <= 1:
            results = []
            for unit in units:
                results.append(function(unit))
                done(results[-1])
            return results
        pool = self._started()
        futures = [pool.submit(function, unit) for unit in units]
        for future in futures:
            future.add_done_callback(lambda f: None if f.cancelled() or f.exception() else done(f.result()))
        try:
            finished, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in finished:
                future.result()  # raises at once, without waiting for the units that still run
            return [future.result() for future in futures]
        except BrokenProcessPool:
            raise TacitError(
                "A worker process died, most likely for want of memory.",
                state="Nothing of this run was published; the tables are as they were.",
                then="Run again with fewer --workers, or with more buckets (TACIT_BUCKETS).",
            ) from None

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Fork would copy locks that library threads hold; spawn starts clean.
            self._pool = ProcessPoolExecutor(
                self._processes,
                multiprocessing.get_context("spawn"),
                initializer=_start_worker,
                max_tasks_per_child=_UNITS_A_CHILD,
            )
        return self._pool

    def close(self, *, at_once: bool = False) -> None:
        """End the processes.

        Args:
            at_once: Without waiting for the units that still run: their results are of no use any more.
        """
        if self._pool is None:
            return
        if at_once:
            self._pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()
                process.join()
        else:
            self._pool.shutdown()


@contextmanager
def pool_of(processes: int) -> Iterator[Pool]:
    """A pool whose processes end with the block. They inherit an environment of one thread each."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    if processes > 1:
        os.environ.update(_ONE_THREAD)
    pool = Pool(processes)
    try:
        yield pool
    except BaseException:
        pool.close(at_once=True)
        raise
    else:
        pool.close()
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
