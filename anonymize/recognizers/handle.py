"""Account names on social and other services."""

from collections.abc import Iterator

from anonymize.names.lists import word_set
from anonymize.recognizers.base import GUESSED, SHAPED, Hit, RuleRecognizer, over_bytes, over_text, within_text
from anonymize.view import View, is_word

_AT = over_bytes(r"@([A-Za-z0-9_\xC0\xC8\xE0][A-Za-z0-9_.\xC0\xC8\xE0-]*[A-Za-z0-9_\xC0\xC8\xE0])")
_LONGEST = 40
_ANNOTATION = within_text(r"(?: @[A-Z][A-Za-z]+)* (?:@[A-Z]|(?:final )?[A-Z][A-Za-z<>]+ [a-z][A-Za-z]*[,)])")
_NAMED = over_text(
    r"(?i)(?:twitter|instagram|insta|ig|github|gitlab|discord|telegram|tg|steam|reddit|snapchat|snap|tiktok|twitch|"
    r"xbox|psn|"
    r"linkedin|facebook|fb|youtube|mastodon|bluesky|threads|skype|line|venmo|cashapp|handle|gamertag|username|"
    r"user name|"
    r"user id|userid|user|uid|login|screen name|account name|小红书|微博|知乎|抖音|快手|[bB]站|豆瓣|贴吧|闲鱼|"
    r"用户名|用户|账号|昵称|"
    r"网名|ID)"
    r"(?:号| ?id| ?uid| ?handle| ?username| ?account| ?name| ?tag)?(?: is | ?[:=] ?|是|叫|为| |号)[\"'`]?@?"
    r"([A-Za-z0-9_][A-Za-z0-9_.#-]{2,38})"
)
# Right behind a word for an account, a name with letters and digits.
_GLUED = over_text(
    r"(?:账号|帐号|账户|帳號|用户名|用户|登录名|登陆名|昵称|网名|(?i:login|username|user))(?:用|用的|就|还)?"
    r"([A-Za-z][A-Za-z0-9_.-]{2,30}[A-Za-z0-9])"
)
_SIGNED_IN = over_text(
    r"(?i)(?:log(?:ged|ging)?[ -]?(?:in|on)|sign(?:ed|ing)? in|connect(?:ed|ing)?|authenticat(?:ed|ing)|login|user|"
    r"account|ran|"
    r"switch(?:ed)? to user|whoami)(?: as|:)(?: user)? [\"'`]?([A-Za-z0-9_][A-Za-z0-9_.-]{2,30})"
)
_OPTION = over_bytes(
    r"(?:mysql|mysqldump|psql|ssh|scp|sftp|smbclient|curl|sqlcmd|mongo(?:sh)?|redis-cli|docker "
    r"login)\b[^\n]{0,80}? (?:-u|-U|-l|--user(?:name)?)[ =]?([A-Za-z0-9_][A-Za-z0-9_.-]{2,30})"
)
_LOGIN_AT_HOST = over_bytes(r"([A-Za-z_][A-Za-z0-9_.-]{1,31})@(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[a-z0-9-]+:)")
_DISCORD = over_bytes(r"[A-Za-z][A-Za-z0-9_.]{2,31}#[0-9]{4}\b")
_IS_MINE = over_text(
    r"(?i)([A-Za-z0-9_][A-Za-z0-9_.-]{2,38})(?: is (?:my|his|her|their|our)|是[我他她]的?) ?"
    r"(?:insta(?:gram)?|ig|twitter|discord|telegram|steam|reddit|tiktok|twitch|github|gaming|new|old)? ?"
    r"(?:user ?name|user id|handle|gamertag|screen name|login|nick(?:name)?|账号|帐号|用户名|昵称|网名)"
)
_REDDIT = over_bytes(r"(?:^|[\s(])/?u/([A-Za-z0-9_-]{3,20})")
# What follows an at sign in code, style sheets, documentation comments and chat commands.
_WORDS_OF_CODE = word_set(
    "media import param params return returns throws throw override property dataclass staticmethod classmethod "
    "abstractmethod app pytest decorator interface autowired test before after beforeeach aftereach component "
    "injectable input output service controller repository bean entity table column id get post put delete "
    "requestmapping getmapping postmapping requestbody pathvariable springbootapplication configuration value "
    "qualifier transactional keyframes font-face charset supports page include mixin extend if else for while "
    "function layer apply tailwind use forward author version since see deprecated link code example type typedef "
    "template private public protected readonly state binding published objc escaping discardableresult main "
    "available viewbuilder everyone here channel all latest types babel angular vue click submit change keyup "
    "model suppresswarnings nullable notnull nonnull data getter setter builder slf4j wraps cache lru_cache "
    "cached_property contextmanager fixture parametrize mark validator field_validator task dag"
)
_MACHINE_USERS = frozenset(
    {
        "root",
        "admin",
        "app",
        "sa",
        "dba",
        "mysql",
        "redis",
        "user",
        "username",
        "ubuntu",
        "ec2-user",
        "git",
        "postgres",
        "host",
        "test",
    }
)
_CODE_AFTER = ("(", "/", "{")


