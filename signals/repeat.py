"""Repeat: the user makes the same request again, in the same or nearly the same words, after a reply to it."""

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from schemas.enums import FollowUp, Signal
from signals.logistic import logistic
from signals.readings import Readings
from signals.requests import Relation
from signals.spoken import Judgement, spoken
from signals.verdicts import nothing_measurable

# The same words after a reply to them: only a second reader's doubt whether it was meant remains.
_EXACT = 0.97
# Only courtesies and function words differ: three times of four that is the same request.
_SAME_CONTENT = 0.75
_CLOSE = 0.8
_FEW = 2


def again(relations: list[Relation]) -> list[float]:
    """Probability that each relation is the same request in the same words.

    Args:
        relations: Reactions and the earlier requests that they resemble most.

    Returns:
        Probabilities; 0 where a guard rules it out or a slot changed.
    """
    odds = logistic("repeat").probabilities([r.features for r in relations], [r.said for r in relations])
    return [0.0 if r.guard or r.likeness.changed else max(p, _known(r)) for r, p in zip(relations, odds, strict=True)]


def _known(relation: Relation) -> float:
    """Least probability, by what needs no model."""
    pair = relation.likeness
    if pair.exact:
        return _EXACT
    same = pair.lost + pair.gained == 0 and len(pair.later.content) >= _FEW and pair.lexical >= _CLOSE
    return _SAME_CONTENT if same else 0.0


@dataclass(frozen=True, slots=True)
class Repeat:
    """Equality, or a logistic model over likeness in form and meaning, behind guards for slots, batches, answers."""

    signal: ClassVar[Signal] = Signal.REPEAT
    version: ClassVar[str] = "3"
    needs: ClassVar[tuple[str, ...]] = ("text", "encoder")
    parameters: ClassVar[tuple[str, ...]] = ("repeat",)
    evidence: ClassVar[tuple[str, ...]] = ("earlier_message_id", "lexical", "semantic", "changed_slots")
    models: ClassVar[tuple[str, ...]] = ("repeat",)

    def detect(self, readings: Readings) -> pl.DataFrame:
        """See `signals.detector.Detector.detect`. Null without text on both sides."""
        if readings.encoder is None:
            return nothing_measurable(readings.window.exchanges)
        relations = readings.relations
        limit = readings.settings.repeat
        return spoken(
            readings.window,
            [
                judge(r, p, "exact" if r.likeness.exact else "near")
                for r, p in zip(relations, again(relations), strict=True)
            ],
            threshold=logistic("repeat").threshold if limit is None else limit,
            measurable=comparable(),
            never=not_a_message(),
        )


def judge(relation: Relation, p: float, rule: str, threshold: float | None = None) -> Judgement:
    """A judgement with the evidence of a comparison."""
    return Judgement(
        relation.exchange,
        relation.row,
        p,
        rule,
        earlier_row=relation.earlier_row,
        lexical=relation.likeness.lexical,
        semantic=relation.semantic,
        changed_slots=relation.likeness.changed,
        threshold=threshold,
    )


def comparable() -> pl.Expr:
    """Whether an exchange has text on both sides: the next message and a request before it."""
    return pl.col("next_text").is_not_null() & pl.col("request_text").is_not_null()


def not_a_message() -> pl.Expr:
    """Whether the next act was something else than a message: regenerate, edit, retry, double submit, reconnect."""
    return pl.col("follow_up") != FollowUp.MESSAGE.value
