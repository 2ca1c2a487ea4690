"""Reads one bucket of a landing day: raw records to native ones, each message in one version."""

from dataclasses import dataclass, field
from datetime import date

import msgspec
import polars as pl

from anonymize.keys import PseudonymKey
from pipelines.readers.calls import assemble
from pipelines.readers.containers.origin import Spot
from pipelines.readers.dedupe import Versions
from pipelines.readers.items import Call, Item, Remark
from pipelines.readers.landing import context_for, origin_named, reading
from pipelines.readers.logfile import LogFile, open_as
from pipelines.readers.raw import Place, Refusal
from pipelines.readers.registry import format_named
from pipelines.readers.sources import load_sources
from pipelines.readers.spans import merge_calls
from pipelines.settings import Settings
from pipelines.steps.results import DayScan
from pipelines.steps.routes import routes_of
from pipelines.steps.scan import changed
from schemas.flags import Flag
from schemas.records import Event, Message


@dataclass(slots=True)
class Gathered:
    """What a bucket's records come to. It is raw text, in memory only.

    Attributes:
        versions: Messages and events, one version of each.
        refused: What was refused, and where it stands.
        counts: `items` as the scan counts them; `records` as the balance does, a call counted by its turns;
            `duplicates` and `set_aside` among the turns of calls; `unknown_keys`.
    """

    versions: Versions = field(default_factory=Versions)
    refused: list[tuple[Place, Refusal]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


class Pieces:
    """Collects items of any kind until all are there, since calls and remarks mean something only together.

    Args:
        key: Makes the ids of conversations that are known by their user only.
    """

    def __init__(self, key: PseudonymKey) -> None:
        self._key = key
        self._result = Gathered()
        self._calls: list[tuple[Call, Place]] = []
        self._remarks: list[tuple[Remark, Place]] = []
        self._items = self._native = 0

    def add(self, item: Item, place: Place) -> None:
        """Take one item of the record at `place`."""
        self._items += 1
        if isinstance(item, Call):
            self._calls.append((item, place))
        elif isinstance(item, Remark):
            self._remarks.append((item, place))
        else:
            self._native += 1
            self._keep(item, place)

    def _keep(self, item: Message | Event | Refusal, place: Place) -> None:
        if isinstance(item, Refusal):
            self._result.refused.append((place, item))
        elif isinstance(item, Message):
            self._result.versions.add_message(self._in_stream(item), place)
        else:
            self._result.versions.add_event(item, place)

    def _in_stream(self, message: Message) -> Message:
        """A message without a conversation belongs to its user's stream, whose id is a keyed pseudonym."""
        if message.conversation_id is not None:
            return message
        stream = f"user-{self._key.user_key(message.source, message.user_id or '')}"
        return msgspec.structs.replace(
            message, conversation_id=stream, flags=tuple(sorted({*message.flags, Flag.SESSION_INFERRED.value}))
        )

    def gathered(self, unknown_keys: int = 0) -> Gathered:
        """Put together what belongs together, and count. Call it once."""
        merged, repeated = merge_calls(self._calls)
        assembly = assemble(merged, self._remarks)
        for message, place in assembly.messages:
            self._keep(message, place)
        for event, place in assembly.events:
            self._keep(event, place)
        result = self._result
        result.counts = {
            "items": self._items,
            "records": self._native + len(self._remarks) + assembly.turns,
            "duplicates": result.versions.duplicates + assembly.duplicates,
            "superseded": result.versions.superseded,
            "set_aside": assembly.set_aside,
            "calls": len(self._calls),
            "calls_merged": repeated,
            "unknown_keys": unknown_keys,
        }
        return result


def read_bucket(settings: Settings, scan: DayScan, bucket: int, key: PseudonymKey) -> Gathered:
    """Read the records of one bucket, and put conversations together from logged calls.

    Args:
        settings: Where the landing zone is, what is declared about it, and how large a record may be.
        scan: The day's input and routes.
        bucket: Which bucket.
        key: Makes the ids of conversations that are known by their user only.

    Returns:
        Native records and refusals.

    Raises:
        LandingError: The files changed since the scan, or cannot be read.
    """
    pieces = Pieces(key)
    unknown_keys = 0
    sources = load_sources(settings.sources_path)
    for routes in routes_of(scan.routes, bucket, scan.buckets).partition_by("log", maintain_order=True):
        found = scan.logs[routes["log"][0]]
        chosen = format_named(found.format)
        if chosen is None:
            raise changed(scan.day)
        context = context_for(sources, found.name, scan.day, settings.source)
        with reading(found.name, scan.day):
            origin = origin_named(settings.landing, scan.day, found.name)
            log = open_as(origin, context, chosen)
            _read_log(log, routes, pieces, settings.record_limit, scan.day)
        unknown_keys += context.unknown_keys
    return pieces.gathered(unknown_keys)


def _read_log(log: LogFile, routes: pl.DataFrame, pieces: Pieces, limit: int, day: date) -> None:
    wanted: dict[int, list[tuple[int, int]]] = {}
    spots = []
    for line, offset, length, first, n in routes.select("line", "offset", "bytes", "first", "n").iter_rows():
        if line not in wanted:
            spots.append(Spot(line, offset, length))
        wanted.setdefault(line, []).append((first, n))
    expected = int(routes["n"].sum())
    seen = 0
    for raw in log.records(limit, spots):
        if raw.refusal:
            continue  # a finding, which the scan has set down
        items = log.items(raw)
        place = raw.place(log.origin.name)
        for first, n in wanted[raw.line]:
            for item in items[first : first + n]:
                seen += 1
                pieces.add(item, place)
    if seen != expected:
        raise changed(day)
