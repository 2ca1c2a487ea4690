"""Street addresses in Latin script."""

from collections.abc import Iterator

from anonymize.recognizers.base import CUED, SHAPED, Hit, RuleRecognizer, has_any, over_bytes
from anonymize.view import View, free, is_word

_W = r"[A-Z\xC0][A-Za-z\xC0\xE0'.-]*"
_TYPE = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Squares|Sq|Terrace|Ter|Way|Walk|Circle|Cir|"
    r"Parkway|Pkwy|Highway|Hwy|Crescent|Cres|Close|Row|Mews|Alley|Trail|Trl|Quay|Strand|Grove|Gardens|Gate|Hill|Rise|View|Plaza|Loop|"
    r"Path|Pike|Bend|Ridge|Green|Park|Point|Heights|Hollow|Run|Turnpike|Esplanade|Broadway|Extension|Motorway|Streets|Avenues)\b\.?"
)
_UNIT = r"(?:(?:Apt|Apartment|Suite|Ste|Unit|Room|Rm|Flat|Floor|Bldg|Building|Box|No)\.? ?#?[A-Za-z]?-?[0-9]{1,6}[A-Za-z]?|#[0-9]{1,5}[A-Za-z]?)"
_SEP = r"(?: ?[,\n] {0,8}| {1,8}|,? ?\n {0,8}, ?)"
_TAIL_PART = rf"(?:{_UNIT}|[A-Z][A-Z0-9]{{1,3}}[0-9][A-Z0-9]? [0-9][A-Z]{{2}}|[A-Z]{{2}},? [0-9]{{5}}(?:-[0-9]{{4}})?|[A-Z]{{1,2}}[0-9]{{1,2}} [0-9][A-Z]{{2}}|[0-9]{{4,6}}\b)"
_CITY = rf"{_W}(?: {_W}){{0,2}}"
_TAIL = (
    rf"(?:{_SEP}{_UNIT}){{0,3}}(?:{_SEP}(?:{_CITY}{_SEP}){{1,4}}?{_TAIL_PART}(?:-[0-9]{{3,4}})?|, ?{_CITY}(?:, ?[A-Z]{{2}}\b)?(?: [0-9]{{5}})?)?"
)
_HEAD = rf"(?:{_UNIT}{_SEP}){{0,2}}(?:{_CITY}, ?)?"
_NUMBERED = over_bytes(rf"(?:{_UNIT}, ?){{0,3}}\b[0-9]{{1,6}}[A-Za-z]?(?:-[0-9]{{1,4}})? (?:[NSEW]\.? )?(?:{_W} |[0-9]{{1,3}}(?:st|nd|rd|th) |de |la |du |of ){{1,4}}?{_TYPE}(?: [NSEW][EW]?\b)?{_TAIL}")
_FLAT_FIRST = over_bytes(rf"\b{_UNIT}, ?(?:{_W}(?: {_W}){{0,3}}, ?){{0,2}}[0-9]{{1,5}}[A-Za-z]? (?:{_W} ?){{1,4}}(?:, ?{_CITY}){{0,3}}(?: [A-Z]{{1,2}}[0-9][A-Z0-9]? [0-9][A-Z]{{2}})?")
_EURO = over_bytes(
    rf"\b(?:[0-9]{{1,6}} )?(?:(?:Rua|Rue|Via|Viale|Calle|Carrer|Avenida|Av\.|Avenue|Piazza|Plaza|Boulevard|Chemin|Quai|Ulica|ul\.|Largo|Rruga|Paseo) (?:(?:de|do|da|du|des|la|las|los|del|dos|della|di|{_W}) ){{0,4}}{_W}"
    rf"|[A-Z\xC0][a-z\xE0]{{2,20}}(?:stra\xE0e|strasse|gasse|weg|platz|allee|straat|laan|gata|gatan|v\xE0gen|vagen|katu|tie|utca|vej|gade|veien|gaten|v\xE0nget|vangen|kuja|polku|ranta)"
    rf"|{_W}(?: {_W}){{0,2}} (?:u\.|utca|Strasse|Gasse|Weg|Platz|ulica))"
    rf",? ?[0-9]{{1,5}}[A-Za-z]?\b{_TAIL}"
)
_BOX = over_bytes(rf"(?i:\b(?:P\.?O\.?|Post Office) ?Box [0-9]{{1,7}}|PSC [0-9]{{1,5}},? ?Box [0-9]{{1,6}}|\bUnit [0-9]{{3,6}},? ?Box [0-9]{{1,6}}|\bUS(?:S|NS|CGC|NV) {_W})(?:{_SEP}(?:(?:{_CITY}{_SEP})?(?:[AFD]PO,? )?[A-Z]{{2}},? [0-9]{{5}}(?:-[0-9]{{4}})?))?")
_STATE_ZIP = over_bytes(rf"{_W}(?: {_W}){{0,2}},? (?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]) [0-9]{{5}}(?:-[0-9]{{4}})?")
_POSTCODE = over_bytes(r"(?:\b(?:zip|ZIP|Zip|postcode|Postcode|postal code|Postal code)(?: ?code)?(?: is)?[: ]{1,3})([A-Z0-9][A-Za-z0-9 -]{2,9}[A-Za-z0-9])")
# After these words a number with names behind it is an address, whatever the street is called.
_CUE = over_bytes(
    r"(?i)\b(?:address(?:es)?(?: is| was|:| of [^.\n]{1,60}? is)?|lives? (?:at|in|on)|living (?:at|in)|located (?:at|on)|moved to|offices? (?:is|are) (?:at|in|on|located at)|"
    r"send (?:it|this|a new one|one|them|mail) to|ship(?:ped|ping)? (?:it )?to|deliver(?:ed)? to|reside[sd]? at|residing at|where:|home:|meet (?:me )?at|stay(?:ing)? at)"
    r"[ :]{0,3}\n?((?:[0-9]{1,6}[A-Za-z]? ?[A-Z\xC0]|[0-9]{1,6} (?:de|la|rue)|[A-Z\xC0][A-Za-z\xE0\xC0'. -]{1,60}[0-9])[^\n?!;\x22]{0,120})"
)
_CUES = ("address", "live", "living", "located", "moved to", "office", "send", "ship", "deliver", "resid", "where:", "home:", "meet", "stay")
_CUE_END = over_bytes(r"(?:[?!;\x22]|\. |\.$| (?:for|and|but|please|because|which|so|to|the|who|if|is|in|on|when|with|as|it|that|my|I|we|can|could)\b| - |\)|\()")
_LINES = over_bytes(rf"^(?:[ ,]{{0,6}}\n[ ,]{{0,8}}(?:{_UNIT}|[A-Z\xC0][A-Za-z\xC0\xE0' .-]{{1,40}}(?: [0-9]{{3,6}})?|[0-9]{{3,6}})\b){{1,5}}")
_BILLING = over_bytes(r"(?i)(?:address|ship to|bill to)[^\n]{0,60}\n {0,8}([0-9]{1,6} [^\n]{3,60})")


