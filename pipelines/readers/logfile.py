"""One log file, opened: how it is divided, which format it is in, and the items of each of its records."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

import msgspec

from pipelines.readers.containers.database import columns, database
from pipelines.readers.containers.document import document
from pipelines.readers.containers.lines import lines
from pipelines.readers.containers.origin import Container, Origin, Spot
from pipelines.readers.containers.rows import rows
from pipelines.readers.containers.table import table
from pipelines.readers.decode import decode_json
from pipelines.readers.fields import Refused
from pipelines.readers.format import Context, Format, Glimpse, Reader, Shape
from pipelines.readers.formats.native import NATIVE
from pipelines.readers.items import Item
from pipelines.readers.raw import RawRecord, Refusal
from pipelines.readers.registry import FORMATS, format_named
from schemas.errors import ConfigError
from schemas.reasons import Reason

_GLIMPSED = 20
_CONTAINERS: dict[str, tuple[Shape, Container]] = {
    ".jsonl": (Shape.LINES, lines),
    ".ndjson": (Shape.LINES, lines),
    ".json": (Shape.DOCUMENT, document),
    ".parquet": (Shape.ROWS, rows),
    ".csv": (Shape.CSV, table),
    ".tsv": (Shape.CSV, table),
    **dict.fromkeys((".db", ".sqlite", ".sqlite3"), (Shape.DATABASE, partial(database, queries={}))),
}
SUFFIXES = frozenset(_CONTAINERS)


class _Route(msgspec.Struct):
    conversation_id: str


_route = msgspec.json.Decoder(_Route).decode


@dataclass(slots=True)
class LogFile:
    """A file whose format is known.

    Attributes:
        origin: The file.
        container: Divides it into records.
        format: Its format.
        why: What it was recognised by.
        context: What its reader knows about it.
    """

    origin: Origin
    container: Container
    format: Format
    why: str
    context: Context
    _read: Reader
    _quick: Callable[[bytes], Item | None] | None = None

    def records(self, limit: int, wanted: Sequence[Spot] | None = None) -> Iterator[RawRecord]:
        """Its records in file order, or only those that are wanted."""
        return self.container(self.origin, limit, wanted)

    def quick_key(self, raw: RawRecord) -> bytes | None:
        """The key of a record that is one item, where it can be had without reading the whole; None where it cannot."""
        if self.format is not NATIVE:
            return None
        try:
            return _route(raw.data).conversation_id.encode()
        except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
            return None

    def items(self, raw: RawRecord) -> list[Item]:
        """What a record comes to, always the same in the same order. A fault of the reader is a refusal like others."""
        if raw.refusal:
            return [raw.refusal]
        if self._quick is not None and (item := self._quick(raw.data)) is not None:
            return [item]
        found: list[Item] = []
        try:
            for item in self._read(*decode_json(raw.data)):
                found.append(item)  # noqa: PERF402 - what came before a refusal is kept
        except Refused as refused:
            found.append(refused.refusal())
        except Exception as fault:
            found.append(Refusal(Reason.READER_FAULT, f"{self.format.name}: {type(fault).__name__}"))
        return found


def open_log(origin: Origin, context: Context, limit: int) -> LogFile | RawRecord:
    """Find out what a file is.

    Args:
        origin: The file.
        context: What is declared about it, and its clock.
        limit: Greatest length of a record in bytes.

    Returns:
        The file, or a finding where no reader takes it.

    Raises:
        ConfigError: The declared format does not exist, or what is declared for it does not fit the file.
    """
    found = _CONTAINERS.get(origin.suffix)
    if found is None:
        return _companion(origin, context) or origin.refused(Reason.FILE_UNSUPPORTED)
    shape, container = found
    declared = context.source.format
    if declared is not None:
        chosen = format_named(declared)
        if chosen is None:
            raise ConfigError(
                f"There is no format {declared}.",
                state="Nothing was started.",
                then=f"The formats are: {', '.join(f.name for f in FORMATS)}.",
            )
        if chosen.check is not None and isinstance(seen := look(origin, shape, container, limit), Glimpse):
            chosen.check(context, seen)
        return _opened(origin, shape, container, chosen, "declared", context)
    glimpse = look(origin, shape, container, limit)
    if isinstance(glimpse, RawRecord):
        return glimpse
    for candidate in FORMATS:
        why = candidate.recognise(glimpse) if shape in candidate.shapes else None
        if why is not None:
            return _opened(origin, shape, container, candidate, why, context)
    if companion := _companion(origin, context):
        return companion
    # A file of nothing but faults still has each of them accounted for, and an empty one has none.
    if shape is Shape.LINES or (not glimpse.records and shape is not Shape.DATABASE):
        return _opened(origin, shape, container, NATIVE, "no format was recognised", context)
    return origin.refused(Reason.FORMAT_UNKNOWN)


def open_as(origin: Origin, context: Context, chosen: Format) -> LogFile:
    """Open a file whose format an earlier reading has found, without looking at it again."""
    shape, container = _CONTAINERS[origin.suffix]
    return _opened(origin, shape, container, chosen, "found before", context)


def _opened(origin: Origin, shape: Shape, container: Container, chosen: Format, why: str, context: Context) -> LogFile:
    if shape is Shape.DATABASE:
        container = partial(database, queries=chosen.queries)
    context.name = context.source.source or context.name if chosen is NATIVE else context.source.source or chosen.name
    quick = chosen.quick(context) if chosen.quick else None
    return LogFile(origin, container, chosen, why, context, chosen.reader(context), quick)


def _companion(origin: Origin, context: Context) -> LogFile | None:
    """A file that comes with an export and holds nothing of a conversation: it is known, and has no records."""
    for candidate in FORMATS:
        if origin.base in candidate.companions:
            return _opened(
                origin, Shape.DOCUMENT, _no_records, candidate, "a file that comes with its exports", context
            )
    return None


def _no_records(_: Origin, __: int, ___: Sequence[Spot] | None) -> Iterator[RawRecord]:
    yield from ()


def look(origin: Origin, shape: Shape, container: Container, limit: int) -> Glimpse | RawRecord:
    """Read the first records of a file, as far as they can be decoded; a finding where it cannot be read at all."""
    if shape is Shape.DATABASE:
        found = columns(origin)
        return found if isinstance(found, RawRecord) else Glimpse(origin.base, shape, (), found)
    records = []
    for raw in islice(container(origin, limit, None), _GLIMPSED):
        try:
            records += [] if raw.refusal else [decode_json(raw.data)[0]]
        except Refused:
            continue
    named = tuple(records[0]) if shape in (Shape.ROWS, Shape.CSV) and records and type(records[0]) is dict else ()
    return Glimpse(origin.base, shape, tuple(records), named)
