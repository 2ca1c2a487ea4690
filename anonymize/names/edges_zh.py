"""Chinese names by what they are made of and what stands on both sides of them: evidence is added up.

No single word need announce such a name. A family name, characters that given names are made of, and an edge on either
side (a mark, the end of the text, or a word that stands before or after people) each count; what belongs to a word of
the language is no name, whatever stands beside it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from anonymize.names.lists import lists
from anonymize.names.route_zh import COMMON_FAMILY, FUNCTION, GIVEN, GIVEN_CHARACTERS, ends_word, in_words
from anonymize.names.titles_zh import LONG_TITLES, TITLE_WORDS
from anonymize.recognizers.base import GUESSED, Hit, RuleRecognizer, over_text
from anonymize.view import View

_HAN = r"[\x{4e00}-\x{9fff}]"
# Family names so rare that they are no cue elsewhere: a given name of two characters has to speak for them.
_RAREST = frozenset("昌危宣杭诸滑惠汲富巴弓牧蓬班祖束幸韶印宿索咸籍阴闻贡劳寿慕容衡禄蔚隆丰桓斯帅展")
_FAMILY = frozenset(name for name in lists().surnames if len(name) == 1) | _RAREST
_LIKELY = GIVEN | GIVEN_CHARACTERS
# Given names have these too, and so do many words.
_POSSIBLE = (
    frozenset(
        "妮嘉雅珂菡沐辰逸航宸煜铭泽煊皓骏霖楷栋斐卉萌娇娥婕妤姗姝颢灏熠鸿钧钊铮锋亚丹冬光军力友启坤培宁守宝家岩川帆帅平康彦"
        "恒恩惠成承振智朋松柏柳树梦楚欢民汉泉津源潇澜炎焕然照熙爱珏琛瑜瑞璇璟生畅盛祖秋程竹素纯绍维群翰耀聪良艺芬芸若荔菁菱"
        "蓓蕴裕谦贝贤轶达远迎邦郁雁雄霆青韬顺颂骥魁麒"
    )
    - _LIKELY
)
_CANDIDATE = over_text(f"[{''.join(sorted(_FAMILY))}]{_HAN}?[{''.join(sorted(_LIKELY | _POSSIBLE))}]")
_HEAD = re.compile(f"[{''.join(sorted(_FAMILY))}](?=[\u4e00-\u9fff])")
# What stands right before a person, and right after one.
_BEFORE = frozenset(
    "请让叫找和跟与给被把由对向替帮陪问等约见派劝求教听是说以经据从因要托寄骂怪怕想恨追谢祝遇碰有但而若了到诉系及在住"
)
_AFTER = frozenset(
    "的了和与跟在是说来要有把被给让对从到也都就还很不没吗呢吧啊你我他她它这那将已为于及或等今昨明请想会能做刚问诉借"
    "负讲写打骂答走回站坐住死比竟居欠家系任担接主参变先同老介建推隔需因当收发"
)
_LEAST = 4.5
# The longest name of this kind, and how many characters beside it can have a word in common with it.
_LONGEST, _AROUND = 3, 3
_TITLED = over_text(
    f"([{''.join(sorted(COMMON_FAMILY - FUNCTION - {'方'}))}]"
    f"(?:{'|'.join(sorted(LONG_TITLES, key=lambda t: (-len(t), t)))}))"
)


# Names of several parts that are written by their sound: the characters of such names stand together in no word.
_SOUND = (
    "阿艾买提古丽吐尔逊力江木汗热依拉帕孜克斯巴布尼娜罗伊凡德莱姆诺维奇萨迪穆罕默哈米亚卡马达特里奥约翰森顿娃洛夫琳莎玛贝塔赫苏"
    "曼肖恩查杰乌玉素甫图孙麦扎西次仁卓旦多吉央金格桑娅安东"
)
_WRITTEN_BY_SOUND = over_text(f"[{_SOUND}]{{2,5}}(?:·[{_SOUND}]{{2,6}}){{1,2}}")


class ChineseEdgeRecognizer(RuleRecognizer):
    """Finds Chinese people by family name, given name and neighbours together, and by a family name with a title."""

    ENTITIES = ("PERSON",)
    BY_PATTERNS = True
    IN_CHINESE = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield names."""
        if not view.has_han:
            return
        known, text = lists(), view.text
        for match in view.matches(_TITLED):
            start = match.start(1)
            doubled = text[start - 1 : start] == text[start]
            if not ends_word(text, start) and not doubled and match.group(1) not in TITLE_WORDS:
                yield Hit.at(match.span(1), GUESSED, "PERSON")
        for match in view.matches(_WRITTEN_BY_SOUND):
            if match.group() not in known.famous:
                yield Hit.at(match.span(), GUESSED, "PERSON")
        if next(iter(view.matches(_CANDIDATE)), None) is not None:
            yield from self._weighed(view)

    def _weighed(self, view: View) -> Iterator[Hit]:
        """Yield names of two and three characters for which enough speaks."""
        text, end = view.text, 0
        for match in _HEAD.finditer(text):
            start = match.start()
            if start < end:
                continue
            low = max(0, start - _AROUND)
            length = _name_length(text[low : start + _LONGEST + _AROUND], start - low)
            if length:
                end = start + length
                yield Hit(start, end, GUESSED, "PERSON")


@lru_cache(maxsize=1 << 14)
def _name_length(text: str, start: int) -> int:
    """The length of the name for which enough speaks at a place, by the few characters around it; 0 where none does."""
    known = lists()
    points, stop = max((_points(text, start, start + length), start + length) for length in (2, _LONGEST))
    if points < _LEAST or any(
        known.public(value) for value in (text[start:stop], text[start : start + 2], text[start + 1 : stop])
    ):
        return 0
    return 0 if in_words(text, start, stop) else stop - start


def _points(text: str, start: int, stop: int) -> float:
    """How much speaks for a name at a place."""
    given = text[start + 1 : stop]
    if len(given) != stop - start - 1 or not all("\u4e00" <= c <= "\u9fff" for c in given):
        return 0
    left, right = text[start - 1 : start], text[stop : stop + 1]
    family = text[start]
    points = 2.0 if family in COMMON_FAMILY else 0.5 if family in _RAREST else 1.0
    points -= family in FUNCTION
    points += sum(1.5 if c in _LIKELY else 0.7 if c in _POSSIBLE else -1.5 * (c in _AFTER) for c in given)
    points += _edge(left, _BEFORE) + _edge(right, _AFTER)
    return points


def _edge(char: str, cues: frozenset[str]) -> float:
    return 1.0 if not "\u4e00" <= char <= "\u9fff" or char in cues else 0.0