class HandleRecognizer(RuleRecognizer):
    """Finds handles after an at sign, after a service's name, and before a host."""

    ENTITIES = ("HANDLE",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield handles, without the at sign's word neighbours."""
        if "@" in view.text:
            yield from self._after_at(view)
            for match in view.matches(_LOGIN_AT_HOST):
                if match.group(1).decode("latin-1").lower() not in _MACHINE_USERS:
                    yield Hit.at(match.span(1), SHAPED, "HANDLE")
        yield from self._after_name(view)
        yield from self._glued(view)
        yield from self._owned(view)
        if " -" in view.text:
            yield from self._options(view)
        for match in view.matches(_DISCORD):
            if not is_word(view.skeleton[match.start() - 1] if match.start() else 32):
                yield Hit.at(match.span(), SHAPED, "HANDLE")
        if "u/" in view.text:
            for match in view.matches(_REDDIT):
                yield Hit.at(match.span(1), GUESSED, "HANDLE")

    def _owned(self, view: View) -> Iterator[Hit]:
        """Yield names of accounts that somebody says are theirs."""
        for match in view.matches(_IS_MINE):
            name = match.group(1)
            if any(c.isdigit() or c == "_" for c in name) and any(c.isalpha() for c in name):
                yield Hit.at(match.span(1), SHAPED - 0.1, "HANDLE")

    def _options(self, view: View) -> Iterator[Hit]:
        """Yield names of accounts on command lines."""
        for match in view.matches(_OPTION):
            if match.group(1).decode("latin-1").lower() not in _MACHINE_USERS:
                yield Hit.at(match.span(1), SHAPED - 0.1, "HANDLE")

    def _glued(self, view: View) -> Iterator[Hit]:
        """Yield names of accounts that stand right behind a word for them."""
        for pattern in (_GLUED, _SIGNED_IN):
            for match in view.matches(pattern):
                start, end = match.span(1)
                while view.text[end - 1] in ".-":
                    end -= 1
                name = view.text[start:end]
                whole = not view.text[end : end + 1].isalnum() or not view.text[end].isascii()
                before = view.skeleton[match.start() - 1] if match.start() else 32
                if (
                    whole
                    and any(c.isdigit() for c in name)
                    and any(c.isalpha() for c in name)
                    and not (is_word(before) and is_word(view.skeleton[match.start()]))
                    and view.text[end : end + 1] not in ("(", "=", "[", ":")
                ):
                    yield Hit(start, end, SHAPED - 0.1, "HANDLE")

    def _after_at(self, view: View) -> Iterator[Hit]:
        for match in view.matches(_AT):
            start, end = match.span()
            left = view.skeleton[start - 1] if start else 32
            name = view.text[start + 1 : end]
            if is_word(left) or left in b"@/.`\"'=+-":
                continue
            right = view.text[end : end + 1]
            # Only the ASCII head is a handle where Chinese prose follows without a space.
            head = name if not name.isascii() and not name[0].isascii() else _ascii_head(name)
            end = start + 1 + len(head)
            if (len(head) < 3 and head.isascii()) or len(head) > _LONGEST or head.isdigit():
                continue
            if head.lower().split(".")[0] in _WORDS_OF_CODE or right in _CODE_AFTER:
                continue
            if _decorates(view.text, start, end):
                continue
            yield Hit(start, end, SHAPED - 0.1, "HANDLE")

    def _after_name(self, view: View) -> Iterator[Hit]:
        for match in view.matches(_NAMED):
            start, end = match.span(1)
            cue_left = view.skeleton[match.start() - 1] if match.start() else 32
            if is_word(cue_left) and is_word(view.skeleton[match.start()]):
                continue
            while view.text[end - 1] in ".-#":
                end -= 1
            name = view.text[start:end]
            between = view.text[match.start() : start]
            stated = any(mark in between for mark in (":", "=", "是", "号", "叫", "为", "@")) or " is " in between
            unlike_word = any(c.isdigit() or c in "_#" for c in name) and any(c.isalpha() for c in name)
            number = name.isdigit() and len(name) >= 5 and (("号" in between and stated) or "uid" in between.lower())
            code = view.text[end : end + 1] in ("(", "[") or ("." in name.strip(".") and "=" in between)
            if (
                ((unlike_word and not _version_like(name)) or number)
                and not code
                and not name.endswith("_id")
                and not (
                    "=" in between and name.isidentifier() and name.islower() and not any(c.isdigit() for c in name)
                )
            ):
                yield Hit(start, end, SHAPED - 0.1, "HANDLE")


def _ascii_head(name: str) -> str:
    head = name
    for at, char in enumerate(name):
        if not char.isascii():
            head = name[:at]
            break
    return head.rstrip(".-")


def _version_like(name: str) -> bool:
    return name[0].isdigit() or (len(name) < 5 and "_" not in name)


def _decorates(text: str, start: int, end: int) -> bool:
    """Whether an at sign begins a line that holds nothing else: a decorator or an annotation."""
    # Two in a row, or one before a typed parameter, as in `@Valid @RequestBody Order order`.
    if text[start + 1 : start + 2].isupper() and _ANNOTATION.match(text[end : end + 60]):
        return True
    line_start = text.rfind("\n", 0, start) + 1
    if text[line_start:start].strip():
        return False
    line_end = text.find("\n", end)
    rest = text[end : line_end if line_end != -1 else len(text)].strip()
    return not rest and line_end != -1 and text[line_end : line_end + 2] != "\n\n" and line_start > 0
