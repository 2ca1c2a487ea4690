"""Chinese names that the words before them announce."""

from collections.abc import Iterator

from anonymize.names.lists import lists
from anonymize.names.route_zh import ends_word
from anonymize.recognizers.base import CUED, SHAPED, Hit, RuleRecognizer, over_text
from anonymize.view import View

_HAN = r"[\x{4e00}-\x{9fff}]"
_FIELD = over_text(
    r"(?:姓名(?:\s*[Nn]ame)?|名字|收件人|收货人|寄件人|发件人|联系人|患者|申请人|户名|开户名|甲方|乙方|男方|女方|"
    r"原告|被告|委托人|法定代表人|负责人|经办人|"
    r"主管医师|医师|医生|客户|员工|学生|老师|家长|监护人|乘客|乘机人|入住人|持卡人|作者|署名|签名|中文姓名|中文名|"
    r"大名|候选人|应聘者|对方|用户|当事人|证人|借款人|"
    r"出借人|租客|房东|被保险人|投保人|受益人|班主任|辅导员|导师)"
    rf"(?:（[^）\n]{{1,8}}）|\([^)\n]{{1,8}}\))?\s?(?:[:=]|是|叫|为)?\s?({_HAN}{{1,4}}·{_HAN}{{1,8}}|{_HAN}{{2,4}})"
)
_STATED = over_text(
    rf"(?:我叫|我是|本人|我的名字是|我的名字叫|名字也?叫|名叫|名为|叫做|她叫|他叫|叫|姓名是|署名|这是|我爸|我妈|"
    rf"我爹|我娘|我哥|我姐|我弟|我妹|我老公|我老婆|我媳妇|"
    rf"我丈夫|我妻子|我儿子|我女儿|我孩子|我男朋友|我女朋友|男友|女友|闺蜜|室友|同事|同学|同桌|朋友|邻居|老板|领导|"
    rf"客户|学生|表哥|表姐|堂哥|堂弟|爸|妈|奶奶|爷爷|请问|实名|实名是|班的|班级的|亲爱的|尊敬的|师兄|师姐|学长|学姐|师弟|师妹|学弟|学妹|队友|搭档|导师|院长|名叫做|名字就叫|"
    rf"转给|发给|寄给|交给|还给|汇给|打给|告诉|联系|通知|采访|碰到|遇到|见到|梦见|梦到|认识|想念|感谢|祝|恭喜)"
    rf"[:：\"“「 ]?({_HAN}{{1,4}}·{_HAN}{{1,8}}|{_HAN}{{2,4}})"
)
_LATIN = over_text(
    r"(?:我叫|我是|名字叫|名叫|叫|同事|同学|室友|朋友|老板|领导|客户|老师|学生|男朋友|女朋友|男友|女友|闺蜜|导师|"
    r"房东|给|和|跟|与|找|约|问|联系|帮|"
    r"请|姐姐|哥哥|弟弟|妹妹|manager|姓名[:：]|名[:：])\s?([A-Z][a-z]{1,15}(?: [A-Z][a-z'-]{1,15}){0,2})"
)
_LATIN_TITLED = over_text(
    r"([A-Z][a-z]{1,14}(?: [A-Z][a-z]{1,14})?)\s?(?:老师|姐|哥|总|经理|先生|女士|小姐|教授|医生|同学|说|跟我|问我|"
    r"告诉|发来|让我|要我|给我|他|她|是我)"
)
_CAPITALS = over_text(r"(?:姓名|名字|拼音|英文名)(?:拼音)?\s?[:：]?\s?([A-Z]{2,12}(?: [A-Z]{2,14}){1,2})")
_JSON = over_text(rf"(?i)[\"'](?:\w{{0,12}}name|姓名|联系人|收件人)[\"']\s?:\s?[\"']({_HAN}{{2,4}})[\"']")
_SPACED = over_text(rf"姓\s?名\s?[:：]\s?({_HAN} {_HAN}(?: {_HAN})?)")
# Family names of two characters that hardly any other word begins with: a name that starts so needs no cue.
_COMPOUND = over_text(
    rf"(?:上官|令狐|司徒|司马|司馬|呼延|夏侯|宇文|尉迟|慕容|拓跋|欧阳|歐陽|澹台|独孤|申屠|皇甫|端木|诸葛|諸葛|轩辕|"
    rf"闻人|公孙|单于|长孙|赫连|钟离|万俟|淳于|濮阳)({_HAN}{{1,2}})"
)
_COMPOUND_WORDS = ("上官网", "上官方", "司徒步", "诸葛亮", "司马懿", "司马迁", "司马光", "司馬遷", "諸葛亮")
_CALLED = over_text(
    rf"(?:(?:喊|叫|称呼?|管)我(?:叫|做|为)?|(?:小名|大名|乳名|外号|绰号|昵称|花名|网名|笔名|艺名)(?:是|叫|"
    rf"为)?[:：]?)[\"“「]?({_HAN}{{2,4}})(?:[，,。.、；;！!\n\"”」 ]|$)"
)
_IS_MINE = over_text(
    rf"(?:^|[^\x{{4e00}}-\x{{9fff}}])({_HAN}{{2,3}}?)(?:就)?是(?:我(?:的)?(?:室友|同事|同学|朋友|老公|老婆|媳妇|"
    rf"丈夫|妻子|儿子|女儿|妹妹|姐姐|弟弟|哥哥|闺蜜|男友|女友|男朋友|"
    r"女朋友|老板|领导|邻居|房东|表[哥姐弟妹])|小名|大名|乳名|外号|绰号|昵称|笔名|艺名)"
)
_CLOSING = over_text(
    rf"(?i)(?:此致|敬礼|敬上|谢谢|祝好|顺祝商祺|best|regards|thanks|sincerely|"
    rf"cheers)[,!。]?\s{{0,2}}\n\s{{0,2}}({_HAN}{{2,4}})\s{{0,2}}(?:\n|$)"
)
_FORMULAS = ("敬礼", "敬上", "敬禮", "此致", "谢谢", "祝好")
_SURNAME = over_text(rf"(?:姓|免贵姓)({_HAN})(?:[，,。.、 ]|$)")
# A name ends where one of these begins: what usually follows it.
_STOPS = frozenset(
    "的了和与跟在是说去来要有把被给让对从到也都就还很不吗呢吧啊，。你我他她它，这那将已为于及或等今住电身先因女男请想会能下上做帮刚想问诉借反拾吵"
)