class LatinAddressRecognizer(RuleRecognizer):
    """Finds street addresses, post office boxes, and post codes that a word announces."""

    ENTITIES = ("ADDRESS",)

    def find(self, view: View) -> Iterator[Hit]:
        """Yield addresses."""
        if not view.has_digit:
            return
        skeleton = view.skeleton
        for pattern in (_NUMBERED, _FLAT_FIRST, _EURO, _BOX, _STATE_ZIP):
            for match in pattern.finditer(skeleton):
                start, end = match.span()
                if start and is_word(skeleton[start - 1]):
                    continue
                yield Hit(start, _trim(skeleton, start, end), SHAPED + 0.05, "ADDRESS")
        if has_any(view, ("zip", "post")):
            for match in _POSTCODE.finditer(skeleton):
                start, end = match.span(1)
                value = match.group(1)
                words = value.split(b" ")
                while words and not any(48 <= b <= 57 for b in words[-1]):
                    words.pop()
                end = start + len(b" ".join(words))
                if words and free(skeleton, start, end):
                    yield Hit(start, end, SHAPED, "ADDRESS")
        if has_any(view, _CUES):
            yield from self._announced(skeleton)

    def _announced(self, skeleton: bytes) -> Iterator[Hit]:
        for pattern in (_CUE, _BILLING):
            for match in pattern.finditer(skeleton):
                start, end = match.span(1)
                stop = _CUE_END.search(skeleton, start + 2, end)
                end = stop.start() if stop else end
                value = skeleton[start:end]
                if not any(48 <= b <= 57 for b in value) or not any(65 <= b <= 90 or b == 0xC0 for b in value):
                    continue
                if end == match.end(1):
                    more = _LINES.search(skeleton[end : end + 200])
                    end += more.end() if more else 0
                end = _trim(skeleton, start, end)
                if end - start >= 6:
                    yield Hit(start, end, CUED - 0.05, "ADDRESS")


def _trim(skeleton: bytes, start: int, end: int) -> int:
    while end > start and skeleton[end - 1] in b" ,.;:\n-'":
        end -= 1
    return end
