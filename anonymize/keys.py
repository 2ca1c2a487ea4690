"""The pseudonym key: made once, kept in a private file, never shown."""

import hmac
import os
import stat
import tempfile
from base64 import b32encode
from dataclasses import dataclass, field
from pathlib import Path

from schemas.errors import KeyFault

_KEY_BYTES = 32
# Fewer distinct bytes than this in 32 is no random key: 32 random bytes hold about 30, and fewer than 16 once in 10^14.
_LEAST_DISTINCT = 16
# 8 base-32 characters are 40 bits. A conversation holds at most some thousands of distinct values, so two of them share
# a tag with a chance below 10^-5 even at 5,000, while the tag stays short enough to read in a sentence.
TAG_CHARS = 8
_USER_CHARS = 26


@dataclass(frozen=True, slots=True)
class PseudonymKey:
    """The secret from which tags and user pseudonyms are derived.

    Attributes:
        secret: 32 random bytes. Left out of `repr` and of comparisons in messages.
    """

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.secret) < _KEY_BYTES or len(set(self.secret)) < _LEAST_DISTINCT:
            raise KeyFault(
                "The pseudonym key is too weak: 32 random bytes are needed.",
                state="Nothing was read.",
                then="Run `tacit keys new` to make one, and keep it for all later runs.",
            )

    @property
    def key_id(self) -> str:
        """A short public name of the key: tells whether two tables were made with one key, and nothing else."""
        return self._digest("key_id").hex()[:12]

    def tag(self, scope: str, entity: str, value: str) -> str:
        """Derive the tag of a value.

        Args:
            scope: What the tag is stable within: a conversation, or a user.
            entity: Entity type, such as `PERSON`.
            value: The normalised value.

        Returns:
            `<TYPE_xxxxxxxx>`, 8 characters of lower-case base 32.
        """
        # Five bytes are eight characters.
        code = b32encode(self._digest("tag", scope, entity, value)[: TAG_CHARS * 5 // 8]).decode().lower()
        return f"<{entity}_{code}>"

    def user_key(self, source: str, user_id: str) -> str:
        """Derive the pseudonym of a user.

        Args:
            source: The product or application whose id it is.
            user_id: The id as it was logged.

        Returns:
            `u_` and 26 characters of lower-case base 32 (130 bits: users are counted over all sources and years).
        """
        return "u_" + b32encode(self._digest("user", source, user_id)).decode()[:_USER_CHARS].lower()

    def record_key(self, kind: str, source: str, record_id: str) -> str:
        """Derive the pseudonym of a conversation or a message, by which an erasure remembers what is gone.

        Args:
            kind: `conversation` or `message`.
            source: The source as it stands in the tables.
            record_id: The id as it was logged.

        Returns:
            `r_` and 26 characters of lower-case base 32.
        """
        return "r_" + b32encode(self._digest("record", kind, source, record_id)).decode()[:_USER_CHARS].lower()

    def _digest(self, *parts: str) -> bytes:
        # A length before each part keeps ("ab", "c") apart from ("a", "bc").
        encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
        return hmac.digest(self.secret, b"".join([b"%d:%b" % (len(data), data) for data in encoded]), "sha256")


def load_key(path: Path) -> PseudonymKey:
    """Read the key from its file.

    Args:
        path: A file that holds 64 hexadecimal digits, readable by its owner only.

    Raises:
        KeyFault: The file is missing, unreadable, open to others, or holds no strong key.
    """
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            raw = file.read(4096)
    except FileNotFoundError:
        raise _fault("The pseudonym key file is missing.", "Run `tacit keys new`, or name the right file.") from None
    except OSError as fault:
        what = f"The pseudonym key file cannot be read ({type(fault).__name__})."
        raise _fault(what, "Check its owner and mode.") from None
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise _fault("The pseudonym key file is open to other users.", "Run `chmod 600` on it.")
    try:
        secret = bytes.fromhex(raw.decode("ascii").strip())
    except ValueError:
        what = "The pseudonym key file does not hold hexadecimal digits."
        raise _fault(what, "Restore it from its copy, or make a new one with `tacit keys new`.") from None
    return PseudonymKey(secret)


def create_key(path: Path) -> PseudonymKey:
    """Make a new key in a private file.

    Args:
        path: A path at which nothing exists. Missing parent folders are made, open to their owner only.

    Raises:
        KeyFault: Something exists at the path, or it cannot be written.
    """
    key = PseudonymKey(os.urandom(_KEY_BYTES))
    try:
        for folder in reversed(path.parents):
            if not folder.exists():
                folder.mkdir(mode=0o700, exist_ok=True)
        aside = write_aside(key, path)
        try:
            os.link(aside, path)  # fails where something is, and is there as a whole or not at all
        finally:
            aside.unlink()
        sync_folder(path.parent)
    except FileExistsError:
        what = "A file already exists where the pseudonym key was to be made."
        raise _fault(what, "Use that key, or name another path.") from None
    except OSError as fault:
        what = f"The pseudonym key file cannot be made ({type(fault).__name__})."
        raise _fault(what, "Name a path that can be written.") from None
    return key


def write_aside(key: PseudonymKey, path: Path) -> Path:
    """Write a key to a private file beside the one that it will become.

    Returns:
        The file, closed, on the disk, and readable by its owner only.

    Raises:
        OSError: The folder cannot be written.
    """
    handle, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)  # made with mode 0600
    with os.fdopen(handle, "wb") as file:
        file.write(key.secret.hex().encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    return Path(name)


def sync_folder(folder: Path) -> None:
    """Wait until the entries of a folder are on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _fault(what: str, then: str) -> KeyFault:
    return KeyFault(what, state="Nothing was read.", then=then)
