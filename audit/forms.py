"""The spellings in which a value may lie in an artefact, and the folding that brings spellings together."""

import base64
import html
import json
import re
import unicodedata
from urllib.parse import quote, quote_plus

_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]")
_SPACE = re.compile(r"\s+")
_BACKSLASHES = re.compile(r"\\{2,}")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[ \-.()/]{1,3}(?=\d)")
_WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")


def fold(text: str) -> str:
    """Bring spellings together: width, case, invisible characters, runs of white space and of backslashes."""
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).casefold()
    return _BACKSLASHES.sub(r"\\", _SPACE.sub(" ", plain))


def join_digits(folded: str) -> str:
    """Take away what is written between the digits of a number."""
    return _BETWEEN_DIGITS.sub("", folded)


def digits_of(value: str) -> str:
    """The digits of a value that is a number of seven digits or more, however it is grouped; else nothing."""
    bare = re.sub(r"[ \-.()+/]", "", fold(value))
    return bare if len(bare) >= 7 and bare.isdigit() else ""


def text_forms(value: str) -> set[str]:
    """How a value may be written within text, each form folded.

    It is looked for as it is, backwards, and as JSON, Python, URLs, HTML, hexadecimal and Base64 write it.
    """
    data = value.encode("utf-8", "surrogatepass")
    forms = {value, value[::-1], quote(data, safe=""), quote_plus(data), quote(data)}
    forms |= {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    forms |= {value.encode("unicode_escape").decode(), repr(value)[1:-1], repr(data)[2:-1]}
    forms |= {html.escape(value), "".join(c if c.isascii() else f"&#{ord(c)};" for c in value)}
    forms |= {"".join(c if c.isascii() else f"&#x{ord(c):x};" for c in value), data.hex()}
    return {fold(form) for form in forms} | _base64(data)


def _base64(data: bytes) -> set[str]:
    """The stretch of a Base64 text that a value fills, at each of the three places where it may begin."""
    forms = set()
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + data).decode()
        first = -(-shift * 8 // 6)
        inner = whole[first : (shift + len(data)) * 8 // 6]
        # Shorter ones would be found in any large Base64 text.
        if len(inner) >= 8:
            forms |= {fold(inner), fold(inner.replace("+", "-").replace("/", "_"))}
    return forms


def byte_forms(value: str) -> set[bytes]:
    """How a value may lie in raw bytes, where they are no UTF-8."""
    spellings = {value, value.casefold(), value.upper(), unicodedata.normalize("NFKC", value)}
    return {s.encode(encoding, "surrogatepass") for s in spellings for encoding in _WIDE}
