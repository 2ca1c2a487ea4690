"""Chinese names that their scene gives away: whose something is, in whose name, who signs, who is a relative."""

from collections.abc import Iterator

from anonymize.names.lists import Lists, lists
from anonymize.names.route_zh import COMMON_FAMILY, GIVEN_CHARACTERS, covered
from anonymize.names.titles_zh import NICK_WORDS
from anonymize.recognizers.base import GUESSED, SHAPED, Hit, Pattern, RuleRecognizer, over_text
from anonymize.view import View

_HAN = r"[\x{4e00}-\x{9fff}]"
_EDGE = r"(?:^|[^\x{4e00}-\x{9fff}])"
_KIN = (
    "(?:爸爸|妈妈|父亲|母亲|爷爷|奶奶|外公|外婆|姥姥|姥爷|哥哥|姐姐|弟弟|妹妹|丈夫|妻子|老公|老婆|媳妇|儿子|女儿|孙子|孙女|外甥|侄子|侄女|"
    "表[哥姐弟妹]|堂[哥姐弟妹]|叔叔|阿姨|舅舅|姑姑|姑妈|姨妈|岳父|岳母|公公|婆婆|同事|同学|同桌|室友|舍友|闺蜜|邻居|朋友|男友|女友|前任|对象|学生|徒弟|队友)"
)
_THEIRS = (
    "(?:密码|密钥|账号|帐号|手机|电话|号码|邮箱|微信|身份证|护照|银行卡|卡号|地址|住址|生日|工资|合同|简历|病历|病例|学号|工号|名字|快递|"
    "车牌|档案|作业|成绩|论文|房子|孩子|老公|老婆|丈夫|妻子|爸|妈|父亲|母亲|儿子|女儿)"
)
# Whose something is: the name may be a word too where somebody is introduced before it.
_OWNER = over_text(rf"{_EDGE}({_HAN}{{2,3}})的{_THEIRS}")
_KIN_OWNER = over_text(rf"{_KIN}({_HAN}{{2,3}})的{_THEIRS}")
_IN_NAME_OF = over_text(rf"以({_HAN}{{2,3}})的(?:名义|身份|口吻|口气|语气)")
_OF_SEX = over_text(rf"{_EDGE}({_HAN}{{2,4}})[,，、 ]\s?[男女](?:[,，。、 ]|性|$)")
_USER = over_text(rf"(?:用户|账户|会员|操作员|操作人)({_HAN}{{2,3}})\s?[(（\[]")
_CALLED = over_text(rf"(?:{_KIN}|[我他她])叫({_HAN}{{2,3}})(?:[,，。！!；;\n]|$)")
_RELATIVE = over_text(
    rf"{_KIN}({_HAN}{{2}})(?:要|想|说|在|去|今年|最近|刚|是|也|就|和|跟|给|快|准备|考|得|生|过|结婚|[,，。]|$)"
)
_BOTH = over_text(
    rf"[跟和与给约同找][A-Za-z .'-]{{2,40}}[和跟与、]({_HAN}{{2,3}})(?:约|说|去|来|一起|要|的|开会|见|都|[,，。]|$)"
)
_TITLED = over_text(rf"{_EDGE}({_HAN}{{2,3}})(?:先生|女士|小姐|同学|老师|经理|主任|教授|医生)(?:[:：,，]|您好|你好)")
_MAILED = over_text(rf"[给跟和找]({_HAN}{{2,3}})[,，](?:他|她|TA)的")
_SIGNED = over_text(rf"\n\s{{0,4}}({_HAN}{{2,4}})\s*$")
_LETTER = over_text(r"您好|你好|尊敬的|亲爱的|此致|敬礼|谢谢|感谢|查收|祝好|顺颂|敬上|见字")
_RENDERED = over_text(rf"[“\"「『]({_HAN}{{2,4}})[”\"」』](?:翻成|翻译成|译成|译为|写成|用拼音|的拼音|拼音|音译)")
# Where only people can stand: what is a word elsewhere is a name here, if it is one that people bear.
_DONE_TO = over_text(rf"被({_HAN}{{2,3}}?)(?:骂|打|批评|欺负|拒绝|甩|拉黑|踢|赶|辞退|投诉|举报|骗|欠|吼|嘲笑|冷落|挂)")
_DOES = over_text(rf"由({_HAN}{{2,3}}?)(?:负责|主持|担任|接手|接替|牵头|保管|跟进|主讲|签字|代理|陪同|出面|照顾|抚养)")
_WITH = over_text(
    rf"[和跟与]({_HAN}{{2,3}}?)(?:合租|结婚|离婚|分手|吵|打架|聊|谈|约|吃饭|见面|同居|一起|合伙|是同|商量|签|打电话|复合|闹)"
)
_TOWARDS = over_text(
    rf"[给向替对]({_HAN}{{2,3}}?)(?:写|道歉|发[消邮微短]|打电话|致敬|请假|汇报|借钱|表白|有好感|留言|回[复信])"
)
_WRITTEN_TO = over_text(rf"(?:[写发寄转交还传](?:\w{{1,3}})?|email|mail)给({_HAN}{{2,3}})(?:[，,。！!？? \n]|$)")
_THROUGH = over_text(rf"(?:经({_HAN}{{2,3}}?)(?:介绍|推荐|引荐)|据({_HAN}{{2,3}}?)(?:说|称|介绍|反映))")
_LAW = over_text(
    rf"(?:原告|被告|被告人|法人|嫌疑人|死者|伤者|肇事者|车主|户主|兹有)({_HAN}{{2,3}}?)(?:[，,。]|[诉与和系因于失]|借款|名下)"
)
_HOME = over_text(
    rf"(?:隔壁|楼上|楼下|对门|邻居)({_HAN}{{2,3}}?)家|轮到({_HAN}{{2,3}}?)(?:了|[值发说上做])|(?:取名|起名|改名|名字叫)({_HAN}{{2,3}})(?:[，,。]|[怎好可])"
)
_ENTITLED = over_text(
    rf"{_EDGE}({_HAN}{{2,3}}?)(?:先生|女士|小姐|同学|同志|老师|师傅|医生|师兄|师姐|学长|学姐|教练|主任|经理)"
)
_ONLY_PEOPLE = (_DONE_TO, _DOES, _WITH, _TOWARDS, _WRITTEN_TO, _THROUGH, _LAW, _HOME, _ENTITLED)
_NICK = over_text(
    rf"(?:[叫喊管给是][我你他她](?:们)?|[说给让])([老小][{''.join(sorted(COMMON_FAMILY))}])"
    r"(?:[看签审借帮要去来说的]|[^\x{4e00}-\x{9fff}]|$)"
)

