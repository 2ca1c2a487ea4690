"""A stream of JSON seen through a window of one chunk, beside a copy in which escapes are blanked out."""

import io

CHUNK_BYTES = 1 << 18


class Window:
    """The chunk that is being scanned.

    Args:
        stream: Where the bytes come from.
        base: How many bytes were taken from it before.

    Attributes:
        chunk: The bytes.
        flat: The same, with each escaped backslash and quote blanked out: a quote in it always begins or ends a string.
        pos: Where the scanner stands in both.
        careful: Whether a line end may stand inside a string, which no valid JSON holds.
    """

    def __init__(self, stream: io.BufferedReader, base: int) -> None:
        self._stream = stream
        self._base = base
        self._carried = b""
        self.chunk = self.flat = b""
        self.pos = 0
        self.careful = False

    @property
    def offset(self) -> int:
        """Where the scanner stands in the file."""
        return self._base + self.pos

    @property
    def end(self) -> int:
        """How far the file was read."""
        return self._base + len(self.chunk)

    def more(self, in_string: bool = False) -> bool:
        """Go on to the next chunk. No escape is divided between two.

        Args:
            in_string: Whether the next chunk begins inside a string.

        Returns:
            False at the end of the file.
        """
        chunk, fresh = b"", b"-"
        while fresh and not chunk:
            fresh = self._stream.read1(CHUNK_BYTES)
            data = self._carried + fresh
            halved = fresh and (len(data) - len(data.rstrip(b"\\"))) % 2
            chunk, self._carried = (data[:-1], data[-1:]) if halved else (data, b"")
        self.show(chunk, self.end, in_string)
        return bool(chunk)

    def show(self, chunk: bytes, base: int, in_string: bool) -> None:
        """Look at these bytes, which stand at `base` in the file."""
        self.chunk = self.flat = chunk
        self._base, self.pos, self.careful = base, 0, False
        if b"\\" in chunk:
            self.flat = chunk.replace(rb"\\", b"__").replace(rb"\"", b"__")
        if b"\n" in chunk:
            strings = self.flat.split(b'"')[not in_string :: 2]
            self.careful = b"\n" in b"".join(strings)
