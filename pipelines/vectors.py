"""Vectors kept on disk between runs, by model and text. A cache: it may be deleted at any time, and never fails a run.

One SQLite file a model, `FOLDER/DIGEST.sqlite`, readable by its owner alone. It holds digests of texts and vectors, no
text; a vector still tells what its text was about, so it is kept where the tables' confidentiality reaches.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from signals.encoder import Encoder

Floats = NDArray[np.float32]
_WAIT_S = 10.0
_ASKED = 500
# A row takes its vector and about this many bytes; the oldest tenth goes when the rows would outgrow the file.
_ROW = 120
_PAGE = 4096
_PATIENCE = 5
_FILLED = 0.85
# Held by another process, full, or forbidden.
_NOT_DAMAGED = frozenset({
    sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH,
})  # fmt: skip
_SHAPE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL, seal BLOB NOT NULL)"


def clear_vectors(folder: Path) -> int:
    """Delete the kept vectors of all models. They are made again as texts are read; which were whose, nothing tells.

    Args:
        folder: Folder of the files of all models.

    Returns:
        How many files were deleted.

    Raises:
        OSError: One of them cannot be deleted.
    """
    # Beside a file lie those that SQLite makes for a time.
    files = sorted(folder.glob("*.sqlite*")) if folder.is_dir() else []
    for file in files:
        file.unlink(missing_ok=True)
    return len(files)


class VectorCache:
    """Vectors of one model.

    Any number of processes may use it at once. What cannot be read or written is as if it were not there: entries that
    do not match their seal are written anew, a damaged file is replaced, a full or forbidden disk leaves it unused.

    Args:
        folder: Folder of the files of all models.
        digest: Digest of the model; part of the file's name.
        limit: Most bytes that the files of all models may take together.
    """

    def __init__(self, folder: Path, digest: str, limit: int) -> None:
        self.path, self._limit = folder / f"{digest}.sqlite", limit
        self._con: sqlite3.Connection | None = None
        self._opened_by, self._failed = 0, 0

    def get(self, texts: Sequence[str]) -> dict[str, Floats]:
        """Look texts up.

        Args:
            texts: Distinct texts.

        Returns:
            The vectors that are there and sound.
        """
        by_key = {_key(text): text for text in texts}
        found: dict[str, Floats] = {}
        keys = list(by_key)
        with self._connection() as con:
            if con is None:
                return found
            for start in range(0, len(keys), _ASKED):
                part = keys[start : start + _ASKED]
                marks = ",".join("?" * len(part))
                rows = con.execute(f"SELECT key, vector, seal FROM vectors WHERE key IN ({marks})", part)  # noqa: S608
                for key, vector, seal in rows:
                    if isinstance(vector, bytes) and seal == _seal(key, vector):
                        found[by_key[key]] = np.frombuffer(vector, dtype=np.float32)
        return found

    def put(self, vectors: dict[str, Floats]) -> None:
        """Keep vectors, in place of what was kept for the same texts.

        Args:
            vectors: Text to vector, float32, all of one length, finite.
        """
        rows = [(_key(text), v.astype(np.float32).tobytes()) for text, v in vectors.items() if np.isfinite(v).all()]
        if not rows:
            return
        most = int(self._limit * _FILLED) // (len(rows[0][1]) + _ROW)
        with self._connection() as con:
            if con is None or most < 1:
                return
            with con:
                con.execute("BEGIN IMMEDIATE")
                (there,) = con.execute("SELECT count(*) FROM vectors").fetchone()
                rows = rows[-most:]
                if there + len(rows) > most:
                    spare = there + len(rows) - most + most // 10
                    con.execute("DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY rowid LIMIT ?)",
                                [spare])  # fmt: skip
                con.executemany(
                    "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", [(k, v, _seal(k, v)) for k, v in rows]
                )

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection | None]:
        """The connection of this process; None where there is none to be had. Faults of the file end here."""
        con = None
        try:
            con = self._open()
        except (sqlite3.Error, OSError) as fault:
            self._give_up(fault)
        try:
            yield con
        except (sqlite3.Error, OSError) as fault:
            self._give_up(fault)

    def _give_up(self, fault: Exception) -> None:
        """Do without the file for this once, and if it is damaged, remove it, so that a new one takes its place."""
        self.close()
        self._failed += 1
        if isinstance(fault, OSError) or getattr(fault, "sqlite_errorcode", 0) & 0xFF in _NOT_DAMAGED:
            return
        for end in ("", "-journal"):
            with contextlib.suppress(OSError):
                self.path.with_name(self.path.name + end).unlink()

    def _open(self) -> sqlite3.Connection | None:
        if self._con is not None and self._opened_by == os.getpid():
            return self._con
        # A connection must not be used on the other side of a fork, not even to close it.
        self._con = None
        if self._failed > _PATIENCE:
            return None
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._make_room()
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        con = sqlite3.connect(self.path, timeout=_WAIT_S, isolation_level=None)
        try:
            con.execute("PRAGMA synchronous = OFF")  # what a power cut damages is replaced
            con.execute(f"PRAGMA max_page_count = {max(self._limit // _PAGE, 16)}")
            con.execute(_SHAPE)
        except sqlite3.Error:
            con.close()
            raise
        self._con, self._opened_by = con, os.getpid()
        return con

    def _make_room(self) -> None:
        """Remove the files of other models, least recently used first, while all together take too much."""
        sizes = {}
        for file in self.path.parent.glob("*.sqlite"):
            with contextlib.suppress(OSError):
                sizes[file] = file.stat()
        total = sum(s.st_size for s in sizes.values())
        for file, stat in sorted(sizes.items(), key=lambda item: item[1].st_mtime):
            if total > self._limit and file != self.path:
                with contextlib.suppress(OSError):
                    file.unlink()
                total -= stat.st_size

    def close(self) -> None:
        """Let go of the file."""
        if self._con is not None and self._opened_by == os.getpid():
            with contextlib.suppress(sqlite3.Error):
                self._con.close()
        self._con = None


class CachedEncoder:
    """An encoder that looks texts up before it encodes them.

    A text that is not kept is encoded by itself: in a batch, floats of a text depend a little on its neighbours, and
    then two runs that find different texts kept would not give the same bytes.

    Args:
        encoder: The encoder.
        cache: Where its vectors are kept.
    """

    def __init__(self, encoder: Encoder, cache: VectorCache) -> None:
        self._encoder, self._cache = encoder, cache

    @property
    def name(self) -> str:
        """See `signals.encoder.Encoder.name`."""
        return self._encoder.name

    @property
    def revision(self) -> str:
        """See `signals.encoder.Encoder.revision`."""
        return self._encoder.revision

    def encode(self, texts: Sequence[str]) -> Floats:
        """See `signals.encoder.Encoder.encode`."""
        if not texts:
            return self._encoder.encode(texts)
        distinct = list(dict.fromkeys(texts))
        known = self._cache.get(distinct)
        fresh = {text: self._encoder.encode([text])[0] for text in distinct if text not in known}
        self._cache.put(fresh)
        known |= fresh
        return np.stack([known[text] for text in texts])


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _seal(key: bytes, vector: bytes) -> bytes:
    return blake2b(key + vector, digest_size=8).digest()
