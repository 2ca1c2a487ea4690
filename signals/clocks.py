"""Time: what the clocks allow to say about how long a reply was on screen, and how long reading it takes."""

import polars as pl

from signals.settings import LinkSettings

_FENCE = r"(?s)```.*?(?:```|\z)"
_TABLE = r"(?m)^\s*\|.*\|\s*$"
_HAN = r"[\x{3400}-\x{9FFF}]"
_UNSEEN = r"[\x{00AD}\x{200B}-\x{200F}\x{202A}-\x{202E}\x{2060}-\x{206F}\x{FE00}-\x{FE0F}\x{FEFF}]"
_WORD = r"[^\s\x{3400}-\x{9FFF}]+"
_SECOND = 1_000_000.0


def reading_seconds(text: pl.Expr, settings: LinkSettings) -> pl.Expr:
    """Seconds that a fast reader needs, by script; code and tables count by `settings.code_share`.

    Args:
        text: Texts; null where not captured.
        settings: Reading speeds.

    Returns:
        Seconds, null where the text is.
    """

    def prose(of: pl.Expr) -> pl.Expr:
        return of.str.count_matches(_WORD) * (60 / settings.words_per_minute) + of.str.count_matches(_HAN) * (
            60 / settings.han_per_minute
        )

    plain = text.str.replace_all(_FENCE, " ").str.replace_all(_TABLE, " ")
    if not settings.code_share:
        return prose(plain).cast(pl.Float64)
    return (prose(plain) + settings.code_share * (prose(text) - prose(plain))).cast(pl.Float64)


def typing_seconds(text: pl.Expr, settings: LinkSettings) -> pl.Expr:
    """Seconds that a fast typist needs for a message, up to the cap; 0 where there is no message."""
    # What cannot be seen was not typed: edges, runs of spaces, marks without width.
    typed = text.str.replace_all(_UNSEEN, "").str.replace_all(r"\s+", " ").str.strip_chars()
    han = typed.str.count_matches(_HAN)
    other = typed.str.len_chars() - han
    return (other / settings.typed_per_s + han / settings.han_typed_per_s).clip(0, settings.typing_cap_s).fill_null(0.0)


def seconds(later: str | pl.Expr, earlier: str | pl.Expr) -> pl.Expr:
    """Seconds from one clock column to another."""
    end = pl.col(later) if isinstance(later, str) else later
    start = pl.col(earlier) if isinstance(earlier, str) else earlier
    return (end - start).dt.total_microseconds() / _SECOND


def hidden_seconds(spans: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Seconds of each span in which the page was in the background.

    Args:
        spans: `exchange`, `session`, `start`, `end`.
        events: One row an event with its `session`, in order of time within each.

    Returns:
        `exchange`, `hidden_s`; a row only where the page went to the background at all, or where the session
        records that it does (0.0 then).
    """
    turns = events.filter(pl.col("event").is_in(["visible", "hidden"]) & pl.col("session").is_not_null())
    turns = turns.select("session", "at", "event")
    # A page that is said to come to the front, without having gone to the back, had been there from the start.
    first = turns.group_by("session", maintain_order=True).first().filter(pl.col("event") == "visible")
    before = first.with_columns(at=pl.lit(None, turns.schema["at"]), event=pl.lit("hidden"))
    turns = pl.concat([before, turns]).sort(["session", "at"], nulls_last=False, maintain_order=True)
    away = turns.with_columns(_back=pl.col("at").shift(-1).over("session")).filter(pl.col("event") == "hidden")
    overlap = spans.join(away, on="session", how="inner").with_columns(
        _from=pl.max_horizontal("at", "start"), _to=pl.min_horizontal("_back", "end")
    )
    return overlap.group_by("exchange").agg(hidden_s=seconds("_to", "_from").clip(0).sum())
