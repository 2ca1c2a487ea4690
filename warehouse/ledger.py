"""What a working copy of a warehouse on object storage knows of itself: its store, and what it has of each object."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from schemas.contract import PUBLISH_ORDER
from schemas.errors import ConfigError, WarehouseBusy
from warehouse.files import durably, faults_named, sync_folder
from warehouse.lock import FileLock
from warehouse.store import Store

ASIDE = ".fetched"
_MARK, _SEEN, _LOCK = ".store", ".seen.json", ".copying"
_PATIENCE_S = 600.0
# What the copy of each object is known by: its version in the store, and size and time of the file here.
Seen = dict[str, list[str | int]]


def attach(root: Path, url: str) -> None:
    """Make a folder the working copy of a warehouse on object storage. Does nothing where it is that already.

    Args:
        root: The folder.
        url: Where the warehouse lies.

    Raises:
        ConfigError: The folder is another store's copy, or a warehouse of its own.
    """
    mark = root / _MARK
    if mark.exists():
        if mark.read_text() == url.rstrip("/"):
            return
        raise _no_copy(root, "is the copy of another store")
    if any(True for table in PUBLISH_ORDER for _ in (root / table).glob("dt=*/*")):
        raise _no_copy(root, "holds tables that came from no store")
    with faults_named("Making a working copy", state="The store is as it was."):
        root.mkdir(parents=True, exist_ok=True)
        with durably(root / ASIDE) as sink:
            sink.write(url.rstrip("/").encode())
        os.replace(root / ASIDE, mark)  # noqa: PTH105 - half a mark would make it the copy of nothing
        sync_folder(root)


def store_of(root: Path) -> Store | None:
    """The store that a folder is the working copy of; None where it is a warehouse of its own.

    Args:
        root: The warehouse's folder.
    """
    mark = root / _MARK
    return _opened(mark.read_text(), os.getpid()) if mark.exists() else None


@lru_cache(maxsize=8)
def _opened(url: str, _process: int) -> Store:
    # Connections are costly to make, and must not be shared with the process that this one was forked from.
    return Store(url)


@contextmanager
def copying(root: Path) -> Iterator[None]:
    """Keep other processes of this machine from changing the copy. Does nothing for a warehouse of its own.

    Args:
        root: The warehouse's folder.

    Raises:
        WarehouseBusy: Another process copies, and does not end.
    """
    if store_of(root) is None:
        yield
        return
    lock = FileLock(root / _LOCK)
    deadline = time.monotonic() + _PATIENCE_S
    while not lock.acquire():
        if time.monotonic() > deadline:
            raise WarehouseBusy(
                "Another process copies tables and does not end.",
                state="Nothing was changed.",
                then="Wait until it has ended, then repeat the command.",
            )
        time.sleep(0.05)
    try:
        yield
    finally:
        lock.release()


def identity(path: Path) -> list[str | int]:
    """What a file is known by as long as nobody writes to it or puts another in its place.

    Args:
        path: The file.

    Returns:
        Size in bytes and time of the last change in nanoseconds; nothing where there is no file.
    """
    try:
        found = path.stat()
    except OSError:
        return []
    return [found.st_size, found.st_mtime_ns]


def load_seen(root: Path) -> Seen:
    """What the copy has, by key. Empty where that is not known; then all is fetched again.

    Args:
        root: The copy's folder.
    """
    try:
        return dict(json.loads((root / _SEEN).read_bytes()))
    except (OSError, ValueError):
        return {}


def save_seen(root: Path, seen: Seen) -> None:
    """Write down what the copy has.

    Args:
        root: The copy's folder, held for copying.
        seen: By key: the version in the store, then `identity` of the file here.
    """
    with durably(root / ASIDE) as sink:
        sink.write(json.dumps(seen, sort_keys=True).encode())
    os.replace(root / ASIDE, root / _SEEN)  # noqa: PTH105


def _no_copy(root: Path, why: str) -> ConfigError:
    return ConfigError(
        f"The folder {root} {why}.",
        state="Nothing was read or written.",
        then="Name another folder for the working copy with --warehouse; it is filled from the store.",
    )
