"""The zip format: its directory, entry by entry, and its members as streams. It trusts no size, name or count."""

import io
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from pipelines.readers.streams import DamagedFile, ExpandsTooFar, expands_too_far

STORED, DEFLATED = 0, 8
MOST_MEMBERS = 1_000_000
_BUFFER = 1 << 18
_END = struct.Struct("<4s4H2LH")
_LOCATOR = struct.Struct("<4sLQL")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_END_AT_MOST = _END.size + 0xFFFF
_WIDE = 0xFFFFFFFF  # stands for a number of 64 bits, in the extra field
_WIDE_FIELD = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """What the directory of an archive says of one member.

    Attributes:
        number: Its place in the directory, from 1.
        name: Its path, as it stands there.
        flags: General purpose bits.
        method: How it is compressed.
        crc: Checksum of its content.
        packed: Compressed size in bytes.
        size: Size in bytes.
        start: Where its header stands in the file.
        mode: Kind and permissions of the file, where the archive was made on Unix; else 0.
        at: Where the entry stands in the file.
        length: Length of the entry in bytes.
        digest: Hexadecimal SHA-256 of the entry.
    """

    number: int
    name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    start: int
    mode: int
    at: int
    length: int
    digest: str


def entries(path: Path) -> Iterator[Entry]:
    """Read the directory of an archive.

    Raises:
        DamagedFile: It has none, or one that cannot be followed; the entries before that were given.
        ExpandsTooFar: It has more than a million members.
    """
    with path.open("rb") as file:
        start, size, shift = _directory(file)
        file.seek(start)
        number, at = 0, start
        while at < start + size:
            number += 1
            if number > MOST_MEMBERS:
                raise ExpandsTooFar
            entry = _entry(file, number, at, shift)
            at += entry.length
            yield entry


def _directory(file: BinaryIO) -> tuple[int, int, int]:
    """Where the directory starts, its size, and how far all offsets are shifted by what was put before the archive."""
    length = file.seek(0, io.SEEK_END)
    tail_start = max(0, length - _END_AT_MOST)
    file.seek(tail_start)
    tail = file.read(_END_AT_MOST)
    found = tail.rfind(b"PK\5\6")
    if found < 0 or found + _END.size > len(tail):
        raise DamagedFile
    end = tail_start + found
    *_, size, start, _ = _END.unpack_from(tail, found)
    located = found - _LOCATOR.size
    if located >= 0 and tail.startswith(b"PK\6\7", located):
        _, _, stated, _ = _LOCATOR.unpack_from(tail, located)
        for place in (stated, tail_start + located - _END_64.size):  # the second where offsets are shifted
            file.seek(min(place, length))
            data = file.read(_END_64.size)
            if len(data) == _END_64.size and data.startswith(b"PK\6\6"):
                *_, size, start = _END_64.unpack(data)
                end = place
                break
    shift = end - size - start
    if shift < 0:
        raise DamagedFile
    return start + shift, size, shift


def _entry(file: BinaryIO, number: int, at: int, shift: int) -> Entry:
    head = file.read(_ENTRY.size)
    if len(head) < _ENTRY.size or not head.startswith(b"PK\1\2"):
        raise DamagedFile
    _, _, _, flags, method, _, _, crc, packed, size, n_name, n_extra, n_comment, _, _, attributes, start = (
        _ENTRY.unpack(head)
    )
    rest = file.read(n_name + n_extra + n_comment)
    if len(rest) < n_name + n_extra + n_comment:
        raise DamagedFile
    numbers = [size, packed, start]
    wide = _wide(rest[n_name : n_name + n_extra])
    for place, number_ in enumerate(numbers):
        if number_ == _WIDE and len(wide) >= 8:
            numbers[place], wide = int.from_bytes(wide[:8], "little"), wide[8:]
    size, packed, start = numbers
    return Entry(
        number=number,
        name=rest[:n_name],
        flags=flags,
        method=method,
        crc=crc,
        packed=packed,
        size=size,
        start=start + shift,
        mode=attributes >> 16,
        at=at,
        length=len(head) + len(rest),
        digest=sha256(head + rest).hexdigest(),
    )


def _wide(extra: bytes) -> bytes:
    """The extra field of 64-bit numbers; empty where there is none."""
    pos = 0
    while pos + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, pos)
        if kind == _WIDE_FIELD:
            return extra[pos + 4 : pos + 4 + length]
        pos += 4 + length
    return b""


class _Member(io.RawIOBase):
    """The content of a member. Its faults are raised when all that came before them was read."""

    def __init__(self, path: Path, entry: Entry) -> None:
        self._entry = entry
        self._file = path.open("rb")
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS) if entry.method == DEFLATED else None
        self._left = -1  # of the compressed bytes; the header was not read yet
        self._delivered = self._crc = 0
        self._fault: DamagedFile | None = None

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def readinto(self, target: memoryview) -> int:  # type: ignore[override]
        n = 0
        try:
            while self._fault is None and n < len(target) and (data := self._more(len(target) - n)):
                target[n : n + len(data)] = data
                n += len(data)
        except DamagedFile as fault:
            self._fault = fault
        if self._fault is not None and not n:
            raise self._fault
        return n

    def _more(self, most: int) -> bytes:
        if self._left < 0:
            self._begin()
        if expands_too_far(self._delivered, self._entry.packed):
            raise ExpandsTooFar
        most = min(most, self._entry.size - self._delivered + 1)  # one byte more shows that the size is a lie
        data = self._packed(most) if self._inflate is None else self._inflated(self._inflate, most)
        if len(data) > self._entry.size - self._delivered:
            self._fault = DamagedFile()
            return data[:-1]
        self._delivered += len(data)
        self._crc = zlib.crc32(data, self._crc)
        if not data and (self._delivered != self._entry.size or self._crc != self._entry.crc):
            raise DamagedFile
        return data

    def _begin(self) -> None:
        entry, file = self._entry, self._file
        file.seek(entry.start)
        head = file.read(_LOCAL.size)
        if len(head) < _LOCAL.size or not head.startswith(b"PK\3\4"):
            raise DamagedFile
        *_, n_name, n_extra = _LOCAL.unpack(head)
        if file.read(n_name) != entry.name:  # it is another member than the directory says
            raise DamagedFile
        file.seek(n_extra, io.SEEK_CUR)
        self._left = entry.packed

    def _packed(self, most: int) -> bytes:
        data = self._file.read(min(most, self._left, _BUFFER))
        if not data and self._left and most:
            raise DamagedFile
        self._left -= len(data)
        return data

    def _inflated(self, inflate: "zlib._Decompress", most: int) -> bytes:
        data = b""
        while not (data or inflate.eof):
            fresh = inflate.unconsumed_tail or self._packed(_BUFFER)
            try:
                data = inflate.decompress(fresh, most)
            except zlib.error:
                raise DamagedFile from None
            if not (data or fresh):
                raise DamagedFile
        return data


def open_member(path: Path, entry: Entry) -> io.BufferedReader:
    """Open a member of an archive, stored or deflated.

    Returns:
        A buffered stream of its content. Reading raises `DamagedFile` where it is cut, corrupt, not what the directory
        says, or larger, and `ExpandsTooFar` where it is a bomb.
    """
    return io.BufferedReader(_Member(path, entry), _BUFFER)
