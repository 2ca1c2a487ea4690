"""Which Chinese sentences the model for names has to read: those with a character that may begin one.

The model costs more than all else that is done to Chinese text. Nearly every sentence holds a character that is a
family name too, or one that ends places; in most it belongs to a word, and there it begins no name.
"""

import re
from functools import cache, lru_cache

from anonymize.names.lists import lists, word_set
from anonymize.names.titles_zh import TITLES

# Family names that are hardly ever anything else outside of words; other characters of family names begin a name only
# where no word begins behind them.
COMMON_FAMILY = frozenset(
    "王李张刘陈杨赵黄周吴徐孙胡朱林何郭罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾魏薛叶阎余潘杜戴夏钟汪田任姜范"
    "谭廖邹熊金陆郝孔邱秦江史顾侯邵孟钱汤尹黎易武乔贺赖龚庞樊殷陶翟倪严温季俞章鲁葛韦毛康丁崔高马石姚龙雷侯万"
    "張劉陳楊趙黃吳孫羅鄭謝韓馮許鄧蕭葉盧蔣賈鍾鄒陸顧龔錢湯賴嚴溫魯韋"
)
# Characters of given names that are rare elsewhere: a given name may stand alone.
GIVEN = frozenset(
    "彤婷娟燕莉琳倩颖蓉媛薇妍瑶怡雯馨琪璐蕾菲岚莹茜娜娅嫣婉淑慧俊杰磊涛斌鹏豪轩睿翔鑫昊琦珊瑾萱芸芷茵莎倪昕晗玥钰楠桐梓涵烨炜晟"
)
# Characters that given names are made of far more often than words are: two of them in a row may be one.
GIVEN_CHARACTERS = frozenset(
    "伟芳娜敏静丽强磊军洋勇艳杰娟涛超秀霞刚桂英玉兰红建国春梅志海燕鹏辉俊婷雪琳峰凯莉晶慧莹倩颖佳欣怡雨涵梓轩浩宇博睿诗琪"
    "淑珍凤萍莲荣德福贵祥林森斌彬龙虎振兴宏永胜利立芝菊云霜薇蓉蕾洁瑶馨悦彤晨旭阳东南翠香巧银珠文武斌亮飞毅鑫华花"
)
# What ends a place or a body, or stands before somebody's family name.
_MARKS = frozenset("省市县区镇乡村州旗岛湾港路街院校局厂司社店馆阿小老·")
# What stands before a place or a name: it counts where no word follows.
_BEFORE = frozenset("在住去到叫姓来自从回")
_PLAIN = frozenset(
    "的了这那我你他她它您们不哪一二两三几什么是有没和跟与给把被让就都也还又再要会能可很太吗呢吧啊时后前上下里外里中间哪"
)
# Plants that people are named after; behind a colour they are plants.
_COLOURS = frozenset("白金黄银红蓝紫")
_PLANTS = word_set("玉兰 桂花 梅花 荷花 菊花 兰花 莲花 海棠 牡丹 茉莉 杜鹃 玫瑰 月季 杨树 桂 梅 莲 菊 兰")
_TITLES = tuple(sorted(TITLES))
_LONGEST = 4
# Capitals inside a word are a brand or an identifier, but for these.
JOINED = ("Mc", "Mac", "O'", "D'", "De", "Di", "La", "Le", "Van", "Fitz")
_CAPITAL = re.compile(
    r"(?<![A-Za-z0-9_])[A-Z\u00C0-\u00D6\u00D8-\u00DE\u0100-\u017F\u0391-\u03A9\u0410-\u042F][^\W\d_\u3040-\u9fff]*"
    r"(?:['-][^\W\d_\u3040-\u9fff]+)*(?![A-Za-z0-9_@/])"
)
# Family names that are also what stands between words; they say less.
FUNCTION = frozenset("于和向从时同都应计明官后相关成全经游能强解暴过白水单第平安常万车门位查边左")
# Family names that are words of their own far more often: they begin a name only before a character of given names.
_OFTEN_WORDS = FUNCTION | frozenset("西马高金毛上")


