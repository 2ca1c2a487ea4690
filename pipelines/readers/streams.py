"""Opens a log file as a stream of decompressed bytes, in memory bounded by the longest record."""

import io
from pathlib import Path

import pyarrow as pa

_BUFFER = 1 << 18
_COMPRESSION = {".gz": "gzip", ".zst": "zstd"}


class DamagedFile(Exception):
    """The file ends early or its compression is corrupt. What stands before the damage was delivered."""


class _Bytes(io.RawIOBase):
    """Gives Arrow's decompressing stream the interface that `io.BufferedReader` needs, and names its faults."""

    def __init__(self, path: Path) -> None:
        self._inner = pa.input_stream(str(path), compression=_COMPRESSION.get(path.suffix))

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._inner.close()
        super().close()

    def readinto(self, target: memoryview) -> int:  # type: ignore[override]
        try:
            return int(self._inner.readinto(target))
        except OSError as fault:
            if fault.errno is not None:  # the disk's fault, not the data's
                raise
            raise DamagedFile from None


def open_stream(path: Path) -> io.BufferedReader:
    """Open a plain, `.gz` or `.zst` file for reading.

    Args:
        path: The file; its last suffix says how it is compressed. Several members or frames are read as one.

    Returns:
        A buffered stream of decompressed bytes. Reading raises `DamagedFile` where the compression is cut or corrupt.
    """
    return io.BufferedReader(_Bytes(path), _BUFFER)
