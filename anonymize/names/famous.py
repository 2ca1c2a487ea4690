"""Where people of public knowledge are named: nobody who uses the product is identified by them."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from anonymize.names.lists import lists
from anonymize.recognizers.base import within_text
from anonymize.view import HAN, View, is_word


@cache
def _patterns() -> tuple[Any, Any]:
    """Alternations of the Latin names of two words or more, and of the Chinese names, the longest first."""
    famous = sorted(lists().famous, key=lambda n: (-len(n), n))
    latin = [n for n in famous if n.isascii() and " " in n]
    han = [n for n in famous if not n.isascii() and len(n) > 1 and ord(n[0]) > 0x2E80]
    escaped = ["|".join(n.replace(".", "\\.").replace("'", "['’]") for n in names) for names in (latin, han)]
    return within_text(f"(?i){escaped[0]}"), within_text(escaped[1])


def famous_spans(view: View) -> Iterator[tuple[int, int]]:
    """Yield the spans of the folded text in which a famous person is named in full."""
    latin, han = _patterns()
    for match in latin.over(view.text, view.encoded):
        start, end = match.span()
        left = view.skeleton[start - 1] if start else 32
        right = view.skeleton[end] if end < len(view.skeleton) else 32
        if not is_word(left) and not is_word(right):
            yield start, end
    if HAN in view.skeleton:
        for match in han.over(view.text, view.encoded):
            yield match.span()
