"""A warehouse on object storage: a folder here is its working copy, and a put of one object publishes a partition.

A reader of an object that asks for it in several requests may get parts of two versions. So an object is fetched whole,
by one request, and everything else works on the copy as on any other warehouse: the catalogue and what is kept by day
are made in it. The store holds the tables and the writer's lock, and nothing else.
"""

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import lru_cache
from pathlib import Path

from schemas.contract import PUBLISH_ORDER
from schemas.errors import ConfigError, WarehouseBusy, WarehouseFault
from warehouse.files import durably, faults_named, sync_folder
from warehouse.lease import Lease, lease
from warehouse.lock import FileLock, writer_lock
from warehouse.store import Store

_MARK, _SEEN, _ASIDE, _LOCK = ".store", ".seen.json", ".fetched", ".copying"
_PARTITION = re.compile(r"(\w+)/dt=\d{4}-\d{2}-\d{2}/part\.parquet")
_PATIENCE_S = 600.0
_ATTEMPTS = 5
_leases: dict[Path, Lease] = {}


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
    root.mkdir(parents=True, exist_ok=True)
    with durably(mark) as sink:
        sink.write(url.rstrip("/").encode())


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
def holding(root: Path) -> Iterator[None]:
    """Hold a warehouse for writing; a copy is brought up to date first.

    Args:
        root: The warehouse's folder; it is made where it is missing.

    Raises:
        WarehouseBusy: Another run holds it.
        WarehouseFault: The folder or the lock cannot be made, or the store cannot be reached.
    """
    with writer_lock(root):
        store = store_of(root)
        if store is None:
            yield
            return
        with lease(store) as held:
            _leases[root.absolute()] = held
            try:
                pull(root)
                yield
            finally:
                del _leases[root.absolute()]


@contextmanager
def writing(root: Path) -> Iterator[None]:
    """Hold a warehouse for writing, unless this process does so already.

    Args:
        root: The warehouse's folder.

    Raises:
        WarehouseBusy: Another run holds it.
    """
    if FileLock(root / ".lock").held_here():
        yield
    else:
        with holding(root):
            yield


def pull(root: Path) -> int:
    """Bring a copy up to date. Does nothing for a warehouse of its own.

    Args:
        root: The warehouse's folder.

    Returns:
        How many partitions were fetched or removed.

    Raises:
        WarehouseBusy: The store did not rest, or another process copies.
        WarehouseFault: The store cannot be reached, or the disk refuses.
    """
    store = store_of(root)
    if store is None:
        return 0
    changed = 0
    with copying(root), faults_named("Fetching tables", state="The store is as it was."):
        there = _tables(store)
        for _ in range(_ATTEMPTS):
            changed += _fetch(root, store, there)
            before, there = there, _tables(store)
            if there == before:
                return changed
    raise WarehouseBusy(
        "Tables were replaced during every attempt to fetch them.",
        state="Each table here is whole, but they may be of two moments.",
        then="Repeat the command once the run that publishes has ended.",
    )


def place(root: Path, table: str, dt: date, path: Path, sha256: str) -> bool:
    """Publish a staged partition in the store, and read it back. Does nothing for a warehouse of its own.

    Args:
        root: The warehouse's folder, held for writing and for copying.
        table: Table name.
        dt: The partition's day.
        path: The staged file.
        sha256: Its digest.

    Returns:
        Whether there is a store.

    Raises:
        WarehouseBusy: The lock was lost.
        WarehouseFault: The store refuses, or gave back other bytes.
    """
    store = store_of(root)
    if store is None:
        return False
    _leases[root.absolute()].require()
    key = f"{table}/dt={dt}/part.parquet"
    version = store.put(key, path.read_bytes())
    if hashlib.sha256(store.get(key)).hexdigest() != sha256:
        raise WarehouseFault(
            f"The store gave back other bytes of {table} for {dt} than were put there.",
            state="That partition may be damaged; the others are whole.",
            then="Run the day again; if it happens again, check the store.",
        )
    _save(root, {**_load(root), key: version})
    return True


def withdraw(root: Path, path: Path) -> None:
    """Remove a partition from the store, before it is removed here. Does nothing for a warehouse of its own.

    Args:
        root: The warehouse's folder, held for writing.
        path: The partition's file here; another file is in no store.

    Raises:
        WarehouseBusy: The lock was lost.
        WarehouseFault: The store refuses.
    """
    store, key = store_of(root), path.relative_to(root).as_posix()
    if store is not None and _PARTITION.fullmatch(key):
        _leases[root.absolute()].require()
        store.remove(key)


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


def _tables(store: Store) -> dict[str, str]:
    found = store.listing()
    return {k: v for k, v in found.items() if (m := _PARTITION.fullmatch(k)) and m[1] in PUBLISH_ORDER}


def _fetch(root: Path, store: Store, there: dict[str, str]) -> int:
    seen = {k: v for k, v in _load(root).items() if (root / k).is_file()}
    wanted = sorted((k for k, v in there.items() if seen.get(k) != v), key=_rank)
    for key in wanted:
        try:
            data = store.get(key)
        except FileNotFoundError:  # removed since: the next listing knows
            continue
        with durably(root / _ASIDE) as sink:
            sink.write(data)
        (root / key).parent.mkdir(parents=True, exist_ok=True)
        os.replace(root / _ASIDE, root / key)  # noqa: PTH105 - the name of the system call that the promise rests on
        sync_folder((root / key).parent)
        seen[key] = there[key]
        _save(root, seen)
    here = {p.relative_to(root).as_posix() for t in PUBLISH_ORDER for p in (root / t).glob("dt=*/part.parquet")}
    gone = here - there.keys()
    for key in sorted(gone, key=_rank, reverse=True):
        (root / key).unlink()
        if not any((root / key).parent.iterdir()):
            (root / key).parent.rmdir()
    _save(root, {k: v for k, v in seen.items() if k in there})
    return len(wanted) + len(gone)


def _rank(key: str) -> tuple[int, str]:
    return PUBLISH_ORDER.index(key.partition("/")[0]), key


def _load(root: Path) -> dict[str, str]:
    try:
        return dict(json.loads((root / _SEEN).read_bytes()))
    except (OSError, ValueError):
        return {}  # then all is fetched again


def _save(root: Path, seen: dict[str, str]) -> None:
    with durably(root / _ASIDE) as sink:
        sink.write(json.dumps(seen, sort_keys=True).encode())
    os.replace(root / _ASIDE, root / _SEEN)  # noqa: PTH105


def _no_copy(root: Path, why: str) -> ConfigError:
    return ConfigError(
        f"The folder {root} {why}.",
        state="Nothing was read or written.",
        then="Name another folder for the working copy with --warehouse; it is filled from the store.",
    )