def may_hold_name(sentence: str, found: bytes | bytearray) -> bool:
    """Whether a Chinese sentence may hold a name of a person, a place or a body that no rule has found.

    Args:
        sentence: The sentence.
        found: One byte a character, 1 where a rule has found something.
    """
    triggers, places = _triggers(), _places()
    for at, char in enumerate(sentence):
        pair = sentence[at : at + 2]
        if (char in triggers or pair in places or GIVEN_CHARACTERS.issuperset(pair)) and not found[at]:
            before = min(at, _LONGEST - 1)
            if _may_stand(sentence[at - before : at + _LONGEST + 1], before):
                return True
    return any(_unknown(m.group()) for m in _CAPITAL.finditer(sentence) if not found[m.start()])


@lru_cache(maxsize=1 << 14)
def _may_stand(around: str, at: int) -> bool:
    """Whether the character at a place begins or ends a name, by what stands around it."""
    words = _words()
    if covered(around, at, words):
        return False
    pair = around[at : at + 2]
    given = len(pair) == 2 and GIVEN_CHARACTERS.issuperset(pair)
    return given or pair in _places() or _begins(around, at, around[at], words)


@cache
def _triggers() -> frozenset[str]:
    family = {name for name in lists().surnames if len(name) == 1}
    return frozenset(family | GIVEN | _MARKS | _BEFORE)


@cache
def _places() -> frozenset[str]:
    """The first two characters of places, and family names of two characters."""
    return frozenset(place[:2] for place in lists().places_zh) | {name for name in lists().surnames if len(name) == 2}


@cache
def _words() -> frozenset[str]:
    """What is no name of anybody whom nobody knows: words, and people of public knowledge."""
    known = lists()
    return known.vocabulary_zh | {name for name in known.famous if len(name) <= _LONGEST}


def covered(sentence: str, at: int, words: frozenset[str]) -> bool:
    """Whether the character at a place belongs to a word."""
    for length in range(2, _LONGEST + 1):
        for start in range(max(0, at - length + 1), at + 1):
            if sentence[start : start + length] in words:
                return True
    return False


def ends_word(text: str, at: int) -> bool:
    """Whether a word of the language ends with the character at a place."""
    low = max(0, at - _LONGEST + 1)
    return covered(text[low : at + 1], at - low, lists().vocabulary_zh)


def in_words(text: str, start: int, stop: int) -> bool:
    """Whether any character of a span belongs to a word of the language, or the span is a plant by its colour."""
    low = max(0, start - _LONGEST + 1)
    around, words = text[low : stop + _LONGEST - 1], lists().vocabulary_zh
    plant = text[start] in _COLOURS and text[start + 1 : stop] in _PLANTS
    return plant or any(covered(around, at - low, words) for at in range(start, stop))


def _begins(sentence: str, at: int, char: str, words: frozenset[str]) -> bool:
    """Whether an uncovered character that may begin or end a name has the neighbours for it."""
    if char in _MARKS or char in GIVEN:
        return True
    following = sentence[at + 1 : at + 2]
    if not "\u4e00" <= following <= "\u9fff":
        return char in COMMON_FAMILY and following == "·"
    if sentence.startswith(_TITLES, at + 1):
        return True
    if char in _OFTEN_WORDS:
        return any(c in GIVEN or c in GIVEN_CHARACTERS for c in sentence[at + 1 : at + 3])
    if char in COMMON_FAMILY:
        return following != char
    return following not in _PLAIN and not any(sentence[at + 1 : at + 1 + n] in words for n in (2, 3, 4))


def _unknown(word: str) -> bool:
    """Whether a capitalised word is no term and no English word, or a given name."""
    known = lists()
    lower = word.lower()
    odd = any(c.isupper() for c in word[1:]) and not word.startswith(JOINED)
    return lower in known.given or not (odd or known.ordinary(lower) or len(word) < 2)
