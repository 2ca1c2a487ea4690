"""The bytes of one record while it is read, as long as they are not too many."""

from hashlib import sha256
from typing import Any

from pipelines.readers.raw import RawRecord, Refusal
from schemas.reasons import Reason


class Kept:
    """Holds a record's bytes up to a limit, and only their digest beyond it.

    Args:
        start: Where the record begins in the file; None where offsets do not hold.
        limit: Greatest length of a record in bytes.

    Attributes:
        size: How many bytes were added.
    """

    def __init__(self, start: int | None, limit: int) -> None:
        self._start, self._limit = start, limit
        self._pieces: list[bytes] = []
        self._digest: Any = None  # once bytes were let go of
        self.size = 0

    @property
    def too_large(self) -> bool:
        """Whether the record is longer than the limit."""
        return self.size > self._limit

    @property
    def whole(self) -> bytes | None:
        """All bytes so far; None once there were too many."""
        return b"".join(self._pieces) if self._digest is None else None

    def add(self, piece: bytes) -> None:
        """Add what follows. Call `shorten` when nothing more is to be done with the whole."""
        self._pieces.append(piece)
        self.size += len(piece)

    def shorten(self) -> None:
        """Let go of the bytes if they are too many."""
        if self.too_large:
            self._digest = self._digest or sha256()
            for piece in self._pieces:
                self._digest.update(piece)
            self._pieces.clear()

    def record(self, number: int) -> RawRecord:
        """The record, refused where it is too large."""
        if self.too_large:
            return self.refused(number, Reason.RECORD_TOO_LARGE)
        return RawRecord(number, self._start, b"".join(self._pieces))

    def refused(self, number: int, reason: Reason) -> RawRecord:
        """The record, refused for this reason."""
        digest = self._digest or sha256()
        for piece in self._pieces:
            digest.update(piece)
        return RawRecord(number, self._start, b"", Refusal(reason), self.size, digest.hexdigest())
