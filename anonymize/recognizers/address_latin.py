"""Street addresses in Latin script, from the house number down to the post code."""

from collections.abc import Iterator

from anonymize.recognizers.base import CUED, SHAPED, Hit, RuleRecognizer, any_of, over_bytes, within_bytes
from anonymize.view import View, free, is_word

_L = r"A-Za-z\xC0\xE0"
_W = rf"[A-Z\xC0][{_L}'.-]*"
_NUMBER = r"[0-9]{1,6}[A-Za-z]?(?:[-/][0-9]{1,4})?(?: [0-9]{1,5})?"
_TYPE = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Squares|Sq|Terrace|"
    r"Ter|Way|Walk|Circle|"
    r"Cir|Parkway|Pkwy|Highway|Hwy|Crescent|Cres|Close|Row|Mews|Alley|Trail|Trl|Quay|Strand|Grove|Gardens|Gate|"
    r"Hill|Rise|View|Plaza|Loop|"
    r"Path|Pike|Bend|Ridge|Green|Park|Point|Heights|Hollow|Run|Turnpike|Esplanade|Broadway|Extensions?|Motorway|"
    r"Streets|Avenues|Union|Parks|"
    r"Courts|Drives|Roads|Lanes|Manors?|Meadows?|Mills?|Springs?|Spurs?|Stravenue|Throughway|Trafficway|Tunnel|"
    r"Valleys?|Village|Ville|Vista|"
    r"Walks|Wells|Pass|Passage|Port|Ports|Shores?|Station|Summit|Track|Trace|Crossing|Crossroad|Cove|Creek|Fort|"
    r"Forest|Glen|Harbor|Haven|"
    r"Island|Isle|Junction|Key|Knolls?|Landing|Orchard|Overpass|Estates?|Field|Fields|Flats?|Ford|Forge|Fork|"
    r"Freeway|Garden|Gateway)\b\.?"
)
# Rarer words for a street make one only behind a number of two digits or more and a name or two.
_RARE_TYPE = (
    r"(?:Alleys|Annex|Arcade|Bayou|Beach|Bluffs?|Bottom|Branch|Bridge|Brooks?|Burgs?|Bypass|Camp|Canyon|Cape|Causeway|Centers?|"
    r"Cliffs?|Clubs?|Common|Commons|Corners?|Course|Crest|Curve|Dale|Dam|Divide|Estate|Expressway|Falls?|Ferry|Forges|Forks|"
    r"Glens|Greens|Groves|Harbors|Hills|Hollow|Inlet|Islands|Junctions|Keys|Lakes?|Land|Lights?|Loaf|Locks?|Lodge|Mall|Mission|"
    r"Mount|Mountains?|Neck|Oval|Pines?|Plains?|Plazas?|Points|Prairie|Radial|Ramp|Ranch|Rapids?|Rest|Ridges|River|Roads|Route|"
    r"Shoals?|Skyway|Squares|Stream|Summit|Terraces|Underpass|Unions|Via|Viaduct|Viaducts|Views|Villages|Ways|Well)\b"
)
_UNIT = (
    r"(?:(?i:apt|apartment|suite|ste|unit|room|rm|flat|floor|fl|bldg|building|box|no|"
    r"postbox)\.? ?#?[A-Za-z]?-?[0-9]{1,6}[A-Za-z]?\b|#[0-9]{1,5}[A-Za-z]?)"
)
# What parts an address: a comma or a line's end, with the marks of a quoted letter.
_SEP = r"(?:[ .]{0,3}(?:,|\n{1,2})[ >?,]{0,10}(?:\n[ >?,]{0,10})?)"
_SEP_ONE = r"(?:[ .]{0,3}(?:,|\n)[ >?,]{0,10})"
_WORDS = rf"[A-Z\xC0][{_L}'.()/-]*(?: [A-Z\xC0(][{_L}'.()/-]*){{0,3}}"
_ZIP = (
    r"[0-9]{4,6}(?:-[0-9]{3,4})?\b|[0-9]{3} [0-9]{2}\b|[0-9]{2}-[0-9]{3}\b|"
    r"[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}\b|[A-Z][0-9][A-Z] [0-9][A-Z][0-9]\b"
)
_TAIL = (
    rf"(?:(?:{_SEP}| ){_UNIT}){{0,3}}"
    rf"(?:(?:(?:{_SEP}| )(?:{_WORDS}|nan\b|{_UNIT})){{0,5}}(?:{_SEP}| )(?:{_ZIP})|"
    rf"(?:{_SEP_ONE}{_WORDS}){{1,2}}(?: (?:{_ZIP}))?| [A-Z]{{4,}}(?: {_W})?)?"
)
_ENDED = (
    rf"(?:(?:(?:{_SEP}| ){_UNIT}){{1,3}}|(?:{_SEP}(?:{_WORDS}|nan)){{1,4}}{_SEP}?(?: (?:{_WORDS}))?(?:{_SEP}|"
    rf" )(?:{_ZIP}))"
)
_STREET = (
    rf"{_NUMBER} (?:[NSEW]\.? )?(?:(?:{_W}|[0-9]{{1,3}}(?:st|nd|rd|th)|de|la|du|"
    rf"of) ){{1,5}}?{_TYPE}(?: [NSEW][EW]?\b)?(?: [0-9]{{1,4}}\b)?"
)
_FOREIGN = rf"{_NUMBER} (?:(?:{_W}|de|do|da|la|du|van|der|den|el|al) ){{1,5}}(?:[0-9]{{1,5}}[A-Za-z]?|{_TYPE}|u)\b\.?"
# On the continent the post code stands before the town, and the floor behind the number.
_FLOOR = r"(?:,? ?[0-9]{1,2}\. ?(?i:sal|og|stock|etage|th|tv|mf|piso|piano|kerros|tr)\b\.?)?"
_TOWN = rf"{_SEP}(?:[A-Z]{{1,2}}-)?[0-9]{{4,5}} {_W}(?: {_W})?"
_EURO_NAME = (
    rf"(?:(?:Rua|Rue|Via|Viale|Vicolo|Calle|Carrer|Avenida|Av\.|Avenue|Piazza|Boulevard|Chemin|Quai|Ulica|ul\.|"
    rf"Largo|Paseo) "
    rf"(?:(?:de|do|da|du|des|la|las|los|del|dos|della|di|{_W}) ){{0,4}}{_W}|"
    r"[A-Z\xC0][a-z\xE0]{2,20}(?:stra\xE0e|strasse|gasse|gaden|weg|platz|allee|straat|laan|gata|gatan|v\xE0gen|"
    r"vagen|katu|tie|utca|vej|gade|veien|"
    rf"gaten|v\xE0nget|vangen|kuja|polku|ranta|straeti|str\xE0ti)|{_W}(?: {_W}){{0,2}} (?:u\.|utca|Strasse|Gasse|"
    rf"Weg|Platz|ulica|t\xE0r|gate|terrasse))"
)
_PATTERNS = (
    over_bytes(rf"\b[0-9]{{2,6}} {_W}(?: {_W})? {_RARE_TYPE}{_TAIL}"),
    over_bytes(rf"\b(?:USNS|USNV|USS|USCGC) {_W}(?:{_SEP}(?:[AFD]PO,? )[A-Z]{{2}},? [0-9]{{5}})"),
    over_bytes(rf"(?:{_UNIT}, ?){{0,3}}\b{_STREET}{_TAIL}"),
    over_bytes(rf"\b{_FOREIGN}{_ENDED}{_TAIL}"),
    over_bytes(rf"\b{_UNIT}, ?(?:{_W}(?: {_W}){{0,3}}, ?){{0,2}}[0-9]{{1,5}}[A-Za-z]? (?:{_W} ?){{1,4}}{_TAIL}"),
    over_bytes(rf"\b(?:[0-9]{{1,6}} )?{_EURO_NAME},? ?[0-9]{{1,5}}[A-Za-z]?\b\.?{_FLOOR}(?:{_TOWN}|{_TAIL})"),
    over_bytes(
        rf"(?:[0-9]{{1,6}} )?\b(?i:(?:P\.?O\.?|Post Office) ?Box [0-9]{{1,7}}|PSC [0-9]{{1,5}},? ?Box [0-9]{{1,6}}|"
        rf"Unit [0-9]{{3,6}},? ?Box [0-9]{{1,6}})"
        rf"(?: {_W}){{0,3}}(?:{_SEP}(?:[AFD]PO,? )[A-Z]{{2}},? [0-9]{{5}}(?:-[0-9]{{4}})?)?{_TAIL}"
    ),
    over_bytes(
        rf"{_W}(?: {_W}){{0,2}},? (?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|"
        rf"PA|RI|S[CD]|T[NX]|UT|V[AT]|"
        r"W[AIVY]) [0-9]{5}(?:-[0-9]{4})?\b"
    ),
)
_POSTCODE = over_bytes(
    r"(?i:\b(?:zip|postcode|postal code)(?: ?code)?(?: is)?[: ]{1,3})([A-Z0-9][A-Za-z0-9 -]{1,9}[A-Za-z0-9])"
)
_CORNER_PART = rf"(?:[A-Z\xC0][{_L}'.-]*|[0-9]{{1,6}}(?:st|nd|rd|th)?\.?|de|la|of|ul\.)"
_CORNER = over_bytes(
    rf"((?i:(?:the )?corner of) {_CORNER_PART}(?: (?:{_CORNER_PART}|[a-z\xE0]{{2,6}}\.?)){{0,5}} (?:and|&) "
    rf"{_CORNER_PART}(?: {_CORNER_PART}){{0,4}})"
)
# In small letters only the plainest names of streets are told from prose.
_SMALL = over_bytes(
    r"\b[0-9]{1,6}[a-z]? (?:[0-9]{1,4} )?(?:[a-z][a-z'.-]+ ){1,3}(?:street|st|avenue|ave|road|rd|boulevard|blvd|"
    r"drive|terrace|"
    r"crescent|court)\b\.?(?:,? (?:apt|unit|suite|flat|floor|#)\.? ?[0-9]{1,5}[a-z]?)?"
    r"(?:,? [a-z]{3,14}(?: [a-z]{3,14})?,? [a-z]{2},? [0-9]{5}\b)?"
)
_MEASURES = frozenset(
    b"minute minutes min mins hour hours mile miles km lane way bedroom bed year years day days week weeks".split()
)
# After these words a number with names behind it is an address, whatever the street is called.
_CUE = over_bytes(
    r"(?i:\b(?:address(?:es)?(?: is| was| to| with|:| of [^.\n]{1,60}? is)?|lives? (?:at|on)|living (?:at|on)|"
    r"located (?:at|on|in)|moved to|"
    r"offices? (?:is|are) (?:at|on|located at)|send (?:it|this|a new one|one|them|mail) to|sent to|ship(?:ped|"
    r"ping)? (?:it )?to|deliver(?:ed)? to|"
    r"reside[sd]? at|residing at|where:|home:|meet (?:me |you |us )?at|stay(?:ing)? at|arrived at|(?:is|are) at|"
    r"it's (?:in|at)|off at|user:|from:)"
    rf"[ :]{{0,8}}\n{{0,2}} {{0,8}})((?:[0-9]{{1,6}}[A-Za-z]? ?[{_L}0-9]|"
    rf"[A-Z\xC0][{_L}'. -]{{1,60}} [0-9])[^\n?!;\x22\xC8]{{0,120}})"
)
_CUES = any_of(
    "address", "live", "living", "located", "moved to", "office", "send", "sent", "ship", "deliver", "resid",
    "where:", "home:", "meet", "stay",
    "arrived", " at ", "it's in", "user:", "from:",
)  # fmt: skip
_CUE_END = within_bytes(
    r"(?:[?!;\x22]|, (?:first|second|third|fourth|ground|top|next|near|opposite|behind|above|right|just|you|we)\b|"
    r"\. [A-Z][a-z]+ [a-z]|\.$| (?:for|and|but|please|because|which|so|to|the|who|if|is|in|on|when|"
    r"with|as|it|that|my|I|we|can|could|"
    r"after|last|before|every|by|at|this|has|was|of|from|are|have|until|near)\b| - |\)|\()"
)
_TAIL_LINES = within_bytes(rf"^{_TAIL}")
# A street is more than a year, an amount or a time.
_NO_STREET = (" am", " pm", "usd", "dollars", "minutes", "hours", "days", "percent")


