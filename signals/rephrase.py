"""Rephrase: the user voices the same unmet need in other words."""

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from schemas.enums import Signal
from signals.compare import Likeness
from signals.logistic import logistic
from signals.readings import Readings
from signals.repeat import again, comparable, judge, not_a_message
from signals.requests import Relation
from signals.spoken import spoken
from signals.text.fold import has_han
from signals.verdicts import nothing_measurable

# What the rules rest on; how sure they are was set by hand, since labelled sets hold too few of either.
_SAME_MEANING = 0.6
_SAME_TASK = 0.5
_EQUAL_MEANING = 0.8
_BY_RULE = 0.7
_SAME_SENTENCE = 0.7
_FEW = 3
# Features of the message as a reaction that the model weighs beside the relation to the earlier request.
MOOD = ("negation", "you", "i", "long", "several", "negative_per_length", "group:guards.own_fault")
# Groups of cues that it weighs too, either language for the same.
VOICED = ("complain.restate", "complain.again", "complain.verdict", "complain.demand", "complain.address",
          "complain.failure", "guards.praise")  # fmt: skip
# Products of meaning with what it depends on: they help to tell a repeat, and are noise here.
_PRODUCTS = frozenset({
    "meaning_kept", "meaning_of_next", "meaning_squared", "meaning_after_short", "meaning_after_refusal",
})  # fmt: skip


def mixed(relation: Relation, mood: dict[str, float]) -> dict[str, float]:
    """Features of a relation and of the message's mood in one row."""
    likeness = {name: value for name, value in relation.features.items() if name not in _PRODUCTS}
    voiced = {
        f"mood:{kind}": float(any(mood.get(f"group:{kind}{end}") for end in ("", "_en", "_zh"))) for kind in VOICED
    }
    return likeness | voiced | {f"mood:{name}": mood.get(name, 0.0) for name in MOOD}


def redone(relation: Relation) -> str | None:
    """The rule by which a relation is a rephrase whatever the model says, or None.

    Returns:
        `other_language`: the same request in another script. `redo`: of two messages about the same long material, the
        later one asks for the earlier task again. `same_side`: one word gave way to another for the same side of a pair
        of opposites (enable, switch on), within a sentence that is built anew.
    """
    pair = relation.likeness
    if has_han(pair.earlier.asked) != has_han(pair.later.asked) and (relation.semantic or 0.0) >= _SAME_MEANING:
        return "other_language"
    if pair.cut and "again" in pair.later.cues and pair.kept >= _SAME_TASK:
        return "redo"
    poles = pair.earlier.slots["polarity"] & pair.later.slots["polarity"]
    one_word = pair.lost == pair.gained == 1 and pair.lexical < _SAME_SENTENCE
    if poles and one_word and (relation.semantic or 0.0) >= _EQUAL_MEANING:
        return "same_side"
    return None


def barred(relation: Relation) -> bool:
    """Whether a relation is a new request: a guard holds, its meaning is turned round, or a slot of a frame changed."""
    pair = relation.likeness
    turned = "order" in pair.changed or ("polarity" in pair.changed and _one_sentence(pair))
    other = any(kind != "polarity" for kind in pair.changed)
    return bool(relation.guard) or turned or _refilled(relation) or (other and pair.frame)


def _one_sentence(pair: Likeness) -> bool:
    """Whether two requests are built alike or differ in few words, so that an opposite turns the meaning round.

    In a sentence that is built anew, opposites stand by chance, and a denial mostly says what the reply got wrong.
    """
    return pair.lexical >= _SAME_SENTENCE or max(pair.lost, pair.gained) <= _FEW


def _refilled(relation: Relation) -> bool:
    """Whether one sentence came again with another word in it: in four cases of five that is another request."""
    pair = relation.likeness
    return (
        pair.lexical >= _SAME_SENTENCE
        and 0 < pair.swapped <= _FEW
        and max(pair.lost, pair.gained) <= _FEW
        and not pair.later.cues & {"clarify", "again"}
    )


@dataclass(frozen=True, slots=True)
class Rephrase:
    """A logistic model over likeness, cues of clarification and mood, for what is not a Repeat."""

    signal: ClassVar[Signal] = Signal.REPHRASE
    version: ClassVar[str] = "3"
    needs: ClassVar[tuple[str, ...]] = ("text", "encoder")
    parameters: ClassVar[tuple[str, ...]] = ("rephrase",)
    evidence: ClassVar[tuple[str, ...]] = ("earlier_message_id", "lexical", "semantic", "changed_slots")
    models: ClassVar[tuple[str, ...]] = ("rephrase", "repeat")

    def detect(self, readings: Readings) -> pl.DataFrame:
        """See `signals.detector.Detector.detect`. Null without text on both sides."""
        if readings.encoder is None:
            return nothing_measurable(readings.window.exchanges)
        model, mood = logistic("rephrase"), readings.mood
        relations = readings.relations
        own = [r.said for r in relations]
        usual = model.probabilities([mixed(r, mood[r.exchange, r.row]) for r in relations], own)
        bars = [barred(r) for r in relations]
        possible = [0.0 if bar else p for bar, p in zip(bars, usual, strict=True)]
        keys = [(r.exchange, r.row) for r in relations]
        odds = readings.weighed("rephrase", keys, possible)
        limit = readings.settings.rephrase
        limits = readings.thresholds("rephrase", keys, model.thresholds(own))
        judgements = []
        for r, bar, p, q, least in zip(relations, bars, odds, again(relations), limits, strict=True):
            rule = redone(r)
            strength = 0.0 if bar else max(p, _BY_RULE) if rule else p
            judgements.append(judge(r, round(strength * (1.0 - q), 6), rule or "same_need", least))
        return spoken(
            readings.window,
            judgements,
            threshold=model.threshold if limit is None else limit,
            measurable=comparable(),
            never=not_a_message(),
        )