# No scene at all: a common family name that is hardly a noun or an adjective, and two characters that given names are
# made of, none of them in a word.
_FAMILY = "".join(sorted(COMMON_FAMILY - set("金江高马万汤钱龙田石雷毛叶温季黄熊方余程于")))
_GIVEN = "".join(sorted(GIVEN_CHARACTERS))
_FULL = over_text(f"[{_FAMILY}][{_GIVEN}][{_GIVEN}]")


class ChineseSceneRecognizer(RuleRecognizer):
    """Finds Chinese people by what they own, sign, are called or do with others."""

    ENTITIES = ("PERSON",)
    BY_PATTERNS = True
    IN_CHINESE = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield names."""
        if not view.has_han:
            return
        known = lists()
        # What a rule leaves no doubt about may be a word; elsewhere a word is a word.
        for pattern, word_too in (
            (_OWNER, False),
            (_KIN_OWNER, True),
            (_IN_NAME_OF, False),
            (_OF_SEX, True),
            (_USER, True),
            (_CALLED, True),
            (_BOTH, True),
            (_RENDERED, False),
            (_TITLED, True),
            (_MAILED, True),
        ):
            yield from self._named(view, pattern, known, word_too=word_too)
        for pattern in _ONLY_PEOPLE:
            yield from self._borne(view, pattern, known)
        if view.holds(_LETTER):
            yield from self._named(view, _SIGNED, known, word_too=True)
        for match in view.matches(_NICK):
            if match.group(1) not in NICK_WORDS:
                yield Hit.at(match.span(1), GUESSED, "PERSON")
        yield from self._made(view, known)

    def _made(self, view: View, known: Lists) -> Iterator[Hit]:
        """Yield what is made as names are, alone and behind a word for kin."""
        for match in view.matches(_FULL):
            span = match.span()
            in_word = any(covered(view.text, at, known.vocabulary_zh) for at in range(*span))
            if not in_word and not known.public(match.group()):
                yield Hit.at(span, GUESSED, "PERSON")
        for match in view.matches(_RELATIVE):
            value = match.group(1)
            if GIVEN_CHARACTERS.issuperset(value) and value not in known.vocabulary_zh and value not in known.places_zh:
                yield Hit.at(match.span(1), GUESSED, "PERSON")

    def _borne(self, view: View, pattern: Pattern, known: Lists) -> Iterator[Hit]:
        """Yield what stands where people stand and is a name that people bear, though it may be a word."""
        for match in view.matches(pattern):
            span = next(match.span(n) for n in range(1, match.pattern.groups + 1) if match.group(n) is not None)
            value = view.text[slice(*span)]
            if not _like_name(value, known):
                continue
            if value in known.words:
                # Before a title a word tells what kind of one it is, unless it is made as given names are.
                if pattern is _ENTITLED and not GIVEN_CHARACTERS.issuperset(value[1:]):
                    continue
            elif any(covered(value, at, known.vocabulary_zh) for at in range(len(value))):
                continue
            yield Hit.at(span, GUESSED, "PERSON")

    def _named(self, view: View, pattern: Pattern, known: Lists, *, word_too: bool) -> Iterator[Hit]:
        """Yield what a pattern finds, where it has a family name and is nobody of public knowledge."""
        for match in view.matches(pattern):
            value = match.group(1)
            if not _like_name(value, known):
                continue
            word = value in known.vocabulary_zh or value in known.words or value[:2] in known.vocabulary_zh
            if word_too or not word:
                yield Hit.at(match.span(1), SHAPED - 0.1, "PERSON")


def _like_name(value: str, known: Lists) -> bool:
    """Whether a word has a family name, is no doubled word, holds no pronoun, and is nobody of public knowledge."""
    family = value[:2] in known.surnames or value[0] in known.surnames
    return family and value[0] != value[1] and value[1] not in "您你我他她它" and not known.public(value)
