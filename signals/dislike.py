"""Dislike: a down vote that still stands at the end."""

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from schemas.enums import Signal, Trigger
from signals.placing import VOTES
from signals.readings import Readings
from signals.verdicts import verdicts


def standing(votes: list[str], *, toggles: bool) -> str | None:
    """The vote that stands after a sequence of them.

    Args:
        votes: Kinds of events, in order of time.
        toggles: Whether a second equal vote takes the first one back; otherwise it is a resend.

    Returns:
        `thumbs_down`, `thumbs_up`, or None.
    """
    state: str | None = None
    for vote in votes:
        state = None if vote == "thumbs_clear" or (toggles and vote == state) else vote
    return state


@dataclass(frozen=True, slots=True)
class Dislike:
    """Votes on the reply or on a step towards it, by their last state; a fact, so its score is 1."""

    signal: ClassVar[Signal] = Signal.DISLIKE
    version: ClassVar[str] = "2"
    needs: ClassVar[tuple[str, ...]] = ("votes",)
    parameters: ClassVar[tuple[str, ...]] = ("toggling_sources",)
    evidence: ClassVar[tuple[str, ...]] = ()

    def detect(self, readings: Readings) -> pl.DataFrame:
        """See `signals.detector.Detector.detect`. Null where the source records no votes, or one cannot be placed."""
        window, toggling = readings.window, readings.settings.toggling_sources
        cast = window.events.filter(pl.col("event").is_in(VOTES) & pl.col("exchange").is_not_null())
        # Each message has its own vote, and each user; where one vote names no user, they are taken for one user's.
        voter = pl.when(pl.col("user_key").is_not_null().all().over("exchange", "message_id")).then("user_key")
        found = [
            (exchange, at[-1] if standing(votes, toggles=source in toggling) == "thumbs_down" else None)
            for exchange, source, votes, at in cast.with_columns(_voter=voter)
            .group_by("exchange", "message_id", "_voter", maintain_order=True)
            .agg(pl.col("source").first(), "event", "at")
            .select("exchange", "source", "event", "at")
            .iter_rows()
        ]
        states = (
            pl.DataFrame(found, schema={"exchange": pl.UInt32, "occurred_at": cast.schema["at"]}, orient="row")
            .group_by("exchange")
            .agg(pl.col("occurred_at").max())
            .with_columns(_down=pl.col("occurred_at").is_not_null())
        )
        # A vote on a message that is not there may be about any reply that was never logged.
        astray = window.events.filter(
            pl.col("event").is_in(VOTES) & pl.col("exchange").is_null() & pl.col("message_id").is_not_null()
        )
        of = ["source", "conversation_id"]
        lost = window.exchanges.filter(pl.col("reply_id").is_null()).join(astray.select(of).unique(), on=of, how="semi")
        votes_seen = pl.col("event_kinds").list.set_intersection(list(VOTES)).list.len() > 0
        down = pl.col("_down").fill_null(value=False)
        # A vote itself shows that the source records votes, also one that came after the days which the facts sum up.
        measurable = votes_seen.fill_null(value=False) & ~pl.col("exchange").is_in(lost["exchange"].implode())
        judged = window.exchanges.join(states, on="exchange", how="left").with_columns(
            value=pl.when(measurable | pl.col("_down").is_not_null()).then(down)
        )
        return verdicts(
            judged.with_columns(
                p=pl.col("value").cast(pl.Float64),
                score=pl.col("value").cast(pl.Float64),
                threshold=1.0,
                rule=pl.lit("standing_vote"),
                trigger=pl.lit(Trigger.EVENT.value),
            )
        )
