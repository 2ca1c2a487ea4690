"""Places in Latin script that the words before them announce: where somebody lives, comes from or goes."""

import re
from collections.abc import Iterator
from functools import cache

from anonymize.names.lists import lists
from anonymize.recognizers.base import GUESSED, WEAK, Hit, RuleRecognizer, any_of, over_bytes, over_text
from anonymize.view import View

_L = r"A-Za-z\xC0\xE0"
_PLACE = (
    rf"([A-Z\xC0][{_L}'-]+(?:,? (?:[A-Z\xC0][{_L}'-]*|de|del|do|da|la|of|ben|upon|sur|am)){{0,4}}(?: \([A-Z][a-z]+\))?)"
)
_CUE = over_bytes(
    r"(?i:\b(?:(?:live[sd]?|living|born|grew up|raised|based|stay(?:ing)?|reside[sd]?|residing|stuck|work(?:s|"
    r"ing)?|studying|settled|arrived|i am|i'm|"
    r"we're|we are|home city|hometown|nurse|doctor|teacher|apartment|house|flat|hotel|clinic|"
    r"landed)(?: \w+){0,3}? (?:in|at|near|outside|around)|"
    r"(?:moved|moving|relocat(?:ed|ing)|flew|fly|flying|drove|driving|travel(?:s|led|ed|ling|ing)?|went|going|"
    r"coming|came|returned|trip|commute)"
    r"(?: \w+){0,2}? (?:to|from)|(?:is|am|are|was|originally|come|comes|hail|hails|we're|i'm) from|visiting|"
    r"hometown(?: is|:)?|city:|town:|"
    rf"location:|place of birth:?|born in|based in|based out of) ){_PLACE}"
)
_WHERE = over_bytes(
    rf"(?im:^(?:where|location|place|city|town|venue):? {{1,4}})([A-Z\xC0][{_L}' ().-]{{2,40}}?)(?:\.|\n|$)"
)
_CITY_STATE = over_bytes(
    r"\b([A-Z][a-z]+(?: [A-Z][a-z]+){0,2}, (?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|"
    r"N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]))\b"
)
_LOWER = over_bytes(
    r"(?i:\b(?:in|from|to|near|at|around|leaving|visit(?:ing)?|reach(?:ing)?|between|and|via) )([a-z][a-z'-]+(?: "
    r"[a-z][a-z'-]+){0,2})"
)
_CAPITALISED = over_bytes(rf"[A-Z\xC0][{_L}'-]+(?: [A-Z\xC0][{_L}'-]+){{0,2}}")
_HAN_CUE = over_text(
    r"(?:生于|出生于|出生在|来自|家在|住在|住|老家在?|籍贯|刚到|定居在?|搬到|搬去|搬来|飞往|飞到|回到|人在|我在|"
    r"在)[: ]?"
    r"([A-Z][a-z]{2,14}(?: [A-Z][a-z]{2,12})?|[\x{4e00}-\x{9fff}]{2,5})"
)
# The last two lines of an address: a town, and a country under it.
_LETTER_HEAD = over_bytes(
    rf"(?m)^[> ]{{0,3}}([A-Z\xC0][{_L}'-]+(?: [A-Z\xC0a-z][{_L}'-]+){{0,4}})\n[> ]{{0,3}}([A-Z][A-Za-z ]{{3,30}})$"
)
_QUALIFIED = re.compile(r"([A-Z][a-z]+(?: [A-Z][a-z]+){0,3})(?: \([A-Z][a-z]+\))?(?![\w'])")
_PERSONAL = any_of(" my ", " i ", "i'm", " we ", " me ", " our ")
_CUES = any_of(
    "live",
    "living",
    "born",
    "grew",
    "raised",
    "based",
    "stay",
    "resid",
    "work",
    "study",
    "arriv",
    "i am",
    "i'm",
    "we",
    "home",
    "mov",
    "relocat",
    "fl",
    "driv",
    "drove",
    "travel",
    "went",
    "going",
    "com",
    "return",
    "trip",
    "from",
    "visiting",
    "city",
    "town",
    "location",
    "place",
    "nurse",
    "doctor",
    "teacher",
    "apartment",
    "house",
    "hotel",
    "clinic",
    "land",
)


