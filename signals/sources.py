"""Facts about a source that a bucket of its conversations cannot know: where its log ends, and what it records."""

import polars as pl

Frame = pl.DataFrame | pl.LazyFrame


def source_facts(messages: Frame, events: Frame) -> pl.DataFrame:
    """Summarise each source over the whole look-back window.

    Args:
        messages: Rows of the `messages` table (`source`, `created_at`, `completed_at` are read).
        events: Rows of the `events` table (`source`, `event`, `at` are read).

    Returns:
        One row a source, sorted: `source`; `observed_until` (UTC microseconds, the newest of all clocks, null where
        the source has none); `event_kinds` (sorted list of the kinds of events seen).
    """
    clock = pl.Datetime("us", "UTC")
    spoken = messages.lazy().select("source", at=pl.max_horizontal("created_at", "completed_at").cast(clock))
    acted = events.lazy().select("source", pl.col("at").cast(clock), "event")
    return (
        pl.concat([spoken.with_columns(event=pl.lit(None, pl.String)), acted.select("source", "at", "event")])
        .group_by("source")
        .agg(observed_until=pl.col("at").max(), event_kinds=pl.col("event").drop_nulls().unique().sort())
        .sort("source")
        .collect()
    )
