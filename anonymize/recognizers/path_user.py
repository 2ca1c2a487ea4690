"""User names in file paths: the path keeps its shape, the name is masked."""

from collections.abc import Iterator

from anonymize.recognizers.base import CUED, Hit, RuleRecognizer, any_of, over_text
from anonymize.view import View

_PATH = over_text(
    r"(?i)(?:(?:^|[^\w.])/?(?:Users|home)/|[A-Z]:[\\/]{1,2}(?:Users|Documents and Settings)[\\/]{1,2}|"
    r"[\\/]{1,2}Users\\{1,2})"
    r"([^\s/\\:*?\"'<>|,;(){}\[\]`$%，。；：]{2,40})"
)
_CUES = any_of("users/", "home/", "users\\", "settings\\")
# Accounts that belong to a machine or to an example, not to a person.
_NOBODY = frozenset(
    [
        "user",
        "users",
        "username",
        "user_name",
        "your",
        "your_name",
        "yourname",
        "yourusername",
        "your_username",
        "you",
        "me",
        "name",
        "root",
        "admin",
        "administrator",
        "public",
        "shared",
        "default",
        "guest",
        "ubuntu",
        "debian",
        "ec2-user",
        "centos",
        "vagrant",
        "runner",
        "node",
        "app",
        "appuser",
        "www",
        "www-data",
        "git",
        "jovyan",
        "pi",
        "codespace",
        "vscode",
        "test",
        "example",
        "bin",
        "lib",
        "local",
        "src",
        "index",
        "page",
        "pages",
        "docs",
        "assets",
        "static",
        "about",
        "login",
        "site",
        "api",
        "images",
        "css",
        "js",
        "xxx",
        "linuxbrew",
        "circleci",
        "travis",
        "jenkins",
        "gitpod",
        "coder",
        "dev",
        "deploy",
        "service",
        "data",
        "home",
        "work",
    ]
)
_LONGEST_PLAIN = 40


class PathUserRecognizer(RuleRecognizer):
    r"""Finds the account's name in `/Users/NAME`, `/home/NAME` and `C:\Users\NAME`."""

    ENTITIES = ("PATH_USER",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield account names."""
        if not view.holds(_CUES):
            return
        for match in view.matches(_PATH):
            start, end = match.span(1)
            while end > start and view.text[end - 1] in ".!?":
                end -= 1
            name = view.text[start:end].lower()
            after = view.text[end : end + 1]
            web = "://" in view.before(match.start(), 60).rsplit(" ", 1)[-1]
            if (
                name not in _NOBODY
                and not web
                and end - start > 1
                and after != "("
                and not any(c in name for c in "\ufffc\ufff9")
            ):
                yield Hit(start, end, CUED, "PATH_USER")
