"""Which bucket each record of a landing day belongs to, as numbers only: no text is written down.

A record is found again by its place. Its items are divided by what they share: a conversation goes to one bucket
whole, and so do a trace, its calls and the feedback about them, wherever in the day's files they stand.
"""

from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from pipelines.readers.items import Item, keys_of
from pipelines.readers.raw import RawRecord, Refusal
from pipelines.steps.work import write_work
from schemas.ids import key_hash

_FLUSH = 1_000_000
_LINKS = "links.parquet"
FINDINGS = "findings.parquet"
_SCHEMA = {
    "log": pl.UInt32,
    "line": pl.UInt64,
    "offset": pl.Int64,
    "bytes": pl.UInt64,
    "first": pl.UInt32,
    "n": pl.UInt32,
    "key": pl.UInt64,
}
_CODES = dict(zip(_SCHEMA, "IQqQIIQ", strict=True))


class Routes:
    """Collects the routes of a day and writes them to a folder, in memory bounded by their links.

    Args:
        folder: Where to write.

    Attributes:
        items: How many items were routed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rows = {name: array(code) for name, code in _CODES.items()}
        self._up: dict[int, int] = {}
        self._parts = 0
        self.items = 0

    def add_one(self, log: int, raw: RawRecord, key: bytes) -> None:
        """Route a record that is one item."""
        self._row(log, raw, 0, 1, key_hash(key))

    def add(self, log: int, raw: RawRecord, items: Sequence[Item]) -> None:
        """Route a record of several items; a refusal goes with the items beside it."""
        keys = [() if isinstance(i, Refusal) else tuple(key_hash(k) for k in keys_of(i)) for i in items]
        for several in keys:
            for other in several[1:]:
                self._join(several[0], other)
        known = [k[0] for k in keys if k]
        key = known[0] if known else key_hash(raw.data)
        start = 0
        for at, mine in enumerate(keys):
            if mine and mine[0] != key:
                if at > start:
                    self._row(log, raw, start, at - start, key)
                key, start = mine[0], at
        if len(items) > start:
            self._row(log, raw, start, len(items) - start, key)

    def finish(self) -> None:
        """Write what is left, and the links."""
        self._flush()
        links = {key: self._root(key) for key in self._up}
        frame = pl.DataFrame({"key": list(links), "root": list(links.values())}, schema=_LINK_SCHEMA)
        write_work(frame, self._folder / _LINKS)

    def _row(self, log: int, raw: RawRecord, first: int, n: int, key: int) -> None:
        rows = self._rows
        rows["log"].append(log)
        rows["line"].append(raw.line)
        rows["offset"].append(-1 if raw.byte_offset is None else raw.byte_offset)
        rows["bytes"].append(len(raw.data))
        rows["first"].append(first)
        rows["n"].append(n)
        rows["key"].append(key)
        self.items += n
        if len(rows["key"]) >= _FLUSH:
            self._flush()

    def _flush(self) -> None:
        columns = {
            name: pl.Series(name, np.frombuffer(values, dtype=values.typecode), dtype=_SCHEMA[name])
            if values
            else pl.Series(name, [], dtype=_SCHEMA[name])
            for name, values in self._rows.items()
        }
        write_work(pl.DataFrame(columns), self._folder / f"routes-{self._parts:05d}.parquet")
        self._parts += 1
        self._rows = {name: array(code) for name, code in _CODES.items()}

    def _root(self, key: int) -> int:
        while (up := self._up.get(key, key)) != key:
            self._up[key] = self._up.get(up, up)
            key = up
        return key

    def _join(self, one: int, other: int) -> None:
        low, high = sorted((self._root(one), self._root(other)))
        self._up.setdefault(low, low)
        self._up[high] = low


_LINK_SCHEMA = {"key": pl.UInt64, "root": pl.UInt64}


def routes_of(folder: str, bucket: int, buckets: int) -> pl.DataFrame:
    """The routes of one bucket.

    Args:
        folder: Where `Routes` wrote them.
        bucket: Number of the bucket.
        buckets: How many there are. Results never depend on it; only the division of labour does.

    Returns:
        `log`, `line`, `offset`, `bytes`, `first`, `n` in the order of the files.
    """
    rows = _rooted(folder).filter(pl.col("root") % buckets == bucket)
    return rows.select("log", "line", "offset", "bytes", "first", "n").sort("log", "line", "first").collect()


def all_routes(folder: str) -> pl.DataFrame:
    """All routes, with `root`: what has the same root stays together."""
    return _rooted(folder).collect()


def narrow_routes(rows: pl.DataFrame, folder: Path) -> int:
    """Write some of `all_routes` to a folder of their own.

    Returns:
        How many items they hold.
    """
    write_work(rows.select(list(_SCHEMA)), folder / "routes-00000.parquet")
    links = rows.select("key", "root").unique().filter(pl.col("key") != pl.col("root"))
    write_work(links, folder / _LINKS)
    return int(rows["n"].sum())


def _rooted(folder: str) -> pl.LazyFrame:
    rows = pl.scan_parquet(f"{folder}/routes-*.parquet")
    links = pl.scan_parquet(f"{folder}/{_LINKS}")
    return rows.join(links, on="key", how="left").with_columns(root=pl.coalesce("root", "key"))
