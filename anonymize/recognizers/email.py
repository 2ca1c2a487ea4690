"""E-mail addresses."""

from collections.abc import Iterator

from anonymize.recognizers.base import PROVEN, SHAPED, Hit, RuleRecognizer, over_bytes
from anonymize.view import View

_ADDRESS = over_bytes(
    r"[A-Za-z0-9\xC0\xE0](?:[A-Za-z0-9._%+'\xC0\xE0-]{0,80}[A-Za-z0-9_+\xC0\xE0-])?@"
    r"(?:[A-Za-z0-9\xC0\xE0](?:[A-Za-z0-9\xC0\xE0-]{0,62})\.){1,8}(?:[A-Za-z]{2,24}|xn--[a-z0-9-]{2,40})"
)
# "jane [at] example [dot] com": brackets are asked for, or a spelled-out dot, or every "at" in prose would match.
_SPELLED = over_bytes(
    r"(?i)[a-z0-9][a-z0-9._+-]{0,63} ?(?:[\[({] ?at ?[\])}]| at | \xC8\xC8 ) ?"
    r"[a-z0-9-]{1,63}(?: ?(?:[\[({] ?dot ?[\])}]| dot | \xC8 ) ?[a-z0-9-]{2,30}){1,3}"
)
# Not addresses: retina image names and package versions look like them.
_FILE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp")


class EmailRecognizer(RuleRecognizer):
    """Finds e-mail addresses, also those beside Chinese text and spelled-out ones."""

    ENTITIES = ("EMAIL",)

    def find(self, view: View) -> Iterator[Hit]:
        """Yield addresses."""
        if "@" in view.text:
            for match in _ADDRESS.finditer(view.skeleton):
                start, end = match.span()
                value = view.text[start:end].lower()
                if not value.endswith(_FILE_ENDINGS) and not value.startswith("git@"):
                    yield Hit(start, end, PROVEN, "EMAIL")
        if ("dot" in view.lower and "at" in view.lower) or "艾特" in view.text:
            for match in _SPELLED.finditer(view.skeleton):
                yield Hit.at(match.span(), SHAPED, "EMAIL")
