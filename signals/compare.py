"""Compares requests of one user, many pairs at once: what stays, what changes, and whether that makes a new request."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from signals.matching import TOO_MANY, Ints, unmatched
from signals.profile import Profile, read
from signals.text.fold import bare
from signals.text.instruct import residues
from signals.text.slots import conflicting, may_conflict, reordered

_FRAME = 0.6
_LEAST_FRAME = 0.5
_READ = 4000
_UNCHANGED: tuple[str, ...] = ()

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


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
        frame: Whether both share one frame, so that a word put in another's place is a changed slot.
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
    frame: bool
    cut: bool
    earlier: Profile
    later: Profile

    @property
    def swapped(self) -> int:
        """Content words that stand against others: the least of those lost and those gained."""
        return min(self.lost, self.gained)


@dataclass(frozen=True, slots=True)
class Likenesses:
    """Many pairs, column by column; `of` reads one of them.

    Content words are counted as they stand until `settle` forgives spelling and inflection, which costs more than all
    the rest and matters for few pairs.

    Attributes:
        earlier: What was compared of the earlier request of each pair.
        later: What was compared of the later one.
        exact: As in `Likeness`, shape (number of pairs,); so are those that follow.
        lexical: See there.
        sizes: Content words of both sides, shape (2, number of pairs).
        lost: See there.
        gained: See there.
        changed: See there; rows that lack a pair's number changed nothing.
        cut: Numbers of the pairs of which common material was cut.
    """

    earlier: Sequence[Profile]
    later: Sequence[Profile]
    exact: Bools
    lexical: Floats
    sizes: Ints
    lost: Ints
    gained: Ints
    changed: dict[int, tuple[str, ...]]
    cut: frozenset[int]

    @property
    def overlap(self) -> Floats:
        """See `Likeness.overlap`."""
        return _share(self.sizes[0] - self.lost, self.sizes[0] + self.gained)

    @property
    def most_overlap(self) -> Floats:
        """What the overlap can rise to when spelling and inflection are forgiven."""
        twins = np.where(self.lost * self.gained <= TOO_MANY, np.minimum(self.lost, self.gained), 0)
        return _share(self.sizes[0] - self.lost + twins, self.sizes[0] + self.gained - twins)

    @property
    def framed(self) -> Bools:
        """Whether a pair may share a frame, whatever is forgiven."""
        return self.lexical >= _LEAST_FRAME

    def settle(self, numbers: Ints) -> None:
        """Forgive spelling and inflection in some of the pairs, each at most once.

        Args:
            numbers: Which ones.
        """
        open_ = numbers[(self.lost[numbers] > 0) & (self.gained[numbers] > 0)]
        texts, left, right = distinct([self.earlier[n] for n in open_], [self.later[n] for n in open_])
        self.lost[open_], self.gained[open_] = unmatched(left, right, [t.content for t in texts])

    @property
    def frame(self) -> Bools:
        """See `Likeness.frame`."""
        return (self.lexical >= _FRAME) | ((self.overlap >= 0.5) & (self.lexical >= _LEAST_FRAME))

    @property
    def slotted(self) -> Bools:
        """Whether a pair shares a frame in which something changed: a word or a slot."""
        other = (self.lost > 0) & (self.gained > 0)
        other[list(self.changed)] = True
        return self.frame & other

    def of(self, number: int) -> Likeness:
        """One pair by its number."""
        earlier, later = self.earlier[number], self.later[number]
        lost, gained = int(self.lost[number]), int(self.gained[number])
        lexical, shared = float(self.lexical[number]), len(earlier.content) - lost
        overlap = shared / max(len(earlier.content) + gained, 1)
        return Likeness(
            exact=bool(self.exact[number]),
            lexical=lexical,
            overlap=overlap,
            kept=shared / len(earlier.content) if earlier.content else 0.0,
            held=(len(later.content) - gained) / len(later.content) if later.content else 0.0,
            lost=lost,
            gained=gained,
            changed=self.changed.get(number, _UNCHANGED),
            frame=lexical >= _FRAME or (overlap >= 0.5 and lexical >= _LEAST_FRAME),
            cut=number in self.cut,
            earlier=earlier,
            later=later,
        )


def compare(earlier: Sequence[Profile], later: Sequence[Profile]) -> Likenesses:
    """Compare pairs of requests.

    Args:
        earlier: The earlier request of each pair.
        later: The later one.

    Returns:
        Their likenesses, not settled yet. Where both hold the same long material, only what they say beside it is
        compared.
    """
    texts, left, right = distinct(earlier, later)
    whole, cut = _without_common(texts, left, right)
    words = [t.content for t in texts]
    sizes = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
    shared = np.array(
        [len(words[a] & words[b]) for a, b in zip(left.tolist(), right.tolist(), strict=True)], dtype=np.int64
    )
    bares = [t.bare for t in texts]
    likes = process.cpdist(
        [bares[n] for n in left.tolist()],
        [bares[n] for n in right.tolist()],
        scorer=fuzz.ratio,
        dtype=np.float64,
        workers=1,
    )
    # An instruction without a word is like no other, not even like itself.
    worded = np.array([bool(b) for b in bares], dtype=bool)
    alike = np.where(worded[left] & worded[right], likes / 100.0, 0.0)
    kinds = _changed(texts, left, right, alike, whole)
    partial = np.array([t.long for t in texts], dtype=bool)
    exact = (whole | ((alike == 1.0) & ~partial[left] & ~partial[right])) & worded[right]
    exact[list(kinds)] = False
    return Likenesses(
        earlier=[texts[n] for n in left.tolist()],
        later=[texts[n] for n in right.tolist()],
        exact=exact,
        lexical=np.where(whole, 1.0, alike),
        sizes=np.stack([sizes[left], sizes[right]]),
        lost=sizes[left] - shared,
        gained=sizes[right] - shared,
        changed=kinds,
        cut=cut,
    )


def _share(part: Ints, of: Ints) -> Floats:
    found: Floats = part / np.maximum(of, 1)
    return found


def distinct(earlier: Sequence[Profile], later: Sequence[Profile]) -> tuple[list[Profile], Ints, Ints]:
    """The distinct texts of pairs, and the number of each pair's sides among them."""
    both = [*earlier, *later]
    at = np.fromiter(map(id, both), dtype=np.int64, count=len(both))
    _, first, place = np.unique(at, return_index=True, return_inverse=True)
    return [both[n] for n in first.tolist()], place[: len(earlier)], place[len(earlier) :]


