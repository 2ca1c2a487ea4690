"""Finds the requests whose reply was never logged: each is an exchange, though nothing is known of its reply."""

import polars as pl

_CONVERSATION = ["source", "conversation_id"]


def unlogged(ordered: pl.DataFrame, asked: list[int], silent: list[bool], *, turn_s: float) -> set[int]:
    """Tell requests without a logged reply apart from the parts of one message sent in pieces.

    In a conversation that holds no assistant message at all, replies were not captured, and each user message is a
    request of its own. In any other, user messages in a row are parts of one, unless the clocks put them further apart
    than people pause between two parts: then a reply between them is missing. So it is after the last request of a
    session that a long pause ends; the last one of any other may still be answered, and is none of these.

    Args:
        ordered: The result of `signals.order.arrange`.
        asked: For each row, the nearest user message above it, or -1.
        silent: For each row, whether no assistant message stands between it and that one.
        turn_s: Longest pause between two parts of one message, in seconds.

    Returns:
        Rows of the requests.
    """
    marked = ordered.select(
        "row",
        "created_at",
        "broken_off",
        user=pl.col("role") == "user",
        spoke=pl.col("role") == "assistant",
        captured=(pl.col("role") == "assistant").any().over(_CONVERSATION),
    )
    alone = set(marked.filter(pl.col("user") & ~pl.col("captured"))["row"].to_list())
    replied = {asked[row] for row in marked.filter("spoke")["row"].to_list()}
    at = marked["created_at"].to_list()
    followed = {asked[row] for row in marked.filter("user")["row"].to_list()}
    last = marked.filter(pl.col("user") & pl.col("captured") & pl.col("broken_off"))["row"].to_list()
    alone |= {row for row in last if row not in followed and row not in replied}
    for row in marked.filter(pl.col("user") & pl.col("captured"))["row"].to_list():
        above = asked[row]
        if above < 0 or not silent[row] or above in replied:
            continue
        sent, next_sent = at[above], at[row]
        if sent is not None and next_sent is not None and (next_sent - sent).total_seconds() > turn_s:
            alone.add(above)
    return alone
