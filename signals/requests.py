"""Relates each reaction to the earlier requests of its conversation: what Repeat and Rephrase decide on."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from signals.compare import Floats, Likeness, Likenesses, compare
from signals.encoder import Vectors
from signals.link import Window
from signals.matching import Ints
from signals.profile import Profile, profile
from signals.reactions import said
from signals.text.acts import asks
from signals.text.fold import fold
from signals.text.tokens import content, tokens

_REFUSAL = re.compile(
    r"\b(?:i'?m sorry|i apologi[sz]e|i can(?:no|')t|i am unable|i'm unable|as an ai|"
    r"i do(?:n't| not) (?:have|know|understand)|"
    r"not (?:able|sure)|could you (?:please )?(?:clarify|provide|specify))|抱歉|对不起|无法|不能提供|不太(?:清楚|明白)",
    re.IGNORECASE,
)
_REPLY_READ = 4000
_ANSWER_READ = 1000
_NOTHING: frozenset[str] = frozenset()
_FRAME = 0.7
# Of a longer message the number of words says no more: how long messages run is a matter of the source.
_COUNTED = 32
_BACK = 0.04
# Shared Chinese one- and two-character words say nothing; below this many tokens only equal texts count.
_FEW_TOKENS = 3
# So many earlier requests that share a frame with this one, each with something else in it, make a batch.
_BATCH = 2


@dataclass(frozen=True, slots=True)
class Relation:
    """The earlier request that a reaction resembles most, and in what way.

    Attributes:
        exchange: The exchange that the reaction answers.
        row: Row of the reaction.
        earlier_row: Row of the earlier request.
        likeness: Their lexical relation.
        semantic: Cosine of their instructions; null where it was not needed or not measurable.
        guard: Why this can be neither Repeat nor Rephrase: `acknowledgement`, `answer`, `batch`, or null.
        features: Numbers for the models.
        said: The user's own words in the reaction, folded.
    """

    exchange: int
    row: int
    earlier_row: int
    likeness: Likeness
    semantic: float | None
    guard: str | None
    features: dict[str, float]
    said: str


def relate(window: Window, vectors: Vectors) -> list[Relation]:
    """Find, for each reaction, the earlier request that it resembles most.

    Args:
        window: Linked conversations.
        vectors: Vectors of texts.

    Returns:
        One relation for each reaction that has an answered request before it and text on both sides, in order.
    """
    texts = window.messages["text"]
    replies = window.exchanges["reply_text"]
    next_replies = dict(window.exchanges.select("request_row", "reply_text").drop_nulls("request_row").iter_rows())
    known: dict[str, Profile] = {}

    def read(row: int) -> Profile | None:
        text = texts[row]
        if text is None:
            return None
        if text not in known:
            known[text] = profile(text)
        return known[text]

    groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
    sides: tuple[list[Profile], list[Profile]] = ([], [])
    for exchange, row, earlier_row, back in window.earlier.iter_rows():
        later, earlier = read(row), read(earlier_row)
        if later is None or earlier is None or earlier.empty:
            continue
        groups.setdefault((exchange, row), []).append((earlier_row, back))
        sides[0].append(earlier)
        sides[1].append(later)
    if not groups:
        return []
    likes = compare(*sides)
    semantic = _meanings(likes, sides[1], vectors)
    starts = np.cumsum([0, *map(len, groups.values())])
    back_by = np.array([_BACK * back for pairs in groups.values() for _, back in pairs])
    settle_nearest(likes, starts[:-1], np.array([s or 0.0 for s in semantic]), back_by)
    near = np.maximum(np.maximum(likes.lexical, likes.overlap), [s or 0.0 for s in semantic]) - back_by
    slotted, out = likes.slotted, []
    for ((exchange, row), pairs), start in zip(groups.items(), starts.tolist(), strict=False):
        numbers = range(start, start + len(pairs))
        best = max(numbers, key=lambda n: (likes.exact[n], near[n], pairs[n - start][0]))
        earlier_row, back = pairs[best - start]
        pair, reply = likes.of(best), replies[exchange]
        batch = int(slotted[start : start + len(pairs)].sum()) >= _BATCH
        features = _features(pair, semantic[best], back, reply)
        features |= _answers(pair, reply, next_replies.get(row), features)
        guard = _guard(sides[1][best], pair, reply, batch=batch)
        out.append(Relation(exchange, row, earlier_row, pair, semantic[best], guard, features, said(texts[row])))
    return out


def settle_nearest(likes: Likenesses, starts: Ints, semantic: Floats, back_by: Floats) -> None:
    """Settle the pairs that can be the nearest of their reaction, or can share a frame with it.

    Args:
        likes: The pairs of all reactions, those of one side by side.
        starts: Number of the first pair of each reaction.
        semantic: Cosine of each pair, 0 where it is not known.
        back_by: What each pair loses by being further back.
    """
    firm = np.maximum(likes.lexical, semantic)
    least = np.maximum(firm, likes.overlap) - back_by
    best = np.repeat(np.maximum.reduceat(least, starts), np.diff([*starts, len(least)]))
    likes.settle(np.flatnonzero((np.maximum(firm, likes.most_overlap) - back_by >= best) | likes.framed))


def can_mean(likes: Likenesses, later: Sequence[Profile]) -> list[int]:
    """Numbers of the pairs for which meaning can matter: it costs an encoding.

    Args:
        likes: The pairs.
        later: The later message of each pair as it stands.

    Returns:
        Those that are not the same, of messages that ask for something, with words on both sides.
    """
    return [
        n
        for n, (exact, whole, a, b) in enumerate(
            zip(likes.exact.tolist(), later, likes.earlier, likes.later, strict=True)
        )
        if not exact and not whole.empty and b.words and a.words
    ]


def _meanings(likes: Likenesses, later: Sequence[Profile], vectors: Vectors) -> list[float | None]:
    """Cosine of the instructions of each pair; None where it is not needed or not measurable."""
    found: list[float | None] = [None] * len(likes.earlier)
    wanted = can_mean(likes, later)
    cosines = vectors.cosines([(likes.earlier[n].asked, likes.later[n].asked) for n in wanted])
    for n, cosine in zip(wanted, cosines, strict=True):
        found[n] = cosine
    return found


def _guard(later: Profile, pair: Likeness, reply: str | None, *, batch: bool) -> str | None:
    if later.empty:
        return "acknowledgement"
    if pair.exact:
        return None
    if batch:
        return "batch"
    if len(later.words) < _FEW_TOKENS and pair.lexical < 0.85:
        return "short"
    if (
        asks(reply)
        and pair.overlap < 0.34
        and not later.question
        and len(later.words) <= 12
        and "clarify" not in later.cues
    ):
        return "answer"
    return None


def _features(pair: Likeness, semantic: float | None, back: int, reply: str | None) -> dict[str, float]:
    """Numbers that the models weigh; every one is 0 where it says nothing."""
    earlier, later = pair.earlier, pair.later
    gained = later.content - earlier.content
    told = (reply or "")[:_REPLY_READ].lower()
    sizes = sorted((len(earlier.words) + 1, len(later.words) + 1))
    meaning = semantic if semantic is not None else (1.0 if pair.exact else 0.0)
    return {
        "exact": float(pair.exact),
        "lexical": pair.lexical,
        "lexical_high": max(0.0, pair.lexical - 0.7) / 0.3,
        "overlap": pair.overlap,
        "kept": pair.kept,
        "held": pair.held,
        "semantic": meaning,
        "semantic_high": max(0.0, meaning - 0.6) / 0.4,
        "swapped": float(min(pair.swapped, 4)),
        "swapped_in_frame": float(pair.frame and pair.swapped > 0),
        "word_replaced": float(pair.lexical >= _FRAME and pair.swapped > 0 and not later.cues & {"clarify", "again"}),
        "changed": float(bool(pair.changed)),
        "gained_told": sum(w in told for w in gained) / len(gained) if gained and told else 0.0,
        "gained": math.log1p(pair.gained),
        "lost": math.log1p(pair.lost),
        "same_content": float(pair.lost + pair.gained == 0 and bool(later.content)),
        "nearly_same": float(pair.lost + pair.gained <= 1 and pair.lexical >= 0.8),
        "size_ratio": sizes[0] / sizes[1],
        "later_words": math.log1p(min(len(later.words), _COUNTED)),
        "earlier_words": math.log1p(min(len(earlier.words), _COUNTED)),
        "later_short": float(len(later.content) <= 2),
        "further_back": float(back > 1),
        "both_ask": float(earlier.question and later.question),
        "asks": float(later.question),
        "clarify": float("clarify" in later.cues),
        "again": float("again" in later.cues),
        "next": float("next" in later.cues),
        "refer": float("refer" in later.cues),
        "reply_asks": float(asks(reply)),
        "reply_refuses": float(bool(reply) and _REFUSAL.search((reply or "")[:300]) is not None),
        "reply_short": float(len(reply or "") < 120),
        "meaning_of_question": meaning * float(later.question),
    }


def _answers(pair: Likeness, reply: str | None, next_reply: str | None, numbers: dict[str, float]) -> dict[str, float]:
    """What the replies to both requests tell: one need is answered in much the same words, or at last answered."""
    meaning = numbers["semantic"]
    first, second = (_content(r[:_ANSWER_READ]) if r else _NOTHING for r in (reply, next_reply))
    refused = bool(next_reply) and _REFUSAL.search((next_reply or "")[:300]) is not None
    later, gained = pair.later.content, pair.later.content - pair.earlier.content
    return {
        "answers_alike": len(first & second) / min(len(first), len(second)) if first and second else 0.0,
        "next_missing": float(not second),
        "next_refuses": float(refused),
        "next_longer": math.log1p(len(next_reply)) - math.log1p(len(reply or "")) if next_reply else 0.0,
        "answered_at_last": numbers["reply_refuses"] * float(bool(next_reply) and not refused),
        "gained_answered": len(gained & second) / len(gained) if gained else 0.0,
        "later_told": len(later & first) / len(later) if later else 0.0,
        "earlier_told": len(pair.earlier.content & first) / len(pair.earlier.content) if pair.earlier.content else 0.0,
        "meaning_kept": meaning * numbers["kept"],
        "meaning_of_next": meaning * numbers["next"],
        "meaning_squared": meaning * meaning,
        "meaning_after_short": meaning * numbers["reply_short"],
        "meaning_after_refusal": meaning * numbers["reply_refuses"],
    }


@lru_cache(maxsize=4096)
def _content(text: str) -> frozenset[str]:
    return frozenset(content(tokens(fold(text))))
