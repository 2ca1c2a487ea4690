"""Skim: the user moved on sooner than the reply can be read."""

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from schemas.enums import ClockQuality, FollowUp, Signal, Trigger
from signals.readings import Readings
from signals.settings import DetectSettings
from signals.verdicts import evidence, verdicts


def hurry(settings: DetectSettings) -> pl.Expr:
    """Probability that a reply was left unread, from the share of its reading time that it was on screen.

    Args:
        settings: Where the probability is one half, and how fast it falls.

    Returns:
        An expression over `visible_s` and `reading_s`; null where either is, or where the reply is too short to say.
    """
    fraction = pl.col("visible_s") / pl.col("reading_s")
    odds = (fraction - settings.skim_fraction) / settings.skim_spread
    long_enough = pl.col("reading_s") >= settings.least_reading_s
    return pl.when(long_enough).then((1.0 / (1.0 + odds.clip(-50, 50).exp())).round(6))


@dataclass(frozen=True, slots=True)
class Skim:
    """Time on screen against a fast reader's need; only both ends of the stream and the next message allow it."""

    signal: ClassVar[Signal] = Signal.SKIM
    version: ClassVar[str] = "2"
    needs: ClassVar[tuple[str, ...]] = ("clocks", "text")
    parameters: ClassVar[tuple[str, ...]] = ("skim", "skim_fraction", "skim_spread", "least_reading_s")
    evidence: ClassVar[tuple[str, ...]] = ("seconds", "needed_seconds", "fraction_read")

    def detect(self, readings: Readings) -> pl.DataFrame:
        """See `signals.detector.Detector.detect`. Null without trusted clocks, or for a reply too short to say."""
        settings = readings.settings
        # A broken stream, a retry or an edit is another act than moving on; what it says about reading is unknown.
        measured = (
            (pl.col("clock_quality") == ClockQuality.FULL.value)
            & (pl.col("reply_status") == "ok")
            & (pl.col("follow_up") == FollowUp.MESSAGE.value)
        )
        judged = readings.window.exchanges.with_columns(
            p=pl.when(measured.fill_null(value=False)).then(hurry(settings)),
            _share=pl.col("visible_s") / pl.col("reading_s"),
        )
        return verdicts(
            judged.with_columns(
                value=pl.col("p") >= settings.skim,
                score=pl.col("p"),
                threshold=settings.skim,
                rule=pl.lit("too_fast_to_read"),
                trigger=pl.lit(Trigger.TIMING.value),
                trigger_message_id=pl.col("next_user_id"),
                occurred_at=pl.col("next_at"),
                evidence=evidence(
                    seconds=pl.col("visible_s"),
                    needed_seconds=pl.col("reading_s"),
                    fraction_read=pl.col("_share").clip(0, 1),
                ),
            )
        )
