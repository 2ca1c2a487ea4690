"""Chinese names that their place in a text gives away: forms of address, records, and English sentences."""

from collections.abc import Iterator

from anonymize.names.lists import lists, word_set
from anonymize.names.titles_zh import NICK_WORDS, TITLES
from anonymize.recognizers.base import GUESSED, SHAPED, Hit, Pattern, RuleRecognizer, over_text
from anonymize.view import View

_HAN = r"[\x{4e00}-\x{9fff}]"
# Family names that a form of address is made of; the rarer ones are words more often.
_COMMON = (
    "王李张刘陈杨赵黄周吴徐孙胡朱林何郭罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾魏薛叶阎余潘杜戴夏钟汪田任姜范"
    "谭廖邹熊金陆郝孔邱秦江史顾侯邵孟钱汤尹黎易武乔贺赖龚庞樊殷陶翟倪严温季俞章鲁葛韦毛康丁崔高马"
)
_NICK = over_text(
    rf"(?:^|[^大小老阿\x{{4e00}}-\x{{9fff}}]|[和跟与同给找问让叫请对被把向是说系诉的里有，。])([老小阿][{_COMMON}])"
    rf"(?:[^\x{{4e00}}-\x{{9fff}}]|$|[说让跟和的也都电是要给来去问告把在回请今昨明已还又就到他她没不想被从打发帮最约])"
)
# A family name with a title of one character, behind a word by which people are addressed.
_SHORT_TITLE = over_text(
    rf"(?:^|[给找让问跟和与同请叫对向被把说，。：:,、 “\"])([{_COMMON}](?:工|总|董|导|姐|哥|叔|婶|嫂|伯|姨|爷|奶|妈|"
    rf"爸|博|队|局|处|科|院|老|某|公|姑))"
    rf"(?:[^\x{{4e00}}-\x{{9fff}}]|$|[说让跟和的也都要给来去问告把在回请今昨明已又就到他她没不想被从打发帮约写您你好吵签出调走去])"
)
_NOT_NICKS = NICK_WORDS | word_set(
    "小江 小钱 小金 小任 小田 小高 小马 小范 小余 小武 小易 小史 老史 小康 小温 小严 小季 小章 小汤"
)
# A name before its telephone, its number or its address, as forms and parcels have it.
_RECORD = over_text(
    rf"(?:^|[\s:,;|/“\"(]|是|填)({_HAN}{{2,4}}|{_HAN}{{2,6}}·{_HAN}{{2,8}})[\s,;|/]{{1,2}}(?:\+?86[ "
    rf"-]?)?1[3-9][0-9][ -]?[0-9]{{4}}[ -]?[0-9]{{4}}"
)
_RECORD_ID = over_text(rf"(?:^|[\s:,;|/])({_HAN}{{2,4}})[\s,;|/]{{1,2}}[1-9][0-9]{{16}}[0-9Xx]")
# `请假人：慕瑜`: any word for a role, then a colon.
_ROLE = over_text(
    rf"(?:^|[^\x{{4e00}}-\x{{9fff}}]|{_HAN})(?:[\x{{4e00}}-\x{{9fff}}](?:人|者|员|师|长|主|方|户|友|徒|属|东)|[姓名]名|抬头|"
    rf"名字|贵姓)[:=]\s?({_HAN}{{1,6}}·{_HAN}{{1,8}}|{_HAN}{{2,4}})"
    rf"(?:[^\x{{4e00}}-\x{{9fff}}]|$|性别|电话|身份|手机|出生|年龄)"
)
# Labels of forms behind which even a name that is a word is one, where the field ends with it.
_LABEL = over_text(
    r"(?:(?:收件|寄件|收货|发件|联系|申请|出借|借款|担保|经办|委托|代理|付款|收款|持卡|投保|受益|乘机|入住|请假|推荐|介绍|报案|投诉|订票|"
    r"预订|下单|负责|签收|登记|报名|当事|继承)人|车主|户主|业主|机主|店主|买家|卖家|患者|学员|学生|姓名|中文名|真名|本名|曾用名|大名|"
    rf"原名|全名|实名|户名)[:是为叫]?\s?({_HAN}{{2,3}})(?:[，,、。；;\s0-9（(]|$|手机|电话|身份证|性别|先生|女士)"
)
_QUOTED = over_text(rf"[“\"「『]({_HAN}{{2,4}})[”\"」』](?:这个?名字?|的名字|先生|女士|同学|老师|小姐)")
_NO_NAMES = word_set(
    "待定 本人 未知 暂无 无名 匿名 不详 同上 张三丰 全体 所有 公司 个人 男 女 本公司 我方 对方 某某 系统 管理员 "
    "客服 机器人 游客 访客"
)
# A field of code: name="江丹丹".
_CODE = over_text(
    rf"(?i)(?:name|author|owner|user|contact|customer|patient|student|employee|nickname|receiver)[\"']?\s?[:=]\s?[\"'“]({_HAN}{{2,4}}|{_HAN}{{2,6}}·{_HAN}{{2,8}})[\"'”]"
)
_PLAIN_FIELD = over_text(
    rf"(?im)(?:^|[\s,;{{(\"'])(?:\w{{0,12}}name|author|contact|owner|recipient|patient|customer)[\"']?\s?[:=]\s?({_HAN}{{2,4}})(?:\s|$|[,;)}}])"
)
_ENGLISH = over_text(rf"[A-Za-z][a-z']+,? ({_HAN}{{2,4}})(?: [a-z]|[,.!?;:)]|$)")
_ENGLISH_KIN = over_text(
    rf"(?i)(?:colleague|coworker|friend|boss|manager|landlord|landlady|tenant|neighbor|neighbour|supervisor|roommate|teacher|professor|advisor|mentor|wife|husband|"
    rf"boyfriend|girlfriend|partner|client|customer|classmate|brother|sister|son|daughter|mom|dad|name is|named|called|"
    rf"contact|cc|dear|hi|hello|meet|met|tell|ask|email|with|from) ({_HAN}{{2,4}})(?: |[,.!?;:)]|$)"
)
_DOTTED = over_text(
    rf"(?:^|[^\x{{4e00}}-\x{{9fff}}·《]|[人员师方给和跟请叫是了为被找把])({_HAN}{{2,5}}·{_HAN}{{2,6}}?)"
    rf"(?:这|的|在|是|说|和|跟|要|怎|给|来|去|也|都|同|先|女|没|不|就|还|被|把|到|请|犯|已|欠|今|昨|明|[^\x{{4e00}}-\x{{9fff}}]|$)"
)


