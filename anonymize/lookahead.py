"""Finds out for many texts at once which patterns match in which of them: one search a pattern, not one a text.

Most patterns match in few texts. Asking each pattern of each text costs more than all that is found; joined, the texts
of a batch are searched at the speed of the automaton.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from anonymize.matching import Compiled
from anonymize.recognizers.base import PATTERNS
from anonymize.view import View

# Joined texts of this length fill the cache of a core, and keep what is held beside the texts small.
_BATCH_CHARS = 1 << 20


def look_ahead(views: Sequence[View]) -> None:
    """Tell each view which of all patterns match in it, so that `View.matches` need not search for the others.

    Patterns are run with lines' ends for texts' ends, on texts joined by line breaks. What matches in a text alone also
    matches there: a text that is not told of a pattern holds no match of it.

    Args:
        views: Folded texts.
    """
    low = 0
    while low < len(views):
        high, chars = low, 0
        while high < len(views) and (chars == 0 or chars + len(views[high].text) <= _BATCH_CHARS):
            chars += len(views[high].text) + 1
            high += 1
        _look_ahead(views[low:high])
        low = high


def _look_ahead(views: Sequence[View]) -> None:
    chinese = [view for view in views if view.has_han]
    for in_bytes, han, among in ((True, False, views), (False, False, views), (False, True, chinese)):
        pieces = [view.skeleton if in_bytes else view.encoded for view in among]
        starts = [0, *accumulate(len(piece) + 1 for piece in pieces)]
        joined = b"\n".join(pieces)
        for pattern in PATTERNS if among else ():
            if pattern.in_bytes is in_bytes and pattern.han is han:
                _mark(pattern.number, pattern.loose, joined, starts, among)
    for view in views:
        view.looked = len(PATTERNS)


def _mark(number: int, pattern: Compiled, joined: bytes, starts: list[int], views: Sequence[View]) -> None:
    """Mark the texts that a match touches. Behind it the search goes on with the next text: one match is enough."""
    at, end = 0, len(joined)
    while at <= end:
        span = pattern.found_in(joined, at)
        if span is None:
            return
        first, stop = span
        for marked in range(
            bisect_right(starts, first) - 1, max(bisect_right(starts, first), bisect_left(starts, stop))
        ):
            views[marked].seen.add(number)
        at = starts[marked + 1]
