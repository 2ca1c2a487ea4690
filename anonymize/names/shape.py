"""What a run of Latin words must look like to be somebody's name."""

import re
from functools import lru_cache

from anonymize.names.lists import lists, word_set
from anonymize.names.stopwords import NOT_FIRST

# camelCase is an identifier or a brand, but for names such as these.
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_JOINED = ("Mc", "Mac", "De", "Di", "La", "Le", "Van", "Fitz")

_NOT_LAST = NOT_FIRST | word_set("de la van von der al el y of dob ssn phone email age address")


def unknown_words(value: str) -> bool:
    """Whether a run of capitalised words holds two or more, none of them a known word, term or place."""
    known = lists()
    words = [w.strip(".,'").removesuffix("'s") for w in value.split(" ")]
    if len(words) < 2 or value.lower() in known.famous:
        return False
    for word in words:
        lower = word.lower()
        if len(word) == 1:
            continue
        if len(word) > 1 and word.isupper() and len(word) < 4:
            return False
        if lower in known.common or lower in known.not_names or lower in known.places or lower in NOT_FIRST:
            return False
        if (
            any(c.islower() for c in word)
            and any(c.isupper() for c in word[1:])
            and not word.startswith(("Mc", "Mac", "O'", "D'", "De", "La"))
        ):
            return False
    return len(words[0]) > 1


def trim_name(text: str, start: int, end: int) -> tuple[int, int]:
    """Cut what is no part of a name off its ends: possessives, words that never stand in one, marks.

    Args:
        text: The folded text.
        start: Start of the candidate.
        end: End of the candidate.
    """
    lead, length = _trimmed(text[start:end])
    return start + lead, start + lead + length


@lru_cache(maxsize=1 << 12)
def _trimmed(value: str) -> tuple[int, int]:
    """What a candidate loses at its head, and the length of what is left."""
    known = lists()
    start = 0
    words = value.split(" ")
    while words and words[-1].lower().strip(".'-,") in _NOT_LAST:
        words.pop()
    while len(words) > 1 and words[0].lower().strip(".,") in NOT_FIRST:
        start += len(words[0]) + 1
        words.pop(0)
    for at, word in enumerate(words):
        lower = word.lower().strip(".,")
        # Behind a given name a maker's name is a family name.
        term = lower in known.not_names and len(lower) > 1 and words[0].lower() not in known.given
        if at and (lower in NOT_FIRST or term) and lower not in known.given and len(lower) > 1:
            words = words[:at]
            break
        if word.endswith(("'s", "'")):
            words = [*words[:at], word.removesuffix("'s").removesuffix("'")]
            break
        if word.endswith(".") and len(word) > 3 and at + 1 <= len(words) and word.lower() not in ("jr.", "sr."):
            words = [*words[:at], word[:-1]]
            break
    return start, len(" ".join(words).rstrip("-',"))


@lru_cache(maxsize=1 << 12)
def plausible(value: str, *, sure: bool = False) -> bool:
    """Whether a candidate may be the name of somebody who is not of public knowledge.

    Args:
        value: The candidate.
        sure: Whether what stands beside it leaves little doubt, so that a name that is a word as well will do.
    """
    known = lists()
    if any(_INNER_CAPITAL.search(w) and not w.startswith(_JOINED) for w in value.split()):
        return False
    if sure and all(w in known.words or w in known.given for w in (w.strip(".,'").lower() for w in value.split())):
        return value.lower() not in known.famous
    lower = value.lower()
    words = [w.strip(".,'") for w in lower.split()]
    if not words or lower in known.famous or lower in known.not_names or lower in known.places:
        return False
    if words[0] in NOT_FIRST or (len(words) == 1 and len(words[0]) < 2):
        return False
    if value.isupper() and len(words) == 1 and len(value) < 5 and lower not in known.given:
        return False
    unknown = [w for w in words if w not in known.not_names and w not in known.famous and w not in known.common]
    return bool(unknown) and not any(c in value for c in "_/\\")
