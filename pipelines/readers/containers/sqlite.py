"""Opens a SQLite database that nobody vouches for: read-only, base tables only, in bounded time and memory."""

import errno
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from pipelines.readers.containers.origin import Origin
from pipelines.readers.streams import DamagedFile
from schemas.reasons import Reason

HELD_BYTES = 64 << 20
_MAGIC = b"SQLite format 3\0"
_VERSIONS = slice(18, 20)  # of the file format: 2 where a write-ahead log is used, which memory knows not
_MARGIN = 1 << 16
_INT64 = (1 << 63) - 1
_STEPS = 10_000
_STEPS_AT_LEAST = 50_000_000
_STEPS_A_BYTE = 100
_PRAGMAS = ("query_only = ON", "trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0")
_SCHEMA = ("sqlite_master", "sqlite_schema")
_FUNCTIONS = {"coalesce", "count", "group_concat", "ifnull", "length", "lower", "max", "min", "nullif", "substr"}
_FUNCTIONS |= {"json_array", "json_extract", "json_group_array", "json_object"}


class NotText(bytes):
    """Text of a database that is not UTF-8."""


class Unreadable(Exception):
    """Nothing more can be read.

    Args:
        reason: Why.
    """

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason

    @classmethod
    def of(cls, fault: Exception) -> "Unreadable":
        """What a fault means, if it is the data's.

        Raises:
            OSError: It is the disk's.
        """
        if isinstance(fault, cls):
            return fault
        if isinstance(fault, DamagedFile):
            return cls(fault.reason)
        code = getattr(fault, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        if code == sqlite3.SQLITE_IOERR:
            raise OSError(errno.EIO, "the database cannot be read") from None
        if code == sqlite3.SQLITE_INTERRUPT:
            return cls(Reason.EXPANDS_TOO_FAR)
        unknown = code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_AUTH)  # a column is missing, or is none of a table
        return cls(Reason.FORMAT_UNKNOWN if unknown else Reason.FILE_UNREADABLE)


FAULTS = (sqlite3.Error, DamagedFile, Unreadable, UnicodeError)


class Opened:
    """An open database.

    Args:
        origin: The file.
        limit: Greatest length of a value in bytes, about.

    Attributes:
        tables: Names of its base tables, sorted.
    """

    def __init__(self, origin: Origin, limit: int = 1 << 20) -> None:
        self._connection, size = _connect(origin)
        self._steps = (_STEPS_AT_LEAST + _STEPS_A_BYTE * size) // _STEPS
        try:
            self._connection.set_progress_handler(self._step, _STEPS)
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(limit, 1 << 20) + _MARGIN)
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            self._connection.text_factory = _text
            for pragma in _PRAGMAS:
                self._connection.execute(f"PRAGMA {pragma}")
            listed = self._connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            self.tables = tuple(name for name, sql in listed if type(name) is str and _is_base(name, sql))
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        """Close it."""
        self._connection.close()

    def columns(self, table: str) -> list[str]:
        """Names of the stored columns of a table, in its order."""
        quoted = table.replace('"', '""')
        rows = self._connection.execute(f'PRAGMA table_info("{quoted}")')
        return [row[1] for row in rows if type(row[1]) is str]

    def rows(self, query: str) -> Iterator[tuple[Sequence[str], tuple[Any, ...] | None]]:
        """Ask a query.

        Args:
            query: A SELECT with a total order.

        Yields:
            The names of the columns, and one row: None for one that holds a value far beyond the limit.
        """
        self._connection.set_authorizer(self._authorize)
        n = 0
        steppable = False
        while True:
            try:
                for found in self._ask(query, n, -1):
                    n += 1
                    yield found
                return
            except sqlite3.DatabaseError as fault:
                if fault.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_CORRUPT):
                    raise
                failed, fault_of = n, fault
            # The driver reads one row ahead, and drops it when the next fails.
            try:
                for _ in range(2):
                    for found in self._ask(query, n, 1):
                        n += 1
                        yield found
            except sqlite3.DataError:
                steppable = steppable or self._steppable(query)
                n += 1
                yield (), None
            if n == failed:
                raise fault_of

    def _ask(self, query: str, offset: int, most: int) -> Iterator[tuple[Sequence[str], tuple[Any, ...]]]:
        cursor = self._connection.execute(
            f"SELECT * FROM ({query}) LIMIT {most} OFFSET {offset}" if offset or most >= 0 else query  # noqa: S608 - ours
        )
        names = [column[0] for column in cursor.description]
        for row in cursor:
            yield names, row

    def _steppable(self, query: str) -> bool:
        """Make sure that rows can be passed over unread, which is not so where they are sorted first."""
        try:
            list(self._ask(query, _INT64, 1))
        except sqlite3.DataError:
            raise Unreadable(Reason.RECORD_TOO_LARGE) from None
        return True

    def _step(self) -> int:
        self._steps -= 1
        return int(self._steps < 0)

    def _authorize(self, action: int, first: str | None, second: str | None, _: str | None, inside: str | None) -> int:
        if action == sqlite3.SQLITE_SELECT:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and inside is None and (first in self.tables or first in _SCHEMA):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and second in _FUNCTIONS:
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY


def _connect(origin: Origin) -> tuple[sqlite3.Connection, int]:
    with origin.open() as stream:
        if stream.read(len(_MAGIC)) != _MAGIC:
            raise Unreadable(Reason.FILE_UNREADABLE)
    if origin.plain:
        # Immutable: no lock is taken and no log looked for, so that nothing is written beside the file.
        uri = f"{origin.path.absolute().as_uri()}?mode=ro&immutable=1"
        return sqlite3.connect(uri, uri=True), origin.path.stat().st_size
    data = bytearray(origin.held(HELD_BYTES))
    data[_VERSIONS] = b"\1\1"
    connection = sqlite3.connect(":memory:")
    connection.deserialize(bytes(data))
    return connection, len(data)


def _is_base(name: str, sql: object) -> bool:
    virtual = type(sql) is str and sql.lstrip()[:14].upper() == "CREATE VIRTUAL"
    return not virtual and not name.startswith("sqlite_")


def _text(data: bytes) -> str | NotText:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return NotText(data)
