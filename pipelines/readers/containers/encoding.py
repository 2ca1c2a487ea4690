"""Gives every text file as UTF-8, whichever of Unicode's encodings it is in."""

import codecs
import io

from pipelines.readers.containers.origin import Origin
from pipelines.readers.streams import DamagedFile

UTF8_BOM = b"\xef\xbb\xbf"
_BUFFER = 1 << 18
_WIDE_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16's, with which it begins
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class _Recoded(io.RawIOBase):
    """A stream in a wide encoding, as UTF-8. A lone surrogate stays one, so that its record is refused as no UTF-8."""

    def __init__(self, stream: io.BufferedReader, encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
        self._left = b""

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._stream.close()
        super().close()

    def readinto(self, target: memoryview) -> int:  # type: ignore[override]
        data = b"-"
        while not self._left and data:
            data = self._stream.read1(_BUFFER)
            try:
                text = self._decoder.decode(data, final=not data)
            except UnicodeDecodeError:  # half a character, at the end of a file that is cut off
                raise DamagedFile from None
            self._left = text.encode("utf-8", "surrogatepass")
        n = min(len(target), len(self._left))
        target[:n], self._left = self._left[:n], self._left[n:]
        return n


def open_utf8(origin: Origin) -> tuple[io.BufferedReader, bool]:
    """Open a text file as UTF-8.

    UTF-16 and UTF-32 are known by their byte order mark, or by the zero bytes of the two ASCII characters with which
    JSON and tables begin.

    Args:
        origin: The file.

    Returns:
        The stream, with a byte order mark of UTF-8 still on it; and whether it was recoded, so that offsets in it are
        not those in the file.

    Raises:
        DamagedFile: It is compressed, and damaged at its very beginning.
    """
    stream = origin.open()
    try:
        encoding = _wide(stream.peek(4)[:4])
    except DamagedFile:
        stream.close()
        raise
    return (io.BufferedReader(_Recoded(stream, encoding), _BUFFER), True) if encoding else (stream, False)


def _wide(head: bytes) -> str | None:
    for bom, encoding in _WIDE_BOMS:
        if head.startswith(bom):
            return encoding
    zeros = tuple(not byte for byte in head)
    if zeros == (False, True, False, True):
        return "utf-16-le"
    return "utf-16-be" if zeros == (True, False, True, False) else None
