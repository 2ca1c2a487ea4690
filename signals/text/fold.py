"""Folds away what does not change a text's meaning, for comparison only: stored text is never folded."""

import re
import unicodedata
from functools import cache
from typing import Any

_UNSEEN = (0x00AD, 0x034F, 0x061C, 0x180E, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F),
           *range(0x2060, 0x2070), *range(0xFE00, 0xFE10))  # fmt: skip
_INVISIBLE = dict.fromkeys(map(chr, _UNSEEN), "")
_MARKS = {"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u300c": '"', "\u300d": '"',
          "\u300e": '"', "\u300f": '"', "\u2013": "-", "\u2014": "-", "\u3001": ","}  # fmt: skip
_HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003134f]")
# Full-width forms, one character for one, so that what is quoted, fenced or tagged is seen to be in them too.
_WIDE = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {"\u3000": " "}
# Pictures that only decorate. Those that scold, such as a thumb pointing down or an angry face, say something.
_SCOLDING = (
    "\U0001f44e\U0001f620\U0001f621\U0001f624\U0001f92c\U0001f644\U0001f612\U0001f611\U0001f92e\U0001f926"
    "\U0001f4a2\U0001f595\u274c"
)
_PICTURES = "(?:(?![" + _SCOLDING + "])[\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff\u2600-\u26ff\u2705\u2728\u2764])"
_PICTURE = re.compile(_PICTURES)
_DECORATION = re.compile(rf"^(?:\s*{_PICTURES})+\s*|(?:\s*{_PICTURES})+\s*$|(?<=[.!?。])(?:\s*{_PICTURES})+")
# Chinese marks carry their own space; a plain one that stands for them has none or one.
_AFTER_MARK = re.compile(r"(?<=[,;:!?])\s+(?=[\u3400-\u9fff])")
_STOPS = re.compile(r"[\s.。．]+$")
# Marks that are none beside a digit, or alone.
_DEPENDENT = re.compile(r"_{2,}|(?<!\d)\.|\.(?!\d)")
_NOT_WORD = re.compile(rf"[^\w<>%+#.]+|{_DEPENDENT.pattern}")
# The same in ASCII: other marks by a table, which is much faster.
_PLAIN_MARKS = {code: " " for code in range(128) if re.match(r"[^\w<>%+#.]", chr(code))}


@cache
def _simplify() -> Any:
    import opencc

    return opencc.OpenCC("t2s")


def has_han(text: str) -> bool:
    """Whether the text holds a Chinese character."""
    return _HAN.search(text) is not None


def _replaced(text: str, by: dict[str, str]) -> str:
    """Replace single characters: few of them occur in any text, so each of those is replaced in one sweep."""
    for character in by.keys() & set(text):
        text = text.replace(character, by[character])
    return text


def narrow(text: str) -> str:
    """Write full-width letters, digits and marks as their ordinary forms; the length stays."""
    return text if text.isascii() else _replaced(text, _WIDE)


def unstopped(folded: str) -> str:
    """Drop the full stop at the end of folded text: people put it or leave it."""
    return _STOPS.sub("", folded) or folded


def fold(text: str) -> str:
    """Fold case, width, composition, script, white space, and pictures that stand around a sentence.

    Args:
        text: Any text.

    Returns:
        Lower case, NFKC, no invisible characters, straight quotes, plain commas, simplified Chinese, single spaces, no
        edge spaces, no pictures at either end or after the end of a sentence, scolding ones apart. Idempotent.
    """
    if not text.isascii():
        text = _replaced(_replaced(unicodedata.normalize("NFKC", text), _INVISIBLE), _MARKS)
        if _PICTURE.search(text):
            text = _DECORATION.sub(" ", text)
        if has_han(text):
            text = _AFTER_MARK.sub("", _simplify().convert(text))
        # Casefolding can undo composition (and the reverse), so it is normalised once more.
        text = unicodedata.normalize("NFKC", text.casefold())
    return " ".join(text.lower().split())


def bare(folded: str) -> str:
    """Drop punctuation and spaces beside Chinese characters from folded text.

    Args:
        folded: The result of `fold`.

    Returns:
        Words separated by single spaces; decimal points, tags and per-cent signs stay. Empty for emoji alone.
    """
    if folded.isascii():
        plain = folded.translate(_PLAIN_MARKS)
        return " ".join((_DEPENDENT.sub(" ", plain) if "." in plain or "__" in plain else plain).split())
    words = " ".join(_NOT_WORD.sub(" ", folded).split())
    return re.sub(r"(?<=[\u3400-\u9fff]) | (?=[\u3400-\u9fff])", "", words) if has_han(words) else words
