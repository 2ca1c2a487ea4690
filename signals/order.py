"""Puts the messages of each conversation in order, and finds the branch that the user ended on."""

import polars as pl

from signals.branches import grow


def arrange(messages: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Order messages by their tree where they name parents, else by time, `seq` and id.

    Args:
        messages: One row a message (`signals.versions.newest_messages`).
        events: One row an event; a `regenerate` on a reply makes the next reply its sibling where no parents are named.

    Returns:
        The messages, sorted by conversation and order, with `row` (from 0), `up` (the row before it on its branch, or
        null) and `on_active_branch`. A conversation in which only some messages have a clock is ordered by `seq` where
        all of them have one.
    """
    conversation = ["source", "conversation_id"]
    clocked = pl.col("created_at").is_not_null().all() | pl.col("seq").is_null().any()
    timed = messages.with_columns(_at=pl.when(clocked.over(conversation)).then("created_at")).sort(
        [*conversation, "_at", "seq", "message_id"], nulls_last=True
    )
    remade = (
        events.filter(pl.col("event") == "regenerate")
        .select(*conversation, "message_id", _remade=pl.lit(value=True))
        .unique()
    )
    timed = (
        timed.with_row_index("_n")
        .with_columns(pl.col("_n").cast(pl.Int64), _first=pl.col("_n").cast(pl.Int64).min().over(conversation))
        .join(remade, on=[*conversation, "message_id"], how="left", maintain_order="left")
    )
    named = timed.select(*conversation, pl.col("message_id").alias("parent_id"), _up=pl.col("_n") - pl.col("_first"))
    timed = timed.join(named, on=[*conversation, "parent_id"], how="left", maintain_order="left")
    reply = pl.col("role") == "assistant"
    timed = timed.with_columns(
        _root=(pl.col("role") == "user") & pl.col("parent_id").is_null(),
        _replaces=reply & (pl.col("_remade") & reply).shift(1).over(conversation).fill_null(value=False),
    )
    order, up, active = _walk(timed)
    return (
        timed.drop("_n", "_first", "_remade", "_up", "_root", "_replaces", "_at")[order]
        .with_columns(pl.Series("up", up, pl.Int64), pl.Series("on_active_branch", active, pl.Boolean))
        .with_row_index("row")
        .with_columns(pl.col("row").cast(pl.Int64))
    )


def _walk(timed: pl.DataFrame) -> tuple[list[int], list[int | None], list[bool]]:
    """Grow the tree of each conversation; rows in, rows out, all over the whole frame."""
    firsts, named = timed["_first"].to_list(), timed["_up"].to_list()
    roots, replaces = timed["_root"].to_list(), timed["_replaces"].fill_null(value=False).to_list()
    order: list[int] = []
    up: list[int | None] = []
    active: list[bool] = []
    start = 0
    while start < len(firsts):
        end = start
        while end < len(firsts) and firsts[end] == start:
            end += 1
        tree = grow(named[start:end], roots[start:end], replaces[start:end])
        place = {row: start + at for at, row in enumerate(tree.order)}
        for row in tree.order:
            order.append(start + row)
            up.append(place[tree.parent[row]] if tree.parent[row] >= 0 else None)
            active.append(tree.active[row])
        start = end
    return order, up, active
