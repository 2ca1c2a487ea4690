"""SQLite databases: one record a row of the queries that a format asks."""

import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from typing import Any

import msgspec

from pipelines.readers.containers.origin import Origin, Spot, only
from pipelines.readers.containers.sqlite import FAULTS, NotText, Opened, Unreadable
from pipelines.readers.raw import RawRecord, Refusal
from schemas.reasons import Reason

_encode = msgspec.json.encode


def columns(origin: Origin) -> tuple[str, ...] | RawRecord:
    """The columns of the tables of a database, as `table.column`, tables sorted by name; or why it cannot be read."""
    try:
        with closing(Opened(origin)) as opened:
            return tuple(f"{table}.{column}" for table in opened.tables for column in opened.columns(table))
    except FAULTS as fault:
        return origin.refused(Unreadable.of(fault).reason)


def database(
    origin: Origin, limit: int, wanted: Sequence[Spot] | None = None, *, queries: Mapping[str, str]
) -> Iterator[RawRecord]:
    """Read what a format asks of a database, which is never written to: not even a journal appears beside it.

    Only tables are read; a query that meets a view, a virtual table or a function out of the ordinary ends in a
    finding. What a write-ahead log beside the file holds is not read; that file is in the landing zone by itself, and
    is refused there as unsupported, so it is not missed silently. A query that asks for tables or columns that the file
    lacks gives nothing; if that is so with all of them, that is a finding.

    Args:
        origin: The file. One that is compressed or in an archive is read into memory, up to 64 MiB.
        limit: Greatest length of a record in bytes, as JSON.
        wanted: Only these rows.
        queries: A name for each kind of record, and a SELECT with a total order.

    Yields:
        One raw record a row, numbered through all queries: the columns as they are called in the query, and `_table`,
        the query's name. A row that holds a blob, an infinite number or text that is not UTF-8 is refused. At the end,
        where the file is damaged, a finding with line 0.
    """
    yield from only(_all(origin, limit, queries), wanted)


def _all(origin: Origin, limit: int, queries: Mapping[str, str]) -> Iterator[RawRecord]:
    number = asked = 0
    try:
        with closing(Opened(origin, limit)) as opened:
            for name, query in queries.items():
                try:
                    for names, row in opened.rows(query):
                        number += 1
                        yield _record(number, name, names, row, limit)
                except sqlite3.OperationalError as fault:
                    if not str(fault).startswith("no such "):
                        raise
                else:
                    asked += 1
        if not asked:
            yield origin.refused(Reason.FORMAT_UNKNOWN)
    except FAULTS as fault:
        yield origin.refused(Unreadable.of(fault).reason)


def _record(number: int, table: str, names: Sequence[str], row: tuple[Any, ...] | None, limit: int) -> RawRecord:
    if row is None:
        return RawRecord(number, None, b"", Refusal(Reason.RECORD_TOO_LARGE))
    for name, value in zip(names, row, strict=True):
        kind = type(value)
        if kind is bytes or kind is NotText or (kind is float and not math.isfinite(value)):
            data = _encode([bytes(v) if isinstance(v, bytes) else v for v in row])
            reason = Reason.NOT_UTF8 if kind is NotText else Reason.WRONG_TYPE
            return RawRecord(number, None, b"", Refusal(reason, name), len(data), sha256(data).hexdigest())
    data = _encode({**dict(zip(names, row, strict=True)), "_table": table})
    return RawRecord(number, None, data, Refusal(Reason.RECORD_TOO_LARGE) if len(data) > limit else None)
