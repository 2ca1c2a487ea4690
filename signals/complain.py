"""Complain: the user's next message expresses dissatisfaction with the reply or with the assistant's behaviour."""

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from schemas.enums import Signal
from signals.logistic import logistic
from signals.reactions import phrases, said
from signals.readings import Reaction, Readings
from signals.spoken import RESENT, Judgement, spoken
from signals.verdicts import nothing_measurable

# Below this, no phrase is looked up: the evidence of what was not detected is rarely asked for.
_WORTH_EXPLAINING = 0.1


def excused(reaction: Reaction) -> bool:
    """Whether a message cannot complain: it holds no words of its own, or only praise, however it is put."""
    found = reaction.features
    praised = "group:guards.praise_zh" in found or "group:guards.praise" in found
    blames = any(name.startswith("group:complain.") and name != "group:complain.open_en" for name in found)
    return (
        bool(found["empty"])
        or ("cue:guards.praise_zh.fine" in found and not _blames_beside_fine(found))
        or (praised and not blames and not found["long_for_praise"])
    )


def _blames_beside_fine(found: dict[str, float]) -> bool:
    return sum(name.startswith("group:complain.") for name in found) >= 2


@dataclass(frozen=True, slots=True)
class Complain:
    """A logistic model over cue phrases, hashed words, form, nearness to typical complaints, and owning up."""

    signal: ClassVar[Signal] = Signal.COMPLAIN
    version: ClassVar[str] = "4"
    needs: ClassVar[tuple[str, ...]] = ("text", "encoder")
    parameters: ClassVar[tuple[str, ...]] = ("complain",)
    evidence: ClassVar[tuple[str, ...]] = ("phrase",)
    models: ClassVar[tuple[str, ...]] = ("complain", "failure_report")

    def detect(self, readings: Readings) -> pl.DataFrame:
        """See `signals.detector.Detector.detect`. Null without a next message that has text."""
        if readings.encoder is None:
            return nothing_measurable(readings.window.exchanges)
        model = logistic("complain")
        found = readings.reactions
        own, features = [said(r.text) for r in found], [r.features for r in found]
        usual = model.probabilities(features, own)
        possible = [0.0 if excused(r) else p for r, p in zip(found, usual, strict=True)]
        keys = [(r.exchange, r.row) for r in found]
        odds = readings.weighed("complain", keys, possible)
        limit = readings.settings.complain
        limits = readings.thresholds("complain", keys, model.thresholds(own))
        reports = logistic("failure_report").probabilities(features, own)
        judgements = [
            Judgement(
                r.exchange,
                r.row,
                p,
                "failure_report" if q >= logistic("failure_report").threshold else "dissatisfaction",
                phrase=_phrase(r.text) if p >= _WORTH_EXPLAINING else None,
                threshold=least,
            )
            for r, p, q, least in zip(found, odds, reports, limits, strict=True)
        ]
        return spoken(
            readings.window,
            judgements,
            threshold=model.threshold if limit is None else limit,
            measurable=pl.col("next_text").is_not_null(),
            never=pl.col("follow_up").is_in(RESENT),
        )


def _phrase(text: str) -> str | None:
    return next((p for p in phrases(text) if p.startswith("complain.")), None)
