"""Which findings of a general model to believe: it takes headings, products and terms for names."""

import re

from anonymize.names.lists import lists
from anonymize.recognizers.base import GUESSED, WEAK

_MOST_WORDS = 5
_SHORT = 60
_PERSONAL = re.compile(
    r"\b(?:i|i'm|i've|i'll|i'd|im|my|mine|me|we|we're|our|us|he|she|his|her|him|they|their|born|lives?|living|"
    r"lived|moved|moving|based|"
    r"resident|from|address|city|town|state|country|where|home|office|located|travell?ing|trip|customer|patient|"
    r"employee|client|ship|deliver|billing|conference)\b|[我咱他她俺住家]|籍贯|户口|出差|老家",
    re.IGNORECASE,
)
_ORG_SUFFIX = re.compile(
    r"\b(?:Inc|LLC|L\.L\.C|Ltd|Limited|Corp|Corporation|Company|GmbH|AG|S\.?A|PLC|LLP|Group|Holdings|Partners|"
    r"Associates|"
    r"Bank|Credit Union|University|College|School|Academy|Institute|High|Hospital|Clinic|Church|Foundation|Agency|"
    r"Law Firm|Logistics|Robotics|Roasters|Studios?|Labs?|Technologies|Solutions|Systems|Industries|Consulting|"
    r"Services|Enterprises|Pharmacy|Dental|Medical|Kindergarten|Restaurant|Cafe|Bakery|and Sons|& Sons)\b\.?"
)
_ORG_CUE = re.compile(
    r"(?i)(?:\b(?:work(?:s|ed|ing)? (?:at|for)|employed (?:at|by)|job at|intern(?:ed|ship)? at|joined|"
    r"interview(?:ed)? (?:at|with)|"
    r"employer|my company|our company|study at|studied at|attend(?:s|ed)?|graduated from|student at|manager at|"
    r"engineer at|"
    r"teach(?:es)? at|offer from|founder of|ceo of|office of)\W{1,3}(?:the )?)$"
)


# What makes the word before it the name of a kind of number or paper.
_NUMBERED = re.compile(r" (?:numbers?|no\.|cards?|ID|id|code|form)\b")


def kind_of_number(sentence: str, start: int, end: int) -> bool:
    """Whether a word that is nobody's name says what kind of number or paper follows: `Xyzzy number 12`."""
    known = lists()
    lower = sentence[start:end].lower()
    listed = " " in lower or known.named(lower) or lower in known.cities or lower in known.places
    return not listed and _NUMBERED.match(sentence, end) is not None


def keep_person(sentence: str, start: int, end: int) -> bool:
    """Whether a PERSON of the model is one, and nobody of public knowledge."""
    value = sentence[start:end]
    known = lists()
    lower = value.lower()
    words = value.split()
    if not words or len(words) > _MOST_WORDS or len(value) < 2 or not any(c.isalpha() for c in value):
        return False
    if any(c.isdigit() for c in value) or any(c in value for c in "_/\\{}[]<>=+*#@$%^~|`"):
        return False
    if lower in known.famous or lower in known.not_names or lower in known.places:
        return False
    parts = [w.lower().strip(".,'\"") for w in words]
    given = any(p in known.given for p in parts)
    if all(p in known.not_names or p in known.famous or p in known.common for p in parts):
        return False
    if not any(w[0].isupper() for w in words) and not given:
        return False
    # Capitals throughout are an acronym unless they spell a full name.
    if value.isupper() and (len(words) == 1 or len(value) < 6) and not given:
        return False
    if not given and any(
        p in known.common or p in known.not_names for p in ((parts[0], parts[-1]) if len(parts) > 1 else parts)
    ):
        return False
    # camelCase and word.word are identifiers.
    if any(re.search(r"[a-z][A-Z]", w) and not re.match(r"(?:Mc|Mac|De|Di|La|Le|Van|O')[A-Z]", w) for w in words):
        return False
    after = sentence[end : end + 2]
    return not (after[:1] in "(_=" and after[:1]) and not re.match(r"\.[a-z]", after)


def place_score(sentence: str, start: int, end: int) -> float | None:
    """How far a place leads to a person: one that everybody knows does so only in a sentence about somebody."""
    value = sentence[start:end]
    known = lists()
    lower = value.lower().removeprefix("the ")
    if lower in known.not_names or lower in known.famous or len(value) < 2 or any(c.isdigit() for c in value):
        return None
    if any(c in value for c in "_/\\{}[]<>=+*#@$%^~|`") or not any(c.isalpha() for c in value):
        return None
    if value.isupper() and len(value) <= 4:
        return None
    parts = [w.lower().strip(".,'") for w in value.split()]
    if lower not in known.places and all(p in known.common or p in known.not_names for p in parts):
        return None
    near = lower not in known.places and (len(sentence) < _SHORT or "," in sentence[end : end + 1])
    return GUESSED if near or _PERSONAL.search(sentence) else WEAK


def organization_score(sentence: str, start: int, end: int) -> float | None:
    """How far an organisation leads to a person: an employer, a school, a clinic and a named firm do."""
    value = sentence[start:end]
    known = lists()
    lower = value.lower().removeprefix("the ")
    if lower in known.not_names or lower in known.famous or lower in known.places or len(value) < 3:
        return None
    if any(c in value for c in "_/\\{}[]<>=+*#@$%^~|`") or not value[0].isupper():
        return None
    words = value.split()
    suffix = _ORG_SUFFIX.search(value) is not None and len(words) > 1
    if suffix or _ORG_CUE.search(sentence[:start][-60:]):
        return GUESSED
    # An acronym is a term more often than a body, and words that name a thing are one.
    parts = [w.lower().strip(".,'&") for w in words]
    term = any(p in known.not_names for p in parts) or (
        len(parts) == 1 and (value.isupper() or known.ordinary(parts[0]))
    )
    return None if term else WEAK
