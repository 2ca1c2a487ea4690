"""Reading while a run publishes: repeat a read during which a file was replaced, so that it saw one state only."""

import time
from collections.abc import Callable
from typing import TypeVar

from schemas import contract
from schemas.errors import WarehouseBusy
from warehouse.layout import FILE, Warehouse

T = TypeVar("T")


def read_steadily(warehouse: Warehouse, read: Callable[[], T], *, patience_s: float = 60.0) -> T:
    """Read the published files, again where one of them was replaced meanwhile.

    DuckDB opens a file for its footer and opens it again, by name, for its rows. Where a run replaces the file between
    the two, the query fails, though both files are whole. Here such a failure is not seen; and what is returned is
    one state of all tables, since a result is taken only if no file changed while it was read.

    Args:
        warehouse: The warehouse.
        read: Reads and returns a result that holds no open file. It may be called several times.
        patience_s: Seconds after which no further attempt begins.

    Returns:
        What `read` returned.

    Raises:
        WarehouseBusy: Files changed during every attempt.
    """
    deadline = time.monotonic() + patience_s
    while True:
        before = _state(warehouse)
        try:
            result = read()
        except Exception:
            if _state(warehouse) == before:
                raise
        else:
            if _state(warehouse) == before:
                return result
        if time.monotonic() > deadline:
            raise WarehouseBusy(
                "Files were replaced during every attempt to read.",
                state="Nothing was changed.",
                then="Repeat the query once the run that publishes has ended.",
            )


def _state(warehouse: Warehouse) -> set[tuple[str, int, int, int]]:
    state = set()
    for table in contract.tables():
        for path in (warehouse.root / table).glob(f"dt=*/{FILE}"):
            found = path.stat()
            state.add((str(path), found.st_ino, found.st_mtime_ns, found.st_size))
    return state
