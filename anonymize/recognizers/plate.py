"""Licence plates: mainland China by shape, others by the words around them."""

from collections.abc import Iterator

from anonymize.recognizers.base import CUED, SHAPED, Hit, RuleRecognizer, any_of, over_bytes, over_text, within_text
from anonymize.view import View, free

_PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼滬遼雲魯蘇贛陝閩貴粵寧瓊"
_MAINLAND = over_text(rf"[{_PROVINCES}][A-Z][ ·•・.-]?[A-Z0-9]{{4,5}}[A-Z0-9学警港澳挂]")
_OTHER = over_bytes(
    r"[A-Z0-9]{1,4}(?:[ -][A-Z0-9]{1,4}){1,2}|[A-Z]{1,4}[0-9]{1,5}[A-Z]{0,3}|[0-9]{1,4}[A-Z]{2,4}[0-9]{0,4}"
)
_CUES = (
    "plate",
    "licence tag",
    "license tag",
    "registration",
    "uk reg",
    " reg ",
    "vrm",
    "number tag",
    "dashcam",
    "车牌",
    "車牌",
    "牌照",
    "mot due",
    "parked",
    "hit-and-run",
    "hit and run",
)
_CUED = any_of(*_CUES)
# Shapes that hardly anything else has, beside a vehicle.
_STRICT = over_bytes(
    r"[0-9][A-Z]{3}[0-9]{3}|[A-Z]{3}[ -]?[0-9]{3,4}|[A-Z]{2}[0-9]{2} ?[A-Z]{3}|[A-Z]{2} [0-9]{2} [0-9]{3}"
)
_VEHICLES = within_text(
    r"(?i)\b(?:car|cars|van|truck|suv|sedan|pickup|hatchback|lorry|motorbike|motorcycle|honda|toyota|ford|bmw|audi|tesla|nissan|"
    r"volkswagen|vw|hyundai|kia|mazda|subaru|lexus|mercedes|chevy|jeep|volvo|ran the red|rear-ended|cut me off)\b|车"
)
_BEFORE, _AFTER = 40, 20


class LicensePlateRecognizer(RuleRecognizer):
    """Finds licence plates."""

    ENTITIES = ("LICENSE_PLATE",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield plates."""
        if view.has_han:
            for match in view.matches(_MAINLAND):
                start, end = match.span()
                body = view.text[start + 2 : end]
                if free(view.skeleton, start + 1, end) and any(c.isdigit() for c in body):
                    yield Hit(start, end, CUED, "LICENSE_PLATE")
        if view.has_digit:
            yield from self._on_the_road(view)
        if view.holds(_CUED):
            for match in view.matches(_OTHER):
                start, end = match.span()
                value = view.text[start:end]
                letters, digits = sum(c.isalpha() for c in value), sum(c.isdigit() for c in value)
                if letters < 2 or digits < 1 or not 5 <= letters + digits <= 8 or not free(view.skeleton, start, end):
                    continue
                near = view.before(start, _BEFORE) + "\n" + view.after(end, _AFTER)
                if any(cue in near for cue in _CUES):
                    yield Hit(start, end, SHAPED - 0.05, "LICENSE_PLATE")

    def _on_the_road(self, view: View) -> Iterator[Hit]:
        """Yield strict shapes near a word for a vehicle."""
        for match in view.matches(_STRICT):
            start, end = match.span()
            near = view.text[max(0, start - _BEFORE) : start] + "\n" + view.text[end : end + _BEFORE]
            if free(view.skeleton, start, end, also=b"-") and _VEHICLES.search(near):
                yield Hit(start, end, SHAPED - 0.05, "LICENSE_PLATE")
