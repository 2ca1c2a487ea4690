"""Small operations on files that the rest of the warehouse builds on: digests, durable writes, faults with a name."""

import errno
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from schemas.errors import WarehouseFault

_CHUNK = 1 << 20
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def file_digest(path: Path) -> str:
    """Digest a file's bytes.

    Args:
        path: The file.

    Returns:
        SHA-256 in lower-case hexadecimal, 64 characters.
    """
    state = hashlib.sha256()
    with path.open("rb") as source:
        while chunk := source.read(_CHUNK):
            state.update(chunk)
    return state.hexdigest()


class Sink:
    """A new file that digests what it is given, so that the disk can be held to it.

    Args:
        path: The file; its folder must exist.

    Raises:
        OSError: The disk is full, or refuses.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._state = hashlib.sha256()

    def write(self, data: bytes | memoryview) -> int:
        """Write bytes, all of them."""
        self._state.update(data)
        return self._file.write(data)

    def tell(self) -> int:
        """Bytes written so far."""
        return self._file.tell()

    def digest(self) -> str:
        """SHA-256 of what was given, in lower-case hexadecimal."""
        return self._state.hexdigest()

    def flush(self) -> None:
        """Hand on to the system what is buffered."""
        self._file.flush()

    @property
    def closed(self) -> bool:
        """Whether it takes no more."""
        return self._file.closed

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        self._file.close()

    def sync(self) -> None:
        """Wait until all is on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())


@contextmanager
def durably(path: Path) -> Iterator[Sink]:
    """Write a new file in the block; at its end, wait until it is on the disk.

    Args:
        path: The file; its folder must exist.

    Raises:
        OSError: The disk is full, or refuses.
    """
    sink = Sink(path)
    try:
        yield sink
        sink.sync()
    finally:
        sink.close()


def sync_folder(path: Path) -> None:
    """Wait until a folder's entries are on the disk: without it a rename may be lost in a power cut.

    Args:
        path: The folder.
    """
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def faults_named(doing: str, *, state: str) -> Iterator[None]:
    """Turn an operating-system error into a fault that says what to do.

    Args:
        doing: What was being done, such as `Staging messages for 2026-11-29`.
        state: What state the published tables are in.

    Raises:
        WarehouseFault: In place of any OSError.
    """
    try:
        yield
    except OSError as fault:
        if fault.errno in _FULL:
            then = "Free space on the warehouse's disk and run the day again."
        elif isinstance(fault, PermissionError):
            then = "Give this user the right to write in the warehouse and run the day again."
        else:
            then = "Mend the warehouse's disk and run the day again."
        cause = os.strerror(fault.errno) if fault.errno else type(fault).__name__
        raise WarehouseFault(f"{doing} failed: {cause}.", state=state, then=then) from fault