class LatinAddressRecognizer(RuleRecognizer):
    """Finds street addresses, post office boxes, and post codes that a word announces."""

    ENTITIES = ("ADDRESS",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield addresses."""
        if not view.has_digit:
            return
        skeleton = view.skeleton
        for pattern in _PATTERNS:
            for match in view.matches(pattern):
                start, end = match.span()
                if not (start and is_word(skeleton[start - 1])):
                    yield Hit(start, _trim(skeleton, start, end), SHAPED + 0.05, "ADDRESS")
        if view.holds(_POSTCODE):
            yield from self._postcodes(view)
        if view.holds(_CUES):
            yield from self._announced(view)
        yield from self._corners(view)

    def _postcodes(self, view: View) -> Iterator[Hit]:
        for match in view.matches(_POSTCODE):
            start = match.start(1)
            words = match.group(1).split(b" ")
            while words and not any(48 <= b <= 57 for b in words[-1]):
                words.pop()
            end = start + len(b" ".join(words))
            if words and free(view.skeleton, start, end):
                yield Hit(start, end, SHAPED, "ADDRESS")

    def _corners(self, view: View) -> Iterator[Hit]:
        """Yield corners of two streets, and streets in small letters."""
        skeleton = view.skeleton
        if "corner of" in view.lower:
            for match in view.matches(_CORNER):
                yield Hit.at(match.span(1), SHAPED, "ADDRESS")
        for match in view.matches(_SMALL):
            start, end = match.span()
            if not (start and is_word(skeleton[start - 1])) and not _MEASURES & set(match.group().split()):
                yield Hit(start, end, SHAPED - 0.1, "ADDRESS")

    def _announced(self, view: View) -> Iterator[Hit]:
        skeleton = view.skeleton
        for match in view.matches(_CUE):
            start, end = match.span(1)
            stop = _CUE_END.search(skeleton, start + 2, end)
            whole = stop is None
            end = end if stop is None else stop.start()
            value = skeleton[start:end]
            words = [w for w in value.replace(b",", b" ").split() if w[:1].isalpha() or w[:1] in (b"\xc0", b"\xe0")]
            capitals = any(65 <= w[0] <= 90 or w[0] == 0xC0 for w in words)
            digits = any(48 <= b <= 57 for b in value)
            cue = match.group()[: start - match.start()].lower().rstrip()
            stated = cue.endswith((b"address is", b":", b"lives at", b"lives on", b"sent to"))
            if not digits or not words or not (capitals or stated) or value.lower().endswith(_endings()):
                continue
            if len(words[0]) < 3 and len(words) < 2:
                continue
            if whole:
                more = _TAIL_LINES.search(skeleton[end : end + 240])
                end += more.end() if more else 0
            end = _trim(skeleton, start, end)
            if end - start >= 8:
                yield Hit(start, end, CUED - 0.05, "ADDRESS")


def _endings() -> tuple[bytes, ...]:
    return tuple(e.encode() for e in _NO_STREET)


def _trim(skeleton: bytes, start: int, end: int) -> int:
    while end > start and skeleton[end - 1] in b" ,.;:\n-'>?(":
        end -= 1
    return end
