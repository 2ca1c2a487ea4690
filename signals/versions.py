"""One row for each message and each event, of the several that may have arrived."""

import polars as pl

from schemas.flags import Flag

MESSAGE_KEY = ["source", "conversation_id", "message_id"]


def newest_messages(messages: pl.DataFrame) -> pl.DataFrame:
    """Keep the newest version of each message.

    A version that is known only from the history sent with a later call (flag `restated`) tells less than the message
    itself: it loses against any other, whenever that arrived.

    Args:
        messages: Rows of the `messages` table, of any number of landing days.

    Returns:
        The winners: not restated, then by day of arrival, then time (the later of both clocks), then digest; in no
        particular order.
    """
    return (
        messages.with_columns(
            _first_hand=~pl.col("flags").list.contains(Flag.RESTATED.value).fill_null(value=False),
            _when=pl.max_horizontal("created_at", "completed_at"),
        )
        .sort([*MESSAGE_KEY, "_first_hand", "arrival_dt", "_when", "digest"], nulls_last=False)
        .unique(subset=MESSAGE_KEY, keep="last", maintain_order=True)
        .drop("_first_hand", "_when")
    )


def distinct_events(events: pl.DataFrame) -> pl.DataFrame:
    """Keep one row of each event.

    Args:
        events: Rows of the `events` table; one that arrived twice has the same `event_id` in both.

    Returns:
        Rows sorted by id.
    """
    return events.sort(["event_id", "arrival_dt"]).unique(subset=["event_id"], keep="last", maintain_order=True)
