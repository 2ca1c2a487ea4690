"""Folds away what does not change a text's meaning, for comparison only: stored text is never folded."""

import re
import unicodedata
from functools import cache
from typing import Any

_INVISIBLE = dict.fromkeys([0x00AD, 0x034F, 0x061C, 0x180E, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F),
                            *range(0x2060, 0x2070), *range(0xFE00, 0xFE10)])  # fmt: skip
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u300c": '"',
                         "\u300d": '"', "\u300e": '"', "\u300f": '"', "\u2013": "-", "\u2014": "-"})  # fmt: skip
_HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003134f]")
_SPACE = re.compile(r"\s+")
_NOT_WORD = re.compile(r"[^\w<>%+#.]+|_{2,}|(?<!\d)\.|\.(?!\d)", re.UNICODE)


@cache
def _simplify() -> Any:
    import opencc

    return opencc.OpenCC("t2s")


def has_han(text: str) -> bool:
    """Whether the text holds a Chinese character."""
    return _HAN.search(text) is not None


def fold(text: str) -> str:
    """Fold case, width, composition, script and white space.

    Args:
        text: Any text.

    Returns:
        Lower case, NFKC, no invisible characters, straight quotes, simplified Chinese, single spaces, no edge spaces.
        Idempotent.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_INVISIBLE).translate(_QUOTES)
        if has_han(text):
            text = _simplify().convert(text)
        # Casefolding can undo composition (and the reverse), so it is normalised once more.
        text = unicodedata.normalize("NFKC", text.casefold())
    return _SPACE.sub(" ", text.lower()).strip()


def bare(folded: str) -> str:
    """Drop punctuation and spaces beside Chinese characters from folded text.

    Args:
        folded: The result of `fold`.

    Returns:
        Words separated by single spaces; decimal points, tags and per-cent signs stay. Empty for emoji alone.
    """
    words = _SPACE.sub(" ", _NOT_WORD.sub(" ", folded)).strip()
    return re.sub(r"(?<=[\u3400-\u9fff]) | (?=[\u3400-\u9fff])", "", words) if has_han(words) else words
