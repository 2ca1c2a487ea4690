"""Feedback that comes days after its message, or names it by an id alone: which days it reaches, and where it goes.

A vote counts for the reply that it names until `lookback_days` later, so the exchanges of a day depend on votes beyond
the day's window. And whether an id is unique depends on all conversations of its source, which no chunk can see.
"""

from collections.abc import Iterable
from datetime import date, timedelta

import polars as pl

from pipelines.steps.overlay import Overlay
from schemas.contract import table
from signals.placing import NAMING, VOTES, candidates, names, place

_ACT = ("event_id", "source", "conversation_id", "message_id", "event")
_VOTE = pl.col("event").is_in(VOTES)
_LOOSE = pl.col("conversation_id").is_null() & pl.col("message_id").is_not_null()


def days_reached(overlay: Overlay, touched: set[date], reach: int) -> tuple[set[date], set[date]]:
    """Event days that feedback connects with the touched ones.

    What is published counts too: where a vote or a message is gone, the exchanges that it changed must change back.

    Args:
        overlay: The tables as they will be.
        touched: Event days whose messages or events changed.
        reach: The look-back in days.

    Returns:
        Days of messages that votes of a touched day name, or did; and days of events that name no conversation, and
        may go elsewhere now, since a message of a touched day bears that name. The messages that these name, on other
        days, are among the first.
    """
    acts = pl.concat([
        _both(overlay, "events", _around(touched, 1, reach), touched, _ACT).filter(_LOOSE),
        _both(overlay, "events", touched, touched, _ACT).filter(_VOTE & pl.col("conversation_id").is_not_null()),
    ]).with_columns(vote=_VOTE).unique().collect()  # fmt: skip
    if acts.is_empty():
        return set(), set()
    around = _around(acts["dt"].unique(), reach, 1)
    known = names(_both(overlay, "messages", around, around & touched, NAMING))
    pairs = candidates(acts, known, reach).join(acts.select("event_id", "vote").unique(), on="event_id")
    changed = pl.col("stated") | pl.col("at_day").is_in(list(touched)) | pl.col("day").is_in(list(touched))
    pairs = pairs.join(pairs.filter(changed), on="event_id", how="semi")
    return set(pairs.filter("vote")["day"]), set(pairs.filter(~pl.col("stated"))["at_day"])


def place_loose(overlay: Overlay, days: Iterable[date], reach: int) -> pl.DataFrame:
    """Place the events that name a message and no conversation.

    Args:
        overlay: The tables as they will be.
        days: Event days whose exchanges are computed.
        reach: The look-back in days.

    Returns:
        Rows of `events` and `dt`: those of whose message's name just one conversation in their reach has a message.
    """
    loose = overlay.scan("events", _around(days, reach, reach)).filter(_LOOSE).collect()
    if loose.is_empty():
        return loose
    known = names(overlay.scan("messages", _around(loose["dt"].unique(), reach, 1), NAMING))
    return place(loose, known, reach).filter(pl.col("conversation_id").is_not_null())


def events_of(
    overlay: Overlay, placed: pl.DataFrame, day: date, within: pl.Expr, messages: pl.DataFrame, reach: int
) -> pl.DataFrame:
    """The events that the exchanges of some conversations on one day depend on.

    Args:
        overlay: The tables as they will be.
        placed: The result of `place_loose`.
        day: Event day of the exchanges.
        within: Which conversations.
        messages: Their messages in the day's window.
        reach: The look-back in days.

    Returns:
        Rows of `events` and `dt`: all of the window, and the later votes on messages of the day, or of the day before,
        where a run of steps may have begun that ends in a reply of the day.
    """
    tomorrow, days = day + timedelta(days=1), _around([day], reach, reach)
    later = pl.col("dt") > tomorrow
    stated = overlay.scan("events", days).filter(pl.col("conversation_id").is_not_null())
    loose = placed.lazy().filter(pl.col("dt").is_in(list(days))).select(*table("events").polars, "dt")
    votes = _VOTE & pl.col("message_id").is_not_null()
    every = pl.concat([stated, loose]).filter(within & (~later | votes)).collect()
    said = messages.filter(pl.col("dt").is_in([day - timedelta(days=1), day]))
    counted = candidates(every.filter(later), names(said), reach).select("event_id").unique()
    here = messages.select("source", "conversation_id").unique()
    near = every.filter(~later).join(here, on=["source", "conversation_id"], how="semi")
    return pl.concat([near, every.filter(later).join(counted, on="event_id", how="semi")])


def _around(days: Iterable[date], before: int, after: int) -> set[date]:
    return {day + timedelta(days=n) for day in days for n in range(-before, after + 1)}


def _both(
    overlay: Overlay, name: str, days: Iterable[date], touched: Iterable[date], columns: tuple[str, ...]
) -> pl.LazyFrame:
    """Rows as they will be on these days, and as they are published on the touched ones."""
    return pl.concat([overlay.scan(name, days, columns), overlay.warehouse.scan(name, touched, columns)])
