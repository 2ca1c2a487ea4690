"""Compares two requests of one user: what stays, what changes, and whether that makes a new request."""

from dataclasses import dataclass

from rapidfuzz import fuzz

from signals.profile import Profile, read
from signals.text.fold import bare
from signals.text.instruct import residues
from signals.text.slots import changed, negated

_SAME_WORD = 75.0
_SHORT_WORD = 3
_FRAME = 0.6


@dataclass(frozen=True, slots=True)
class Likeness:
    """How a later request relates to an earlier one.

    Attributes:
        exact: The same text, punctuation and courtesies of writing apart.
        lexical: Similarity of the characters, 0 to 1.
        overlap: Shared share of all content words.
        kept: Share of the earlier content words that the later one keeps.
        held: Share of the later content words that the earlier one had.
        lost: Content words of the earlier request that the later one lacks, spelling and inflection forgiven.
        gained: Content words of the later one that the earlier one lacked.
        changed: Kinds of slots that conflict.
        cut: Whether long material that both hold was cut from both.
        earlier: What was compared of the earlier request.
        later: What was compared of the later one.
    """

    exact: bool
    lexical: float
    overlap: float
    kept: float
    held: float
    lost: int
    gained: int
    changed: tuple[str, ...]
    cut: bool
    earlier: Profile
    later: Profile

    @property
    def swapped(self) -> int:
        """Content words that stand against others: the least of those lost and those gained."""
        return min(self.lost, self.gained)

    @property
    def frame(self) -> bool:
        """Whether both share one frame, so that a word put in another's place is a changed slot."""
        return self.lexical >= _FRAME or (self.overlap >= 0.5 and self.lexical >= 0.5)


def compare(earlier: Profile, later: Profile) -> Likeness:
    """Compare two requests.

    Args:
        earlier: The earlier one.
        later: The later one.

    Returns:
        Their likeness. Where both hold the same long material, only what they say beside it is compared.
    """
    whole = earlier.folded == later.folded
    rest = None if whole else residues(earlier.folded, later.folded)
    cut = rest is not None and bool(bare(rest[0]) and bare(rest[1]))
    if rest is not None and not (bare(rest[0]) or bare(rest[1])):
        whole = True
    elif rest is not None and cut:
        # What only one of them says beside the material is an addition, and both are compared as they stand.
        earlier, later = read(rest[0], rest[0][:4000]), read(rest[1], rest[1][:4000])
    lost, gained = _unmatched(earlier.content, later.content)
    shared = len(earlier.content) - len(lost)
    kept = shared / len(earlier.content) if earlier.content else 0.0
    held = (len(later.content) - len(gained)) / len(later.content) if later.content else 0.0
    kinds = () if whole else tuple(changed(earlier.asked, later.asked, earlier.slots, later.slots))
    lexical = fuzz.ratio(earlier.bare, later.bare) / 100.0 if earlier.bare and later.bare else 0.0
    if lexical > 0.5 and negated(earlier.asked) != negated(later.asked) and not _politely(earlier, later):
        kinds = tuple(sorted({*kinds, "polarity"}))
    same = whole or (earlier.bare == later.bare and not earlier.long and not later.long)
    return Likeness(
        exact=same and not kinds and bool(later.bare),
        lexical=1.0 if whole else lexical,
        overlap=shared / max(len(earlier.content) + len(gained), 1),
        kept=kept,
        held=held,
        lost=len(lost),
        gained=len(gained),
        changed=kinds,
        cut=cut,
        earlier=earlier,
        later=later,
    )


def _politely(earlier: Profile, later: Profile) -> bool:
    """Whether only one of the two negates, yet in a question's courtesy (can't you, 能不能, 是不是)."""
    words = ("can't you", "won't you", "不能", "能不", "是不", "要不", "好不", "会不", "有没有", "可不")
    return any(w in earlier.asked or w in later.asked for w in words)


def _unmatched(earlier: frozenset[str], later: frozenset[str]) -> tuple[set[str], set[str]]:
    """Content words of each side that the other lacks, spelling mistakes and inflection forgiven."""
    lost, gained = set(earlier - later), set(later - earlier)
    if lost and gained and len(lost) * len(gained) <= 400:
        others = sorted(gained)
        for word in sorted(lost):
            if len(word) <= _SHORT_WORD:
                continue
            twin = next((o for o in others if fuzz.ratio(word, o, score_cutoff=_SAME_WORD)), None)
            if twin is not None:
                lost.discard(word)
                gained.discard(twin)
                others.remove(twin)
    return lost, gained
