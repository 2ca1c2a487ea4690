"""The audit: searches folders and databases, and counts what it finds by place. It never repeats a value."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from audit.canaries import Canary, Search
from audit.databases import server_pieces
from audit.pieces import NotSearched, Piece, pieces_of
from audit.residual import residual

_NAMELESS = "(a name that holds one)"


@dataclass
class Report:
    """What an audit found.

    Attributes:
        files: Files that were searched.
        bytes: Their size.
        canaries: How many values were looked for.
        hits: (place, part, name of the canary) to occurrences.
        residual: (place, column or part, kind) to how many look like an identifier.
        unsearched: Place to why it was not, or not wholly, looked into.
    """

    files: int = 0
    bytes: int = 0
    canaries: int = 0
    hits: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    residual: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    unsearched: dict[str, str] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """Whether everything was searched, and no canary found."""
        return not self.hits and not self.unsearched


class Audit:
    """Searches artefacts one after the other.

    Args:
        canaries: Planted values; without any, only what looks like an identifier is counted.
        leave_out: Files and folders that hold raw values by their nature: the landing zone, the canaries themselves.
    """

    def __init__(self, canaries: Iterable[Canary] = (), leave_out: Iterable[Path] = ()) -> None:
        found = list(canaries)
        self._search = Search(found)
        self._leave_out = [p.resolve() for p in leave_out]
        self.report = Report(canaries=len(found))

    def folder(self, name: str, root: Path) -> None:
        """Search everything below a folder, hidden files too, or one file.

        Args:
            name: What the folder is called in the report.
            root: The folder. One that is not there holds nothing.
        """
        for path in _files(root, self._left_out):
            below = path.relative_to(root).as_posix() if path != root else root.name
            place = f"{name}/{below}"
            if hits := self._search.in_text(below):
                place = f"{name}/{_NAMELESS}"
                self._add(place, "name", hits)
            try:
                self.report.bytes += path.stat().st_size
            except OSError:
                continue  # it went while the audit was under way, as temporary files do
            self.report.files += 1
            self._pieces(place, pieces_of(path, self._search.reach))

    def server(self, name: str, url: str) -> None:
        """Search a database behind a URL, which is never repeated: it may hold a password."""

        def pieces() -> Iterator[Piece]:
            try:
                yield from (Piece(*parts) for parts in server_pieces(url))
            except Exception as fault:
                raise NotSearched(f"cannot be reached or read ({type(fault).__name__})") from None

        self._pieces(name, pieces())

    def text(self, name: str, text: str) -> None:
        """Search a text, such as what a command printed."""
        self._pieces(name, iter([Piece("text", text, prose=True)]))

    def _pieces(self, place: str, pieces: Iterator[Piece]) -> None:
        try:
            for piece in pieces:
                self._look(place, piece)
        except NotSearched as why:
            self.report.unsearched[place] = str(why)

    def _look(self, place: str, piece: Piece) -> None:
        if isinstance(piece.text, str):
            hits, text = self._search.in_text(piece.text), piece.text
        else:
            hits = self._search.in_bytes(piece.text)
            text = piece.text.decode("utf-8", "replace") if piece.prose else ""
        part = piece.part
        if self._search.in_text(part):
            part = _NAMELESS
        self._add(place, part, hits)
        if piece.prose:
            for kind, n in residual(text).items():
                self.report.residual[(place, part, kind)] += n

    def _add(self, place: str, part: str, hits: dict[str, int]) -> None:
        for name, n in hits.items():
            self.report.hits[(place, part, name)] += n

    def _left_out(self, path: Path) -> bool:
        found = path.resolve()
        return any(found == p or p in found.parents for p in self._leave_out)


def _files(root: Path, left_out: Callable[[Path], bool]) -> Iterator[Path]:
    """Regular files in a fixed order. Links are not followed: what they lead to is either here too, or not ours."""
    if root.is_file():
        if not left_out(root):
            yield root
        return
    for folder, inner, names in os.walk(root):
        here = Path(folder)
        inner[:] = sorted(n for n in inner if not left_out(here / n) and not (here / n).is_symlink())
        for name in sorted(names):
            path = here / name
            if path.is_file() and not path.is_symlink() and not left_out(path):
                yield path
