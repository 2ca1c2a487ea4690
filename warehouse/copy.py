"""A warehouse on object storage: a folder here is its working copy, and a put of one object publishes a partition.

Each object is fetched whole and of one version, and everything else works on the copy as on any other warehouse: the
catalogue and what is kept by day are made in it. The store holds the tables and the writer's lock, and nothing else.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from schemas.contract import PUBLISH_ORDER
from schemas.errors import WarehouseFault
from warehouse.files import faults_named, file_digest, sync_folder
from warehouse.lease import Lease, lease
from warehouse.ledger import ASIDE, Seen, copying, identity, load_seen, save_seen, store_of
from warehouse.lock import FileLock, writer_lock
from warehouse.store import Store

_PARTITION = re.compile(r"(\w+)/dt=\d{4}-\d{2}-\d{2}/part\.parquet")
_ATTEMPTS = 5
_leases: dict[Path, Lease] = {}


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
                store.sweep()
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

    While another machine publishes, some partitions are its new ones and some the old ones, each of them whole, as they
    are in the store itself.

    Args:
        root: The warehouse's folder.

    Returns:
        How many partitions were fetched or removed.

    Raises:
        WarehouseBusy: Another process copies, and does not end.
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
                break
    return changed


def place(root: Path, table: str, dt: date, path: Path, sha256: str) -> bool:
    """Publish a staged partition in the store, and read it back. Does nothing for a warehouse of its own.

    Args:
        root: The warehouse's folder, held for writing and for copying.
        table: Table name.
        dt: The partition's day.
        path: The staged file, which the caller renames to its place here.
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
    store.upload(key, path)
    version = store.fetch(key, root / ASIDE)
    if file_digest(root / ASIDE) != sha256:
        raise WarehouseFault(
            f"The store gave back other bytes of {table} for {dt} than were put there.",
            state="That partition may be damaged; the others are whole.",
            then="Run the day again; if it happens again, check the store.",
        )
    # Known by the staged file: where a crash comes before the rename, the old file is not taken for this version.
    save_seen(root, {**load_seen(root), key: [version, *identity(path)]})
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


def bring_strays(root: Path, into: Path) -> list[tuple[str, Path]]:
    """Move objects that engines would read as rows of a table, and that are no partitions, out of the store.

    Args:
        root: The warehouse's folder, held for writing.
        into: The folder here that they are moved to.

    Returns:
        Their keys, and where they lie now. None for a warehouse of its own.

    Raises:
        WarehouseBusy: The lock was lost.
        WarehouseFault: The store or the disk refuses.
    """
    store = store_of(root)
    if store is None:
        return []
    moved = []
    for key in store.listing():
        if key.endswith(".parquet") and key.partition("/")[0] in PUBLISH_ORDER and not _PARTITION.fullmatch(key):
            _leases[root.absolute()].require()
            kept = unused(into, key)
            store.fetch(key, kept)
            store.remove(key)
            moved.append((key, kept))
    return moved


def unused(folder: Path, key: str) -> Path:
    """A file name in a folder that nothing lies under yet; the folder is made where it is missing.

    Args:
        folder: The folder.
        key: What it is for, as a path.
    """
    folder.mkdir(exist_ok=True)
    name = key.replace("/", "-")
    taken = {path.name for path in folder.iterdir()}
    tried = (f"{name}.{n}" if n else name for n in range(len(taken) + 1))
    return folder / next(one for one in tried if one not in taken)


def _tables(store: Store) -> dict[str, str]:
    found = store.listing()
    return {k: v for k, v in found.items() if (m := _PARTITION.fullmatch(k)) and m[1] in PUBLISH_ORDER}


def _fetch(root: Path, store: Store, there: dict[str, str]) -> int:
    before = load_seen(root)
    seen: Seen = {k: v for k, v in before.items() if k in there and v[1:] == identity(root / k)}
    wanted = sorted((k for k, v in there.items() if k not in seen or seen[k][0] != v), key=_rank)
    try:
        for key in wanted:
            _fetch_one(root, store, key, seen)
    finally:
        if seen != before:
            save_seen(root, seen)
    here = {p.relative_to(root).as_posix() for t in PUBLISH_ORDER for p in (root / t).glob("dt=*/part.parquet")}
    gone = here - there.keys()
    for key in sorted(gone, key=_rank, reverse=True):
        (root / key).unlink()
        if not any((root / key).parent.iterdir()):
            (root / key).parent.rmdir()
    return len(wanted) + len(gone)


def _fetch_one(root: Path, store: Store, key: str, seen: Seen) -> None:
    try:
        version = store.fetch(key, root / ASIDE)
    except FileNotFoundError:  # removed since: the next listing knows
        return
    with (root / ASIDE).open("rb") as file:
        os.fsync(file.fileno())
    (root / key).parent.mkdir(parents=True, exist_ok=True)
    os.replace(root / ASIDE, root / key)  # noqa: PTH105 - the name of the system call that the promise rests on
    sync_folder((root / key).parent)
    seen[key] = [version, *identity(root / key)]


def _rank(key: str) -> tuple[int, str]:
    return PUBLISH_ORDER.index(key.partition("/")[0]), key
