"""Social security numbers of the United States."""

from collections.abc import Iterator

from anonymize.recognizers.base import CUED, SHAPED, Hit, RuleRecognizer, over_bytes
from anonymize.view import View, free_digits

_SHAPE = over_bytes(r"[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}")
_BARE = over_bytes(r"[0-9]{9}")
_CUES = ("ssn", "social", "tin", "itin", "taxpayer", "tax id", "tax form")
_BEFORE, _AFTER = 32, 12


class SsnRecognizer(RuleRecognizer):
    """Finds social security numbers by their groups; bare or spaced ones need a word beside them."""

    ENTITIES = ("US_SSN",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield social security numbers."""
        if not view.has_digit:
            return
        for match in view.matches(_SHAPE):
            start, end = match.span()
            if not free_digits(view.skeleton, start, end):
                continue
            value = view.text[start:end]
            if _cued(view, start, end):
                yield Hit(start, end, CUED + 0.04, "US_SSN")
            elif value[3] == "-" == value[6] and value[:3] != "000" and value[4:6] != "00" and value[7:] != "0000":
                yield Hit(start, end, SHAPED, "US_SSN")
        if any(cue in view.lower for cue in _CUES):
            for match in view.matches(_BARE):
                start, end = match.span()
                if free_digits(view.skeleton, start, end) and _cued(view, start, end):
                    yield Hit(start, end, CUED, "US_SSN")


def _cued(view: View, start: int, end: int) -> bool:
    near = view.before(start, _BEFORE) + " " + view.after(end, _AFTER)
    return any(cue in near for cue in _CUES)
