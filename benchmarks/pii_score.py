"""Compares what was masked with what should have been."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from pii_sets import Row

from anonymize import ENTITIES, PseudonymKey
from anonymize.tags import normalise

_TAG = re.compile(r"<[A-Z][A-Z_]*_[a-z2-7]{8}>")
# Types of the sets that the policy leaves alone.
NOT_MASKED = frozenset({"DATE_TIME", "TITLE", "AGE", "NRP", "DOMAIN_NAME", "SYSTEM", "EVENT", "MISC"})
_URLS = frozenset({"URL_PERSONAL"})
# Of these a part may be personal and the rest not.
_LOOSE = _URLS | {"ORG", "ORGANIZATION", "SECRET"}
_HOST = re.compile(r"(?:https?://)?(?:[^/@]*@)?[^/]*/?|")
_SAME = {
    "ORG": "ORGANIZATION",
    "BANK": "ORGANIZATION",
    "GPE": "LOCATION",
    "STREET_ADDRESS": "ADDRESS",
    "ZIP_CODE": "ADDRESS",
    "EMAIL_ADDRESS": "EMAIL",
    "PHONE_NUMBER": "PHONE",
    "CARD": "CREDIT_CARD",
    "IBAN_CODE": "IBAN",
    "IP_ADDRESS": "IP",
    "SSN": "US_SSN",
    "DOB": "DATE_OF_BIRTH",
    "ID_CARD": "CN_RESIDENT_ID",
    "WALLET": "CRYPTO_WALLET",
    "PASSWORD": "SECRET",
    "US_DRIVER_LICENSE": "NATIONAL_ID",
    "PATH_USER": "HANDLE",
    "USERNAME": "HANDLE",
    "URL_PERSONAL": "URL_SECRET",
}
_NANO_NUMBERS = (
    "TAX_ID TAXID PATIENT_ID PAN DRIVER_LICENSE DRIVERS_LICENSE DRIVER_LICENSE_NUM LICENSE INSURANCE_ID AADHAR "
    "VOTER_ID PID EMPLOYEE_ID INSURANCE_POLICY_NUM POLICE_ID_NUM MEDICAL_RECORD USERID USER_ID"
)
_SAME |= dict.fromkeys(_NANO_NUMBERS.split(), "NATIONAL_ID")
_SAME |= dict.fromkeys(
    ["ACCOUNT", "ROUTING_NUMBER", "ACCOUNT_NUMBER", "BANK_ACCOUNT_NUM", "ACCOUNT_NUM"], "BANK_ACCOUNT"
)
_SAME["PASSPORT_NUM"] = "PASSPORT"
PEOPLE, PLACES, BODIES = ("PERSON",), ("LOCATION", "ADDRESS"), ("ORGANIZATION",)


@dataclass
class Score:
    """Counts over a set: found and wanted spans by type and language, characters, and texts touched for nothing."""

    hits: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    outside: int = 0
    over: int = 0
    over_by_type: Counter[str] = field(default_factory=Counter)
    clean: int = 0
    touched: int = 0
    misses: list[str] = field(default_factory=list)

    def recall(self, kinds: tuple[str, ...] | None, lang: str | None = None) -> tuple[int, int]:
        """Spans found and wanted, of some types or of all, in a language or in all."""
        chosen = [v for (k, at), v in self.hits.items() if (kinds is None or k in kinds) and lang in (None, at)]
        return sum(v[0] for v in chosen), sum(v[1] for v in chosen)


def family(kind: str) -> tuple[str, ...]:
    """The group of the summary that a type belongs to."""
    return next((g for g in (PEOPLE, PLACES, BODIES) if kind in g), ("structured",))


def score(rows: list[Row], marks: list[bytearray]) -> Score:
    """Score marks (one byte a character, of `marks_of_tags` or 1 where masked) against the spans of the rows.

    A span counts as found when three quarters of its letters and digits are masked (half where only a part of the
    span is personal: organisations, secrets; of a URL what follows its host).
    """
    result = Score()
    for row, mark in zip(rows, marks, strict=True):
        covered = bytearray(len(row.text))
        for low, high, kind in row.spans:
            covered[low:high] = b"\x01" * (high - low)
            if kind in NOT_MASKED:
                continue
            if kind in _URLS:
                host = _HOST.match(row.text[low:high])
                low += len(host.group()) if host else 0
            letters = [i for i in range(low, high) if row.text[i].isalnum()]
            ok = sum(mark[i] > 0 for i in letters) >= (0.5 if kind in _LOOSE else 0.75) * max(1, len(letters))
            count = result.hits[_SAME.get(kind, kind), row.lang]
            count[0] += ok
            count[1] += 1
            if not ok:
                result.misses.append(f"MISS {row.lang} {kind} {row.text[low:high]!r} in {row.text!r}")
        wrong = [i for i in range(len(row.text)) if mark[i] and not covered[i] and row.text[i].isalnum()]
        result.outside += sum(not c for c in covered)
        result.over += len(wrong)
        result.over_by_type.update(ENTITIES[mark[i] - 1] for i in wrong)
        result.clean += not row.spans
        result.touched += not row.spans and bool(wrong)
        if wrong:
            result.misses.append(f"OVER {row.lang} {''.join(row.text[i] for i in wrong)!r} in {row.text!r}")
    return result


def marks_of_tags(original: str, masked: str, scope: str, key: PseudonymKey) -> bytearray:
    """Mark which characters of the original were masked: a tag tells, by the key, which value it stands for.

    Returns:
        One byte a character: 0, or the number of its type among `ENTITIES`, from 1.
    """
    marks = bytearray(len(original))
    at = out = 0
    for match in _TAG.finditer(masked):
        at += match.start() - out
        out = match.end()
        entity = match.group()[1:-10]
        for end in range(at + 1, min(len(original), at + 400) + 1):
            tag = key.tag(scope, entity, normalise(entity, original[at:end]))
            # The shortest value of that normal form before which the text goes on as the masked one does.
            if tag == match.group() and _starts(original, end, masked, out):
                break
        marks[at:end] = bytes([ENTITIES.index(entity) + 1]) * (end - at)
        at = end
    return marks


def _starts(original: str, end: int, masked: str, out: int) -> bool:
    """Whether what follows a tag in the masked text, up to the next tag, follows the value in the original."""
    following = _TAG.search(masked, out)
    return original.startswith(masked[out : following.start() if following else len(masked)], end)
