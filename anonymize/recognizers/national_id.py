"""Identity, tax and health numbers of other countries, driver's licences and member numbers."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from stdnum.au import tfn
from stdnum.br import cpf
from stdnum.ca import sin
from stdnum.de import idnr
from stdnum.es import dni, nie
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.in_ import aadhaar
from stdnum.it import codicefiscale
from stdnum.kr import rrn
from stdnum.mx import curp
from stdnum.pl import pesel
from stdnum.se import personnummer
from stdnum.tw import ubn

from anonymize.recognizers.base import CUED, PROVEN, SHAPED, Hit, Pattern, RuleRecognizer, any_of, over_bytes, over_text
from anonymize.view import View, free, free_digits

_TAIWAN_LETTERS = "ABCDEFGHJKLMNPQRSTUVXYWZIO"


class _Kind(NamedTuple):
    """A national number: its shape, its check, and the words that a shape too plain must stand beside."""

    pattern: Pattern
    check: Callable[[str], bool]
    cues: tuple[str, ...] = ()
    cued: Pattern | None = None


def _number(pattern: str, check: Callable[[str], bool], *cues: str) -> _Kind:
    return _Kind(over_bytes(pattern), check, cues, any_of(*cues) if cues else None)


def _taiwan(number: str) -> bool:
    code = _TAIWAN_LETTERS.index(number[0].upper()) + 10
    digits = [code // 10, code % 10, *map(int, number[1:])]
    return sum(d * w for d, w in zip(digits, (1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1), strict=True)) % 10 == 0


def _shape_alone(_: str) -> bool:
    return True


_KINDS = (
    _number(r"[A-Z][1289][0-9]{8}", _taiwan),
    _number(r"[A-Z]{1,2}[0-9]{6}\([0-9A]\)", _shape_alone),
    _number(r"[STFGM][0-9]{7}[A-Z]", _shape_alone, "nric", "fin", "singapore", "ic no", "新加坡"),
    _number(r"[A-CEGHJ-PR-TW-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]", _shape_alone),
    _number(r"[A-Z]{6}[0-9]{2}[A-Z][0-9]{2}[A-Z][0-9]{3}[A-Z]", codicefiscale.is_valid),
    _number(r"[A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[0-9A-Z][0-9]", curp.is_valid),
    _number(r"[0-9]{8}-?[A-Z]", dni.is_valid),
    _number(r"[XYZ]-?[0-9]{7}-?[A-Z]", nie.is_valid),
    _number(r"[12] ?[0-9]{2} ?[0-9]{2} ?[0-9][0-9AB] ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}", nir.is_valid),
    _number(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", cpf.is_valid),
    _number(r"[A-Z]{5}[0-9]{4}[A-Z]", _shape_alone, "pan", "tax", "permanent account"),
    _number(r"[0-9]{6}-[1-8][0-9]{6}", rrn.is_valid),
    _number(r"[0-9]{6}[-+][0-9]{4}", personnummer.is_valid, "person", "swed", "ssn"),
    _number(r"[2-9][0-9]{3} ?[0-9]{4} ?[0-9]{4}", aadhaar.is_valid, "aadha", "uidai"),
    _number(r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{4}", nhs.is_valid, "nhs"),
    _number(r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{3}", sin.is_valid, "sin", "social insurance"),
    _number(r"[0-9]{3} ?[0-9]{3} ?[0-9]{2,3}", tfn.is_valid, "tfn", "tax file"),
    _number(r"[0-9]{11}", pesel.is_valid, "pesel"),
    _number(r"[0-9]{2} ?[0-9]{3} ?[0-9]{3} ?[0-9]{3}", idnr.is_valid, "steuer", "tax"),
    _number(r"[0-9]{8}", ubn.is_valid, "統一編號", "统一编号"),
)
_NAMED = over_text(
    r"(?i)(?:driver'?s?'? ?licen[cs]e|driving licen[cs]e|driver license|national (?:id|insurance)|identity card|"
    r"id(?:entity)? (?:card )?(?:number|no\.?)|tax id|nino|nhs(?: number)?|aadhaar|pesel|nric|cpf|curp|bsn|sin|tfn|"
    r"(?:member|patient|policy|policyholder|insurance|employee|student|medicare|medical record|mrn|visa|user|voter|"
    r"police|tax|"
    r"badge|license|licence|identification|beneficiary|passenger|traveller|health|registration|aadha?a?r|pan)(?: "
    r"policy| plan| card)? ?"
    r"(?:id|number|no\.?|#|code)|mrn|驾驶证号?|驾照号?|驾驶证编号|社保号|社保卡号?|医保号|医保卡号?|学号|工号|准考证号|"
    r"身分證字號|身份證號|身份证号码?|身份证|身分證|证件号码?|台胞证号?|居住证号?|户口本号)"
    r"(?: ?(?:number|no\.?|num|#))?(?:[ :#='\"]| is| was|是|为|:|号|\(|dl:|"
    r"atin:)*([A-Z]{0,6}[-_]?[0-9][A-Z0-9-]{3,19}(?:\([0-9A]\))?)"
)
_WORDS = any_of(
    "licen", "national", "identity", "id ", "tax", "nino", "nhs", "aadh", "pesel", "nric", "cpf", "curp", "bsn", "sin",
    "tfn", "member", "patient", "policy", "insur", "employee", "student", "medic", "mrn", "visa", "驾", "社保", "医保",
    "user", "voter", "police", "badge", "registration", "beneficiary", "pan", "passenger", "health",
    "学号", "工号", "准考证", "证", "證",
)  # fmt: skip


class NationalIdRecognizer(RuleRecognizer):
    """Finds numbers by their check digits, and numbers that the words before them name."""

    ENTITIES = ("NATIONAL_ID",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield national numbers."""
        if not view.has_digit:
            return
        for kind in _KINDS:
            if kind.cued is None or view.holds(kind.cued):
                yield from self._kind(view, kind)
        if view.holds(_WORDS):
            for match in view.matches(_NAMED):
                start, end = match.span(1)
                left = view.skeleton[match.start() - 1] if match.start() else 32
                if (free(view.skeleton, start, end) and not chr(left).isalpha()) or left == 0xC8:
                    yield Hit(start, end, SHAPED, "NATIONAL_ID")

    def _kind(self, view: View, kind: _Kind) -> Iterator[Hit]:
        for match in view.matches(kind.pattern):
            start, end = match.span()
            if not free_digits(view.skeleton, start, end):
                continue
            near = view.before(start, 40) + " " + view.after(end, 20)
            if kind.cues and not any(cue in near for cue in kind.cues):
                continue
            if kind.check(view.text[start:end]):
                yield Hit(start, end, CUED if kind.cues else PROVEN - 0.02, "NATIONAL_ID")
