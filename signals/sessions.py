"""Divides a conversation into sessions: what one user did in it without a long pause.

Several users may share a conversation id, and a user may come back to one after days. What the one says is no reaction
to the other's reply, and what is said after such a pause none to the reply before it: nothing that is linked reaches
from one session into another.
"""

from dataclasses import dataclass
from datetime import datetime

import polars as pl

from schemas.flags import Flag
from schemas.ids import content_id
from signals.settings import LinkSettings

_CONVERSATION = ["source", "conversation_id"]


@dataclass(slots=True)
class _Stream:
    """One user's part of a conversation, as far as it has been read."""

    session: int
    last: datetime | None = None
    awaits: bool = False


def divide(timed: pl.DataFrame, settings: LinkSettings) -> pl.DataFrame:
    """Find the session of each message.

    A session begins with each user's first message, and where that user wrote nothing for longer than
    `conversation_gap_s` (`session_gap_s` in a conversation that was made of a user's stream). What is not from a user
    belongs where its parent does, else to the user who spoke last; a reply that comes late belongs to its request.

    Args:
        timed: Messages in order of time within each conversation, with `_parent`: the row of the parent, or null.
        settings: The gaps.

    Returns:
        `session` (numbered from 0 in the order of their first messages), `session_id`, `owner` (the user's key, or
        null) and `broken_off` (a pause, and another session of that user, follow); one row for each of `timed`.
    """
    numbers = timed.select(n=pl.struct(_CONVERSATION).rle_id()).to_series().to_list()
    roles, keys = timed["role"].to_list(), timed["user_key"].to_list()
    parents = timed["_parent"].to_list()
    begun = timed.select(pl.coalesce("created_at", "completed_at")).to_series().to_list()
    ended = timed.select(pl.max_horizontal("created_at", "completed_at")).to_series().to_list()
    inferred = timed["flags"].list.contains(Flag.SESSION_INFERRED.value).fill_null(value=False).to_list()
    gaps = [settings.session_gap_s if i else settings.conversation_gap_s for i in inferred]
    owners = _owners(numbers, roles, keys, parents)
    sessions: list[int] = []
    firsts: list[int] = []
    broken: set[int] = set()
    streams: dict[tuple[int, str | None], _Stream] = {}
    for row, owner in enumerate(owners):
        stream = streams.get((numbers[row], owner))
        asks, parent = roles[row] == "user", parents[row]
        above = parent is not None and parent < row
        if stream is None:
            stream = streams[numbers[row], owner] = _Stream(len(firsts))
            firsts.append(row)
        elif _apart(begun[row], stream.last, gaps[row]) and (asks or not (stream.awaits or above)):
            broken.add(stream.session)
            stream.session, stream.last = len(firsts), None
            firsts.append(row)
        sessions.append(stream.session if asks or parent is None or parent >= row else sessions[parent])
        stream.last = max((t for t in (stream.last, ended[row]) if t is not None), default=None)
        stream.awaits = asks or (stream.awaits and roles[row] != "assistant")
    ids = timed.select(*_CONVERSATION, "message_id")
    names = [content_id(*ids.row(f)[:2], owners[f], ids.row(f)[2]) for f in firsts]
    return pl.DataFrame(
        {
            "session": sessions,
            "session_id": [names[s] for s in sessions],
            "owner": owners,
            "broken_off": [s in broken for s in sessions],
        },
        schema={"session": pl.Int64, "session_id": pl.String, "owner": pl.String, "broken_off": pl.Boolean},
    )


def _apart(begun: datetime | None, last: datetime | None, gap: float) -> bool:
    return begun is not None and last is not None and (begun - last).total_seconds() > gap


def _owners(
    conversation: list[int], roles: list[str], keys: list[str | None], parents: list[int | None]
) -> list[str | None]:
    """Whose each message is; in a conversation of one user everything is that user's."""
    users: dict[int, dict[str, None]] = {}
    for number, role, key in zip(conversation, roles, keys, strict=True):
        if role == "user" and key is not None:
            users.setdefault(number, {}).setdefault(key)
    owners: list[str | None] = []
    for row, number in enumerate(conversation):
        known = users.get(number, {})
        if len(known) < 2:
            owners.append(next(iter(known), None))
        elif roles[row] == "user" and keys[row] is not None:
            owners.append(keys[row])
        elif (parent := parents[row]) is not None and parent < row:
            owners.append(owners[parent])
        elif keys[row] in known:
            owners.append(keys[row])
        else:
            # What comes before any user is the first one's: a system prompt, a greeting.
            owners.append(owners[-1] if row and conversation[row - 1] == number else next(iter(known)))
    return owners


def attend(events: pl.DataFrame, ordered: pl.DataFrame, settings: LinkSettings) -> pl.DataFrame:
    """Find the session of each event.

    Args:
        events: One row an event, messages named by their own ids.
        ordered: The result of `signals.order.arrange`.
        settings: The gaps.

    Returns:
        The events with `session`: that of the message which an event names; else the one that its user, or anybody
        where it names none, was in at the time, or within the gap after its end or before its beginning. Null where
        there is none.
    """
    named = ordered.select(*_CONVERSATION, "message_id", "session")
    events = events.join(named, on=[*_CONVERSATION, "message_id"], how="left", maintain_order="left")
    inferred = pl.col("flags").list.contains(Flag.SESSION_INFERRED.value).fill_null(value=False)
    gap = pl.when(inferred.any()).then(settings.session_gap_s).otherwise(settings.conversation_gap_s)
    spans = (
        ordered.group_by("session")
        .agg(
            *(pl.col(c).first() for c in _CONVERSATION),
            user_key=pl.col("owner").first(),
            start=pl.coalesce("created_at", "completed_at").min(),
            end=pl.max_horizontal("created_at", "completed_at").max(),
            gap=pl.duration(microseconds=(gap * 1_000_000).cast(pl.Int64)),
        )
        .drop_nulls("start")
        .sort("start", "session")
    )
    loose = events.filter(pl.col("message_id").is_null() & pl.col("conversation_id").is_not_null())
    key = [*_CONVERSATION, "user_key"]
    of_user = loose.join(spans.select(key).drop_nulls().unique(), on=key, how="semi")
    of_any = loose.join(of_user.select("event_id"), on="event_id", how="anti")
    found = pl.concat([_nearest(of_user, spans, key), _nearest(of_any, spans, _CONVERSATION)])
    return events.join(found, on="event_id", how="left", maintain_order="left").select(
        pl.exclude("session", "_in"), session=pl.coalesce("session", "_in")
    )


def _nearest(loose: pl.DataFrame, spans: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """`event_id` and `_in`: the session that had begun by then, else the one about to begin."""
    at = loose.select("event_id", "at", *by).sort("at")
    of = spans.select(*by, "start", "end", "gap", "session")
    begun = at.join_asof(of, left_on="at", right_on="start", by=by, strategy="backward", check_sortedness=False).filter(
        pl.col("at") <= pl.col("end") + pl.col("gap")
    )
    rest = at.join(begun.select("event_id"), on="event_id", how="anti")
    soon = rest.join_asof(of, left_on="at", right_on="start", by=by, strategy="forward", check_sortedness=False).filter(
        pl.col("at") >= pl.col("start") - pl.col("gap")
    )
    return pl.concat([begun, soon]).select("event_id", _in="session")
