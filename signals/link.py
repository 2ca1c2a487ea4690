"""Links messages and events into exchanges: one pure function from two frames to a `Window`."""

from dataclasses import dataclass

import polars as pl

from schemas.contract import table
from signals.exchanges import build
from signals.order import arrange
from signals.pairing import pair
from signals.placing import names, place
from signals.sessions import attend
from signals.settings import LinkSettings
from signals.sources import Frame
from signals.versions import distinct_events, newest_messages


@dataclass(frozen=True, slots=True)
class Window:
    """Linked conversations.

    Attributes:
        messages: The winning version of each message, in order, with `row`, `up` (the row before it on its branch),
            `on_active_branch`, and the columns of `signals.sessions.divide`.
        events: Each event once, in order of time within each conversation; `session` is the session that it belongs
            to, `exchange` the index of the exchange that it is about.
        exchanges: One row an exchange (`signals.exchanges.build`), `exchange` numbering them.
        reactions: `exchange`, `row`, `rank`, `message_id`, `text`, `at`: the user messages that answer each exchange.
        earlier: `exchange`, `row`, `earlier_row`, `back`: the answered user messages before each reaction.
    """

    messages: pl.DataFrame
    events: pl.DataFrame
    exchanges: pl.DataFrame
    reactions: pl.DataFrame
    earlier: pl.DataFrame


def link(
    messages: Frame,
    events: Frame,
    facts: pl.DataFrame,
    settings: LinkSettings | None = None,
    paces: pl.DataFrame | None = None,
) -> Window:
    """Divide conversations into sessions, order them, follow their branches and pair requests, replies and reactions.

    Args:
        messages: Columns of the `messages` table and `dt`; any number of versions of each message, in any order.
        events: Columns of the `events` table; duplicates do no harm. One that names no conversation is placed where
            only one of these holds its message.
        facts: `signals.sources.source_facts` of the whole look-back window.
        settings: Speeds and spans; the defaults where None.
        paces: `signals.paces.user_paces` of the whole look-back window; None where nobody's is known.

    Returns:
        The window. It depends on the rows only, not on their order.
    """
    settings = settings or LinkSettings()
    rows = messages.lazy().collect()
    acts = distinct_events(events.lazy().select(table("events").polars.keys()).collect())
    acts = place(acts.with_columns(dt=pl.col("at").dt.date()), names(rows)).drop("dt")
    # A vote without a time of its own keeps that of its message when it is changed: the later arrival is the later act.
    acts = acts.sort(["source", "conversation_id", "at", "arrival_dt", "event_id"])
    ordered = arrange(newest_messages(rows), acts, settings)
    acts = attend(acts, ordered, settings)
    pairs = pair(ordered, settings)
    exchanges = build(ordered, acts, pairs, facts, settings, paces)
    reactions = pl.DataFrame(
        pairs.reactions, schema={"exchange": pl.UInt32, "row": pl.Int64, "rank": pl.Int32}, orient="row"
    ).join(ordered.select("row", "message_id", "text", at="created_at"), on="row", how="left", maintain_order="left")
    earlier = pl.DataFrame(
        pairs.earlier,
        schema={"exchange": pl.UInt32, "row": pl.Int64, "earlier_row": pl.Int64, "back": pl.Int32},
        orient="row",
    )
    steps = pl.DataFrame(list(pairs.steps.items()), schema={"row": pl.Int64, "exchange": pl.UInt32}, orient="row")
    where = steps.join(ordered.select("row", "source", "conversation_id", "message_id"), on="row").drop("row")
    acts = acts.join(where, on=["source", "conversation_id", "message_id"], how="left", maintain_order="left")
    return Window(ordered, acts, exchanges, reactions, earlier)
