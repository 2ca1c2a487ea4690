"""Dates of birth: a date beside a word that says so. Other dates stay."""

from collections.abc import Iterator

from anonymize.recognizers.base import CUED, Hit, RuleRecognizer, any_of, over_text, within_text
from anonymize.view import View

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t|tember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\.?"
)
_HAN_NUMBER = "[〇○零一二三四五六七八九十两廿卅]"
_DATE = over_text(
    r"(?i)((?:19|20)[0-9]{2} ?[-/.] ?[0-9]{1,2} ?[-/.] ?[0-9]{1,2}|[0-9]{1,2} ?[-/.] ?[0-9]{1,2} ?[-/.] ?(?:19|"
    r"20)?[0-9]{2}|"
    rf"[0-9]{{1,2}}(?:st|nd|rd|th)?(?: of)?[ -]{_MONTH}(?:,? ?-?(?:19|20)[0-9]{{2}}| ?'?[0-9]{{2}})?|"
    rf"{_MONTH} [0-9]{{1,2}}(?:st|nd|rd|th)?(?:,? (?:19|20)[0-9]{{2}})?|"
    rf"(?:(?:19|20)?[0-9]{{2}} ?年) ?(?:[0-9]{{1,2}} ?月(?:份)?(?: ?[0-9]{{1,2}} ?[日号號])?|(?:正月|腊月|冬月|"
    rf"{_HAN_NUMBER}{{1,2}}月)(?:初|廿)?{_HAN_NUMBER}{{1,3}}|冬至|除夕|春节|中秋|端午|元旦)|"
    r"[0-9]{1,2} ?月 ?[0-9]{1,2} ?[日号號]|"
    rf"{_HAN_NUMBER}{{2,4}}年{_HAN_NUMBER}{{1,3}}月(?:初?{_HAN_NUMBER}{{1,3}}[日号號]?)?|"
    rf"(?:农历|阴历|腊月|正月){_HAN_NUMBER}{{0,3}}月?(?:初|廿)?{_HAN_NUMBER}{{1,3}}|(?:19|20)[0-9]{{2}}(?:0[1-9]|"
    rf"1[0-2])(?:0[1-9]|[12][0-9]|3[01]))"
)
_BEFORE = (
    "born", "dob", "d.o.b", "birth", "b-day", "bday", "生日", "出生", "生于", "生辰", "阳历", "公历", "农历",
    "阴历", "诞生",
    "turns", "turned", "出生年月", "出生日期",
)  # fmt: skip
_AFTER = (
    "出生",
    "生日",
    "日生",
    "生的",
    "生人",
    "was born",
    "birthday",
    "is my birth",
    "(dob",
    "dob",
    " born",
    "生，",
    "生,",
    "生)",
    "生。",
    "她出生",
    "他出生",
)
_CUES = any_of(*_BEFORE, *_AFTER)
_LEFT, _RIGHT = 28, 14
# Where the date is stated as such, the word for it may stand further off in the same sentence.
_STATED = within_text(
    r"(?i)(?:date of birth|birth ?date|birthday|dob|出生日期|生日)[^.!?。！？\n]{0,80}(?:it's|it is|is|was|:|是|为) ?$"
)


class BirthDateRecognizer(RuleRecognizer):
    """Finds dates of birth."""

    ENTITIES = ("DATE_OF_BIRTH",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield dates."""
        if not view.holds(_CUES):
            return
        for match in view.matches(_DATE):
            start, end = match.span()
            left = view.before(start, _LEFT).rsplit("\n\n", 1)[-1]
            right = view.after(end, _RIGHT)
            digit_beside = (start and view.text[start - 1].isdigit()) or right[:1].isdigit()
            if digit_beside:
                continue
            stated = _STATED.search(view.text[max(0, start - 110) : start]) is not None
            if (
                stated
                or any(cue in left for cue in _BEFORE)
                or any(cue in right for cue in _AFTER)
                or right[:1] == "生"
            ):
                yield Hit(start, end, CUED, "DATE_OF_BIRTH")
