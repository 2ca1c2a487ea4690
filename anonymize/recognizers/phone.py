"""Telephone numbers: mainland China, North America, Europe, international."""

from collections.abc import Iterator

import phonenumbers

from anonymize.recognizers.base import CUED, PROVEN, SHAPED, Hit, RuleRecognizer, any_of, over_bytes, over_text
from anonymize.view import View, free, free_digits

_MAINLAND = over_bytes(
    r"(?:(?:\+|00)?86[ -]?)?(?:1[3-9][0-9]{9}|1[3-9][0-9][ \n-][0-9]{4}[ \n-][0-9]{4}|"
    r"1[3-9][0-9]{2}[ -][0-9]{3}[ -][0-9]{4}|"
    r"1 [3-9](?: [0-9]){9}|1-[3-9](?:-[0-9]){9}|1[3-9][0-9]{5}[ -][0-9]{4}|1[3-9][0-9][ -][0-9]{8})"
)
_LANDLINE = over_bytes(r"(?:(?:\+|00)86[ -]?)?(?:\(0[1-9][0-9]{1,2}\) ?|0[1-9][0-9]{1,2}[ -])[0-9]{3,4}[ -]?[0-9]{4}")
_AMERICAN = over_bytes(
    r"(?:\+?1[ .-]?)?(?:\([2-9][0-9]{2}\)[ \n]?|[2-9][0-9]{2}[ .\n-])[0-9]{3}[ .\n-][0-9]{4}"
    r"(?: ?(?:x|ext\.?|extension) ?[0-9]{1,6})?"
)
_INTERNATIONAL = over_bytes(r"(?:\+|00)[1-9][0-9]{0,3}(?:[ ./-]{0,2}\(?[0-9]{1,5}\)?){2,7}")
_SEPARATED = over_bytes(r"\(?0[1-9][0-9]{0,5}\)?(?:[ ./-][0-9]{2,7}){1,5}")
_CUED = over_text(
    r"(?i)(?:\b(?:tele|i|head|micro)?phone|\btele?|\b(?:mobile|cell|fax|whatsapp|call(?:ing|ed)?|text(?:ing)?|sms|"
    r"dial|ring|reach|contact|landline|hotline|messages to|desk:|office:|answer(?:ing)? (?:at|on))|"
    r"\bnumber(?:'s| is| was|:)|registered|imessage|facetime|signal|telegram|"
    r"电话|手机|座机|联系方式|联系|致电|拨打|打给|热线|传真|号码是|手机号|電話|手機|回电|短信)"
    r"[^0-9+()\n]{0,24}\n?[^0-9+()\n]{0,6}([+(]{0,2}[0-9](?:[ ./()-]{0,2}[0-9]){5,17})"
)
# A label may stand behind: "416 60 039 office".
_LABELLED = over_bytes(
    r"([+(]{0,2}[0-9](?:[ ./()-]{0,2}[0-9]){5,15}\)?) ?[-,(]? ?(?i:office|fax|mobile|cell|home|work|desk|tel|phone|"
    r"ext)\b"
)
_CUES = any_of(
    "phone", "tel", "mobile", "cell", "fax", "whatsapp", "call", "text", "sms", "dial", "ring", "reach", "contact",
    "line", "number", "desk", "office", "answer", "regist", "message", "facetime", "signal",
    "电话", "手机", "座机", "联系", "致电", "拨打", "打给", "热线", "传真", "号码", "電話", "手機", "回电", "短信",
)  # fmt: skip
_NEAR = (
    "phone", "tel", "mobile", "cell", "call", "text", "sms", "dial", "reach", "contact", "fax", "whatsapp", "电话",
    "手机", "联系", "打给", "致电", "微信", "短信",
)  # fmt: skip
# What stands before a number that is a key of a record, an amount or a time, never a telephone.
_KEYS = ("id", "ts", "time", "stamp", "after", "epoch", "order", "count", "size", "单号", "流水", "编号", "时间戳")
_TEN = over_bytes(r"[2-9][0-9]{9}")
# Seven digits as dialled at home, where somebody is to ring them.
_LOCAL = over_bytes(r"[2-9][0-9]{2}[.-][0-9]{4}")
_RING = ("call", "phone", "text me", "ring", "dial", "reach me", "area code", "my number", "voicemail")
_REGIONS = ("GB", "FR", "DE", "IT", "ES", "NL", "CH", "AT", "AU", "JP", "IN", "BR", "IE")