# Common given names that stand alone.
_GIVEN = over_text(
    rf"(?:^|[^\x{{4e00}}-\x{{9fff}}]|[我你他她的叫和跟给让找问是])({'|'.join(sorted(lists().given_zh))})"
    rf"(?:[^\x{{4e00}}-\x{{9fff}}]|$|[说让跟和的也都是要给来去问告把在回今昨明已还又就到他她没不想被从打发帮最约老同妈爸])"
)
_TITLE_LENGTHS = sorted({len(title) for title in TITLES})
_NOT_TITLED = frozenset({"高工", "于公", "周公"})


class ChineseContextRecognizer(RuleRecognizer):
    """Finds Chinese names in forms of address, in records and code, in English sentences, and given names alone."""

    ENTITIES = ("PERSON",)
    BY_PATTERNS = True
    IN_CHINESE = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield names."""
        if not view.has_han:
            return
        text = view.text
        yield from self._addressed(view)
        yield from self._labelled(view)
        if view.has_digit:
            yield from self._named(view, (_RECORD, _RECORD_ID), surname=True)
        if ":" in text or "=" in text:
            yield from self._named(view, (_ROLE,), surname=False)
        if any(mark in text for mark in "\"'“"):
            yield from self._named(view, (_CODE,), surname=True)
        if "·" in text:
            yield from self._named(view, (_DOTTED,), surname=False)
        if any("a" <= c <= "z" for c in text):
            yield from self._named(view, (_ENGLISH_KIN, _PLAIN_FIELD), surname=True)
            yield from self._in_english(view)

    def _addressed(self, view: View) -> Iterator[Hit]:
        """Yield forms of address, and given names alone."""
        text = view.text
        for match in view.matches(_NICK):
            if match.group(1) not in _NOT_NICKS and not _titled(text, match.end(1)):
                yield Hit.at(match.span(1), GUESSED, "PERSON")
        for match in view.matches(_SHORT_TITLE):
            if match.group(1) not in _NOT_TITLED:
                yield Hit.at(match.span(1), GUESSED, "PERSON")
        for match in view.matches(_GIVEN):
            yield Hit.at(match.span(1), GUESSED, "PERSON")

    def _labelled(self, view: View) -> Iterator[Hit]:
        """Yield what ends a field for a name, and quoted names."""
        known = lists()
        for match in view.matches(_LABEL):
            value = match.group(1)
            if value not in _NO_NAMES and value[0] in known.surnames and not value.startswith(("信息", "地址")):
                yield Hit.at(match.span(1), SHAPED - 0.1, "PERSON")
        yield from self._named(view, (_QUOTED,), surname=True)

    def _named(self, view: View, patterns: tuple[Pattern, ...], *, surname: bool) -> Iterator[Hit]:
        """Yield what a pattern finds, where it is like a name."""
        known = lists()
        for pattern in patterns:
            for match in view.matches(pattern):
                value = match.group(1)
                family = value[0] in known.surnames or value[:2] in known.surnames or "·" in value
                if value[:2] in known.words and value != value[:2]:
                    continue
                if value in _NO_NAMES or known.public(value):
                    continue
                if family or (
                    not surname
                    and len(value) in (2, 3)
                    and value not in known.words
                    and value not in known.not_names
                    and pattern is not _ROLE
                ):
                    yield Hit.at(match.span(1), SHAPED - 0.1, "PERSON")

    def _in_english(self, view: View) -> Iterator[Hit]:
        """Yield a lone Chinese word with a family name in a sentence of English."""
        known = lists()
        latin = sum("a" <= c <= "z" for c in view.text)
        if latin * 2 < len(view.text):
            return
        for match in view.matches(_ENGLISH):
            value = match.group(1)
            if value[0] in known.surnames and value not in known.words and not known.public(value):
                yield Hit.at(match.span(1), GUESSED, "PERSON")


def _titled(text: str, at: int) -> bool:
    """Whether a title stands at a place."""
    return any(text[at : at + length] in TITLES for length in _TITLE_LENGTHS)
