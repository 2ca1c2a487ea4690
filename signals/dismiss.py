"""Dismiss: the user brushes the answer or the assistant off, in words or by an act."""

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from schemas.enums import ClockQuality, Outcome, Signal, Trigger
from signals.clocks import seconds
from signals.logistic import logistic
from signals.profile import profile
from signals.reactions import phrases, said
from signals.readings import Readings
from signals.skim import hurry
from signals.spoken import RESENT, Judgement, spoken
from signals.text.lexicon import lexicon
from signals.verdicts import evidence, verdicts

_EVENTS = ("stop", "close")


@dataclass(frozen=True, slots=True)
class Dismiss:
    """Words of giving up; a stream stopped at once and left or followed by another topic; a close with nothing read."""

    signal: ClassVar[Signal] = Signal.DISMISS
    version: ClassVar[str] = "3"
    needs: ClassVar[tuple[str, ...]] = ("text",)
    parameters: ClassVar[tuple[str, ...]] = (
        "dismiss",
        "skim_fraction",
        "skim_spread",
        "least_reading_s",
        "early_stop_s",
        "close_after_stop_s",
        "same_topic",
    )
    evidence: ClassVar[tuple[str, ...]] = ("phrase", "seconds", "needed_seconds", "fraction_read")
    models: ClassVar[tuple[str, ...]] = ("dismiss",)

    def detect(self, readings: Readings) -> pl.DataFrame:
        """See `signals.detector.Detector.detect`. Null where neither words nor acts can be seen."""
        window, limit = readings.window, readings.settings.dismiss
        model = logistic("dismiss")
        threshold = model.threshold if limit is None else limit
        found = [r for r in readings.reactions if any(name.startswith("group:dismiss.") for name in r.features)]
        odds = model.probabilities([r.features for r in found], [said(r.text) for r in found])
        acts_seen = pl.col("event_kinds").list.set_intersection(list(_EVENTS)).list.len() > 0
        left = (pl.col("outcome") == Outcome.LEFT.value) & (pl.col("closed_at").is_not_null() | acts_seen)
        left &= pl.col("reply_id").is_not_null()
        remade = (pl.col("outcome") == Outcome.FOLLOWED.value) & pl.col("next_user_id").is_null()
        words = spoken(
            window,
            [
                Judgement(
                    r.exchange, r.row, p, "words", phrase=next(f for f in phrases(r.text) if f.startswith("dismiss."))
                )
                for r, p in zip(found, odds, strict=True)
            ],
            threshold=threshold,
            measurable=pl.col("next_text").is_not_null() | left | remade,
            never=pl.col("follow_up").is_in(RESENT),
        )
        acts = _acts(readings)
        both = pl.concat(
            [words.with_columns(_strength=pl.col("p").fill_null(-1.0)), acts.with_columns(_strength=pl.col("p"))]
        )
        best = both.sort(["exchange", "_strength"], descending=[False, True], maintain_order=True).unique(
            "exchange", keep="first", maintain_order=True
        )
        return verdicts(best.with_columns(threshold=threshold, value=pl.col("p") >= threshold))


def _acts(readings: Readings) -> pl.DataFrame:
    """Verdicts of the exchanges in which an act brushed the reply off."""
    settings = readings.settings
    taken = pl.col("taken")
    broken = pl.col("_lost_at").is_not_null() | (pl.col("reply_status") == "partial")
    stopped = (pl.col("stopped_at").is_not_null() | (pl.col("reply_status") == "stopped")) & ~broken & ~taken
    shown = seconds(pl.coalesce("stopped_at", "completed_at"), "replied_at")
    early = stopped & (shown <= settings.early_stop_s) & (pl.col("reading_s").fill_null(0) <= settings.least_reading_s)
    closed = pl.col("closed_at").is_not_null() & pl.col("next_user_id").is_null()
    soon = seconds("closed_at", pl.coalesce("stopped_at", "completed_at")) <= settings.close_after_stop_s
    quick = (
        closed
        & ~taken
        & ~broken
        & (pl.col("reply_status") == "ok")
        & (pl.col("clock_quality") == ClockQuality.FULL.value)
    )
    base = readings.window.exchanges.with_columns(
        _early=early.fill_null(value=False), _quick=quick.fill_null(value=False), _soon=soon.fill_null(value=False)
    )
    base = base.join(_other_topic(readings, base), on="exchange", how="left")
    rule = (
        pl.when(pl.col("_early") & closed & pl.col("_soon"))
        .then(pl.lit("stopped_and_left"))
        .when(pl.col("_early") & pl.col("_other").fill_null(value=False))
        .then(pl.lit("stopped_and_moved_on"))
        .when(pl.col("_quick"))
        .then(pl.lit("closed_unread"))
    )
    judged = base.with_columns(rule=rule).filter(pl.col("rule").is_not_null())
    fact = pl.col("rule") != "closed_unread"
    judged = judged.with_columns(
        p=pl.when(fact).then(1.0).otherwise(hurry(settings)),
        occurred_at=pl.coalesce("closed_at", "stopped_at", "completed_at"),
        trigger=pl.lit(Trigger.EVENT.value),
        _share=(pl.col("visible_s") / pl.col("reading_s")).clip(0, 1),
    ).filter(pl.col("p").is_not_null())
    unread = pl.col("rule") == "closed_unread"
    return verdicts(
        judged.with_columns(
            score=pl.col("p"),
            evidence=evidence(
                seconds=pl.col("visible_s"),
                needed_seconds=pl.when(unread).then("reading_s"),
                fraction_read=pl.when(unread).then("_share"),
            ),
        )
    )


def _other_topic(readings: Readings, base: pl.DataFrame) -> pl.DataFrame:
    """Whether the message after an early stop turns to something else: not narrower, not thankful, not alike."""
    pairs = base.filter(
        pl.col("_early") & pl.col("next_text").is_not_null() & pl.col("request_text").is_not_null()
    ).select("exchange", "request_text", "next_text")
    rows = pairs.rows()
    alike = [None] * len(rows) if readings.vectors is None else readings.vectors.cosines([(q, t) for _, q, t in rows])
    out = []
    for (exchange, request, text), cosine in zip(rows, alike, strict=True):
        before, after = profile(request), profile(text)
        stays = bool(before.content & after.content) or (cosine or 0.0) >= readings.settings.same_topic
        content_with_it = lexicon("guards").groups(after.asked) & {"praise", "praise_zh", "narrow"}
        out.append((exchange, not (stays or content_with_it or after.empty)))
    return pl.DataFrame(out, schema={"exchange": pl.UInt32, "_other": pl.Boolean}, orient="row")