class PhoneRecognizer(RuleRecognizer):
    """Finds telephone numbers by shape, by numbering plan and by the words before them."""

    ENTITIES = ("PHONE",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield numbers."""
        if not view.has_digit:
            return
        yield from self._shaped(view)
        if "+" in view.text or "00" in view.text:
            yield from self._international(view)
        if "0" in view.text:
            yield from self._national(view)
        if view.holds(_CUES):
            yield from self._cued(view)

    def _shaped(self, view: View) -> Iterator[Hit]:
        for match in view.matches(_MAINLAND):
            start, end = match.span()
            spaced = view.text[start + 1] == " " and view.before(start, 2)[:1].isdigit()
            if free_digits(view.skeleton, start, end) and not _keyed(view, start) and not spaced:
                yield Hit(start, end, CUED, "PHONE")
        for pattern in (_LANDLINE, _AMERICAN):
            for match in view.matches(pattern):
                start, end = match.span()
                if free_digits(view.skeleton, start, end):
                    # A bracket that closes outside belongs to the sentence.
                    start += view.text[start] == "(" and ")" not in view.text[start:end]
                    yield Hit(start, end, SHAPED, "PHONE")

    def _international(self, view: View) -> Iterator[Hit]:
        for match in view.matches(_INTERNATIONAL):
            start, end = match.span()
            end -= len(match.group().rstrip(b" ./-(")) < end - start and 1
            if not free(view.skeleton, start, end):
                continue
            value = "+" + "".join(c for c in view.text[start:end] if c.isdigit()).lstrip("0")
            if _possible(value) if view.text[start] == "+" else _valid(value, None):
                yield Hit(start, end, PROVEN, "PHONE")

    def _national(self, view: View) -> Iterator[Hit]:
        for match in view.matches(_SEPARATED):
            start, end = match.span()
            digits = sum(c.isdigit() for c in view.text[start:end])
            if not 9 <= digits <= 12 or not free_digits(view.skeleton, start, end):
                continue
            if any(_valid(view.text[start:end], region) for region in _REGIONS):
                yield Hit(start, end, SHAPED, "PHONE")

    def _cued(self, view: View) -> Iterator[Hit]:
        for match in view.matches(_CUED):
            start, end = match.span(1)
            digits = sum(c.isdigit() for c in view.text[start:end])
            plain = view.text[start:end].isdigit()
            if digits < 7 - ("." in view.text[start:end]) or not free(view.skeleton, start, end) or _keyed(view, start):
                continue
            # A bare run needs to be of a telephone's length: ten digits beginning with 1 are more often a time.
            if plain and (digits > 12 or (digits == 10 and view.text[start] == "1")):
                continue
            if _date_like(view.text[start:end]):
                continue
            yield Hit(start, end, SHAPED, "PHONE")
        yield from self._labelled(view)

    def _labelled(self, view: View) -> Iterator[Hit]:
        """Yield numbers with a label behind them, and short ones where somebody is to ring."""
        for match in view.matches(_LABELLED):
            start, end = match.span(1)
            value = view.text[start:end]
            grouped = any(c in value for c in " ()-./+")
            if (
                grouped
                and sum(c.isdigit() for c in value) >= 7
                and free(view.skeleton, start, end)
                and not _date_like(value)
            ):
                yield Hit(start, end, SHAPED, "PHONE")
        for match in view.matches(_LOCAL):
            start, end = match.span()
            near = view.before(start, 48) + " " + view.after(end, 24)
            if free_digits(view.skeleton, start, end) and any(cue in near for cue in _RING):
                yield Hit(start, end, SHAPED - 0.1, "PHONE")
        for match in view.matches(_TEN):
            start, end = match.span()
            if free_digits(view.skeleton, start, end) and not _keyed(view, start):
                near = view.before(start, 40) + " " + view.after(end, 20)
                if any(cue in near for cue in _NEAR):
                    yield Hit(start, end, SHAPED, "PHONE")


def _keyed(view: View, start: int) -> bool:
    """Whether the number is the value of a key that is not a telephone's."""
    left = view.before(start, 24)
    head = left.rstrip(" :=#\"'号")
    return any(head.endswith(key) for key in _KEYS) and (left != head or left.endswith(("单号", "流水", "编号")))


def _date_like(value: str) -> bool:
    """Whether separated digits read as a date such as 2024-03-15 or 15.03.2024."""
    parts = [p for p in value.replace("/", "-").replace(".", "-").split("-") if p]
    return len(parts) == 3 and sorted(map(len, parts)) in ([1, 1, 4], [1, 2, 4], [2, 2, 4]) and " " not in value


def _possible(value: str) -> bool:
    try:
        return bool(phonenumbers.is_possible_number(phonenumbers.parse(value, None)))
    except phonenumbers.NumberParseException:
        return False


def _valid(value: str, region: str | None) -> bool:
    try:
        return bool(phonenumbers.is_valid_number(phonenumbers.parse(value, region)))
    except phonenumbers.NumberParseException:
        return False
