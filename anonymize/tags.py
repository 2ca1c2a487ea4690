"""Tags in a text: how to see them, and the Presidio operator that writes them."""

import re
import unicodedata
from typing import Any

from presidio_anonymizer.operators import Operator, OperatorType

from anonymize.keys import PseudonymKey

# A tag of ours, or a placeholder that a user or another tool wrote. It resolves to nobody and passes unchanged.
_TAG = re.compile(r"<[A-Z][A-Z0-9]{0,23}(?:_[A-Z0-9]{1,24}){0,4}_[a-z0-9]{1,32}>")
_NUMERIC = frozenset({"PHONE", "CREDIT_CARD", "BANK_ACCOUNT", "US_SSN", "QQ"})
_COMPACT = frozenset({"IBAN", "CN_RESIDENT_ID", "PASSPORT", "NATIONAL_ID", "LICENSE_PLATE"})
_CASED = frozenset({"SECRET", "CRYPTO_WALLET", "URL_SECRET"})


def tag_spans(text: str) -> list[tuple[int, int]]:
    """Find the tags of a text.

    Returns:
        Disjoint spans in order.
    """
    if "<" not in text:
        return []
    return [match.span() for match in _TAG.finditer(text)]


def normalise(entity: str, value: str) -> str:
    """Bring spellings of one value together.

    Args:
        entity: Entity type, which says what is spelling and what is value: a telephone number is its digits, a
            person's name is its letters without case, a password is exactly itself.
        value: The text as found.
    """
    plain = unicodedata.normalize("NFKC", value)
    if entity in _CASED:
        return plain
    if entity in _NUMERIC:
        digits = "".join(c for c in plain if c.isdigit())
        # 0086 and +86 before a mainland mobile are the same telephone.
        if entity == "PHONE" and len(digits.lstrip("0")) == 13 and digits.lstrip("0").startswith("861"):
            return digits.lstrip("0")[2:]
        return digits or plain.casefold()
    if entity in _COMPACT:
        return "".join(c for c in plain.casefold() if c.isalnum())
    return " ".join("".join(c for c in plain.casefold() if unicodedata.category(c) != "Cf").split())


class KeyedTag(Operator):
    """Presidio operator that replaces a value by its keyed tag. Parameters: `key`, `scope`, `entity`."""

    def operate(self, text: str, params: dict[str, Any] | None = None) -> str:
        """Return the tag of the value `text`."""
        given = params or {}
        key: PseudonymKey = given["key"]
        entity: str = given["entity"]
        return key.tag(given["scope"], entity, normalise(entity, text))

    def validate(self, params: dict[str, Any] | None = None) -> None:
        """Refuse to work without a key, a scope or an entity type.

        Raises:
            ValueError: One of them is missing.
        """
        given = params or {}
        missing = {"key", "scope", "entity"} - given.keys()
        if missing or not isinstance(given["key"], PseudonymKey):
            raise ValueError("a keyed tag needs a key, a scope and an entity type")

    def operator_name(self) -> str:
        """Name under which an anonymizer engine registers the operator."""
        return "keyed_tag"

    def operator_type(self) -> OperatorType:
        """It anonymizes."""
        return OperatorType.Anonymize
