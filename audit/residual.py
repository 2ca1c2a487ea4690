"""Identifiers that look as if they had been left: simple patterns with checksums, written to be read at a glance."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable

_TAG = re.compile(r"<[A-Z][A-Z0-9_]{1,60}_[a-z0-9]{1,32}>")
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def _digits(text: str) -> list[int]:
    return [int(c) for c in text if c.isdigit()]


def luhn(text: str) -> bool:
    """Whether the digits of a card number add up."""
    digits = _digits(text)
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 3:
        return False
    doubled = [d if n % 2 == 0 else sum(divmod(2 * d, 10)) for n, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def iban(text: str) -> bool:
    """Whether an IBAN's check digits are right."""
    bare = text.replace(" ", "").upper()
    if not 15 <= len(bare) <= 34:
        return False
    return int("".join(str(int(c, 36)) for c in bare[4:] + bare[:4])) % 97 == 1


def resident_id(text: str) -> bool:
    """Whether the last character of a Chinese resident id fits the others."""
    total = sum(int(d) * w for d, w in zip(text[:17], _WEIGHTS, strict=True))
    return "10X98765432"[total % 11] == text[17].upper()


def ip_address(text: str) -> bool:
    """Whether it is an address of the fourth version of the protocol that is somebody's: not loopback, not a mask."""
    parts = text.split(".")
    whole = all(int(p) < 256 and p == str(int(p)) for p in parts)
    return whole and int(parts[0]) not in (0, 127, 255)


def _phone(text: str) -> bool:
    return 8 <= len(_digits(text)) <= 15


def _always(_: str) -> bool:
    return True


_FREE, _END = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"
_SECRETS = (
    r"sk-[\w-]{16,}",
    r"gh[pousr]_\w{20,}",
    r"github_pat_\w{20,}",
    r"AKIA[A-Z0-9]{16}",
    r"xox[abp]-[\w-]{10,}",
    r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}",
    r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY",
)
_RULES: dict[str, tuple[str, Callable[[str], bool]]] = {
    "e-mail": (r"(?<![\w.+-])\w[\w.+-]{0,63}@[a-zA-Z0-9-]{1,63}(?:\.[a-zA-Z0-9-]{1,63}){0,8}\.[a-zA-Z]{2,24}", _always),
    "card": (r"(?<![\w.-])[2-6]\d{3}(?:[ -]?\d){9,15}(?![\w-])", luhn),
    "IBAN": (_FREE + r"[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?" + _END, iban),
    "resident id": (_FREE + r"[1-9]\d{5}(?:18|19|20)\d\d[01]\d[0-3]\d{4}[\dXx]" + _END, resident_id),
    "mobile": (r"(?<![A-Za-z0-9.=-])1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?![A-Za-z0-9.-])", _always),
    "telephone": (r"(?<![A-Za-z0-9+])\+[1-9]\d{0,3}(?:[ ().-]{0,3}\d){6,13}" + _END, _phone),
    "US number": (r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w-])", _always),
    "IP address": (r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w.-])", ip_address),
    "secret": (_FREE + f"(?:{'|'.join(_SECRETS)})", _always),
    "wallet": (_FREE + r"(?:0x[0-9A-Fa-f]{40}|bc1[a-z0-9]{38,58})" + _END, _always),
}
_PATTERNS = {kind: (re.compile(pattern, re.ASCII), holds) for kind, (pattern, holds) in _RULES.items()}


def residual(text: str) -> Counter[str]:
    """Count what looks like an identifier.

    Args:
        text: Text of an artefact. Tags in it are passed over.

    Returns:
        Kind to number.
    """
    plain = _TAG.sub(" ", unicodedata.normalize("NFKC", text))
    found: Counter[str] = Counter()
    for kind, (pattern, holds) in _PATTERNS.items():
        n = sum(holds(match[0]) for match in pattern.finditer(plain))
        if n:
            found[kind] = n
    return found
