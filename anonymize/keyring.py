"""The keys of an installation: one file a tenant, and those that rotation retired, each under its id."""

import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from anonymize.keys import PseudonymKey, load_key, sync_folder, write_aside
from schemas.errors import KeyFault

SUFFIX = ".key"
_RETIRED = re.compile(r"(?P<name>.+)\.(?P<id>[0-9a-f]{12})")


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A key file, described without its secret.

    Attributes:
        name: Name of the key: `pseudonym`, or a tenant.
        path: The file.
        key_id: Public id of the key; None where the file holds no good one.
        retired: Whether rotation put another key in its place.
        made: When the file was written.
        fault: Why the key cannot be used, where it cannot.
    """

    name: str
    path: Path
    key_id: str | None
    retired: bool
    made: datetime
    fault: str = ""


def key_files(folder: Path) -> list[KeyFile]:
    """Look at every key of a folder.

    Args:
        folder: Where key files lie.

    Returns:
        The keys by name, the current one of each name first. None where there is no folder.
    """
    found = [_described(path) for path in folder.glob(f"*{SUFFIX}") if path.is_file()]
    return sorted(found, key=lambda k: (k.name, k.retired, k.made, k.path.name))


def _described(path: Path) -> KeyFile:
    retired = _RETIRED.fullmatch(path.stem)
    name = retired["name"] if retired else path.stem
    made = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    try:
        return KeyFile(name, path, load_key(path).key_id, retired is not None, made)
    except KeyFault as fault:
        return KeyFile(name, path, None, retired is not None, made, fault.what)


def find_key(path: Path, key_id: str) -> Path:
    """Find the key of an id: the current one, or one that was retired beside it.

    Args:
        path: File of the current key.
        key_id: Id of the wanted key.

    Returns:
        Its file.

    Raises:
        KeyFault: No key beside the current one has that id.
    """
    if path.exists() and load_key(path).key_id == key_id:
        return path
    for other in key_files(path.parent):
        if other.key_id == key_id:
            return other.path
    raise KeyFault(
        f"The key {key_id} is needed, and lies neither in the key file nor beside it.",
        state="Nothing was read or written.",
        then="Bring the file of that key back (NAME.ID.key beside the current one), or name it with TACIT_KEY_FILE.",
    )


def rotate_key(path: Path) -> tuple[PseudonymKey, PseudonymKey, Path]:
    """Put a new key in the place of the current one, and keep that beside it under its id.

    At every moment there is a current key: the old one until the new one is whole.

    Args:
        path: File of the current key.

    Returns:
        The old key, the new one, and the file that keeps the old one.

    Raises:
        KeyFault: There is no good current key, or the folder cannot be written.
    """
    old = load_key(path)
    kept = path.with_name(f"{path.stem}.{old.key_id}{SUFFIX}")
    new = PseudonymKey(os.urandom(32))
    try:
        if kept.exists():  # an earlier rotation that died half-way
            if load_key(kept) != old:
                raise _cannot("Another file lies where the old key is to be kept.")
        else:
            os.link(path, kept)
        os.replace(write_aside(new, path), path)  # noqa: PTH105 - the name of the system call that the promise rests on
        sync_folder(path.parent)
    except OSError as fault:
        raise _cannot(f"The key cannot be rotated ({type(fault).__name__}).") from None
    return old, new, kept


def _cannot(what: str) -> KeyFault:
    return KeyFault(what, state="The current key is in force as before.", then="Mend the folder of the key file.")
