"""Geographic coordinates."""

from collections.abc import Iterator

from anonymize.recognizers.base import CUED, SHAPED, Hit, RuleRecognizer, over_bytes, over_text, within_text
from anonymize.view import View, free_digits

_DECIMAL = over_bytes(r"[+-]?[0-9]{1,3}\.[0-9]{3,12} ?, ?[+-]?[0-9]{1,3}\.[0-9]{3,12}")
_LETTERED = over_text(
    r"(?i)[0-9]{1,3}(?:\.[0-9]+)? ?°? ?[NS][ ,/]{0,3}[0-9]{1,3}(?:\.[0-9]+)? ?°? ?[EW]|"
    r"[0-9]{1,3}° ?[0-9]{1,2}(?:\.[0-9]+)?['′]? ?(?:[0-9]{1,2}(?:\.[0-9]+)?(?:\"|″|''))? ?[NS]?[ ,/]{0,3}"
    r"[0-9]{1,3}° ?[0-9]{1,2}(?:\.[0-9]+)?['′]? ?(?:[0-9]{1,2}(?:\.[0-9]+)?(?:\"|″|''))? ?[EW]?|"
    r"(?:北纬|南纬|东经|西经)[^0-9]{0,3}[0-9]{1,3}\.[0-9]+°?[^0-9]{0,6}(?:东经|西经|北纬|南纬)[^0-9]{0,3}[0-9]{1,3}\.[0-9]+°?|"
    r"lat(?:itude)?[\"']?[ :=]{1,3}-?[0-9]{1,2}\.[0-9]{3,}[^0-9-]{1,20}-?[0-9]{1,3}\.[0-9]{3,}"
)
_CUES = (
    "lat",
    "lng",
    "lon",
    "gps",
    "coord",
    "position",
    "location",
    "i'm at",
    "located",
    "坐标",
    "位置",
    "定位",
    "经纬",
    "trail",
    "parked",
    "meet",
    "map",
)
_MORE = within_text(r"^ ?, ?[+-]?[0-9]")
_MARKS = ("°", "纬", "lat", "n", "s")


class CoordinatesRecognizer(RuleRecognizer):
    """Finds pairs of latitude and longitude; a list of three numbers or more is a vector."""

    ENTITIES = ("COORDINATES",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield pairs."""
        if not view.has_digit:
            return
        if "." in view.text and "," in view.text:
            yield from self._decimal(view)
        if view.has_digit:
            for match in view.matches(_LETTERED):
                start, end = match.span()
                precise = "." in match.group() or "'" in match.group() or "′" in match.group()
                if precise and free_digits(view.skeleton, start, end):
                    yield Hit(start, end, CUED, "COORDINATES")

    def _decimal(self, view: View) -> Iterator[Hit]:
        for match in view.matches(_DECIMAL):
            start, end = match.span()
            if not free_digits(view.skeleton, start, end):
                continue
            left, right = view.before(start, 40), view.after(end, 24)
            # Of three numbers or more; a comma with words behind it is a sentence's.
            if (left.rstrip().endswith((",", "[[")) and left.rstrip()[-2:-1].isdigit()) or _MORE.search(right):
                continue
            first, second = (float(part) for part in match.group().split(b","))
            if abs(first) > 180 or abs(second) > 180 or min(abs(first), abs(second)) > 90:
                continue
            cued = any(cue in left or cue in right for cue in _CUES)
            places = min(len(part.strip().split(b".")[1]) for part in match.group().split(b","))
            far = abs(first) > 1 and abs(second) > 1
            if cued or (far and places >= 4):
                yield Hit(start, end, SHAPED, "COORDINATES")
