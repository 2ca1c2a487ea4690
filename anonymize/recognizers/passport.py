"""Passport and travel permit numbers, by the words around them."""

from collections.abc import Iterator

from anonymize.recognizers.base import CUED, Hit, RuleRecognizer, any_of, over_bytes, over_text
from anonymize.view import View, free

_CUES = ("passport", "护照", "護照", "通行证", "通行證", "回乡证", "台胞证", "travel document")
_NUMBER = over_bytes(r"(?i)[A-Z]{1,2}[ -]?[0-9]{6,9}|[0-9]{8,9}|[A-Z][0-9]{2}[A-Z]{2}[0-9]{4}")
# Some states number with letters and digits mixed: only right behind the word.
_MIXED = over_text(
    r"(?i)(?:passport|护照|護照)(?: ?(?:no|number|num|号码?|號碼?)\.?)?(?: is|:|：|是|为|#| )*([A-Z][0-9A-Z]{7,8})"
)
_CUED = any_of(*_CUES)
_LEAST_DIGITS = 4
_BEFORE, _AFTER = 60, 24


class PassportRecognizer(RuleRecognizer):
    """Finds passport numbers near a word for them."""

    ENTITIES = ("PASSPORT",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield passport numbers."""
        if not view.has_digit or not view.holds(_CUED):
            return
        for match in view.matches(_NUMBER):
            start, end = match.span()
            if not free(view.skeleton, start, end, also=b"+#"):
                continue
            near = view.before(start, _BEFORE) + "\n" + view.after(end, _AFTER)
            if any(cue in near for cue in _CUES):
                yield Hit(start, end, CUED + 0.03, "PASSPORT")
        for match in view.matches(_MIXED):
            value = match.group(1)
            if free(view.skeleton, *match.span(1)) and sum(c.isdigit() for c in value) >= _LEAST_DIGITS:
                yield Hit.at(match.span(1), CUED + 0.03, "PASSPORT")
