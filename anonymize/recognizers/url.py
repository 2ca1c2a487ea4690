"""What a URL gives away: credentials, tokens and personal pages. Its scheme and host stay, the rest goes."""

from collections.abc import Iterator
from itertools import pairwise

from anonymize.recognizers.base import CUED, Hit, RuleRecognizer, over_bytes, within_bytes
from anonymize.view import View

_URL = over_bytes(r"(?i)(?:[a-z][a-z0-9+.-]{1,20}://|www\.)[^\x00-\x20\x22<>\\^`{|}\x7F-\xFF]{4,}")
_USERINFO = within_bytes(r"^[A-Za-z0-9+.-]+://([^/?#@]*:[^/?#@]*)@")
_HOST = within_bytes(r"^(?:[A-Za-z][A-Za-z0-9+.-]*://)?[^/?#]*/?")
_SECRET_VALUE = within_bytes(
    r"(?i)[?&#;](?:[a-z_.-]*(?:token|key|secret|passw|pwd|sig|signature|auth|session|sid|credential|code|otp|invite|email|"
    r"phone|mobile|user|uid|openid|jwt|ticket)[a-z_.-]*)=([^&#]{3,})"
)
# Paths that lead to one person's page or to one person's shared file.
_PERSONAL = within_bytes(
    r"(?i)^(?:https?://)?(?:[a-z0-9-]+\.)*(?:"
    r"linkedin\.com/in/|facebook\.com/|instagram\.com/|twitter\.com/|x\.com/|t\.me/|github\.com/|gitlab\.com/|"
    r"tiktok\.com/@|medium\.com/@|youtube\.com/@|weibo\.com/(?:u/)?|zhihu\.com/people/|space\.bilibili\.com/|"
    r"xiaohongshu\.com/user/profile/|pan\.baidu\.com/s/|docs\.google\.com/[a-z]+/d/|drive\.google\.com/[a-z/]+/|"
    r"dropbox\.com/s[a-z]*/|1drv\.ms/|calendly\.com/|paypal\.me/|venmo\.com/|cash\.app/|onlyfans\.com/|"
    r"[a-z0-9.-]+(?::[0-9]+)?/(?:[a-z0-9_-]+/){0,3}(?:u|user|users|profile|profiles|people|member|members|account|share|s|"
    r"invite|resume|cv|homes?)/|[a-z0-9.-]+/~)([^\s?#]{2,})"
)
# A part of a path that was drawn at random admits whoever has it: capitals, small letters and digits, long.
_SEGMENT = within_bytes(r"[A-Za-z0-9_-]{16,}")
_PUBLIC_PATHS = (
    "login",
    "search",
    "explore",
    "help",
    "about",
    "settings",
    "docs",
    "features",
    "topics",
    "hashtag",
    "intent",
    "share",
    "sharer",
)
# On these hosts a path of two parts or more is a project, whose address is public.
_PROJECT_HOSTS = ("github.com/", "gitlab.com/")


class UrlRecognizer(RuleRecognizer):
    """Finds the parts of URLs that identify or admit somebody."""

    ENTITIES = ("URL_SECRET",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield parts of URLs."""
        if "://" not in view.text and "www." not in view.lower:
            return
        for match in view.matches(_URL):
            start = match.start()
            url = match.group().rstrip(b".,;:!?'*_~")
            while url.endswith((b")", b"]")) and url.count(b"(") + url.count(b"[") < url.count(b")") + url.count(b"]"):
                url = url[:-1].rstrip(b".,;:!?'*_~")
            for low, high in self._parts(url):
                yield Hit(start + low, start + high, CUED + 0.06, "URL_SECRET")

    def _parts(self, url: bytes) -> Iterator[tuple[int, int]]:
        user = _USERINFO.search(url)
        if user:
            yield user.span(1)
        host = _HOST.match(url)
        if host is None or len(url) - host.end() < 2:
            return
        if _SECRET_VALUE.search(url):
            yield host.end(), len(url)
            return
        hook = host.group().lower().find(b"hook") >= 0 or b"/webhook" in url.lower()
        if hook or any(_drawn(m.group()) for m in _SEGMENT.finditer(url[host.end() :])):
            yield host.end(), len(url)
            return
        page = _PERSONAL.search(url)
        if page:
            path = page.group(1).decode("latin-1").strip("/").lower()
            project = any(host.encode() in url.lower() for host in _PROJECT_HOSTS) and "/" in path
            if path and not project and path.split("/")[0] not in _PUBLIC_PATHS:
                yield host.end(), len(url)


def _drawn(segment: bytes) -> bool:
    """Whether a part of a path looks drawn at random, and is no identifier such as a UUID or a digest."""
    text = segment.decode("ascii")
    mixed = any(c.isdigit() for c in text) and any(c.isupper() for c in text) and any(c.islower() for c in text)
    # Words joined by hyphens have short runs between changes of kind; a random string changes kind all the time.
    changes = sum(_kind(a) != _kind(b) for a, b in pairwise(text))
    return mixed and changes >= len(text) // 4


def _kind(char: str) -> int:
    return 0 if char.isdigit() else 1 if char.isupper() else 2
