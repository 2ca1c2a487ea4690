"""Archives as people download their exports: which members of a zip file are log files, and which nobody may read."""

import re
import stat
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath

from pipelines.readers import streams
from pipelines.readers.containers.origin import Origin
from pipelines.readers.containers.zipped import DEFLATED, STORED, Entry, entries, open_member
from pipelines.readers.raw import RawRecord, Refusal
from pipelines.readers.streams import DamagedFile
from schemas.reasons import Reason

ARCHIVE = ".zip"
MEMBER = "!"
_NESTED = {".7z", ".bz2", ".gz", ".rar", ".tar", ".tbz2", ".tgz", ".txz", ".xz", ".zip", ".zst"}
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_LEADS_OUT = re.compile(r"/|[A-Za-z]:|(?:.*/)?\.\.(?:/|$)|.*\\", re.DOTALL)
_ENCRYPTED = 1 | 1 << 6 | 1 << 13
_HEADER_BYTES = 30


@dataclass(slots=True)
class Listing:
    """What an archive holds.

    Attributes:
        members: The log files in it, by path, in the order of its directory.
        findings: What was refused: members by their number instead of a line and the place of their directory entry,
            never by name; the archive as a whole with line 0.
        passed_over: How many members are of a kind that holds no log, such as pictures.
    """

    members: dict[str, Entry] = field(default_factory=dict)
    findings: list[RawRecord] = field(default_factory=list)
    passed_over: int = 0

    def origins(self, path: Path, name: str) -> list[Origin]:
        """The log files of the archive that lies at `path` and is called `name`."""
        return [Origin(path, f"{name}{MEMBER}{m}", partial(open_member, path, e)) for m, e in self.members.items()]

    def refuse(self, entry: Entry, reason: Reason) -> None:
        """Set down why a member is not read."""
        refused = RawRecord(entry.number, entry.at, b"", Refusal(reason), entry.length, entry.digest)
        self.findings.append(refused)


def listing(path: Path, suffixes: frozenset[str]) -> Listing:
    """Take stock of an archive.

    Folders and hidden members are passed over, and so are those of other suffixes. Of members of one name, the first is
    read. Members that share bytes are read once, and such as expand more than logs do only until they come to what a
    single file may: many small bombs are one.

    Args:
        path: The archive.
        suffixes: Suffixes of log files, in lower case.
    """
    status = path.stat()
    return _listing(path, suffixes, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=2)
def _listing(path: Path, suffixes: frozenset[str], _size: int, _changed: int) -> Listing:
    found = Listing()
    try:
        for entry in entries(path):
            _sort(entry, suffixes, found)
    except DamagedFile as damage:
        found.findings.append(Origin(path, path.name).refused(damage.reason))
    _withdraw(found)
    return found


def _sort(entry: Entry, suffixes: frozenset[str], found: Listing) -> None:
    try:
        stated = entry.name.decode()
    except UnicodeDecodeError:
        return found.refuse(entry, Reason.MEMBER_UNSAFE)
    kind = stat.S_IFMT(entry.mode)
    if _CONTROL.search(stated) or _LEADS_OUT.match(stated) or kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return found.refuse(entry, Reason.MEMBER_UNSAFE)
    path = PurePosixPath(stated)  # without `.` and doubled slashes
    suffix = path.suffix.lower()
    if stated.endswith("/") or any(part.startswith((".", "_")) for part in path.parts):
        return None
    if suffix in _NESTED:
        return found.refuse(entry, Reason.MEMBER_UNSAFE)
    if suffix not in suffixes:
        found.passed_over += 1
    elif entry.flags & _ENCRYPTED or str(path) in found.members:
        found.refuse(entry, Reason.MEMBER_UNSAFE)
    elif entry.method not in (STORED, DEFLATED):
        found.refuse(entry, Reason.FILE_UNSUPPORTED)
    else:
        found.members[str(path)] = entry
    return None


def _withdraw(found: Listing) -> None:
    """Take back members that together are a bomb though each by itself is none."""
    by_place = sorted(found.members.items(), key=lambda m: (m[1].start, m[1].number))
    end, expanded = 0, 0
    for name, entry in by_place:
        if entry.start < end:
            found.refuse(found.members.pop(name), Reason.MEMBER_UNSAFE)
            continue
        end = entry.start + _HEADER_BYTES + len(entry.name) + entry.packed
        if entry.size > streams.EXPANDS_TIMES * entry.packed:
            if expanded > streams.EXPANDS_BYTES:
                found.refuse(found.members.pop(name), Reason.EXPANDS_TOO_FAR)
            expanded += entry.size
