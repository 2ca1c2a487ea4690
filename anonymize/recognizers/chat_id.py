"""WeChat and QQ ids, by the words before them."""

from collections.abc import Iterator

from anonymize.recognizers.base import CUED, PROVEN, Hit, RuleRecognizer, over_bytes, over_text
from anonymize.view import View

_WXID = over_bytes(r"wxid_[A-Za-z0-9]{6,24}")
_WECHAT = over_text(
    r"(?i)(?:微信号?|wechat|weixin|vx|v信|威信|薇信|wx|微)(?: ?id)?(?:号| is|是|为|：|:|=|加| |同号|id|：)*"
    r"([A-Za-z][A-Za-z0-9_-]{5,19})"
)
_QQ = over_text(r"(?i)(?:qq|扣扣|企鹅号|q群|qq群)(?:号码?| number| id|群)?(?: is|是|为|:|=|加| )*([1-9][0-9]{4,10})")
_NOT_IDS = frozenset(
    {
        "number",
        "account",
        "official",
        "message",
        "payment",
        "groups",
        "wechat",
        "program",
        "developer",
        "android",
        "public",
    }
)


class ChatIdRecognizer(RuleRecognizer):
    """Finds WeChat and QQ ids."""

    ENTITIES = ("WECHAT", "QQ")
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield ids."""
        if "wxid_" in view.text:
            for match in view.matches(_WXID):
                yield Hit.at(match.span(), PROVEN, "WECHAT")
        if view.holds(_WECHAT):
            for match in view.matches(_WECHAT):
                start, end = match.span(1)
                value = match.group(1)
                odd = any(c.isdigit() or c in "_-" for c in value)
                stated = view.text[start - 1] in ":=是为号" if start else False
                if view.text[end : end + 1] not in ("@", "/") and (odd or stated) and value.lower() not in _NOT_IDS:
                    yield Hit(start, end, CUED, "WECHAT")
        if view.holds(_QQ):
            for match in view.matches(_QQ):
                start, end = match.span(1)
                if not view.text[end : end + 1].isalnum() or not view.text[end : end + 1].isascii():
                    yield Hit(start, end, CUED + 0.01, "QQ")
