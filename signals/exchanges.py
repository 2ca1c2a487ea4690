"""Builds the exchanges: the base rows that signals are about, with texts, clocks, outcome and kind of follow-up."""

from collections.abc import Iterator

import polars as pl

from schemas.enums import ClockQuality, FollowUp, Outcome, Status
from schemas.ids import content_id
from signals.clocks import hidden_seconds, reading_seconds, seconds, typing_seconds
from signals.paces import SCHEMA as PACES
from signals.pairing import Pairs
from signals.settings import LinkSettings
from signals.text.fold import bare, fold

MISSING = "missing"
_CLOCK = pl.Datetime("us", "UTC")
_CONVERSATION = ["source", "conversation_id"]
# New name to the message's column.
_OF_EITHER = {
    "source": "source",
    "conversation_id": "conversation_id",
    "session": "session",
    "session_id": "session_id",
    "_broken_off": "broken_off",
    "on_active_branch": "on_active_branch",
    "dt": "dt",
}
_OF_REPLY = {
    "model": "model",
    "reply_id": "message_id",
    "reply_status": "status",
    "reply_chars": "n_chars",
    "replied_at": "created_at",
    "completed_at": "completed_at",
    "reply_text": "text",
    "reply_user": "user_key",
    "reply_script": "script",
}
_OF_REQUEST = {
    "request_id": "message_id",
    "request_text": "text",
    "requested_at": "created_at",
    "user_key": "user_key",
    "script": "script",
}


def _take(ordered: pl.DataFrame, rows: list[int], columns: dict[str, str]) -> pl.DataFrame:
    """Gather columns by row under new names; null where the row is -1."""
    index = pl.Series([None if r < 0 else r for r in rows], dtype=pl.UInt32)
    return ordered.select(pl.col(old).gather(index).alias(new) for new, old in columns.items())


