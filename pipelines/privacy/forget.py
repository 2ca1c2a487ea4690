"""Erasure: takes a user, or a conversation, out of every table, and reads all tables again to prove it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, date, datetime
from functools import cached_property, lru_cache, partial
from uuid import uuid4

import polars as pl

from anonymize.door import Deidentifier
from anonymize.keyring import find_key
from anonymize.keys import load_key
from pipelines.beside import drop_exchanges
from pipelines.encoders import CACHE_FOLDER
from pipelines.engine import pool_of
from pipelines.night import SCHEDULED, WORK, sweep_work, work_folder
from pipelines.privacy.landed import Landed, search_landing
from pipelines.privacy.records import erased_before, erasure_rows
from pipelines.privacy.request import Erasure, Request
from pipelines.privacy.wanted import (
    TEXT_TABLES,
    Wanted,
    conversations_named,
    conversations_of,
    exchanges_of,
    kept_rows_held,
    named_by,
    rows_held,
)
from pipelines.settings import Settings
from pipelines.steps.deidentify import policy_of
from pipelines.steps.detect import days_to_detect, detect_chunk, plan_detection
from pipelines.steps.overlay import Overlay
from pipelines.steps.publish import Batch, publish_batch
from pipelines.vectors import clear_vectors
from schemas.contract import table
from schemas.errors import ErasureFault, NotFound
from warehouse.catalogue import rebuild
from warehouse.layout import Warehouse
from warehouse.mend import clear_aside, require_whole
from warehouse.stage import sweep


def forget(settings: Settings, request: Request, *, dry_run: bool = False) -> Erasure:
    """Erase a user or a conversation.

    The tables come out as if the landing days had been run without what is erased, and the erasure is written down
    under a pseudonym, so that no later run brings it back. The landing files themselves are not touched.

    Args:
        settings: Where everything lies. The key is the one that the warehouse was built with, retired or not.
        request: Who or what.
        dry_run: Only say what would be removed.

    Returns:
        What was removed, and what is left.

    Raises:
        NotFound: Nothing in the tables or the landing zone belongs to it.
        ErasureFault: Rows, or vectors of texts, are left afterwards.
        KeyFault: The key of the warehouse is not there.
        WarehouseBusy: A run holds the warehouse.
        WarehouseFault: A file among the tables cannot be searched.
        TacitError: Errors of the steps; what was not published whole stays as it was.
    """
    warehouse = Warehouse(settings.warehouse)
    settings = with_key_of(settings, warehouse)
    with nullcontext() if dry_run else warehouse.writer():
        require_whole(warehouse)
        return _Eraser(settings, warehouse, request).run(dry_run=dry_run)


def with_key_of(settings: Settings, warehouse: Warehouse) -> Settings:
    """The settings, with the key that the warehouse was built with: the current one, or one that rotation retired.

    Raises:
        KeyFault: That key is not there.
    """
    days = warehouse.days("runs")
    used = warehouse.footer("runs", days[-1]).get("tacit.key") if days else None
    path = settings.key_path if used is None else find_key(settings.key_path, used)
    return settings.model_copy(update={"key_file": path})


class _Eraser:
    def __init__(self, settings: Settings, warehouse: Warehouse, request: Request) -> None:
        self.settings, self.warehouse, self.request = settings, warehouse, request
        self.key = load_key(settings.key_path)
        self.run_id, self.started = uuid4().hex, datetime.now(UTC)
        self.label: Callable[[str], str] = lru_cache(maxsize=None)(self._label)

    def run(self, *, dry_run: bool) -> Erasure:
        landed = self._landed()
        users = {
            label: {self.key.user_key(raw, str(self.request.user)) for raw in raws}
            for label, raws in self._raw_sources(landed).items()
            if self.request.user is not None
        }
        wanted = self._wanted(frozenset(k for keys in users.values() for k in keys), landed)
        exchanges = exchanges_of(self.warehouse, wanted)
        held = rows_held(self.warehouse, wanted, exchanges)
        before = erased_before(self.warehouse, self.key, wanted, self.request.conversation)
        affected = self._affected(wanted, held, landed)
        if not affected and before is None:
            raise NotFound(
                "Nothing in the tables or in the landing zone belongs to that id.",
                state="Nothing was changed.",
                then="Check the id as it is logged; `--source NAME` names the product that it is an id of.",
            )
        shown = {s: k for s, keys in users.items() if s in affected for k in sorted(keys)}
        removed = _by_table(held)
        if dry_run or (not removed and before is not None):
            size = len(wanted.conversations)
            return Erasure(None, shown, size, removed, removed, landed, None if removed else before)
        whose: dict[str, Sequence[str | None]] = {
            s: [None] if wanted.whole else sorted(users.get(s, ())) for s in sorted(affected)
        }
        self._erase(wanted, held, whose, exchanges)
        self._clear_vectors()
        left = _by_table(rows_held(self.warehouse, wanted, exchanges))
        left |= _by_table(kept_rows_held(self.warehouse, wanted, exchanges))
        if left:
            raise ErasureFault(
                f"Rows are left after the erasure: {', '.join(f'{n} in {t}' for t, n in left.items())}.",
                state="All other rows of the user are gone, and runs drop what is named in `erasures`.",
                then="This is a fault in Tacit: please report it with the output of `tacit doctor`.",
            )
        under_way = len(list((self.settings.warehouse / WORK).glob(f"{SCHEDULED}*")))
        return Erasure(self.run_id, shown, len(wanted.conversations), removed, left, landed, under_way=under_way)

    def _clear_vectors(self) -> None:
        """Let go of all kept vectors: they stand under digests of texts, so none can be told to be the user's."""
        folder = self.settings.home / CACHE_FOLDER
        try:
            clear_vectors(folder)
        except OSError as fault:
            raise ErasureFault(
                f"The kept vectors in {folder} cannot be deleted ({type(fault).__name__}).",
                state="All rows of the user are gone from the tables; vectors of de-identified texts may be left.",
                then="Delete that folder; runs make it anew.",
            ) from None

    def _landed(self) -> Landed:
        """Search the landing zone, by the raw names of sources."""
        user, conversation, sources = self.request.user, self.request.conversation, self.request.sources
        named = conversations_named(self.warehouse, conversation) if conversation is not None else set()

        def fits(source: str) -> bool:
            return not sources or source in sources or self.label(source) in sources

        def is_wanted(source: str, user_id: str | None, where: str | None) -> bool:
            hit = user_id == user if user is not None else where == conversation
            return hit and fits(source)

        guesses = {s: self.key.user_key(s, user) for s in self._sources if fits(s)} if user is not None else {}
        talks = conversations_of(self.warehouse, guesses.values()) | {t for t in named if fits(t[0])}
        ids = {c for _, c in talks}
        return search_landing(self.settings, is_wanted, lambda s, c: c in ids and (self.label(s), c) in talks)

    @cached_property
    def _sources(self) -> set[str]:
        """Names of sources in the tables."""
        frames = [self.warehouse.scan(t, columns=["source"]).select("source").unique() for t in TEXT_TABLES]
        return set(pl.concat(frames).unique().collect()["source"])

    def _label(self, source: str) -> str:
        """A source's name in the tables. A name that stands in them already is its own."""
        return source if source in self._sources else self._door.mask_labels([source])[0]

    @cached_property
    def _door(self) -> Deidentifier:
        return Deidentifier(self.key, policy_of(self.settings))

    def _raw_sources(self, landed: Landed) -> dict[str, set[str]]:
        """Names in the tables to raw names, of the sources that are looked at."""
        found: dict[str, set[str]] = {s: {s} for s in self._sources}
        for raw in landed.sources:
            found.setdefault(self.label(raw), set()).add(raw)
        wanted = self.request.sources
        return {label: raws for label, raws in sorted(found.items()) if not wanted or wanted & {label, *raws}}

    def _wanted(self, users: frozenset[str], landed: Landed) -> Wanted:
        """What goes: conversations from the tables and the landing zone, and the names of their messages."""
        conversation = self.request.conversation
        if conversation is None:
            talks = conversations_of(self.warehouse, users)
        else:
            chosen = self.request.sources
            talks = {t for t in conversations_named(self.warehouse, conversation) if not chosen or t[0] in chosen}
        talks |= {(self.label(source), where) for source, where in landed.conversations}
        wanted = Wanted(users, frozenset(talks), whole=conversation is not None)
        rows = self.warehouse.scan("messages").collect()
        return Wanted(wanted.users, wanted.conversations, wanted.whole, named_by(rows.filter(wanted.mark(rows))))

    def _affected(self, wanted: Wanted, held: pl.DataFrame, landed: Landed) -> set[str]:
        """Sources, as they are named in the tables, that the erasure is about."""
        found = {s for s, _ in wanted.conversations} | {self.label(s) for s in landed.sources}
        return found | set(held["source"].drop_nulls())

    def _erase(
        self,
        wanted: Wanted,
        held: pl.DataFrame,
        whose: Mapping[str, Sequence[str | None]],
        exchanges: pl.DataFrame,
    ) -> None:
        """Write the tables anew, with all that is derived, and publish them with the record of the erasure."""
        settings, warehouse = self.settings, self.warehouse
        sweep_work(settings.warehouse)
        sweep(warehouse)
        clear_aside(warehouse)
        with work_folder(settings.warehouse, self.run_id) as work, pool_of(settings.processes) as pool:
            overlay = Overlay(warehouse, work / "merged")
            touched = [d for name in TEXT_TABLES for d in _without(overlay, name, wanted)]
            detected = days_to_detect(settings, overlay, touched) if touched else []
            chunks = plan_detection(settings, overlay, detected) if detected else []
            found = pool.map(partial(detect_chunk, settings, overlay), chunks, lambda _: None)
            batch = Batch(self.run_id, self.started, [], detected, found, list(overlay.bases()))
            record = partial(erasure_rows, warehouse, self.key, self.run_id, self.started, wanted, held, whose)
            publish_batch(settings, overlay, batch, record)
        drop_exchanges(warehouse, exchanges["exchange_id"].to_list())
        rebuild(warehouse)


def _without(overlay: Overlay, name: str, wanted: Wanted) -> list[date]:
    """Write the partitions of a table anew without what is erased; returns their days."""
    touched = []
    for day in overlay.warehouse.days(name):
        rows = overlay.scan(name, [day]).collect()
        kept = rows.filter(~wanted.mark(rows))
        if kept.height < rows.height:
            overlay.write(name, day, table(name).conform(kept))
            touched.append(day)
    return touched


def _by_table(held: pl.DataFrame) -> dict[str, int]:
    return dict(held.group_by("table_name", maintain_order=True).agg(pl.col("rows").sum()).rows())
