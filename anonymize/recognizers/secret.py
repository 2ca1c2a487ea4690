"""Secrets: API keys, tokens, private keys, and passwords that the words before them name."""

from collections.abc import Iterator
from itertools import chain

from anonymize.recognizers.base import CUED, PROVEN, Hit, RuleRecognizer, any_of, over_bytes, over_text, within_text
from anonymize.view import View, is_word

_KEYS = over_bytes(
    r"(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|"
    r"github_pat_[A-Za-z0-9_]{22,}|glpat-[A-Za-z0-9_-]{16,64}|A(?:KIA|SIA|GPA|IDA|ROA)[A-Z0-9]{16}|"
    r"LTAI[A-Za-z0-9]{12,26}|AKID[A-Za-z0-9]{13,40}|xox[abeprs]-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{30,40}|"
    r"ya29\.[A-Za-z0-9_-]{20,}|hf_[A-Za-z0-9]{20,64}|npm_[A-Za-z0-9]{30,64}|pypi-[A-Za-z0-9_-]{40,}|"
    r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}|dop_v1_[a-f0-9]{64}|shpat_[a-fA-F0-9]{32}|"
    r"eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]{0,})?|[0-9]{8,10}:AA[A-Za-z0-9_-]{32,36}"
)
_BLOCK_START = over_bytes(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BLOCK_END = "-----END"
_HEADER = over_bytes(r"(?i)\b(?:bearer|basic|token)[ :]+([A-Za-z0-9+/_.~-]{12,}={0,2})")
# A comma ends a value: what a second word announces behind it is a value of its own.
_VALUE = r"([^\s\"'`“”,;，。；、！？（）()<>\[\]{}|]{4,})"
_ASSIGNED = over_text(
    r"(?i)(?:pass(?:word|wd|phrase|code)?s?|pwd|secret|token|api[_ -]?key|access[_ -]?key|secret[_ -]?key|"
    r"auth[_ -]?key|private[_ -]?key|[a-z]{2,20}_key|"
    r"credentials?|pin|otp|cvv|cvc)[A-Za-z_-]{0,24}[\"'`]?(?: ?\([^)\n]{0,12}\))?"
    r"(?: ?(?:is|was|are|to|:=|=>|=|:|是|为|改成|改为|输)[ :]?| ?\(| )[ ]?[\"'`“]?" + _VALUE
)
# What the secret is for may stand between its name and its value.
_FOR = over_text(
    r"(?i)(?:pass(?:word|wd|phrase|code)|pwd|token|api[_ -]?key|secret|pin)s? (?:for|of|to|on|at) [^\n,;:.!?=]{1,40}?"
    r"(?: is| was| =|=|:)[ :]{0,2}[\"'`“]?" + _VALUE
)
_NAMED_HAN = over_text(
    r"(?:密码|密碼|口令|密钥|验证码|提取码|暗号|授权码|令牌)[\"'`]?(?: ?\([^)\n]{0,12}\))?"
    r"(?: ?(?:is|=|:|是|为|就是|输入?|改成|改为|设成|设置为|还是)[ :]?(?:只记得是|都是|还是)?|,只记得是)?[ ]?[\"'`“]?"
    + _VALUE
)
_CUES = any_of(
    "pass", "pwd", "secret", "token", "key", "credential", "pin", "otp", "cvv", "cvc", "密码", "密碼", "口令",
    "密钥", "验证码", "提取码",
    "暗号", "授权码", "令牌",
)  # fmt: skip
_ALTERNATIVE = within_text(r"(?:或者?|or|/|、| or )+ ?([A-Za-z0-9!@#$%^&*_.+-]{6,64})")
_FLAG = over_text(r"(?:mysql|mysqldump|sshpass|redis-cli|psql|mongo)\b[^\n]{0,120}? -(?:p|a)([^\s'\"-][^\s'\"]{5,63})")
_GATE = over_text(
    r"(?i)(?:gate|door|lockbox|alarm|entry|access|garage|门禁|开锁)(?: ?code|密码)(?: is|:|=|是|"
    r"：)? ?([0-9A-Z#*]{4,12})"
)
_PIN = over_bytes(r"(?i)\bpin(?: ?code| number)?(?: is|:|=|#)? ?\(?([0-9]{4,8})\b")
_LOGIN_PAIR = over_text(r"(?i)[a-z0-9._%+-]+@[a-z0-9.-]+ ?[/|] ?([^\s，。]{6,64})")
# Values that stand where a secret would: examples, references to one, words of code.
_EXAMPLES = (
    "your", "xxx", "***", "...", "example", "changeme", "placeholder", "<", "${", "{{", "$(", "%s", "none", "null",
    "true",
    "false", "undefined", "os.", "env", "process.", "config", "self.", "getpass", "input", "insert", "replace", "todo",
    "string", "str", "required", "password", "secret", "token", "request", "settings", "const", "你的", "new ",
)  # fmt: skip


class SecretRecognizer(RuleRecognizer):
    """Finds secrets by the shapes that their issuers give them, and by the words before them."""

    ENTITIES = ("SECRET",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield secrets."""
        for match in view.matches(_KEYS):
            start, end = match.span()
            value = match.group()
            if (start and is_word(view.skeleton[start - 1])) or not any(48 <= b <= 57 for b in value):
                continue
            yield Hit(start, end, PROVEN, "SECRET")
        if "-----BEGIN" in view.text:
            yield from self._blocks(view)
        if view.holds(_CUES):
            yield from self._assigned(view)
        yield from self._headers(view)
        yield from self._in_passing(view)

    def _headers(self, view: View) -> Iterator[Hit]:
        if view.holds(_HEADER):
            for match in view.matches(_HEADER):
                value = match.group(1)
                if any(48 <= b <= 57 for b in value) and not value.isdigit():
                    yield Hit.at(match.span(1), CUED, "SECRET")

    def _in_passing(self, view: View) -> Iterator[Hit]:
        """Yield passwords on command lines, door codes, and passwords beside a login."""
        if " -" in view.text:
            for match in view.matches(_FLAG):
                yield Hit.at(match.span(1), CUED, "SECRET")
        if "code" in view.lower or "密码" in view.text:
            for match in view.matches(_GATE):
                if any(c.isdigit() for c in match.group(1)):
                    yield Hit.at(match.span(1), CUED, "SECRET")
        yield from self._beside(view)

    def _beside(self, view: View) -> Iterator[Hit]:
        """Yield numbers behind the word PIN, and passwords beside a login."""
        if "pin" in view.lower:
            for match in view.matches(_PIN):
                yield Hit.at(match.span(1), CUED, "SECRET")
        if "@" in view.text and ("/" in view.text or "|" in view.text):
            for match in view.matches(_LOGIN_PAIR):
                if _strong(match.group(1)) and not match.group(1).lower().startswith(("http", "www.", "+")):
                    yield Hit.at(match.span(1), CUED - 0.2, "SECRET")

    def _blocks(self, view: View) -> Iterator[Hit]:
        for match in view.matches(_BLOCK_START):
            start = match.end()
            end = view.text.find(_BLOCK_END, start)
            end = len(view.text) if end == -1 else end
            while start < end and view.text[start].isspace():
                start += 1
            while end > start and view.text[end - 1].isspace():
                end -= 1
            yield Hit(start, end, PROVEN, "SECRET")

    def _assigned(self, view: View) -> Iterator[Hit]:
        for match in chain(*(view.matches(p) for p in (_ASSIGNED, _FOR, _NAMED_HAN))):
            start, end = match.span(1)
            end = _until_wide(view, start, end)
            cue, value = view.text[match.start() : start].lower(), view.text[start:end]
            if end - start < 4:
                continue
            while end - start > 4 and value[-1] in ".,;:!?":
                end, value = end - 1, value[:-1]
            if value[0] in "&$(" or value.lower().startswith(_EXAMPLES) or not value.isascii():
                value = _ascii_head(value)
                end = start + len(value)
                if len(value) < 4 or value.lower().startswith(_EXAMPLES) or value[0] in "&$(":
                    continue
            bare = cue.endswith(" ") and not cue.rstrip().endswith(("is", "was", "=", ":", "to", "are", "是", "为"))
            short = any(word in cue for word in ("pin", "otp", "cvv", "cvc", "验证码", "提取码"))
            if value.isdigit() and not (short or "pass" in cue or "密" in cue or "pwd" in cue):
                continue
            # A bracket may open anything behind a word that ends like a cue.
            bare = bare or cue.endswith("(")
            if _strong(value) or (value.isdigit() and not bare and len(value) <= 12 and not cue.endswith("to ")):
                yield Hit(start, end, CUED + 0.02, "SECRET")
                other = _ALTERNATIVE.match(view.text[end : end + 80])
                if other and _strong(other.group(1)):
                    yield Hit.at((end + other.start(1), end + other.end(1)), CUED, "SECRET")


def _until_wide(view: View, start: int, end: int) -> int:
    """The end of a value: where the original has a full-width mark, or a comma, a sentence goes on."""
    for at in range(start, end):
        if view.text[at] in ",;" or (
            view.text[at] in ":!?()" and not view.original[view.span(at, at + 1)[0]].isascii()
        ):
            return at
    return end


def _ascii_head(value: str) -> str:
    for at, char in enumerate(value):
        if not char.isascii():
            return value[:at]
    return value


def _strong(value: str) -> bool:
    """Whether a value is unlike a word, a number with a unit or a piece of code."""
    value = value.strip("*_")
    letters = any(c.isalpha() for c in value)
    digits = any(c.isdigit() for c in value)
    marks = any(c in "!@#$%^&+~" for c in value)
    if value.endswith(("(", ")", "()")) or "(" in value or "::" in value or value.startswith(("http", "/", "--", "\\")):
        return False
    return len(value) >= 6 and ((letters and digits) or (marks and (letters or digits)))
