"""Takes artefacts apart into pieces that can be searched: whatever they are, their bytes and all that is in them."""

import bz2
import codecs
import gzip
import lzma
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import zstandard

from audit.databases import duckdb_pieces, sqlite_pieces
from audit.parquet import parquet_pieces

CHUNK = 8 << 20
_MOST = 4 << 30  # bytes that a compressed file is followed to; beyond it, it is reported as not searched to its end


class Piece(NamedTuple):
    """Something to search.

    Attributes:
        part: Where within its file: `bytes`, `column text`, `member log.txt` ...
        text: What is searched, as text or as bytes.
        prose: Whether it is what people wrote: there it is asked what looks like an identifier, too.
    """

    part: str
    text: str | bytes
    prose: bool = False


class NotSearched(Exception):
    """Something could not be looked into; the message says why, in words of ours."""


def pieces_of(path: Path, overlap: int) -> Iterator[Piece]:
    """Take a file apart.

    Args:
        path: The file.
        overlap: Bytes of each chunk that are given again with the next one.

    Raises:
        NotSearched: It cannot be read, or is not what it says. What came before was searched.
    """
    try:
        with path.open("rb") as file:
            head = file.read(4096)
            file.seek(0)
            yield from (Piece("bytes", chunk, _is_text(head)) for chunk in chunks(file, overlap))
        start = head[:16]
        yield from (Piece(*parts) for parts in _inside(path, start, overlap))
    except NotSearched:
        raise
    except OSError as fault:
        raise NotSearched(f"cannot be read ({type(fault).__name__})") from None
    except Exception as fault:
        raise NotSearched(f"cannot be taken apart ({type(fault).__name__})") from None


def chunks(file: Any, overlap: int, most: int = _MOST) -> Iterator[bytes]:
    """Read a stream in chunks, each beginning with the end of the one before.

    Raises:
        NotSearched: It is longer than `most`.
    """
    held = b""
    seen = 0
    while data := file.read(CHUNK):
        yield held + data
        seen += len(data)
        held = data[-overlap:] if overlap else b""
        if seen > most:
            raise NotSearched(f"is longer than {most:,} bytes; what comes after was not searched")


def _is_text(head: bytes) -> bool:
    if b"\0" in head or head[:4] == b"PAR1":
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # a character that the end cuts off is no fault
    except UnicodeDecodeError:
        return False
    return True


def _inside(path: Path, start: bytes, overlap: int) -> Iterator[tuple[str, str | bytes, bool]]:
    """What a reader of the file's kind finds in it, by its first bytes and never by its name."""
    if start[:4] == b"PAR1":
        yield from parquet_pieces(path)
    elif start[8:12] == b"DUCK":
        yield from duckdb_pieces(path)
    elif start == b"SQLite format 3\0":
        yield from sqlite_pieces(path)
    elif start[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        yield from _members(path, overlap)
    else:
        for magic, opened in _STREAMS.items():
            if start.startswith(magic):
                with path.open("rb") as file, opened(file) as stream:
                    yield from (("decompressed", chunk, True) for chunk in chunks(stream, overlap))


def _members(path: Path, overlap: int) -> Iterator[tuple[str, bytes, bool]]:
    with zipfile.ZipFile(path) as archive:
        for number, info in enumerate(archive.infolist(), 1):
            yield f"name of member {number}", info.filename.encode(), False
            if info.flag_bits & 1:
                raise NotSearched("holds members under a password")
            with archive.open(info) as member:
                for chunk in chunks(member, overlap):
                    yield f"member {number}", chunk, True


def _zstd(file: BinaryIO) -> Any:
    return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)


_STREAMS: dict[bytes, Callable[[BinaryIO], Any]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": _zstd,
}
