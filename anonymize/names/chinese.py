"""Names in Chinese text, by the LAC model and the rules of Chinese address."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from presidio_analyzer import EntityRecognizer, RecognizerResult

from anonymize.names.filters import keep_person
from anonymize.names.lac import LacModel, Word
from anonymize.names.lists import Lists, lists
from anonymize.names.segments import han_segments, prose
from anonymize.recognizers.base import GUESSED
from anonymize.view import View

_TITLES = [
    "总",
    "经理",
    "老师",
    "医生",
    "大夫",
    "主任",
    "先生",
    "女士",
    "小姐",
    "太太",
    "教授",
    "师傅",
    "律师",
    "同学",
    "姐",
    "哥",
    "阿姨",
    "叔叔",
    "叔",
    "婶",
    "爷爷",
    "奶奶",
    "大爷",
    "大妈",
    "老板",
    "处长",
    "局长",
    "科长",
    "部长",
    "院长",
    "校长",
    "所长",
    "厂长",
    "店长",
    "组长",
    "队长",
    "班长",
    "主管",
    "总监",
    "董事长",
    "书记",
    "会计",
    "护士",
    "警官",
    "法官",
    "助理",
    "秘书",
    "工",
    "董",
    "导",
    "博士",
    "院士",
    "教练",
    "房东",
    "姑娘",
    "妈妈",
    "爸爸",
    "嫂",
    "伯",
    "伯伯",
    "舅舅",
    "警察",
    "护士长",
    "班主任",
    "店员",
    "司机",
    "同志",
    "經理",
    "老師",
    "醫生",
    "醫師",
    "總",
    "小姐",
    "老闆",
    "律師",
    "教授",
    "主管",
]
_TITLED = re.compile("(?:" + "|".join(sorted(set(_TITLES), key=len, reverse=True)) + ")")
_WORK = re.compile(r"《[^》]{0,60}》")
_PERSONAL = re.compile(
    r"[我咱俺他她您你家住租搬住]|籍贯|户口|户籍|老家|出差|上班|工作|面试|出生|收件|寄|地址|住院|同事|朋友|[叔姨爸妈哥姐弟妹]"
)
_WHERE = re.compile(r"(?:在|住|到|去|回|来|从|自|位于|籍贯|老家|户口|生于|搬到|人)[：: ]?$")
_ORG_TAIL = re.compile(
    r"(?:公司|集团|有限|工作室|事务所|医院|诊所|学校|大学|学院|中学|小学|幼儿园|高中|一中|二中|银行|支行|分行|研究院|研究所|中心|工厂|厂|超市|"
    r"酒店|宾馆|餐厅|饭店|派出所|法院|检察院|委员会|居委会|协会|基金会|俱乐部|出版社|电视台|报社|局|店|科技|保险|证券|律所|健身房|培训班)$"
)
_DOTTED = re.compile(r"[\u4e00-\u9fff]{1,5}(?:·[\u4e00-\u9fff]{1,4}){1,3}")
_LONGEST_NAME = 12


class ChineseNameRecognizer(EntityRecognizer):
    """Finds people, places and organisations in Chinese text, and Latin names that stand in it.

    Raises:
        AnonymizeError: The model is not installed.
    """

    ENTITIES = ("PERSON", "LOCATION", "ORGANIZATION")

    def __init__(self) -> None:
        super().__init__(supported_entities=list(self.ENTITIES), name="ChineseNameRecognizer", supported_language="zh")

    def load(self) -> None:
        """Load the model."""
        self._model = LacModel()

    def analyze(self, text: str, entities: list[str], nlp_artifacts: Any = None) -> list[RecognizerResult]:
        """Find names in one text; see `analyze_many`."""
        view = nlp_artifacts if isinstance(nlp_artifacts, View) else View.of(text)
        return self.analyze_many([view], entities)[0]

    def analyze_many(self, views: Sequence[View], entities: Iterable[str]) -> list[list[RecognizerResult]]:
        """Find names in many texts, reading each distinct sentence once.

        Args:
            views: Folded texts.
            entities: Entity types wanted.

        Returns:
            The findings of each text, in offsets of its original.
        """
        wanted = set(entities)
        places: dict[str, list[tuple[int, int]]] = {}
        for number, view in enumerate(views):
            if view.has_han:
                for segment in han_segments(view, prose(view)):
                    places.setdefault(segment.text, []).append((number, segment.start))
        results: list[list[RecognizerResult]] = [[] for _ in views]
        sentences = sorted(places)
        for sentence, words in zip(sentences, self._model.run(sentences), strict=True):
            for start, end, entity in _names(sentence, words, lists()):
                if entity not in wanted:
                    continue
                for number, offset in places[sentence]:
                    span = views[number].span(offset + start, offset + end)
                    results[number].append(RecognizerResult(entity, *span, GUESSED))
        return results


def _names(sentence: str, words: list[Word], known: Lists) -> Iterator[tuple[int, int, str]]:
    """Read names off the words of a sentence."""
    works = [m.span() for m in _WORK.finditer(sentence)]
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if any(low <= word.start < high for low, high in works):
            continue
        value = sentence[word.start : word.end]
        titled = _titled(sentence, word, known)
        if titled is not None:
            yield word.start, titled, "PERSON"
        elif word.tag == "PER":
            span = _person(sentence, word, known)
            if span is not None:
                yield *span, "PERSON"
        elif word.tag == "LOC":
            last = at
            while last < len(words) and words[last].tag == "LOC":
                last += 1
            end = words[last - 1].end
            whole = sentence[word.start : end]
            if _place(sentence, word.start, whole, known):
                yield word.start, end, "LOCATION"
            at = last
        elif word.tag == "ORG" and _organization(sentence, value, known):
            yield word.start, word.end, "ORGANIZATION"


def _person(sentence: str, word: Word, known: Lists) -> tuple[int, int] | None:
    value = sentence[word.start : word.end].strip()
    start = word.start + len(sentence[word.start : word.end]) - len(sentence[word.start : word.end].lstrip())
    end = start + len(value)
    if sentence[end : end + 1] == "·" or sentence[start - 1 : start] == "·":
        # The model may cut a name of several parts at its dots.
        whole = next((m for m in _DOTTED.finditer(sentence) if m.start() <= start < m.end()), None)
        if whole is not None:
            start, end = max(whole.start(), start - 8), min(whole.end(), end + 8)
            value = sentence[start:end]
    if value.isascii() or not any("\u4e00" <= c <= "\u9fff" for c in value):
        capital = value[:1].isupper() and keep_person(sentence, start, end)
        return (start, end) if capital and value.lower() not in known.words else None
    if value in known.famous or value in known.places or not 2 <= len(value) <= _LONGEST_NAME:
        return None
    if value[:2] in known.famous and len(value) <= 3:
        return None
    title = _TITLED.match(sentence, end)
    if len(value) == 2 and value[0] in "小老阿" and value[1] not in known.surnames:
        return None
    if "·" not in value and value[0] not in known.surnames and value[:2] not in known.surnames:
        # A transliterated or invented name without a Chinese family name: of fiction more often than of a user.
        return (start, end) if title or value[0] in "小老阿" or len(value) == 2 else None
    return start, end


def _titled(sentence: str, word: Word, known: Lists) -> int | None:
    """The end of a family name with a title, such as 王经理 or 老张, that begins at this word; None where none does."""
    start = word.start
    head = sentence[start : start + 2] if sentence[start : start + 2] in known.surnames else sentence[start : start + 1]
    if sentence[start] in "小老阿" and word.end - start == 2 and sentence[start + 1] in known.surnames:
        return word.end if word.tag in ("PER", "nz") and sentence[start : word.end] not in _NICK_WORDS else None
    if head not in known.surnames or len(head) == 0:
        return None
    title = _TITLED.match(sentence, start + len(head))
    if title is None:
        return None
    whole = sentence[start : title.end()]
    # The family name has to begin a word, and the model must not see a longer word there.
    if word.end not in (start + len(head), title.end()) or whole in _TITLE_WORDS or whole in known.famous:
        return None
    if len(title.group()) == 1 and word.tag not in ("PER", "nr"):
        return None
    return title.end()


_NICK_WORDS = frozenset(
    [
        "小米",
        "小时",
        "小明",
        "小红",
        "小刚",
        "小说",
        "小白",
        "小程",
        "小车",
        "小马",
        "老师",
        "老板",
        "老年",
        "老家",
        "阿里",
        "阿姨",
        "小麦",
        "小路",
        "小龙",
        "老方",
        "小项",
        "小计",
        "小丁",
        "小康",
        "小池",
        "小包",
        "小巫",
        "小石",
        "小黄",
        "小江",
        "老江",
        "小花",
        "小华",
        "小应",
    ]
)
_TITLE_WORDS = frozenset(
    [
        "高总",
        "成工",
        "施工",
        "华工",
        "全总",
        "应工",
        "易工",
        "车工",
        "管工",
        "单工",
        "年总",
        "汇总",
        "毛哥",
        "平总",
        "常总",
        "高导",
        "向导",
        "项目总监",
        "经总",
    ]
)


def _place(sentence: str, start: int, value: str, known: Lists) -> bool:
    if value in known.famous or len(value) < 2:
        return False
    if value in known.places:
        return _PERSONAL.search(sentence) is not None and _WHERE.search(sentence[:start]) is not None
    return _PERSONAL.search(sentence) is not None or _WHERE.search(sentence[:start]) is not None


def _organization(sentence: str, value: str, known: Lists) -> bool:
    if value in known.not_names or value.lower() in known.not_names or value in known.places or len(value) < 4:
        return False
    return _ORG_TAIL.search(value) is not None and _PERSONAL.search(sentence) is not None
