"""Internet addresses of both versions."""

from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from anonymize.recognizers.base import CUED, SHAPED, Hit, RuleRecognizer, over_bytes, within_text
from anonymize.view import View, free

# Somebody who searches for an address writes its dots with a backslash.
_V4 = over_bytes(r"[0-9]{1,3}(?:\\?\.[0-9]{1,3}){3}")
_V6 = over_bytes(r"[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3})?")
_VERSION = within_text(r"(?:(?:^|[^a-z])(?:version|ver|v|release|chapter|section|oid)|版本|[=>]=)[ :.]*$")


class IpRecognizer(RuleRecognizer):
    """Finds addresses. Loopback, unspecified and masks stay: they are nobody's."""

    ENTITIES = ("IP",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield addresses."""
        if view.has_digit and view.text.count(".") >= 3:
            yield from self._version_4(view)
        if view.has_digit and view.text.count(":") >= 2:
            yield from self._version_6(view)

    def _version_4(self, view: View) -> Iterator[Hit]:
        for match in view.matches(_V4):
            start, end = match.span()
            right = view.skeleton[end : end + 2]
            if not free(view.skeleton, start, end, also=b"") or (right[:1] == b"." and right[1:].isdigit()):
                continue
            if (
                start > 1
                and view.skeleton[start - 1 : start] == b"."
                and view.skeleton[start - 2 : start - 1].isalnum()
            ):
                continue
            if _VERSION.search(view.before(start, 12)):
                continue
            try:
                address = IPv4Address(view.text[start:end].replace("\\", ""))
            except AddressValueError:
                continue
            if not (address.is_loopback or address.is_unspecified or address.packed[0] == 255):
                yield Hit(start, end, CUED, "IP")

    def _version_6(self, view: View) -> Iterator[Hit]:
        for match in view.matches(_V6):
            start, end = match.span()
            # A sentence's full stop may follow, but none may stand before.
            if not free(view.skeleton, start, end, also=b":") or view.skeleton[start - 1 : start] == b".":
                continue
            groups = [g for g in view.text[start:end].split(":") if g]
            # Two short groups about a double colon are a name space far more often than an address.
            if len(groups) < 2 or (len(groups) < 3 and max(map(len, groups)) < 3):
                continue
            if not any(c.isdigit() for c in view.text[start:end]):
                continue
            try:
                address = IPv6Address(view.text[start:end])
            except AddressValueError:
                continue
            if not (address.is_loopback or address.is_unspecified):
                yield Hit(start, end, SHAPED, "IP")
