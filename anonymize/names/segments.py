"""Cuts a text into the sentences that a model for names is to read, each in its own script."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from anonymize.names.case import recased
from anonymize.names.lists import Lists, lists
from anonymize.names.route_zh import JOINED, may_hold_name
from anonymize.recognizers.base import within_bytes, within_text
from anonymize.view import HAN, LONG, SHORT, WRITTEN, View

LONGEST = 400
# In a long text, a sentence is read once, before a tag stands in it: a second look costs a third of all time, and
# finds next to nothing but in the short texts in which people introduce themselves.
_LATIN_RUN = within_bytes(r"[^\x80\xC8\n]*[A-Za-z\xC0\xE0][^\x80\xC8\n]*")
# Every repeat is bounded: this module is not RE2, and a run of blanks may be a megabyte long.
_SENTENCE_END = re.compile(
    r"(?<=[.!?;])[\"')\]]{0,3}\s{1,3}(?=[\"'(\[]?[A-Z0-9\u00C0-\u00DE])|\s[-*\u2022]\s|\t|\s{3}|\s\|\s"
)
_HAN_END = re.compile(r"[。！？!?；;\n\t|]|\s{2}|(?<=[\u4e00-\u9fff])[,](?=[\u4e00-\u9fff])")
_CAPITAL = re.compile(r"[A-Z\u00C0-\u00DE\u0100-\u017F\u0391-\u03A9\u0410-\u042F][\w'-]*")
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_LOG_LINE = within_text(
    r"^\W{0,3}(?:[0-9]{1,4}[-/.:][0-9]{1,2}[-/.:][0-9]{1,4}[T ,]|[0-9]{1,2}:[0-9]{2}:[0-9]{2}|at [\w.$<>]+\(|File \"|"
    r"(?:\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b)|Traceback |[A-Za-z]{3} [ 0-9][0-9] [0-9:]{8})"
)
_CODE_LINE = within_text(
    r"^\s*(?:import |from \S+ import|def |class |return\b|if \(|for \(|while \(|const |let |var |function |public |"
    r"private |"
    r"#include|using |package |SELECT |INSERT |UPDATE |CREATE |elif |else:|try:|except|@\w+|</?\w+[ >]|\$ |> |// ?|"
    r"\{|\}|"
    r"pip |npm |git |sudo |docker |[\w.\[\]'\"]+ ?[+*-]?= ?[\w\"'(\[{]|\w+\(.*\)[;:]?\s*$)"
)


class Segment(NamedTuple):
    """A stretch of the folded text, for one model."""

    start: int
    text: str


def prose(view: View) -> list[tuple[int, int]]:
    """The lines of a text that are prose: outside code fences, not log lines, not code.

    Returns:
        Spans of the folded text, in order, one a line.
    """
    lines: list[tuple[int, int]] | None = view.memo.get("prose")
    if lines is None:
        lines = view.memo["prose"] = _prose(view.text)
    return lines


def _prose(text: str) -> list[tuple[int, int]]:
    fenced = _fences(text)
    lines: list[tuple[int, int]] = []
    at, fence = 0, 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end == -1 else end
        while fence < len(fenced) and fenced[fence][1] <= at:
            fence += 1
        if fence < len(fenced) and fenced[fence][0] <= at < fenced[fence][1]:
            at = fenced[fence][1]
            continue
        if end - at > 1:
            line = text[at : min(end, at + 200)]
            if not _LOG_LINE.search(line) and not (line.isascii() and _CODE_LINE.search(line)):
                lines.append((at, end))
        at = end + 1
    return lines


def _fences(text: str) -> list[tuple[int, int]]:
    """Spans of fenced code; a fence that is never closed reaches to the end."""
    return [match.span() for match in _FENCE.finditer(text)] if "```" in text else []


def latin_segments(view: View, lines: list[tuple[int, int]]) -> Iterator[Segment]:
    """Sentences in Latin script that may hold a name: those with a capital that the text does not show to be a word."""
    known = lists()
    short = len(view.original) <= LONG
    places = _latin_places() if _about_somebody(view) and not view.words.isdisjoint(_place_heads()) else None
    for low, high in lines:
        for run in _LATIN_RUN.finditer(view.skeleton, low, high) if _has_han(view, low, high) else [None]:
            start, end = run.span() if run else (low, high)
            for a, b in _pieces(view.text, start, end, _SENTENCE_END):
                sentence = view.text[a:b]
                if not short and WRITTEN in sentence:
                    continue
                usual = recased(sentence)
                if usual is not None:
                    yield Segment(a, usual)
                elif (places is not None and places.search(sentence)) or any(
                    _may_name(view, sentence, m, known) for m in _CAPITAL.finditer(sentence)
                ):
                    yield Segment(a, sentence)


def han_segments(view: View, lines: list[tuple[int, int]]) -> Iterator[Segment]:
    """Sentences with Chinese in them that may hold a name that no rule has found."""
    found = view.found
    short = len(view.original) <= LONG
    places = _han_places() if _about_somebody(view) else None
    judged: dict[tuple[str, bytes], bool] = {}  # a list of names is cut into pieces that come again and again
    for low, high in lines:
        if not _has_han(view, low, high):
            continue
        for a, b in _pieces(view.text, low, high, _HAN_END):
            sentence = view.text[a:b]
            if b - a < 2 or not _has_han(view, a, b) or (not short and WRITTEN in sentence):
                continue
            if places is not None and places.search(sentence):
                named = True
            else:
                seen = (sentence, bytes(found[a:b]))
                known = judged.get(seen)
                named = judged[seen] = may_hold_name(*seen) if known is None else known
            if named:
                yield Segment(a, sentence)


def _about_somebody(view: View) -> bool:
    """Whether a text is short and holds personal data: there even a place that everybody knows leads to somebody."""
    return len(view.original) <= SHORT and (WRITTEN in view.text or 1 in view.found)


@cache
def _latin_places() -> Any:
    """Any of the places that everybody knows, with its capitals."""
    names = "|".join(re.escape(n.title()) for n in sorted(lists().places) if n.isascii() and len(n) > 3)
    return within_text(rf"\b(?:{names})\b")


@cache
def _place_heads() -> frozenset[str]:
    return frozenset(re.split("[ '-]", name)[0] for name in lists().places)


@cache
def _han_places() -> Any:
    """Any of the places that everybody knows, in Chinese."""
    return within_text("|".join(re.escape(n) for n in sorted(lists().places) if not n.isascii()))


def _has_han(view: View, low: int, high: int) -> bool:
    return view.skeleton.find(HAN, low, high) != -1


def _pieces(text: str, start: int, end: int, breaks: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Cut at sentence ends, and what is still too long at a space near the limit."""
    at = start
    for match in breaks.finditer(text, start, end):
        yield from _bounded(text, at, match.start())
        at = match.end()
    yield from _bounded(text, at, end)


def _bounded(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        cut = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
        cut = start + LONGEST if cut == -1 else cut
        yield start, cut
        start = cut
    if end > start:
        yield start, end


def _may_name(view: View, sentence: str, match: re.Match[str], known: Lists) -> bool:
    word = match.group().removesuffix("'s").rstrip("'-")
    lower = word.lower()
    if (
        len(word) < 2
        or (word[1] == "'" and word[0] == "I")
        or lower in known.not_names
        or "_" in word
        or (any(c.isdigit() for c in word))
    ):
        return False
    if lower in known.given:
        return True
    if any(c.isupper() for c in word[1:]) and not word.isupper() and "-" not in word and not word.startswith(JOINED):
        return False
    if lower in known.common or lower in known.vocabulary:
        return False
    if word.isupper() and len(word) < 6:
        return False
    # A capital at the head of a sentence or of a list item says nothing by itself, unless the word stands alone.
    head = not sentence[: match.start()].strip(" \t\"'([*_#>-0123456789.):")
    if head and len(sentence) - len(word) > 12 and not _CAPITAL.match(sentence[match.end() :].lstrip(" ")[:40]):
        return False
    # The same word in small letters elsewhere in the text: a word, not a name.
    return lower not in view.small_words