class PlaceCueRecognizer(RuleRecognizer):
    """Finds places beside words of living, birth and travel."""

    ENTITIES = ("LOCATION",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield places."""
        known = lists()
        if view.holds(_CUES):
            for match in view.matches(_CUE):
                yield from self._accept(view, *match.span(1))
            for match in view.matches(_WHERE):
                yield from self._accept(view, *match.span(1), stated=True)
        for match in view.matches(_LETTER_HEAD):
            if view.text[match.start(2) : match.end(2)].lower() in known.places:
                yield Hit.at(match.span(1), GUESSED, "LOCATION")
                yield Hit.at(match.span(2), GUESSED, "LOCATION")
        if view.has_han and any(c in view.text for c in "我生家住刚"):
            yield from self._in_chinese(view)
        if "," in view.text:
            for match in view.matches(_CITY_STATE):
                first = view.text[match.start(1) :].split(",")[0].split(" ")[0].lower()
                if first not in known.common and first not in known.not_names:
                    yield Hit.at(match.span(1), GUESSED, "LOCATION")
        yield from self._small(view)

    def _small(self, view: View) -> Iterator[Hit]:
        """Yield cities in small letters behind a preposition, and, for a text about somebody, in any place."""
        known = lists()
        personal = view.holds(_PERSONAL) or view.lower.startswith(("my ", "i "))
        heads = not view.words.isdisjoint(_heads())
        for match in view.matches(_LOWER) if heads else ():
            if match.group(1).split(b" ", 1)[0].decode("latin-1") not in _heads():
                continue
            words = view.text[match.start(1) : match.end(1)].split(" ")
            for count in range(len(words), 0, -1):
                value = " ".join(words[:count])
                city = value in known.cities or (value in known.places and len(value) > 3)
                if city and not (count == 1 and (known.ordinary(value) or value in known.given)):
                    score = GUESSED if personal else WEAK
                    yield Hit(match.start(1), match.start(1) + len(value), score, "LOCATION")
                    break
        for match in view.matches(_CAPITALISED) if heads else ():
            words = view.text[match.start() : match.end()].split(" ")
            at = match.start()
            for first, word in enumerate(words):
                value = ""
                if word.lower() in _heads():
                    several = (" ".join(words[first : first + n]) for n in (3, 2, 1))
                    value = next((v for v in several if v.lower() in known.cities), "")
                if value and (" " in value or not known.named(value.lower())) and not known.ordinary(value.lower()):
                    yield Hit(at, at + len(value), WEAK, "LOCATION")
                at += len(word) + 1

    def _in_chinese(self, view: View) -> Iterator[Hit]:
        """Yield places that everybody knows, behind Chinese words for living and travel."""
        known = lists()
        for match in view.matches(_HAN_CUE):
            value = match.group(1)
            ends = (len(value),) if value.isascii() else range(len(value), 1, -1)
            length = next((n for n in ends if value[:n].lower() in known.places), 0)
            if length:
                yield Hit(match.start(1), match.start(1) + length, GUESSED, "LOCATION")

    def _accept(self, view: View, start: int, end: int, *, stated: bool = False) -> Iterator[Hit]:
        known = lists()
        # A country is one by its whole name, and a part in brackets tells which of two is meant.
        whole = _QUALIFIED.match(view.text, start, end)
        if whole is not None and whole.group(1).lower() in known.places:
            yield Hit(start, whole.end(), GUESSED, "LOCATION")
            return
        words = view.text[start:end].split(" ")
        while words and (words[-1].islower() or _plain(words[-1])):
            words.pop()
        value = " ".join(words).rstrip(",'-")
        if not words or _plain(words[0]) or value.lower() in known.famous or value.lower() in known.not_names:
            return
        given = words[0].lower().removesuffix("'s") in known.given and not stated
        if given and len(words) < 3 and value.lower() not in known.places:
            return
        if len(value) > 2 and not (value.isupper() and len(value) < 4):
            yield Hit(start, start + len(value.removesuffix("'s")), GUESSED, "LOCATION")


@cache
def _heads() -> frozenset[str]:
    """First words of places."""
    known = lists()
    return frozenset(place.split(" ", 1)[0] for place in known.cities | known.places)


def _plain(word: str) -> bool:
    """Whether a word is an ordinary one or a term, by which no place is told."""
    known = lists()
    lower = word.lower().strip(",.()'")
    return lower not in known.places and (lower in known.common or lower in known.not_names or len(lower) < 2)
