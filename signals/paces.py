"""How fast each user reads: what a bucket of conversations cannot know, since a user's other ones lie elsewhere.

No text is read here. A message is taken to answer the one before it in time in its conversation, and the length of a
reply stands for its words, so that the whole look-back window can be looked at at once.
"""

import polars as pl

from signals.settings import LinkSettings
from signals.sources import Frame

_LETTERS_PER_WORD = 6.0
_CLOCK = pl.Datetime("us", "UTC")
_MESSAGE = ["source", "conversation_id", "message_id"]
_READ = (*_MESSAGE, "user_key", "role", "status", "n_chars", "script", "arrival_dt", "digest")
# Chinese and other text side by side: neither speed fits, so the slower counts half.
_HAN_SHARE = {"han": 1.0, "mixed": 0.5}

SCHEMA: dict[str, pl.DataType] = {"source": pl.String(), "user_key": pl.String(), "pace": pl.Float64()}


def user_paces(messages: Frame, settings: LinkSettings | None = None) -> pl.DataFrame:
    """Find the users who read faster than a fast reader, over the whole look-back window.

    Args:
        messages: Rows of the `messages` table, in any order, any number of versions of each. Text is not read.
        settings: Speeds, and `pace_replies`, `pace_quantile`, `pace_least`; the defaults where None.

    Returns:
        `source`, `user_key`, `pace`, sorted: the share of a fast reader's time that the user takes, from `pace_least`
        to below 1, for users of whom enough is known. Whoever is not in it reads as a fast reader does: nobody is held
        to a slower pace than that, since time on screen may also be time away.
    """
    settings = settings or LinkSettings()
    rows = messages.lazy().select(*_READ, pl.col("created_at", "completed_at").cast(_CLOCK)).collect()
    rows = rows.filter(pl.col("created_at").is_not_null() & pl.col("role").is_in(["user", "assistant"]))
    rows = rows.sort(*_MESSAGE, "arrival_dt", "digest").unique(_MESSAGE, keep="last", maintain_order=True)
    rows = rows.sort("source", "conversation_id", "created_at", "completed_at", "message_id", nulls_last=True)
    talk = ["source", "conversation_id"]
    after = rows.with_columns(
        pl.col("role", "user_key", "created_at", "n_chars", "script").shift(-1).over(talk).name.prefix("next_")
    ).filter(
        (pl.col("role") == "assistant") & (pl.col("next_role") == "user") & (pl.col("status") == "ok")
        & (pl.col("completed_at") > pl.col("created_at")) & pl.col("next_user_key").is_not_null()
    )  # fmt: skip
    need, typing = _reading(settings), _typing(settings)
    shown = (pl.col("next_created_at") - pl.col("created_at")).dt.total_microseconds() / 1e6 - typing
    measured = after.filter(
        (need >= settings.pace_reading_s)
        & (pl.col("next_created_at") >= pl.col("completed_at"))
        & (shown <= settings.idle_s)
    ).select("source", user_key="next_user_key", share=shown.clip(0) / need)
    return (
        measured.group_by("source", "user_key")
        .agg(n=pl.len(), pace=pl.col("share").quantile(settings.pace_quantile, "lower"))
        .filter((pl.col("n") >= settings.pace_replies) & (pl.col("pace") < 1.0))
        .select("source", "user_key", pace=pl.col("pace").clip(settings.pace_least).round(4))
        .sort("source", "user_key")
        .cast(pl.Schema(SCHEMA))
    )


def _reading(settings: LinkSettings) -> pl.Expr:
    """Seconds that a fast reader needs for a reply, from its length alone."""
    han = pl.col("script").replace_strict(_HAN_SHARE, default=0.0, return_dtype=pl.Float64)
    words = 60.0 / (settings.words_per_minute * _LETTERS_PER_WORD)
    return pl.col("n_chars") * (han * (60.0 / settings.han_per_minute) + (1.0 - han) * words)


def _typing(settings: LinkSettings) -> pl.Expr:
    """Seconds that a fast typist needs for the next message, from its length alone."""
    han = pl.col("next_script").replace_strict(_HAN_SHARE, default=0.0, return_dtype=pl.Float64)
    each = han / settings.han_typed_per_s + (1.0 - han) / settings.typed_per_s
    return (pl.col("next_n_chars") * each).clip(0, settings.typing_cap_s).fill_null(0.0)
