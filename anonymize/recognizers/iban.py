"""International bank account numbers."""

import re
from collections.abc import Iterator
from functools import cache

from stdnum import iban, numdb

from anonymize.recognizers.base import CUED, PROVEN, Hit, RuleRecognizer, over_bytes
from anonymize.view import View, free, is_word

_SHAPE = over_bytes(r"(?i)[A-Z]{2}[0-9]{2}(?:[ \n-]?[A-Z0-9]){11,30}")


class IbanRecognizer(RuleRecognizer):
    """Finds IBANs by their check digits; a number of that shape beside the word is taken as well."""

    ENTITIES = ("IBAN",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield IBANs."""
        if not view.has_digit:
            return
        for match in view.matches(_SHAPE):
            start, end = match.span()
            if start and is_word(view.skeleton[start - 1]):
                continue
            stop = _proven_end(view.text, start, end)
            if stop is not None and free(view.skeleton, start, stop):
                yield Hit(start, stop, PROVEN, "IBAN")
            elif "iban" in view.before(start, 24) and free(view.skeleton, start, end):
                yield Hit(start, _digits_end(view.text, start, end), CUED, "IBAN")


@cache
def _lengths() -> dict[str, int]:
    """The length of a number by its country."""
    plans = {low: str(info.get("bban", "")) for _, low, _, info, _ in numdb.get("iban").prefixes}
    return {country: 4 + sum(map(int, re.findall(r"[0-9]+", plan))) for country, plan in plans.items()}


def _proven_end(text: str, start: int, end: int) -> int | None:
    """The end of a valid number from `start`: words that follow it have its alphabet too."""
    length = _lengths().get(text[start : start + 2].upper())
    if length is None:
        return None
    ends = [at + 1 for at in range(start, end) if text[at].isalnum()]
    proven = length <= len(ends) and iban.is_valid(text[start : ends[length - 1]])
    return ends[length - 1] if proven else None


def _digits_end(text: str, start: int, end: int) -> int:
    """Cut trailing words off: the last group that holds a digit ends the number."""
    while end > start and not any(c.isdigit() for c in text[start:end].split()[-1]):
        end = start + len(text[start:end].rsplit(maxsplit=1)[0])
    return end