def build(
    ordered: pl.DataFrame,
    events: pl.DataFrame,
    pairs: Pairs,
    facts: pl.DataFrame,
    settings: LinkSettings,
    paces: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Assemble the exchanges.

    Args:
        ordered: The messages in order.
        events: One row an event with its `session` (`signals.sessions.attend`).
        pairs: Which rows belong together.
        facts: The result of `signals.sources.source_facts`.
        settings: Speeds and spans.
        paces: The result of `signals.paces.user_paces`; None where nobody's pace is known.

    Returns:
        One row an exchange, in the order of `pairs`: the columns of the `exchanges` table but for the signals, `dt`,
        `exchange` (index), `session` (number), `request_row`, `request_text`, `reply_text`, `next_text`, `next_at`,
        `closed_at`, `stopped_at`, `taken` (the reply was copied or shared), `event_kinds`.
    """
    anchors = [reply if reply >= 0 else request for reply, request in zip(pairs.reply, pairs.request, strict=True)]
    either = _take(ordered, anchors, _OF_EITHER)
    reply = _take(ordered, pairs.reply, _OF_REPLY)
    request = _take(ordered, pairs.request, _OF_REQUEST)
    acts = [heard if heard >= 0 else edited for heard, edited in zip(pairs.heard, pairs.edited, strict=True)]
    following = _take(ordered, acts, {"next_user_id": "message_id", "next_text": "text", "next_at": "created_at"})
    ended = _take(ordered, pairs.ended, {"_ended": "status"})
    flags = pl.DataFrame({
        "_edited": [h < 0 <= e for h, e in zip(pairs.heard, pairs.edited, strict=True)],
        "_remade": [row >= 0 for row in pairs.remade],
    }, schema={"_edited": pl.Boolean, "_remade": pl.Boolean})  # fmt: skip
    rows = pl.DataFrame(
        {"request_row": [None if r < 0 else r for r in pairs.request]}, schema={"request_row": pl.Int64}
    )
    base = (
        pl.concat([either, reply, ended, request, following, flags, rows], how="horizontal")
        .with_row_index("exchange")
        .with_columns(
            pl.col("replied_at", "completed_at", "requested_at", "next_at").cast(_CLOCK),
            user_key=pl.coalesce("user_key", "reply_user"),
            script=pl.coalesce("script", "reply_script"),
            # A run that broke after some words ended as its last step did.
            reply_status=pl.when(pl.col("reply_id").is_null())
            .then(pl.lit(MISSING))
            .when(pl.col("_ended") != Status.OK.value)
            .then("_ended")
            .otherwise("reply_status"),
            position=pl.int_range(pl.len(), dtype=pl.Int32).over(_CONVERSATION),
        )
    )
    keys = base.select(*_CONVERSATION, "reply_id", "request_id").iter_rows()
    # A key of four parts, the third of them none, can equal no key of three.
    ids = [content_id(*key) if key[2] is None else content_id(*key[:3]) for key in keys]
    base = base.with_columns(pl.Series("exchange_id", ids, pl.String))
    base = base.join(facts, on="source", how="left", maintain_order="left")
    known = pl.DataFrame(schema=PACES) if paces is None else paces
    base = base.join(known, on=["source", "user_key"], how="left", maintain_order="left")
    base = _acts(base, events, pairs, ordered)
    return _timing(_outcome(_follow_up(base, settings), settings), events, settings)


def _acts(base: pl.DataFrame, events: pl.DataFrame, pairs: Pairs, ordered: pl.DataFrame) -> pl.DataFrame:
    """Attach the interface's acts to the exchange that they belong to, by message, else by time."""
    steps = pl.DataFrame(
        [*pairs.steps.items(), *_tools(ordered, pairs)], schema={"row": pl.Int64, "exchange": pl.UInt32}, orient="row"
    )
    where = steps.join(ordered.select("row", *_CONVERSATION, "message_id"), on="row")
    known = events.join(where.drop("row"), on=[*_CONVERSATION, "message_id"], how="left")
    # An act on the conversation belongs to the last reply that had begun by then, or to one that was not logged; a
    # reply of which only the end is known may have begun as soon as it was asked for.
    loose = known.filter(pl.col("message_id").is_null() & pl.col("session").is_not_null()).drop("exchange").sort("at")
    at = pl.when(pl.col("reply_id").is_null()).then("requested_at").otherwise(
        pl.coalesce("replied_at", pl.min_horizontal("requested_at", "completed_at"))
    )  # fmt: skip
    begun = base.select("session", "exchange", at=at).drop_nulls("at").sort("at")
    placed = loose.join_asof(begun, on="at", by="session", strategy="backward", check_sortedness=False)
    linked = pl.concat([known.filter(pl.col("message_id").is_not_null()), placed.select(known.columns)]).drop_nulls(
        "exchange"
    )

    def first(kind: str) -> pl.Expr:
        return pl.col("at").filter(pl.col("event") == kind).min()

    found = linked.group_by("exchange").agg(
        closed_at=first("close"), stopped_at=first("stop"), _lost_at=first("disconnect"), _edit_at=first("edit"),
        _remake_at=first("regenerate"), taken=pl.col("event").is_in(["copy", "share"]).any(),
    )  # fmt: skip
    return base.join(found, on="exchange", how="left", maintain_order="left").with_columns(
        pl.col("taken").fill_null(value=False)
    )


def _tools(ordered: pl.DataFrame, pairs: Pairs) -> Iterator[tuple[int, int]]:
    """Row and exchange of what tools gave back: a user may stop a run at such a step."""
    up = ordered["up"].to_list()
    for row in ordered.filter(pl.col("role") == "tool")["row"].to_list():
        above = up[row]
        while above is not None and above not in pairs.steps and ordered["role"][above] == "tool":
            above = up[above]
        if above is not None and above in pairs.steps:
            yield row, pairs.steps[above]


def _follow_up(base: pl.DataFrame, settings: LinkSettings) -> pl.DataFrame:
    """Name how the next user message came about."""
    same = [
        bool(a and b) and (a == b or bare(fold(a)) == bare(fold(b)))
        for a, b in base.select("request_text", "next_text").iter_rows()
    ]
    there = pl.col("next_user_id").is_not_null()
    twice = seconds("next_at", "requested_at") <= settings.double_submit_s
    made_anew = ~there & (pl.col("_remade") | pl.col("_remake_at").is_not_null())
    kind = (
        pl.when(made_anew & (pl.col("reply_status") == Status.ERROR.value))
        .then(pl.lit(FollowUp.RETRY_AFTER_ERROR.value))
        .when(made_anew)
        .then(pl.lit(FollowUp.REGENERATE.value))
        .when(~there)
        .then(None)
        .when(pl.col("_same") & (pl.col("reply_status") == Status.ERROR.value))
        .then(pl.lit(FollowUp.RETRY_AFTER_ERROR.value))
        .when(pl.col("_same") & twice.fill_null(value=False))
        .then(pl.lit(FollowUp.DOUBLE_SUBMIT.value))
        .when(pl.col("_same") & (pl.col("_lost_at") <= pl.col("next_at")).fill_null(value=False))
        .then(pl.lit(FollowUp.RECONNECT.value))
        .when(pl.col("_edited") | (pl.col("_edit_at") <= pl.col("next_at")).fill_null(value=False))
        .then(pl.lit(FollowUp.EDIT.value))
        .otherwise(pl.lit(FollowUp.MESSAGE.value))
    )
    return base.with_columns(pl.Series("_same", same, pl.Boolean)).with_columns(follow_up=kind)


def _outcome(base: pl.DataFrame, settings: LinkSettings) -> pl.DataFrame:
    """Followed, left (also where the user came back in another session only), or too soon to say."""
    seen = pl.max_horizontal("replied_at", "completed_at")
    last = pl.when(pl.col("reply_id").is_null()).then("requested_at").otherwise(seen)
    silent = seconds("observed_until", last) > settings.left_after_s
    outcome = (
        pl.when(pl.col("follow_up").is_not_null())
        .then(pl.lit(Outcome.FOLLOWED.value))
        .when(pl.col("closed_at").is_not_null() | silent.fill_null(value=False) | pl.col("_broken_off"))
        .then(pl.lit(Outcome.LEFT.value))
        .otherwise(pl.lit(Outcome.CENSORED.value))
    )
    return base.with_columns(outcome=outcome)


def _timing(base: pl.DataFrame, events: pl.DataFrame, settings: LinkSettings) -> pl.DataFrame:
    """Add `gap_s`, `reading_s`, `visible_s` and `clock_quality`."""
    base = base.with_columns(
        _acted_at=pl.coalesce(
            "next_at", pl.when(pl.col("next_user_id").is_null()).then(pl.coalesce("_remake_at", "closed_at"))
        ),
        reading_s=reading_seconds(pl.col("reply_text"), settings) * pl.col("pace").fill_null(1.0),
    )
    streamed, waited = seconds("completed_at", "replied_at"), seconds("_acted_at", "completed_at")
    begun = seconds("_acted_at", "replied_at")
    # A long reply whose first and last token share one instant was stamped once: one end of it is unknown.
    instant = (streamed <= 0) & (pl.col("reply_chars").fill_null(0) > settings.instant_chars)
    # Acting before the stream has ended is possible only where the user broke it off; else the clocks disagree.
    broke_off = (pl.col("reply_status") == "stopped") | pl.col("stopped_at").is_not_null()
    full = (streamed >= 0) & ~instant & ((waited >= 0) | (broke_off & (begun >= 0)))
    no_end = (begun >= 0) & (pl.col("completed_at").is_null() | instant)
    quality = (
        pl.when(full.fill_null(value=False))
        .then(pl.lit(ClockQuality.FULL.value))
        .when(no_end.fill_null(value=False))
        .then(pl.lit(ClockQuality.NO_END.value))
        .otherwise(pl.lit(ClockQuality.NONE.value))
    )
    base = base.with_columns(clock_quality=quality, gap_s=seconds("next_at", "completed_at"))
    spans = base.filter(pl.col("clock_quality") != ClockQuality.NONE.value).select(
        "exchange", "session", start="replied_at", end="_acted_at"
    )
    away = hidden_seconds(spans, events)
    on_screen = begun - pl.col("hidden_s").fill_null(0.0) - typing_seconds(pl.col("next_text"), settings)
    idle = (seconds("_acted_at", pl.coalesce("completed_at", "replied_at")) > settings.idle_s) & pl.col(
        "hidden_s"
    ).is_null()
    known = (pl.col("clock_quality") == ClockQuality.FULL.value) & ~idle
    return base.join(away, on="exchange", how="left", maintain_order="left").with_columns(
        visible_s=pl.when(known).then(on_screen.clip(0))
    )
