"""Bank account numbers, by the words before them."""

from collections.abc import Iterator

from anonymize.recognizers.base import CUED, SHAPED, Hit, RuleRecognizer, any_of, over_bytes, over_text
from anonymize.view import View, free, free_digits

_CUES = (
    "account",
    "acct",
    "a/c",
    "routing",
    "sort code",
    "账号",
    "账户",
    "帳號",
    "帳戶",
    "卡号",
    "银行卡",
    "汇入",
    "iban",
)
_CUED = any_of(*_CUES)
_ACCOUNT = over_text(
    r"(?i)(?:account|acct|a/c|routing|账号|账户|帳號|帳戶|卡号|银行卡号?|储蓄卡|工资卡|建行|工行|农行|中行|招行|交行)"
    r"(?: ?(?:number|no\.?|num|#|nr\.?))?[^0-9\n]{0,16}([0-9]{2,}(?:[ -]?[0-9]{2,}){1,8}|[0-9]{6,20})"
)
_SORT_CODE = over_text(r"(?i)sort ?code[^0-9\n]{0,8}([0-9]{2}[ -][0-9]{2}[ -][0-9]{2})")
# A number in groups of four beside money that moves; another number beside one that is an account's.
_GROUPED = over_bytes(r"[0-9]{4}(?:[ -][0-9]{4}){3}(?:[ -][0-9]{1,4})?")
_OTHER = over_text(r"(?i)(?:旧的|新的|老的|原来的|另一个|old one|new one|old|new|other)[^0-9\n]{0,8}([0-9]{8,20})")
# A number right behind the words by which money goes to it.
_PAID_TO = over_text(
    r"(?i)(?:[转打汇付存退划轉匯](?:账|帐|款|钱|帳)?[到至给入进往給進]|"
    r"\b(?:pay(?:ment)?s?|transfer(?:red)?|wire[ds]?|deposit(?:ed)?|rent|salary|wages|money|funds|refund|sent|send)"
    r" (?:it |them )?(?:in|on)?to)[: ]?(?:我的|他的|她的|my |his |her )?(?:account|卡|账户)? ?([0-9]{12,19})"
)
_MONEY = ("账", "帳", "卡", "退", "转", "轉", "汇", "匯", "打款", "bank", "account", "transfer", "wire", "deposit")
_BANKING = ("bank", "account", "acct", "a/c", "routing", "账", "帳", "卡", "行", "汇", "union")


class BankAccountRecognizer(RuleRecognizer):
    """Finds account numbers of 6 to 20 digits after a word that says so."""

    ENTITIES = ("BANK_ACCOUNT",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield account numbers."""
        if not view.has_digit:
            return
        for match in view.matches(_GROUPED):
            start, end = match.span()
            near = view.before(start, 40) + view.after(end, 20)
            if free_digits(view.skeleton, start, end) and any(word in near for word in _MONEY):
                yield Hit(start, end, SHAPED, "BANK_ACCOUNT")
        yield from self._paid_to(view)
        if view.holds(_CUED):
            yield from self._cued(view)

    def _paid_to(self, view: View) -> Iterator[Hit]:
        for match in view.matches(_PAID_TO):
            if free_digits(view.skeleton, *match.span(1)):
                yield Hit.at(match.span(1), SHAPED, "BANK_ACCOUNT")

    def _cued(self, view: View) -> Iterator[Hit]:
        for match in view.matches(_OTHER):
            start, end = match.span(1)
            if free_digits(view.skeleton, start, end) and any(b in view.before(start, 60) for b in _BANKING):
                yield Hit(start, end, SHAPED, "BANK_ACCOUNT")
        for match in view.matches(_ACCOUNT):
            start, end = match.span(1)
            digits = sum(c.isdigit() for c in view.text[start:end])
            near = view.before(start, 40)
            if 6 <= digits <= 20 and free(view.skeleton, start, end, also=b"@") and any(b in near for b in _BANKING):
                yield Hit(start, end, CUED - 0.02, "BANK_ACCOUNT")
        for match in view.matches(_SORT_CODE):
            yield Hit.at(match.span(1), CUED, "BANK_ACCOUNT")
