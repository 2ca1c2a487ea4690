"""Text in unusual case, written as a model expects it: names with capitals, words in small letters."""

import re

from anonymize.names.lists import lists

# A word with a digit in it has a case of its own.
_WORD = re.compile(r"(?<!\w)[^\W\d_]+(?:['-][^\W\d_]+)*(?!\w)")
# Case that changes inside a word of ASCII letters.
_ODD = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|['-][A-Z]")
_CAPITALS = 0.7
_LEAST_LETTERS, _LEAST_WORDS = 6, 2


def recased(sentence: str) -> str | None:
    """Write a sentence in its usual case, each character in its place.

    A sentence in small letters gets capitals where a name or an unknown word stands, provided that one of them is on
    a list of names or cities; one in capitals gets small letters where a known word stands; a name in mixed case such
    as `LesLie` gets its capital.

    Returns:
        The sentence, or None where its case is usual or it holds no name that is known.
    """
    words = _WORD.findall(sentence)
    joined = "".join(words)
    upper, letters = sum(map(str.isupper, joined)), len(joined)
    if letters < _LEAST_LETTERS or len(words) < _LEAST_WORDS:
        return None
    if upper >= _CAPITALS * letters:
        changed = _WORD.sub(_lowered, sentence)
    elif all(len(word) == 1 for word in words if any(map(str.isupper, word))):
        # A letter that stands alone is the pronoun, an option or a label: it says nothing about how names are written.
        changed = _WORD.sub(_raised, sentence) if _holds_name(sentence) else sentence
    else:
        changed = _WORD.sub(_evened, sentence) if not sentence.isascii() or _ODD.search(sentence) else sentence
    return changed if changed != sentence and len(changed) == len(sentence) else None


def believed(entity: str, value: str) -> bool:
    """Whether to believe a model about a name that it saw with capitals that the text does not have."""
    known = lists()
    words = [w.strip(".,'") for w in value.lower().split()]
    if entity == "PERSON":
        return any(known.named(w) and not known.ordinary(w) for w in words)
    if entity == "LOCATION":
        lower = " ".join(words)
        return lower in known.cities or lower in known.places
    return True


def _holds_name(sentence: str) -> bool:
    known = lists()
    lower = [w.lower() for w in _WORD.findall(sentence)]
    return any((known.named(w) or w in known.cities or w in known.places) and not known.ordinary(w) for w in lower)


def _lowered(match: re.Match[str]) -> str:
    word = match.group()
    lower = word.lower()
    return lower if lists().ordinary(lower) or len(word) < 2 else word[:1] + lower[1:]


def _raised(match: re.Match[str]) -> str:
    word = match.group()
    known = lists()
    return word if len(word) < 3 or known.ordinary(word) or word in _CONTRACTED else word[:1].upper() + word[1:]


def _evened(match: re.Match[str]) -> str:
    word = match.group()
    inner = word[1:]
    if inner.islower() or word.isupper() or word.islower() or len(word) < 4:
        return word
    lower = word.lower()
    known = lists()
    # Two changes of case or more: a brand or an identifier has one, unless somebody is called so.
    odd = sum(a.isupper() != b.isupper() for a, b in zip(word, inner, strict=False)) > 2 or word[0].islower()
    return word[:1].upper() + lower[1:] if odd and known.named(lower) and not known.ordinary(lower) else word


_CONTRACTED = frozenset(
    [
        "don't",
        "doesn't",
        "didn't",
        "can't",
        "won't",
        "isn't",
        "aren't",
        "wasn't",
        "weren't",
        "haven't",
        "hasn't",
        "hadn't",
        "shouldn't",
        "couldn't",
        "wouldn't",
        "it's",
        "that's",
        "there's",
        "what's",
        "who's",
        "he's",
        "she's",
        "let's",
        "i'm",
        "i've",
        "i'll",
        "i'd",
        "we're",
        "we've",
        "we'll",
        "we'd",
        "you're",
        "you've",
        "you'll",
        "you'd",
        "they're",
        "they've",
        "they'll",
        "they'd",
        "ain't",
        "y'all",
        "where's",
        "how's",
        "here's",
    ]
)
