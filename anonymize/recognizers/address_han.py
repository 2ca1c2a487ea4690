"""Chinese addresses, from the province down to the room."""

from collections.abc import Iterator

from anonymize.recognizers.base import CUED, SHAPED, Hit, RuleRecognizer, over_text, within_text
from anonymize.view import View

# Characters that stand before an address in a sentence and in few places' names; those few stand beside them.
_PLAIN = (
    r"[^\x00-\x{2fff}\x{3000}-\x{33ff}\x{a000}-\x{10ffff}"
    r"我你您他她它们在住到寄是的了给请把从址去搬往回叫说有没来想问帮这那哪个就和及与或也都还不]"
)
_H = (
    rf"(?:{_PLAIN}|成都|首都|都江堰|[花武宜江新丰于宁尧望昌曾商殷乐盐秦莲魏]都|都匀|呼和浩特|和平|和谐|和田|"
    rf"[祥永太人安共颐仁嘉中泰兴政云怀平保]和|从化|从江|[来怀惠]来|来[宾安凤]|回民|回龙|那曲|个旧|图们)"
)
_NUMBER = r"[0-9A-Za-z〇零一二三四五六七八九十百]{1,6}"
_ADMIN = (
    rf"(?:{_H}{{2,7}}(?:省|自治区|特别行政区))?(?:{_H}{{1,7}}(?:市|自治州|地区|盟))?(?:{_H}{{1,7}}(?:区|县|旗|"
    rf"市))?(?:{_H}{{1,8}}(?:街道|镇|乡|开发区|高新区|新区|园区))?"
)
_ROAD_END = (
    r"(?:路|街|道|巷|弄|胡同|大街|大道|里|村|庄|园|苑|小区|花园|公寓|广场|大厦|市场|商城|夜市|城|坊|"
    r"桥|湾|府|庭|轩|墅)(?:[东南西北中一二三四五六七八九十]{1,2}段)?"
)
_ROAD = rf"{_H}{{1,10}}?{_ROAD_END}"
_HOUSE = (
    rf"(?:{_NUMBER} ?(?:号院|号楼|号摊位?|号铺|号档口?|号|弄|栋|幢|座|单元|层|楼|室|房|组|巷|"
    rf"期)(?:之[一二三四五六七八九十0-9])?(?:院|楼)?)"
)
_FULL = over_text(
    rf"{_ADMIN}(?:{_ROAD}){{1,3}} ?{_HOUSE}(?:[ -]?(?:{_H}{{1,10}}?(?:小区|花园|公寓|大厦|广场|苑|园|城|座|院|湾|"
    rf"府|轩|庭|村))?[ -]?{_HOUSE}){{0,5}}(?:[ -]?[0-9]{{2,5}}(?:室|号|房)?)?"
    rf"(?:{_H}{{0,8}}[0-9]{{1,3}}(?:-[0-9]{{1,4}}){{1,3}}|{_H}{{1,8}}[0-9]{{1,2}}楼|{_H}{{0,4}}(?:驿站|快递柜|"
    rf"自提点|代收点))?",
    gate=rf"{_ROAD_END} ?{_HOUSE}",
)
_ROOMS = over_text(
    rf"{_ADMIN}{_H}{{0,10}}{_NUMBER} ?(?:栋|幢|号楼|座) ?(?:{_NUMBER} ?单元)? ?{_NUMBER} ?(?:室|号|房|层)?"
)
_CHAIN = over_text(
    rf"{_H}{{2,7}}(?:省|自治区|市){_H}{{1,7}}(?:市|区|县|州)(?:{_H}{{1,7}}(?:区|县|镇|街道|"
    rf"乡))?(?:{_H}{{1,8}}(?:镇|乡|街道|村))?"
)
_FIELD = over_text(
    r"(?:地址|住址|住所|坐落|家住|现居|收货地|通讯处|"
    r"住)在?(?:\s?[A-Za-z]{0,10})?[:：]?\s?([^\s,，。；;！!？?、（()）]{4,40})"
)
_LEADS = (
    "位于",
    "坐落于",
    "坐落",
    "家住",
    "地址",
    "现住",
    "户籍",
    "籍贯",
    "来自",
    "前往",
    "公司",
    "老家",
    "住址",
    "现居",
    "目前",
    "今天",
    "昨天",
    "明天",
    "刚",
    "人",
    "住",
    "家",
)
_HOUSE_ALONE = within_text(rf"{_HOUSE}")


class HanAddressRecognizer(RuleRecognizer):
    """Finds Chinese street addresses, and chains of two or more administrative units as locations."""

    ENTITIES = ("ADDRESS", "LOCATION")
    BY_PATTERNS = True
    IN_CHINESE = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield addresses."""
        if not view.has_han:
            return
        text = view.text
        if view.has_digit or any(c in text for c in "号室栋幢座"):
            yield from self._houses(view)
        if any(c in text for c in "省市州"):
            for match in view.matches(_CHAIN):
                start = _skip_leads(text, *match.span())
                if match.end() - start >= 5:
                    yield Hit(start, match.end(), SHAPED - 0.1, "LOCATION")

    def _houses(self, view: View) -> Iterator[Hit]:
        text = view.text
        for pattern in (_FULL, _ROOMS):
            for match in view.matches(pattern):
                start = _skip_leads(text, *match.span())
                value = text[start : match.end()]
                if any(c.isalnum() and (c.isascii() or c in "一二三四五六七八九十") for c in value) and _is_house(
                    value
                ):
                    yield Hit(start, match.end(), SHAPED + 0.05, "ADDRESS")
        for match in view.matches(_FIELD):
            # What stands before a colon is still the label.
            start = match.start(1) + match.group(1).rfind(":") + 1
            value = text[start : match.end(1)]
            if any(c.isdigit() for c in value) and _HOUSE_ALONE.search(value):
                yield Hit(start, match.end(1), CUED, "ADDRESS")


def _is_house(value: str) -> bool:
    """Whether a candidate names a house, not a numbered thing such as 1号楼梯 or 第3号 in prose."""
    return len(value) >= 5 and not value.startswith("第") and any(mark in value for mark in "号弄栋幢座室单层房村组")


def _skip_leads(text: str, start: int, end: int) -> int:
    """Step over words before the address that the pattern took along."""
    moved = True
    while moved:
        moved = False
        for lead in _LEADS:
            if text.startswith(lead, start) and end - start - len(lead) >= 5:
                start, moved = start + len(lead), True
                break
    return start
