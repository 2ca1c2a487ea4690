"""Reads the names off the words that the Chinese model cuts a sentence into."""

import re
from collections.abc import Iterator

from anonymize.names.filters import keep_person
from anonymize.names.lac import Word
from anonymize.names.lists import Lists
from anonymize.names.route_zh import in_words
from anonymize.names.titles_zh import NICK_WORDS, TITLE_WORDS, TITLES
from anonymize.recognizers.base import GUESSED, WEAK
from anonymize.view import WRITTEN

_TITLED = re.compile("(?:" + "|".join(sorted(TITLES, key=lambda t: (-len(t), t))) + ")")
_PRONOUN = re.compile(r"[您你我他她它]")
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
# What the model calls a conjunction, a preposition, an adverb, a particle, a pronoun or a direction is no family name,
# though its character may be one: 和 in "with the teacher", 向, 都, 从.
_FUNCTION = frozenset("cpdurf")
_NEXT = re.compile(
    r"[、，,和与跟及]([\u4e00-\u9fff]{2,4}?)(?=[、，,。和与跟及！？!?\s都说在的一二三四五六七八九十两谁]|$)"
)
_LAST = re.compile(r"(?:^|[、，,：:“\s和与跟有])([\u4e00-\u9fff]{2,4})[、，,和与跟及]$")


def names_of(sentence: str, words: list[Word], known: Lists) -> Iterator[tuple[int, int, str, float]]:
    """Read names off the words of a sentence."""
    titles = [m.span() for m in _WORK.finditer(sentence)]
    found = _names_of(sentence, words, known)
    yield from (name for name in found if not any(low <= name[0] < high for low, high in titles))


def _names_of(sentence: str, words: list[Word], known: Lists) -> Iterator[tuple[int, int, str, float]]:
    people: list[tuple[int, int]] = []
    done = 0
    for at, word in enumerate(words):
        if at < done:
            continue
        titled = _titled(sentence, word, known)
        span = (word.start, titled) if titled is not None else None
        if span is None and word.tag == "PER" and not (word.doubtful and not _plausible(sentence, word, known)):
            span = _person(sentence, word, known)
            people += [span] if span is not None else []
        if span is not None:
            yield *span, "PERSON", GUESSED
        elif word.tag == "LOC":
            done = next((n for n in range(at, len(words)) if words[n].tag != "LOC"), len(words))
            end = words[done - 1].end
            score = _place(sentence, word.start, sentence[word.start : end], known)
            if score is not None:
                yield word.start, end, "LOCATION", score
        elif word.tag == "ORG" and WRITTEN not in sentence[word.end : word.end + 1]:
            score = _organization(sentence, sentence[word.start : word.end], known)
            if score is not None:
                yield word.start, word.end, "ORGANIZATION", score
    for span in _beside(sentence, people, known):
        yield *span, "PERSON", GUESSED


def weighed_han(sentence: str, start: int, end: int, entity: str, known: Lists) -> tuple[int, int, str, float] | None:
    """A model's finding in Chinese text with its score; None where it is not believed."""
    if entity == "PERSON":
        span = _person(sentence, Word(start, end, "PER"), known)
        return (*span, entity, GUESSED) if span is not None else None
    value = sentence[start:end]
    score = _place(sentence, start, value, known) if entity == "LOCATION" else _organization(sentence, value, known)
    return (start, end, entity, score) if score is not None else None


def _beside(sentence: str, people: list[tuple[int, int]], known: Lists) -> Iterator[tuple[int, int]]:
    """Those who stand in a list with people, and have a name's family name and length."""
    done = set(people)
    while people:
        start, end = people.pop()
        for match in (_NEXT.match(sentence, end), _LAST.search(sentence[max(0, start - 6) : start])):
            if match is None:
                continue
            offset = 0 if match.re is _NEXT else max(0, start - 6)
            span = (match.start(1) + offset, match.end(1) + offset)
            value = sentence[span[0] : span[1]]
            family = value[0] in known.surnames or value[:2] in known.surnames
            if family and span not in done and value not in known.famous and value not in known.places:
                done.add(span)
                people.append(span)
                yield span


def _person(sentence: str, word: Word, known: Lists) -> tuple[int, int] | None:
    value = sentence[word.start : word.end].strip()
    start = word.start + len(sentence[word.start : word.end]) - len(sentence[word.start : word.end].lstrip())
    if value[:1] == "祝" and len(value) > 2 and (value[1] in known.surnames or value[1:3] in known.surnames):
        start, value = start + 1, value[1:]  # who is wished something, far more often than the family name
    if _PRONOUN.search(value) or value.removeprefix("祝") in TITLES:
        return None
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


def _plausible(sentence: str, word: Word, known: Lists) -> bool:
    """Whether a doubtful person has a family name, a name's length, and belongs to no word of the language."""
    value = sentence[word.start : word.end]
    head = 2 if value[:2] in known.surnames else 1
    if value[:head] not in known.surnames or not 1 <= len(value) - head <= 2:
        return False
    return not in_words(sentence, word.start, word.end)


def _titled(sentence: str, word: Word, known: Lists) -> int | None:
    """The end of a family name with a title, such as 王经理 or 老张, that begins at this word; None where none does."""
    start = word.start
    head = sentence[start : start + 2] if sentence[start : start + 2] in known.surnames else sentence[start : start + 1]
    if sentence[start] in "小老阿" and word.end - start == 2 and sentence[start + 1] in known.surnames:
        return word.end if word.tag in ("PER", "nz") and sentence[start : word.end] not in NICK_WORDS else None
    if head not in known.surnames or len(head) == 0:
        return None
    title = _TITLED.match(sentence, start + len(head))
    if title is None:
        return None
    whole = sentence[start : title.end()]
    # The family name has to begin a word, and the model must not see a longer word there.
    if word.end not in (start + len(head), title.end()) or whole in TITLE_WORDS or whole in known.famous:
        return None
    if word.tag in _FUNCTION or head == "祝" or (len(title.group()) == 1 and word.tag not in ("PER", "nr")):
        return None
    return title.end()


def _place(sentence: str, start: int, value: str, known: Lists) -> float | None:
    # Beside a tag it is a label, such as the word for a name.
    if (
        value in known.famous
        or len(value) < 2
        or not sentence[start + len(value) : start + len(value) + 1].isprintable()
    ):
        return None
    personal, where = _PERSONAL.search(sentence) is not None, _WHERE.search(sentence[:start]) is not None
    near = (personal and where) if value in known.places else (personal or where)
    return GUESSED if near else WEAK


def _organization(sentence: str, value: str, known: Lists) -> float | None:
    if value in known.not_names or value.lower() in known.not_names or value in known.places or len(value) < 4:
        return None
    if _ORG_TAIL.search(value) is None:
        return None
    return GUESSED if _PERSONAL.search(sentence) else WEAK
