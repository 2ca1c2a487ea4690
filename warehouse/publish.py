"""Puts staged partitions in place of published ones, one rename each, in the order in which they derive."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from schemas.contract import PUBLISH_ORDER
from schemas.errors import WarehouseFault
from warehouse.copy import place, writing
from warehouse.files import faults_named, file_digest, sync_folder
from warehouse.layout import Warehouse
from warehouse.ledger import copying
from warehouse.stage import Staged


@dataclass(frozen=True, slots=True)
class Published:
    """A partition that readers see.

    Attributes:
        table: Table name.
        dt: The partition's day.
        path: The published file.
        rows: Rows in it.
        sha256: Digest of the file.
        changed: False where the same bytes lay there already and were left alone.
    """

    table: str
    dt: date
    path: Path
    rows: int
    sha256: str
    changed: bool


def _nothing(_step: str) -> None:
    return


def publish(
    warehouse: Warehouse, staged: Sequence[Staged], *, on_step: Callable[[str], None] = _nothing
) -> list[Published]:
    """Publish a run's partitions.

    All of them are verified before the first is renamed. A reader sees the old file or the new one of each partition.
    After a crash at any point, the same run again gives the same bytes as if there had been none.

    Args:
        warehouse: The warehouse. It is locked for writing, unless this process has locked it already.
        staged: The partitions, in any order.
        on_step: Called with a step's name before and after each change to the disk.

    Returns:
        One record for each partition, in publish order: `schemas.contract.PUBLISH_ORDER`, then by day.

    Raises:
        WarehouseBusy: Another run holds the warehouse.
        WarehouseFault: A staged file is not what was staged, or the disk refuses.
    """
    ordered = sorted(staged, key=lambda s: (PUBLISH_ORDER.index(s.table), s.dt))
    names = [(s.table, s.dt) for s in ordered]
    if len(set(names)) < len(names):
        raise ValueError("a partition was staged twice")
    with writing(warehouse.root):
        for part in ordered:
            _verify(part)
        on_step("verified")
        done: list[Published] = []
        for part in ordered:
            state = f"{len(done)} of {len(ordered)} partitions were published; each is whole."
            try:
                with faults_named(f"Publishing {part.table} for {part.dt}", state=state):
                    done.append(_place(warehouse, part, on_step))
            except WarehouseFault as fault:  # of the store, which does not know how far the run came
                raise WarehouseFault(fault.what, state=state, then=fault.then) from fault
        on_step("done")
    return done


def _verify(part: Staged) -> None:
    try:
        same = file_digest(part.path) == part.sha256
    except OSError:
        same = False
    if not same:
        raise WarehouseFault(
            f"The staged file of {part.table} for {part.dt} is no longer what was staged.",
            state="Nothing was published.",
            then="Run the day again.",
        )


def _place(warehouse: Warehouse, part: Staged, on_step: Callable[[str], None]) -> Published:
    target = warehouse.path(part.table, part.dt)
    name = f"{part.table}/{part.dt}"
    if _holds(target, part):
        # A run that died between rename and sync left the bytes, but not the certainty that they last.
        sync_folder(target.parent)
        on_step(f"{name}: unchanged")
        return Published(part.table, part.dt, target, part.rows, part.sha256, changed=False)
    _make_folder(target.parent, warehouse.root)
    on_step(f"{name}: folder")
    with copying(warehouse.root):
        if place(warehouse.root, part.table, part.dt, part.path, part.sha256):
            on_step(f"{name}: put")
        os.replace(part.path, target)  # noqa: PTH105 - the name of the system call that the promise rests on
    on_step(f"{name}: renamed")
    sync_folder(target.parent)
    on_step(f"{name}: synced")
    return Published(part.table, part.dt, target, part.rows, part.sha256, changed=True)


def _holds(target: Path, part: Staged) -> bool:
    return target.is_file() and target.stat().st_size == part.path.stat().st_size and file_digest(target) == part.sha256


def _make_folder(folder: Path, root: Path) -> None:
    missing = []
    while not folder.exists() and folder != root:
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(exist_ok=True)
        sync_folder(each.parent)
