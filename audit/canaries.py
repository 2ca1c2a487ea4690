"""Values that were planted, and the search for them in any spelling."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import re2

from audit.forms import byte_forms, digits_of, fold, join_digits, text_forms
from schemas.errors import ConfigError

_MEMORY = 256 << 20
_LEAST = 4


@dataclass(frozen=True, slots=True)
class Canary:
    """A planted value.

    Attributes:
        name: What it is called in reports: never the value.
        value: The value.
    """

    name: str
    value: str


def read_canaries(file: Path) -> list[Canary]:
    """Read planted values, one a line; what stands before a tab is the value's name.

    Raises:
        ConfigError: The file cannot be read, holds none, or one so short that it would be found everywhere.
    """
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise _refused(f"The file of canaries cannot be read ({type(fault).__name__}).") from None
    found = []
    for number, line in enumerate(lines, 1):
        name, tab, value = line.partition("\t")
        if not line.strip():
            continue
        canary = Canary(name.strip() if tab else f"line {number}", (value if tab else line).strip())
        # Two Chinese characters tell as much as four letters.
        if len(fold(canary.value).encode()) < _LEAST:
            raise _refused(f"The canary in line {number} is too short to be searched for.")
        found.append(canary)
    if not found:
        raise _refused("The file of canaries holds none.")
    return found


def _refused(what: str) -> ConfigError:
    return ConfigError(what, state="Nothing was searched.", then="Give a file with one planted value a line.")


class Search:
    """Finds canaries in text and in bytes.

    Args:
        canaries: What to look for.

    Attributes:
        reach: Length of the longest form in bytes: as much of a piece must be looked at again with the next one.
    """

    def __init__(self, canaries: Iterable[Canary]) -> None:
        self._texts: list[tuple[str, str]] = []
        self._numbers: list[tuple[str, str]] = []
        self._bytes: list[tuple[str, bytes]] = []
        for canary in canaries:
            self._texts += [(canary.name, form) for form in sorted(text_forms(canary.value))]
            self._bytes += [(canary.name, form) for form in sorted(byte_forms(canary.value))]
            if digits := digits_of(canary.value):
                self._numbers.append((canary.name, digits))
        self._any = _alternatives([form for _, form in [*self._texts, *self._numbers]])
        sizes = [len(f.encode("utf-8", "surrogatepass")) for _, f in self._texts] + [len(f) for _, f in self._bytes]
        self.reach = 4 * max(sizes, default=0)

    def in_text(self, text: str) -> dict[str, int]:
        """Count canaries in a text: name to number, by the spelling that occurs most often."""
        if not self._texts:
            return {}
        folded = fold(text)
        joined = join_digits(folded) if self._numbers else ""
        if not (_matches(self._any, folded) or (joined and joined != folded and _matches(self._any, joined))):
            return {}
        return _most([*_counted(self._texts, folded), *_counted(self._numbers, joined)])

    def in_bytes(self, data: bytes) -> dict[str, int]:
        """Count canaries in bytes, read as UTF-8 and as wider encodings."""
        wide = [(name, data.count(form)) for name, form in self._bytes if form in data]
        return _most([*self.in_text(data.decode("utf-8", "replace")).items(), *wide])


def _counted(forms: list[tuple[str, str]], text: str) -> Iterator[tuple[str, int]]:
    return ((name, text.count(form)) for name, form in forms if form in text)


def _most(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    """One occurrence may be seen in several spellings: the greatest count of any is the number."""
    most: dict[str, int] = {}
    for name, n in counts:
        most[name] = max(n, most.get(name, 0))
    return most


def _alternatives(forms: list[str]) -> Any:
    """One pattern for all forms, which tells in linear time whether any occurs."""
    options = re2.Options()
    options.max_mem, options.log_errors = _MEMORY, False
    return re2.compile("|".join(re2.escape(f) for f in sorted(set(map(_encodable, forms)))), options)


def _matches(pattern: Any, text: str) -> bool:
    return pattern.search(_encodable(text)) is not None


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
