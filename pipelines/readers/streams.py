"""Opens a log file as a stream of decompressed bytes, in memory bounded by the longest record."""

import io
from pathlib import Path

import pyarrow as pa

from schemas.reasons import Reason

_BUFFER = 1 << 18
_COMPRESSION = {".gz": "gzip", ".zst": "zstd"}

# A stream that has delivered more than both is a bomb. Logs of one repeated line stay below the second at gzip's best,
# and whatever is small may be as regular as it likes.
EXPANDS_BYTES = 1 << 30
EXPANDS_TIMES = 200


class DamagedFile(Exception):
    """The file ends early or its compression is corrupt. What stands before the damage was delivered."""

    reason = Reason.FILE_UNREADABLE


class ExpandsTooFar(DamagedFile):
    """The file expands far beyond its size. What stands before the bound was delivered."""

    reason = Reason.EXPANDS_TOO_FAR


class TooLargeToHold(DamagedFile):
    """The file would have to be held in memory as a whole, and is too large for that."""

    reason = Reason.FILE_UNSUPPORTED


def expands_too_far(delivered: int, compressed: int) -> bool:
    """Whether so many bytes may not come out of a stream of this compressed size."""
    return delivered > EXPANDS_BYTES and delivered > EXPANDS_TIMES * compressed


class _Bytes(io.RawIOBase):
    """Gives Arrow's decompressing stream the interface that `io.BufferedReader` needs, and names its faults."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._compression = _COMPRESSION.get(path.suffix.lower())
        self._size = path.stat().st_size if self._compression else 0
        self._inner = self._open()
        self._delivered = 0
        self._damaged = False

    def _open(self) -> pa.NativeFile:
        try:
            return pa.input_stream(str(self._path), compression=self._compression)
        except UnicodeEncodeError:  # Arrow takes names in UTF-8 only
            return pa.input_stream(self._path.open("rb"), compression=self._compression)

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._inner.close()
        super().close()

    def readinto(self, target: memoryview) -> int:  # type: ignore[override]
        if self._compression and expands_too_far(self._delivered, self._size):
            raise ExpandsTooFar
        try:
            n = self._rescue(target) if self._damaged else int(self._inner.readinto(target))
        except OSError as fault:
            if fault.errno is not None:  # the disk's fault, not the data's
                raise
            self._damaged = True
            self._reopen()
            n = self._rescue(target)
        self._delivered += n
        return n

    def _reopen(self) -> None:
        # Arrow drops what it had decompressed of a block when it meets the damage: go back to where delivery stopped.
        self._inner.close()
        self._inner = self._open()
        left = self._delivered
        while left:
            left -= len(self._inner.read(min(left, _BUFFER)))

    def _rescue(self, target: memoryview) -> int:
        """Read byte by byte, which gives everything that stands before the damage."""
        n = 0
        try:
            while n < len(target) and (byte := self._inner.read(1)):
                target[n : n + 1] = byte
                n += 1
        except OSError:
            if not n:
                raise DamagedFile from None
        return n


def open_stream(path: Path) -> io.BufferedReader:
    """Open a plain, `.gz` or `.zst` file for reading.

    Args:
        path: The file; its last suffix says how it is compressed. Several members or frames are read as one.

    Returns:
        A buffered stream of decompressed bytes. Reading raises `DamagedFile` where the compression is cut or corrupt,
        and `ExpandsTooFar` where it is a bomb.
    """
    return io.BufferedReader(_Bytes(path), _BUFFER)
