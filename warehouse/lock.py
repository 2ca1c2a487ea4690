"""Exclusive locks of the operating system, which end with their process however it ends, `kill -9` included."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from schemas.errors import WarehouseBusy
from warehouse.files import faults_named

# Locks that this process holds, by the lock file's path. A forked child shares its parent's open file, and with it
# the lock: without `_let_go` a worker that outlives a killed run would keep the warehouse locked.
_held: dict[Path, int] = {}
_forks_watched: list[bool] = []


class FileLock:
    """An exclusive, non-blocking lock on a file.

    Args:
        path: The lock file. It is made where it is missing, and never removed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    def acquire(self) -> bool:
        """Take the lock if nobody holds it.

        Returns:
            Whether it was taken.

        Raises:
            OSError: The file cannot be made or opened.
        """
        if self.path in _held:
            return False
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            os.close(handle)
            if fault.errno in (errno.EWOULDBLOCK, errno.EAGAIN):
                return False
            raise
        if not _forks_watched:
            os.register_at_fork(after_in_child=_let_go)
            _forks_watched.append(True)
        _held[self.path] = handle
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        return True

    def release(self) -> None:
        """Give the lock back. Does nothing where this process does not hold it."""
        handle = _held.pop(self.path, None)
        if handle is not None:
            os.ftruncate(handle, 0)
            os.close(handle)

    def held_here(self) -> bool:
        """Whether this process holds the lock."""
        return self.path in _held

    def holder(self) -> int | None:
        """The process id that the holder wrote, or None where it cannot be read."""
        try:
            return int(self.path.read_text())
        except (OSError, ValueError):
            return None


def _let_go() -> None:
    for handle in _held.values():
        os.close(handle)
    _held.clear()


@contextmanager
def writer_lock(root: Path) -> Iterator[None]:
    """Hold a warehouse for writing.

    Args:
        root: The warehouse's folder; it is made where it is missing.

    Raises:
        WarehouseBusy: Another run holds it.
        WarehouseFault: The folder or the lock file cannot be made.
    """
    lock = FileLock(root / ".lock")
    with faults_named("Locking the warehouse", state="Nothing was published."):
        root.mkdir(parents=True, exist_ok=True)
        taken = lock.acquire()
    if not taken:
        pid = lock.holder()
        by = f" (process {pid})" if pid else ""
        raise WarehouseBusy(
            f"Another run holds the warehouse{by}.",
            state="This run published nothing.",
            then="Wait until that run has ended, then run the day again.",
        )
    try:
        yield
    finally:
        lock.release()