def _without_common(texts: list[Profile], left: Ints, right: Ints) -> tuple[Bools, frozenset[int]]:
    """Put what two sides say beside long common material in their place: `texts` grows, `left` and `right` change.

    Returns:
        Whether nothing else than the same material is left of a pair; the numbers of the pairs that changed.
    """
    numbers = dict[str, int]()
    same = np.array([numbers.setdefault(t.folded, n) for n, t in enumerate(texts)], dtype=np.int64)
    whole = same[left] == same[right]
    large = np.array([t.segments is not None for t in texts], dtype=bool)
    cut, known = set[int](), dict[str, int]()

    def reread(rest: str) -> int:
        if rest not in known:
            known[rest] = len(texts)
            texts.append(read(rest, rest[:_READ]))
        return known[rest]

    for number in np.flatnonzero(large[left] & large[right] & ~whole).tolist():
        a, b = texts[left[number]], texts[right[number]]
        rest = residues(a.folded, b.folded, a.segments, b.segments)
        if rest is None:
            continue
        sides = [bool(bare(side)) for side in rest]
        if not any(sides):
            whole[number] = True
        elif all(sides):
            # What only one of them says beside the material is an addition, and both are compared as they stand.
            left[number], right[number] = map(reread, rest)
            cut.add(number)
    return whole, frozenset(cut)


def _changed(
    texts: Sequence[Profile], left: Ints, right: Ints, alike: Floats, whole: Bools
) -> dict[int, tuple[str, ...]]:
    """Kinds of slots that conflict, for each pair that has any; only pairs that can have one are looked at."""
    given = np.array([t.kinds for t in texts], dtype=np.uint64)
    letters = np.array([t.letters for t in texts], dtype=np.int64)
    turned = np.array([t.negated for t in texts], dtype=bool)
    opposed = may_conflict(given[left], given[right]) & ~whole
    shuffled = (letters[left] == letters[right]) & (left != right) & ~whole
    against = (alike > 0.5) & (turned[left] != turned[right])
    found = {}
    for number in np.flatnonzero(opposed | shuffled | against).tolist():
        earlier, later = texts[left[number]], texts[right[number]]
        kinds = conflicting(earlier.slots, later.slots) if opposed[number] else set()
        if shuffled[number] and reordered(earlier.asked, later.asked):
            kinds.add("order")
        if against[number] and not _politely(earlier, later):
            kinds.add("polarity")
        if kinds:
            found[number] = tuple(sorted(kinds))
    return found


def _politely(earlier: Profile, later: Profile) -> bool:
    """Whether only one of the two negates, yet in a question's courtesy (can't you, 能不能, 是不是)."""
    words = ("can't you", "won't you", "不能", "能不", "是不", "要不", "好不", "会不", "有没有", "可不")
    return any(w in earlier.asked or w in later.asked for w in words)
