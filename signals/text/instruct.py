"""Tells the instruction of a message apart from material that was pasted beside it."""

import re
from typing import NamedTuple

from signals.text.fold import narrow

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_TAG = re.compile(r"<(/?)([a-zA-Z][\w-]{0,40})>")
_EVIDENCE = frozenset({"trace", "transcript", "conversation", "document", "context", "log", "input", "text", "quote"})
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_QUOTED = re.compile(r"[\"“「『][^\"“”「」『』]{12,2000}[\"”」』]")
_SEGMENT = re.compile(r"[^\n.!?。！？；;]+[\n.!?。！？；;]*")
_SHORT = 400
_EDGE = 240
_LONGEST = 200_000
_MATERIAL = 200
_PEEK = 16


def own_words(text: str) -> str:
    """Cut out what the user quotes: code blocks, tagged material, quoted lines and long quotations.

    Args:
        text: The message as it stands.

    Returns:
        The rest, or the whole message where nothing would remain.
    """
    kept = whole = narrow(text[:_LONGEST])
    if "```" in kept:
        kept = _FENCE.sub(" ", kept)
    if "<" in kept:
        kept = _untagged(kept)
    if ">" in kept:
        kept = _QUOTED_LINE.sub(" ", kept)
    kept = _QUOTED.sub(" ", kept)
    return kept if re.search(r"\w", kept) else whole


def _untagged(text: str) -> str:
    """Cut `<tag>…</tag>` out, and all that follows an evidence tag that is never closed; one pass over the tags."""
    tags = [(found.group(1) == "/", found.group(2).lower(), found) for found in _TAG.finditer(text)]
    closed_at = {tag: found.start() for closing, tag, found in tags if closing}
    kept, end, opened, name = [], 0, -1, ""
    for closing, tag, found in tags:
        if opened < 0 and not closing:
            # A tag without its closing twin cuts nothing, unless it announces evidence.
            if closed_at.get(tag, -1) > found.start() or tag in _EVIDENCE:
                opened, name = found.start(), tag
                kept.append(text[end:opened])
        elif opened >= 0 and closing and tag == name:
            end, opened = found.end(), -1
    return " ".join(kept) if opened >= 0 else " ".join([*kept, text[end:]])


def instruction(text: str) -> str:
    """The part of a message that asks for something.

    Args:
        text: The message as it stands.

    Returns:
        A short message whole (without code blocks); of a long one its own words, and of those, where they are still
        long, the beginning and the end: people ask before or after what they paste.
    """
    if len(text) <= _SHORT and "```" not in narrow(text):
        return text
    kept = own_words(text).strip()
    if len(kept) <= 2 * _EDGE:
        return kept
    lines = [line.strip() for line in (kept[: 4 * _EDGE].split("\n") + kept[-4 * _EDGE :].split("\n")) if line.strip()]
    if len(lines) < 2:
        return f"{kept[:_EDGE]} {kept[-_EDGE:]}"
    return f"{lines[0][:_EDGE]} {lines[-1][-_EDGE:]}"


class Segments(NamedTuple):
    """Sentences and lines of a text, stripped.

    Attributes:
        each: In their order; at most a few thousand.
        distinct: The same, each once.
    """

    each: tuple[str, ...]
    distinct: frozenset[str]


def segments(text: str) -> Segments | None:
    """Divide a text into sentences and lines.

    Args:
        text: The text, folded.

    Returns:
        The segments; None of a text that is too short to hold material.
    """
    if len(text) < _MATERIAL:
        return None
    each = tuple(s for piece in _SEGMENT.findall(text[:_LONGEST])[:4000] if (s := piece.strip()))
    return Segments(each, frozenset(each))


def residues(earlier: str, later: str, first: Segments | None, second: Segments | None) -> tuple[str, str] | None:
    """What two long messages say beside the material that both of them hold.

    Args:
        earlier: The earlier message, folded.
        later: The later message, folded.
        first: The segments of the earlier one.
        second: The segments of the later one.

    Returns:
        The remaining text of each, or None where they share less than half of the shorter one: then there is no
        common material, and their instructions are compared instead.
    """
    if first is None or second is None:
        return None
    earlier, later = earlier[:_LONGEST], later[:_LONGEST]
    least = max(_MATERIAL, min(len(earlier), len(later)) // 2)
    if not first.distinct.isdisjoint(second.distinct):
        common = first.distinct & second.distinct
        if sum(len(s) for s in first.each if s in common) >= least:
            return " ".join(s for s in first.each if s not in common), " ".join(
                s for s in second.each if s not in common
            )
    # Material without sentences (a log on one line, words without stops) is one segment: cut what both begin with.
    if earlier[:_PEEK] != later[:_PEEK] or earlier[:least] != later[:least]:
        return None
    head = _shared_head(earlier, later)
    while head and re.match(r"\w", earlier[head - 1]):
        head -= 1
    return earlier[head:], later[head:]


def _shared_head(one: str, other: str) -> int:
    """How many characters two texts have in common from their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
