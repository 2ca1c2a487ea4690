"""Puts the messages of each conversation in order, and finds the branch that the user ended on."""

import polars as pl

from schemas.flags import Flag
from signals.branches import Links, grow
from signals.sessions import divide
from signals.settings import LinkSettings

_CONVERSATION = ["source", "conversation_id"]


def arrange(messages: pl.DataFrame, events: pl.DataFrame, settings: LinkSettings) -> pl.DataFrame:
    """Divide conversations into sessions, and order each by its tree where it names parents, else by time.

    Args:
        messages: One row a message (`signals.versions.newest_messages`).
        events: One row an event; a `regenerate` on a reply makes the next reply its sibling where no parents are named.
        settings: The pauses between sessions.

    Returns:
        The messages, sorted by conversation, session and order, with `row` (from 0), `up` (the row before it on its
        branch, or null), `on_active_branch`, and the columns of `signals.sessions.divide`. Time is that of a reply's
        end where its beginning is not known; of equal times `seq` decides, then that a request comes before replies.
        A conversation in which only some messages have a clock is ordered by `seq` where all of them have one.
    """
    timed = _timed(messages)
    timed = timed.hstack(divide(timed, settings)).drop("_parent").sort("session", maintain_order=True)
    remade = (
        events.filter(pl.col("event") == "regenerate")
        .select(*_CONVERSATION, "message_id", _remade=pl.lit(value=True))
        .unique()
    )
    timed = (
        timed.with_row_index("_n")
        .with_columns(pl.col("_n").cast(pl.Int64), _first=pl.col("_n").cast(pl.Int64).min().over("session"))
        .join(remade, on=[*_CONVERSATION, "message_id"], how="left", maintain_order="left")
    )
    timed = timed.with_columns(_place=pl.col("_n") - pl.col("_first"))
    named = timed.select("session", pl.col("message_id").alias("parent_id"), _up="_place")
    timed = timed.join(named, on=["session", "parent_id"], how="left", maintain_order="left")
    reply = pl.col("role") == "assistant"
    absent = pl.col("parent_id").is_not_null() & pl.col("_up").is_null()
    of_one = ["session", "parent_id", "_up"]
    timed = timed.with_columns(
        # A log without histories says of no message what came before it, so none of them edits the first one.
        _root=(pl.col("role") == "user")
        & pl.col("parent_id").is_null()
        & ~pl.col("flags").list.contains(Flag.ORDER_INFERRED.value).fill_null(value=False),
        _replaces=reply & (pl.col("_remade") & reply).shift(1).over("session").fill_null(value=False),
        _off=pl.col("flags").list.contains(Flag.OFF_BRANCH.value).fill_null(value=False),
        # A parent that all of one role name, such as the request before the window, makes them siblings; one that
        # everything names is a thread's root, and says nothing.
        _twin=pl.when(absent & (pl.col("role").n_unique().over(of_one) == 1)).then(pl.col("_place").min().over(of_one)),
    )
    order, up, active = _walk(timed)
    return (
        timed.select(pl.exclude("^_.*$"))[order]
        .with_columns(pl.Series("up", up, pl.Int64), pl.Series("on_active_branch", active, pl.Boolean))
        .with_row_index("row")
        .with_columns(pl.col("row").cast(pl.Int64))
    )


def _timed(messages: pl.DataFrame) -> pl.DataFrame:
    """The messages in order of time within each conversation, with `_parent`, the row of the parent or null."""
    at = pl.coalesce("created_at", "completed_at")
    clocked = at.is_not_null().all() | pl.col("seq").is_null().any()
    timed = (
        messages.with_columns(_at=pl.when(clocked.over(_CONVERSATION)).then(at), _answers=pl.col("role") != "user")
        .sort([*_CONVERSATION, "_at", "seq", "_answers", "message_id"], nulls_last=True)
        .drop("_at", "_answers")
        .with_row_index("_parent")
        .with_columns(pl.col("_parent").cast(pl.Int64))
    )
    rows = timed.select(*_CONVERSATION, pl.col("message_id").alias("parent_id"), "_parent")
    return timed.drop("_parent").join(rows, on=[*_CONVERSATION, "parent_id"], how="left", maintain_order="left")


def _walk(timed: pl.DataFrame) -> tuple[list[int], list[int | None], list[bool]]:
    """Grow the tree of each session; rows in, rows out, all over the whole frame."""
    firsts, named, twins = (timed[c].to_list() for c in ("_first", "_up", "_twin"))
    roots, replaces, off = (timed[c].to_list() for c in ("_root", "_replaces", "_off"))
    order: list[int] = []
    up: list[int | None] = []
    active: list[bool] = []
    start = 0
    while start < len(firsts):
        end = start
        while end < len(firsts) and firsts[end] == start:
            end += 1
        part = slice(start, end)
        tree = grow(Links(named[part], twins[part], roots[part], replaces[part], off[part]))
        place = {row: start + at for at, row in enumerate(tree.order)}
        for row in tree.order:
            order.append(start + row)
            up.append(place[tree.parent[row]] if tree.parent[row] >= 0 else None)
            active.append(tree.active[row])
        start = end
    return order, up, active
