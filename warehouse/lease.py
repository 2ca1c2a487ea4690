"""The writer's lock of a warehouse on object storage: an object that only one can create, for a limited time.

Each holder creates the object of the next number, which the store lets only one do; the greatest number is the lock.
It says until when it holds, and is written anew long before. A holder that died is followed by the next number: after
its time, and after it was watched for a while, so that clocks that differ cannot make two holders.
"""

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from schemas.errors import TacitError, WarehouseBusy, WarehouseFault
from warehouse.store import Store

_FOLDER = ".locks"
LEASE_S = 120.0
_RENEWALS = 4  # within the time of a lease


class Lease:
    """The right to write, as long as it is renewed.

    Args:
        store: The warehouse's objects.
        seconds: How long it holds without being renewed.

    Raises:
        WarehouseBusy: Another run holds the warehouse.
        WarehouseFault: The store cannot be reached, or cannot hold a lock.
    """

    def __init__(self, store: Store, seconds: float = LEASE_S) -> None:
        self._store, self._seconds = store, seconds
        self._owner = {"owner": uuid4().hex, "host": socket.gethostname(), "process": os.getpid()}
        self._number = self._take()
        self._renewed = time.monotonic()
        self._lost = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self._thread.start()

    def require(self) -> None:
        """Make sure that nobody else can write by now. To be called before each object is written.

        The lock's time alone would not do: a machine that slept thinks that none has passed.

        Raises:
            WarehouseBusy: The lock could not be renewed in time, or was taken over.
            WarehouseFault: The store cannot be reached.
        """
        self._lost = self._lost or max(self._numbers(), default=-1) != self._number
        if self._lost or time.monotonic() - self._renewed > self._seconds:
            raise WarehouseBusy(
                "This run could not renew its lock on the warehouse in time.",
                state="What it has published is whole; the rest was not published.",
                then="Run the same days again.",
            )

    def release(self) -> None:
        """Let the next one write. Where the store cannot be reached, the lock ends by itself."""
        self._ended.set()
        self._thread.join()
        if not self._lost:
            with suppress(TacitError):
                self._store.put(_key(self._number), self._text(None))

    def _take(self) -> int:
        numbers = self._numbers()
        newest = max(numbers, default=None)
        if newest is not None:
            self._wait_for_its_end(newest)
        number = 0 if newest is None else newest + 1
        if not self._store.create(_key(number), self._text(self._until())):
            raise _busy(None)
        if self._store.create(_key(number), self._text(self._until())):
            raise WarehouseFault(
                f"The store {self._store.url} writes an object that is there already, so it can hold no lock.",
                state="Nothing was published.",
                then="Use a store that honours conditional writes (If-None-Match), such as S3.",
            )
        # Between the listing and the creation the number may have been used and removed by others.
        if max(self._numbers()) != number:
            raise _busy(None)
        for older in numbers:
            self._store.remove(_key(older))
        return number

    def _wait_for_its_end(self, number: int) -> None:
        """Return if the lock is free or dead."""
        text = self._read(number)
        if text is None or text["until"] is None:
            return
        if datetime.fromisoformat(text["until"]) > datetime.now(UTC):
            raise _busy(text)
        time.sleep(self._seconds / _RENEWALS * 1.5)
        if self._read(number) != text:
            raise _busy(text)

    def _read(self, number: int) -> dict[str, str] | None:
        try:
            return dict(json.loads(self._store.get(_key(number))))
        except FileNotFoundError:
            return None

    def _numbers(self) -> list[int]:
        names = (key.rpartition("/")[2] for key in self._store.listing(_FOLDER))
        return [int(name) for name in names if name.isdecimal()]

    def _until(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self._seconds)

    def _text(self, until: datetime | None) -> bytes:
        return json.dumps({**self._owner, "until": until and until.isoformat()}).encode()

    def _keep(self) -> None:
        while not self._ended.wait(self._seconds / _RENEWALS):
            begun = time.monotonic()
            # A renewal that fails is tried again; `require` knows how long the last good one was ago.
            with suppress(TacitError):
                if max(self._numbers(), default=-1) != self._number:
                    self._lost = True
                    return
                self._store.put(_key(self._number), self._text(self._until()))
                self._renewed = begun


@contextmanager
def lease(store: Store) -> Iterator[Lease]:
    """Hold a store for writing.

    Args:
        store: The warehouse's objects.

    Raises:
        WarehouseBusy: Another run holds it.
    """
    held = Lease(store, LEASE_S)
    try:
        yield held
    finally:
        held.release()


def _key(number: int) -> str:
    return f"{_FOLDER}/{number:012d}"


def _busy(text: dict[str, str] | None) -> WarehouseBusy:
    by = f" (process {text['process']} on {text['host']})" if text else ""
    return WarehouseBusy(
        f"Another run holds the warehouse{by}.",
        state="This run published nothing.",
        then="Wait until that run has ended, then run the day again. The lock of a run that died ends by itself.",
    )
