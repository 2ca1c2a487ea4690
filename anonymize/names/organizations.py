"""Organisations that their names say they are: firms, schools, clinics."""

from collections.abc import Iterator

from anonymize.names.lists import lists
from anonymize.recognizers.base import GUESSED, Hit, RuleRecognizer, over_bytes, over_text
from anonymize.view import View, is_word

_W = r"[A-Z\xC0][A-Za-z\xC0\xE0'.&-]*"
_FIRM = over_bytes(
    rf"{_W}(?:(?:,? |, and | & | and | of ){_W}){{0,4}},? (?:Inc|LLC|Ltd|Limited|Corp|Corporation|GmbH|PLC|LLP|ApS|"
    rf"Pty|S\.A|and Sons|Group|PLC)\b\.?"
)
_BODY = over_bytes(
    rf"{_W}(?: (?:{_W}|of|and|&)){{0,4}} (?:University|College|High School|Middle School|Elementary School|"
    rf"Elementary|Primary School|School|"
    r"Academy|Hospital|Infirmary|Clinic|Medical Center|Community College|Credit Union|Kindergarten|Law Firm|"
    r"Pharmacy|Church|Logistics|Robotics)\b"
)
_H = (
    r"[^\x00-\x{2fff}\x{3000}-\x{33ff}\x{a000}-\x{10ffff}"
    r"我你您他她它们在到寄是的了给请把从址去搬往回叫说有没来想问帮这那哪个就和及与或也都还不以为做写读于某家]"
)
_HAN_BODY = over_text(
    rf"{_H}{{2,16}}(?:有限责任公司|股份有限公司|集团有限公司|有限公司|有限公司|律师事务所|会计师事务所|事务所|"
    rf"工作室|实验中学|中学|小学|幼儿园|大学|学院|人民医院|医院|诊所|"
    r"支行|分行|印务社|工厂|[造瓷艺械具装件饰品]厂|农业合作社|合作社|养老院|福利院)"
)
_LEADS = (
    "就职于",
    "任职于",
    "供职",
    "毕业于",
    "就读于",
    "就读",
    "毕业",
    "单位",
    "公司",
    "户名",
    "开户行",
    "户行",
    "抬头",
    "抬頭",
    "抬頭寫",
    "寫",
    "目前",
    "孩子",
    "儿子",
    "女儿",
    "上",
    "念",
    "现在",
    "今天",
    "甲方",
    "乙方",
    "那所",
    "一所",
    "一个",
    "收款人",
    "开户行",
    "开户",
    "要适合",
    "适合",
    "發票",
    "发票",
    "抬头写",
    "要",
    "考上",
    "考",
    "读",
    "附近",
    "去",
    "所有",
    "每所",
    "一家",
    "这家",
    "哪家",
)
_GENERIC = (
    "大学", "一所大学", "哪所大学", "重点大学", "综合大学", "师范大学", "科技大学", "医科大学", "理工大学",
    "三甲医院", "附近医院", "孩子小学", "重点小学", "公办小学", "民办小学", "公立医院", "私立医院", "重点中学",
    "重点高中",
    "会计事务所", "清华大学", "北京大学", "上大学", "考大学", "读大学", "老年大学", "商学院", "法学院", "医学院",
    "文学院", "计算机学院",
)  # fmt: skip


class OrganizationRecognizer(RuleRecognizer):
    """Finds organisations by the word for their kind at the end of their name."""

    ENTITIES = ("ORGANIZATION",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield organisations."""
        known = lists()
        for pattern in (_FIRM, _BODY):
            for match in view.matches(pattern):
                start, end = match.span()
                if start and is_word(view.skeleton[start - 1]):
                    continue
                words = view.text[start:end].split()
                # A heading such as "My High School" is made of ordinary words.
                while (
                    len(words) > 1
                    and words[0].lower() in known.common
                    and words[0].lower()
                    not in ("st", "north", "south", "east", "west", "new", "old", "first", "university")
                ):
                    start += len(words[0]) + 1
                    words.pop(0)
                name = view.text[start:end].lower()
                if len(words) > 1 and name not in known.not_names and words[0].lower() not in known.not_names:
                    yield Hit(start, end, GUESSED, "ORGANIZATION")
        if view.has_han:
            for match in view.matches(_HAN_BODY):
                start, end = match.span()
                lead = next((x for x in _LEADS if view.text.startswith(x, start)), None)
                while lead is not None:
                    start += len(lead)
                    lead = next((x for x in _LEADS if view.text.startswith(x, start)), None)
                value = view.text[start:end]
                if len(value) >= 4 and value not in _GENERIC:
                    yield Hit(start, end, GUESSED, "ORGANIZATION")
