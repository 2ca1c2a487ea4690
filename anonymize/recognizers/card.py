"""Payment card numbers."""

from collections.abc import Iterator

from stdnum import luhn

from anonymize.recognizers.base import CUED, PROVEN, Hit, RuleRecognizer, over_bytes
from anonymize.view import View, free_digits

# One mark or line break may stand between two digits, or a hyphen with blanks.
_RUN = over_bytes(r"[1-9][0-9]{3}(?:(?:[ .\n-]| - )?[0-9]){8,15}")
_CUES = (
    "card",
    "credit",
    "debit",
    "visa",
    "amex",
    "mastercard",
    "unionpay",
    " cc",
    "cc:",
    "卡号",
    "信用卡",
    "银行卡",
    "附属卡",
)
_ISSUERS = (
    ("4", (13, 16, 19)),
    *((str(p), (16,)) for p in (*range(51, 56), *range(2221, 2721))),
    ("34", (15,)),
    ("37", (15,)),
    *((p, (14, 16)) for p in ("300", "301", "302", "303", "304", "305", "36", "38", "39")),
    *((p, (16, 19)) for p in ("6011", "644", "645", "646", "647", "648", "649", "65", "62", "81", "35")),
    *((p, (12, 13, 14, 15, 16, 17, 18, 19)) for p in ("50", "56", "57", "58", "60", "63", "67")),
    ("1800", (15,)),
    ("2131", (15,)),
)
# Lengths that a shape without a card word beside it must have: shorter ones are order numbers too often.
_BARE_LENGTHS = (15, 16, 19)


class CreditCardRecognizer(RuleRecognizer):
    """Finds card numbers by check digit and issuer, or by the words beside them."""

    ENTITIES = ("CREDIT_CARD",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield card numbers."""
        if not view.has_digit:
            return
        for match in view.matches(_RUN):
            start, end = match.span()
            if not free_digits(view.skeleton, start, end) and not _glued(view, start, end):
                continue
            number = "".join(c for c in view.text[start:end] if c.isdigit())
            near = view.before(start, 40) + " " + view.after(end, 24)
            cued = any(cue in near for cue in _CUES)
            proven = luhn.is_valid(number) and _issued(number)
            if proven and (cued or len(number) in _BARE_LENGTHS):
                yield Hit(start, end, PROVEN, "CREDIT_CARD")
            elif cued and len(number) >= 12 and (proven or luhn.is_valid(number) or _issued(number)):
                yield Hit(start, end, CUED, "CREDIT_CARD")


def _glued(view: View, start: int, end: int) -> bool:
    """Whether letters touch the number where a word for it stands close: people type `no4111...cvv`."""
    left, right = view.text[start - 1 : start], view.text[end : end + 1]
    return not left.isdigit() and not right.isdigit() and any(cue in view.before(start, 12) for cue in _CUES)


def _issued(number: str) -> bool:
    """Whether an issuer gives out numbers of this prefix and length. An epoch time begins with 1, which none does."""
    return any(number.startswith(prefix) and len(number) in lengths for prefix, lengths in _ISSUERS)
