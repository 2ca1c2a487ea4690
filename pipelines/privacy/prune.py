"""Retention: removes partitions of old days, so that readers meet whole days only."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from uuid import uuid4

from pipelines.steps.overlay import arrivals
from schemas.contract import PUBLISH_ORDER
from warehouse.catalogue import rebuild
from warehouse.copy import withdraw
from warehouse.files import faults_named, sync_folder
from warehouse.kept import FOLDER as KEPT_VIEWS
from warehouse.layout import FILE, Warehouse, read_footer
from warehouse.ledger import copying
from warehouse.mend import clear_aside
from warehouse.stage import STAGING, sweep

# An erasure must be remembered as long as a landing file may hold the user.
KEPT = ("erasures",)


@dataclass(frozen=True)
class Old:
    """A partition that is older than the limit.

    Attributes:
        table: Table name.
        dt: Its day.
        rows: Rows in it.
    """

    table: str
    dt: date
    rows: int


@dataclass(frozen=True)
class Pruned:
    """What was removed, or would be.

    Attributes:
        parts: The partitions.
        returning: Landing days whose files are still there, and would bring rows of the removed days back if they were
            run again.
        reaching: Landing days that are kept, but whose exchanges look back on removed days: they would come out
            otherwise if they were run again.
    """

    parts: list[Old]
    returning: list[date]
    reaching: list[date]


def prune(warehouse: Warehouse, before: date, landed: list[date], lookback_days: int, *, dry_run: bool) -> Pruned:
    """Remove the partitions of all days before a date; of each table the newest stays in any case.

    Days go from the oldest on, and of a day what is derived goes before what it derives from, so that a reader meets no
    signal without its exchange, no exchange without its messages, and no count of a day that is gone. A partition goes
    by one rename. What was set aside goes too, whatever its day.

    Args:
        warehouse: The warehouse; it is locked for writing.
        before: The first day that stays.
        landed: Landing days that are there.
        lookback_days: How far an exchange looks back.
        dry_run: Only say what would be removed.

    Returns:
        What was removed.

    Raises:
        WarehouseBusy: A run holds the warehouse.
        WarehouseFault: The disk refuses. What was not removed yet is whole; the same command again removes the rest.
    """
    if dry_run:
        return _found(warehouse, before, landed, lookback_days)
    with warehouse.writer():
        sweep(warehouse)
        clear_aside(warehouse)
        found = _found(warehouse, before, landed, lookback_days)
        if found.parts:
            _remove(warehouse, found.parts)
            rebuild(warehouse)
    return found


def _found(warehouse: Warehouse, before: date, landed: list[date], lookback_days: int) -> Pruned:
    parts = []
    for table in PUBLISH_ORDER:
        days = warehouse.days(table)
        if table not in KEPT:
            parts += [Old(table, d, read_footer(warehouse.path(table, d))[2]) for d in days[:-1] if d < before]
    order = {name: n for n, name in enumerate(reversed(PUBLISH_ORDER))}
    parts.sort(key=lambda p: (p.dt, order[p.table]))
    gone = {p.dt for p in parts if p.table in ("messages", "events")}
    brought = {a for p in parts if p.table in ("messages", "events") for a in arrivals(warehouse, p.table, p.dt)}
    near = {
        d for d in warehouse.days("exchanges") if d not in gone and any(0 < (d - g).days <= lookback_days for g in gone)
    }
    reached = {a for d in near for a in arrivals(warehouse, "messages", d)} - brought
    there = set(landed)
    return Pruned(parts, sorted(brought & there), sorted(reached & there))


def _remove(warehouse: Warehouse, parts: list[Old]) -> None:
    """Move each partition out of the sight of readers, then delete them all."""
    aside = warehouse.root / STAGING / f"pruned-{uuid4().hex}"
    with faults_named("Removing old partitions", state="The partitions that are still there are whole."):
        aside.mkdir(parents=True)
        for number, path in enumerate(_paths(warehouse, parts)):
            with copying(warehouse.root):
                withdraw(warehouse.root, path)
                os.replace(path, aside / f"{number}.gone")  # noqa: PTH105 - the name of the system call
                sync_folder(path.parent)
                _drop_folder(path.parent)
    shutil.rmtree(aside, ignore_errors=True)


def _paths(warehouse: Warehouse, parts: list[Old]) -> Iterator[Path]:
    """The files of the partitions, before those of each day what views keep of it."""
    day = None
    for part in parts:
        if part.dt != day:
            day = part.dt
            yield from sorted((warehouse.root / KEPT_VIEWS).glob(f"*/dt={day}/{FILE}"))
        yield warehouse.path(part.table, part.dt)


def _drop_folder(folder: Path) -> None:
    """Remove a partition's folder if nothing else lies in it."""
    try:
        folder.rmdir()
        sync_folder(folder.parent)
    except OSError:
        return
