"""Finds the message that an event is about, where it names the message by an alias or names no conversation."""

import polars as pl

from signals.sources import Frame

VOTES = ("thumbs_down", "thumbs_up", "thumbs_clear")
NAMING = ("source", "conversation_id", "message_id", "aliases", "role", "created_at", "completed_at")


def names(messages: Frame) -> pl.LazyFrame:
    """Every id by which feedback may name a message.

    Args:
        messages: Rows of the `messages` table with `dt`, any number of versions; `NAMING` are read.

    Returns:
        `source`, `name`, `conversation_id`, `message_id`, `day`, `own` (the name is the message's id, no alias),
        `spoken` (it is the assistant's), `said_at`.
    """
    base = messages.lazy().select(
        "source", "conversation_id", "message_id", "aliases", day="dt", spoken=pl.col("role") == "assistant",
        said_at=pl.max_horizontal("created_at", "completed_at"),
    )  # fmt: skip
    own = base.with_columns(name="message_id", own=pl.lit(value=True))
    other = base.explode("aliases").drop_nulls("aliases").with_columns(name="aliases", own=pl.lit(value=False))
    columns = ("source", "name", "conversation_id", "message_id", "day", "own", "spoken", "said_at")
    return pl.concat([own.select(columns), other.select(columns)])


def candidates(events: Frame, known: pl.LazyFrame, reach: int | None = None) -> pl.DataFrame:
    """Pair events with the messages that they may be about.

    Args:
        events: Rows of the `events` table with `dt`; those that name no message are left out.
        known: The result of `names`.
        reach: Days before an event in which its message may lie, and one after; any, where None.

    Returns:
        `event_id`, `at_day`, `stated` (the event names its conversation), and the columns of `known`; none in another
        conversation than the stated one.
    """
    named = events.lazy().select(
        "event_id", "source", name="message_id", at_day="dt", _said="conversation_id"
    ).drop_nulls("name").unique()  # fmt: skip
    pairs = named.join(known, on=["source", "name"], how="inner", nulls_equal=False)
    pairs = pairs.filter(pl.col("_said").is_null() | (pl.col("_said") == pl.col("conversation_id")))
    if reach is not None:
        since = pl.col("at_day").dt.offset_by(f"-{reach}d")
        pairs = pairs.filter(pl.col("day").is_between(since, pl.col("at_day").dt.offset_by("1d")))
    return pairs.with_columns(stated=pl.col("_said").is_not_null()).drop("_said").collect()


def place(events: pl.DataFrame, known: pl.LazyFrame, reach: int | None = None) -> pl.DataFrame:
    """Let events name their message by its own id, and its conversation.

    An event that names no conversation is placed where exactly one conversation holds a message of that name. Where
    several messages of the conversation do (an alias may stand for all that one call made), it is about the one whose
    own id it is, else about the assistant's, else about the newest.

    Args:
        events: Rows of the `events` table with `dt`.
        known: The result of `names`.
        reach: As for `candidates`.

    Returns:
        The events in their order; those that cannot be placed as they were.
    """
    pairs = candidates(events, known, reach)
    homes = (
        pairs.filter(pl.col("conversation_id").n_unique().over("event_id") == 1)
        .sort(
            ["event_id", "own", "spoken", "said_at", "message_id"],
            descending=[False, True, True, True, False], nulls_last=[False, False, False, True, False],
        )
        .unique("event_id", keep="first", maintain_order=True)
        .select("event_id", _conversation="conversation_id", _message="message_id")
    )  # fmt: skip
    return events.join(homes, on="event_id", how="left", maintain_order="left").select(
        pl.exclude("conversation_id", "message_id", "_conversation", "_message"),
        conversation_id=pl.coalesce("conversation_id", "_conversation"),
        message_id=pl.coalesce("_message", "message_id"),
    ).select(events.columns)  # fmt: skip
