"""E-mail addresses."""

from collections.abc import Iterator

from anonymize.recognizers.base import PROVEN, SHAPED, Hit, RuleRecognizer, over_bytes
from anonymize.view import View, is_word

_ADDRESS = over_bytes(
    r"[A-Za-z0-9\xC0\xE0](?:[A-Za-z0-9._%+'\xC0\xE0-]{0,80}[A-Za-z0-9_+\xC0\xE0-])?@"
    r"(?:[A-Za-z0-9\xC0\xE0](?:[A-Za-z0-9\xC0\xE0-]{0,62})\.){1,8}(?:[A-Za-z]{2,24}|xn--[a-z0-9-]{2,40})"
)
# Blanks or a line break about the sign; then the domain must end as few words do.
_SPACED = over_bytes(
    r"[A-Za-z0-9][A-Za-z0-9._%+-]{1,60}[ \n]{0,2}@[ \n]{0,2}(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,4}"
    r"(?:com|org|net|edu|gov|cn|io|co|uk|de|fr|eu|me|info|jp|hk|tw|in|ca|au|us|dev|ai)\b"
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
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield addresses."""
        if "@" in view.text:
            for match in view.matches(_ADDRESS):
                start, end = match.span()
                value = view.text[start:end].lower()
                # Credentials before a host are the URL's.
                head = view.text[max(0, start - 80) : start].rsplit(maxsplit=1)[-1:] or [""]
                login = "://" in head[0] and "/" not in head[0].split("://", 1)[1]
                if not login and not value.endswith(_FILE_ENDINGS) and not value.startswith("git@"):
                    yield Hit(start, end, PROVEN, "EMAIL")
            for match in view.matches(_SPACED):
                tight = b" " not in match.group() and b"\n" not in match.group()
                if not tight and not (match.start() and is_word(view.skeleton[match.start() - 1])):
                    yield Hit.at(match.span(), SHAPED, "EMAIL")
        if ("dot" in view.lower and "at" in view.lower) or "艾特" in view.text:
            for match in view.matches(_SPELLED):
                yield Hit.at(match.span(), SHAPED, "EMAIL")
