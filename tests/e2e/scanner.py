"""Looks for raw values in what a run leaves behind. It shares no code with the remover."""

import gzip
import json
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import zstandard

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[ \-.()]{1,2}(?=\d)")
# Written to be read at a glance, not to be exact: what they find too much is sorted out where they are used.
SHAPES = {
    "e-mail": re.compile(r"(?<![\w.+-])\w[\w.+-]{0,63}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}", re.ASCII),
    "card": re.compile(r"(?<!\d)(?:4\d{3}|5[1-5]\d\d|62\d\d)(?:[ -]?\d){12,15}(?!\d)"),
    "mainland mobile": re.compile(r"(?<![\d=])(?:\+86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?!\d)"),
    "resident id": re.compile(r"(?<!\d)[1-6]\d{5}(?:19|20)\d{2}[01]\d[0-3]\d{4}[\dXx](?!\d)"),
    "IBAN": re.compile(r"(?<![A-Z])[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"),
    "secret": re.compile(r"\b(?:sk-|ghp_|AKIA|eyJ)[\w-]{10,200}(?:\.[\w-]{1,200}){0,2}"),
    "wallet": re.compile(r"\b(?:0x[0-9A-Fa-f]{40}|bc1[a-z0-9]{30,})"),
    "IP address": re.compile(r"(?<![\d.])(?:\d{1,3}\\?\.){3}\d{1,3}(?![\d.])"),
}


def plain(text: str) -> str:
    """Bring spellings together: width, case, invisible characters, escaped dots."""
    folded = unicodedata.normalize("NFKC", text)
    return _INVISIBLE.sub("", folded).replace("\\.", ".").casefold()


def strings(value: Any) -> Iterator[str]:
    """Every string within a decoded value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def unpacked(path: Path) -> bytes:
    """The bytes of a landing file; of a torn one, those that can be had."""
    data = path.read_bytes()
    if path.suffix == ".zst":
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)
    if path.suffix != ".gz":
        return data
    parts = []
    try:
        with gzip.open(path) as file:
            while part := file.read(1 << 12):
                parts.append(part)
    except EOFError:
        pass
    return b"".join(parts)


def landed(folder: Path) -> Iterator[dict[str, Any]]:
    """The records of a landing zone that are JSON objects, whether the service takes them or not."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix != ".docx"):
        if path.suffix == ".parquet":
            yield from pq.read_table(path).to_pylist()
            continue
        for line in unpacked(path).split(b"\n"):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict):
                yield record


class Artefacts:
    """Everything that lies under some folders, as text to search.

    Args:
        folders: Warehouses, homes, temporary folders.
        texts: What was printed or logged.
    """

    def __init__(self, folders: Iterable[Path], texts: Iterable[str] = ()) -> None:
        self._places: dict[str, str] = {f"output {i}": plain(t) for i, t in enumerate(texts)}
        self._words = dict(self._places)
        for folder in folders:
            for path in sorted(p for p in folder.rglob("*") if p.is_file()):
                name, values = str(path.relative_to(folder.parent)), _VALUES.get(path.suffix)
                parts = [path.name, *(values(path) if values else ())]
                raw = [unpacked(path).decode(encoding, "replace") for encoding in ("utf-8", "utf-16-le")]
                self._places[name] = plain("\n".join(parts + raw))
                # Three letters in a row stand by chance in any hundred thousand bytes of numbers or of compressed text.
                self._words[name] = plain("\n".join(parts)) if values else self._places[name]
        self._digits = {name: _BETWEEN_DIGITS.sub("", text) for name, text in self._places.items()}

    def holding(self, value: str, *, word: bool = False) -> list[str]:
        """The places that hold a value, in any spelling that `plain` knows.

        Args:
            value: The raw value.
            word: Whether only a whole word counts, for names that are parts of other words. In Parquet and
                SQLite it is looked for in each value, in schemas, metadata and statistics, not among raw bytes.
        """
        wanted = plain(value)
        if word:
            pattern = re.compile(rf"(?<![a-z]){re.escape(wanted)}(?![a-z])")
            return [name for name, text in self._words.items() if pattern.search(text)]
        found = {name for name, text in self._places.items() if wanted in text}
        bare = re.sub(r"[ \-.()+]", "", wanted)
        if len(bare) > 6 and bare.isdigit():
            found |= {name for name, text in self._digits.items() if bare in text}
        return sorted(found)


def _parquet(path: Path) -> Iterator[str]:
    """Column by column, and what stands in the footer: schema, key-value metadata, statistics."""
    file = pq.ParquetFile(path)
    yield str(file.schema_arrow)
    yield str(file.schema_arrow.metadata)
    yield str(file.metadata.metadata)
    for group in range(file.metadata.num_row_groups):
        for column in range(file.metadata.num_columns):
            yield str(file.metadata.row_group(group).column(column).statistics)
    for name in file.schema_arrow.names:
        for value in file.read([name]).column(0).to_pylist():
            yield value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _sqlite(path: Path) -> Iterator[str]:
    """Table by table: how it was made, and every value that is text, or bytes that could be."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as con:
        for name, made in con.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall():
            yield made
            for row in con.execute(f'SELECT * FROM "{name}"'):  # noqa: S608 - a name that the file itself states
                for value in row:
                    with suppress(UnicodeDecodeError):
                        yield value.decode() if isinstance(value, bytes) else str(value)


_VALUES: dict[str, Callable[[Path], Iterator[str]]] = {".parquet": _parquet, ".sqlite": _sqlite}
