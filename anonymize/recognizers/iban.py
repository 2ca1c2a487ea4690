"""International bank account numbers."""

from collections.abc import Iterator

from stdnum import iban

from anonymize.recognizers.base import CUED, PROVEN, Hit, RuleRecognizer, over_bytes
from anonymize.view import View, free, is_word

_SHAPE = over_bytes(r"(?i)[A-Z]{2}[0-9]{2}(?:[ \n-]?[A-Z0-9]){11,30}")
_LENGTHS = range(15, 35)


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


def _proven_end(text: str, start: int, end: int) -> int | None:
    """The end of the longest valid number from `start`: words that follow it have its alphabet too."""
    ends = [at + 1 for at in range(start, end) if text[at].isalnum()]
    for length in reversed(_LENGTHS):
        if length <= len(ends) and iban.is_valid(text[start : ends[length - 1]]):
            return ends[length - 1]
    return None


def _digits_end(text: str, start: int, end: int) -> int:
    """Cut trailing words off: the last group that holds a digit ends the number."""
    while end > start and not any(c.isdigit() for c in text[start:end].split()[-1]):
        end = start + len(text[start:end].rsplit(maxsplit=1)[0])
    return end
