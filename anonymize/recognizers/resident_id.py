"""Resident identity numbers of mainland China."""

from collections.abc import Iterator
from datetime import date

from stdnum.cn import ric

from anonymize.recognizers.base import CUED, PROVEN, Hit, RuleRecognizer, over_bytes
from anonymize.view import View, free

_MODERN = over_bytes(
    r"[1-9][0-9]{5}[ -]?(?:18|19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[ -]?[0-9]{3}[0-9Xx]"
)
# A number that a line break or blanks cut anywhere is one where its check digit says so.
_CUT = over_bytes(r"[1-9](?:[ \n-]{0,2}[0-9]){16}[ \n-]{0,2}[0-9Xx]")
_OLD = over_bytes(r"[1-9][0-9]{7}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9]{3}")
_CUES = (
    "身份证",
    "身分证",
    "身份號",
    "身份号",
    "证件号",
    "id是",
    "id:",
    "id为",
    "id：",
    "公民身份",
    "resident id",
    "id card",
    "id no",
    "id number",
    "national id",
    "身分證",
    "老身份",
)


class ResidentIdRecognizer(RuleRecognizer):
    """Finds 18-digit numbers by check digit and date, and others of the shape beside a word for them."""

    ENTITIES = ("CN_RESIDENT_ID",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield resident ids."""
        if not view.has_digit:
            return
        for match in view.matches(_MODERN):
            start, end = match.span()
            if not free(view.skeleton, start, end):
                continue
            number = "".join(c for c in view.text[start:end].upper() if c.isalnum())
            if not _real_date(number[6:14]):
                continue
            if _checked(number):
                yield Hit(start, end, PROVEN, "CN_RESIDENT_ID")
            elif _cued(view, start, end) or not _serial(view, start):
                # A mistyped number still tells who it is, where the words say what it was meant to be.
                yield Hit(start, end, CUED + 0.05, "CN_RESIDENT_ID")
        yield from self._cut(view)
        if any(cue in view.lower for cue in _CUES):
            for match in view.matches(_OLD):
                start, end = match.span()
                if free(view.skeleton, start, end) and _cued(view, start, end):
                    yield Hit(start, end, CUED + 0.05, "CN_RESIDENT_ID")

    def _cut(self, view: View) -> Iterator[Hit]:
        """Yield numbers that a line break or blanks cut."""
        for match in view.matches(_CUT):
            if match.group().isalnum():
                continue
            number = "".join(c for c in view.text[match.start() : match.end()].upper() if c.isalnum())
            if free(view.skeleton, *match.span()) and _real_date(number[6:14]) and _checked(number):
                yield Hit.at(match.span(), PROVEN, "CN_RESIDENT_ID")


# What stands before an 18-digit number that counts orders or records.
_SERIALS = (
    "单",
    "号码",
    "流水",
    "编号",
    "order",
    "trace",
    "serial",
    "no",
    "id",
    "num",
    "#",
    "_",
    "=",
    "运单",
    "sku",
    "code",
    "ts",
)


def _serial(view: View, start: int) -> bool:
    """Whether the number is named as a serial one, or stands alone without a person before it."""
    left = view.before(start, 16).rstrip(" :：=\"'号")
    return (
        left.endswith(_SERIALS)
        or not any(c in view.before(start, 8) for c in "(（,，、 \t|:：")
        or not _is_province(view.text[start : start + 2])
    )


def _is_province(code: str) -> bool:
    return code[0] in "123456" and code[1] in "1234567"


def _cued(view: View, start: int, end: int) -> bool:
    near = view.before(start, 40) + " " + view.after(end, 20)
    return any(cue in near for cue in _CUES)


def _checked(number: str) -> bool:
    return bool(ric.calc_check_digit(number[:17]) == number[17])


def _real_date(digits: str) -> bool:
    try:
        date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return False
    return True