_AFTER_FOREIGN = frozenset("要反借结吵拾诉提发投写买打推负表交离")


class ChineseNameCueRecognizer(RuleRecognizer):
    """Finds Chinese names after fields, introductions and kinship, and Latin names in Chinese sentences."""

    ENTITIES = ("PERSON",)
    BY_PATTERNS = True
    IN_CHINESE = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield names."""
        if view.has_han:
            yield from self._introduced(view)
            yield from self._latin(view)
            yield from self._fielded(view)

    def _introduced(self, view: View) -> Iterator[Hit]:
        """Yield names after a field's label or an introduction."""
        known = lists()
        for pattern, score in ((_FIELD, CUED - 0.1), (_STATED, SHAPED - 0.1)):
            for match in view.matches(pattern):
                start, end = match.span(1)
                cue = view.text[match.start() : start]
                stated = cue.rstrip().endswith((":", "=")) or cue in (
                    "我叫",
                    "名叫",
                    "名字叫",
                    "她叫",
                    "他叫",
                    "本人",
                    "姓名是",
                    "户名",
                    "开户名",
                    "收款人",
                    "名字也叫",
                )
                stop = self._end(view.text, start, end, stated, known.surnames)
                if (
                    stop
                    and not any(view.text[start:stop] in names for names in (known.famous, known.places))
                    and self._named(view.text, start, stop, stated)
                ):
                    yield Hit(start, stop, score, "PERSON")

    def _latin(self, view: View) -> Iterator[Hit]:
        """Yield Latin names that a Chinese sentence treats as people."""
        known = lists()
        for pattern in (_LATIN, _LATIN_TITLED):
            for match in view.matches(pattern):
                start, end = match.span(1)
                value = match.group(1).lower()
                if value in known.famous or value in known.not_names or value in known.places:
                    continue
                if value.split()[0] in known.given or (
                    pattern is _LATIN_TITLED and value.split()[0] not in known.not_names
                ):
                    yield Hit(start, end, SHAPED - 0.1, "PERSON")

    def _fielded(self, view: View) -> Iterator[Hit]:
        """Yield names in forms and records, and family names asked for."""
        known = lists()
        for pattern in (_CAPITALS, _JSON, _SPACED):
            for match in view.matches(pattern):
                if match.group(1) not in known.famous:
                    yield Hit.at(match.span(1), SHAPED, "PERSON")
        yield from self._compound(view)
        for pattern in (_CALLED, _IS_MINE, _CLOSING):
            for match in view.matches(pattern):
                if match.group(1) not in _FORMULAS and not any(c in _STOPS for c in match.group(1)):
                    yield Hit.at(match.span(1), SHAPED - 0.1, "PERSON")
        for match in view.matches(_SURNAME):
            if match.group(1) in known.surnames:
                yield Hit.at(match.span(1), SHAPED - 0.1, "PERSON")

    def _compound(self, view: View) -> Iterator[Hit]:
        """Yield names with a family name of two characters, to the first character that no given name has."""
        known, text = lists(), view.text
        for match in view.matches(_COMPOUND):
            start, end = match.span()
            given = match.group(1)
            stop = next((at for at, c in enumerate(given) if c in _STOPS), len(given))
            end -= len(given) - stop
            if (
                stop
                and not ends_word(text, start)
                and not text.startswith(_COMPOUND_WORDS, start)
                and text[start:end] not in known.famous
            ):
                yield Hit(start, end, SHAPED - 0.1, "PERSON")

    def _end(self, text: str, start: int, end: int, stated: bool, surnames: frozenset[str]) -> int | None:
        """The end of the name that begins at `start`, or None where none does."""
        value = text[start:end]
        if "·" in value:
            last = start + value.rindex("·") + 1
            return next((at for at in range(last + 1, end) if text[at] in _STOPS or text[at] in _AFTER_FOREIGN), end)
        head = 2 if value[:2] in surnames else 1
        if value[:head] not in surnames:
            # Without a family name, only a whole field of two to four characters is one.
            closed = end >= len(text) or not "\u4e00" <= text[end] <= "\u9fff"
            return end if stated and closed and not any(c in _STOPS for c in value) else None
        longest = start + head + 2
        stop = min(end, longest)
        for at in range(start + head, stop):
            if text[at] in _STOPS:
                stop = at
                break
        return stop if stop - start > head else None

    def _named(self, text: str, start: int, end: int, stated: bool) -> bool:
        """Whether prose after a loose cue reads as a name: it must end where a name can end."""
        if stated or "·" in text[start:end]:
            return True
        known = lists()
        for value in (text[start:end], text[start : start + 2]):
            if value in known.words or value in known.vocabulary_zh:
                return False
        following = text[end : end + 1]
        return not "\u4e00" <= following <= "\u9fff" or following in _STOPS
