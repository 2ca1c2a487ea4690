"""Finds the exchanges in ordered messages: which reply answers which request, and what the user did next.

A run of assistant messages between two user messages (tool calls, pieces of a stream) is one exchange. Its reply is
the last of them that has text, since that is what the user reacts to; the others, and what tools returned, are steps
towards it, and votes on them count for it. A request whose reply was never logged is an exchange too
(`signals.unlogged`).
"""

from dataclasses import dataclass, field

import polars as pl

from signals.settings import LinkSettings
from signals.unlogged import unlogged


@dataclass(slots=True)
class Pairs:
    """Rows of the ordered messages that belong together; parallel lists, -1 where there is none.

    Attributes:
        reply: The reply of each exchange, in order; -1 where it was never logged.
        request: The user message that it answers.
        heard: The first user message after it on its branch.
        edited: The later sibling of its request, where the user edited that instead of going on.
        remade: The later sibling of the reply, where it was regenerated.
        ended: The last assistant message of the reply's run, which may say nothing, and tell how it ended.
        steps: Row of a message of a run, the assistant's or a tool's, to the index of its exchange.
        reactions: `(exchange, row, rank)` of the user messages that make up the reaction to it.
        earlier: `(exchange, row, earlier row, back)`: the answered user messages before each reaction.
    """

    reply: list[int] = field(default_factory=list)
    request: list[int] = field(default_factory=list)
    heard: list[int] = field(default_factory=list)
    edited: list[int] = field(default_factory=list)
    remade: list[int] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    steps: dict[int, int] = field(default_factory=dict)
    reactions: list[tuple[int, int, int]] = field(default_factory=list)
    earlier: list[tuple[int, int, int, int]] = field(default_factory=list)


def pair(ordered: pl.DataFrame, settings: LinkSettings) -> Pairs:
    """Pair requests, replies and reactions in one pass over the rows.

    Args:
        ordered: The result of `signals.order.arrange`.
        settings: `look_back`, `turn_messages` and `turn_s` are read.

    Returns:
        The pairs.
    """
    user = (ordered["role"] == "user").to_list()
    spoke = (ordered["role"] == "assistant").to_list()
    worded = (ordered["text"].fill_null("").str.strip_chars() != "").to_list()
    failed = (ordered["status"] == "error").to_list()
    active = ordered["on_active_branch"].to_list()
    up = [-1 if u is None else u for u in ordered["up"].to_list()]
    n = len(up)
    on, first_user, next_reply, next_user_sibling = [-1] * n, [-1] * n, [-1] * n, [-1] * n
    _relate(up, user, spoke, active, on, first_user, next_reply, next_user_sibling, ordered["session"].to_list())
    asked, answered, silent = _look_up(up, user, spoke, failed)
    alone = unlogged(ordered, asked, silent, turn_s=settings.turn_s)
    for row in range(n):
        answered[row] = answered[row] or (user[row] and asked[row] in alone)
    final, heard = _runs(up, on, first_user, user, spoke, worded)
    tail = _tails(on, first_user, spoke)
    pairs, index = Pairs(), {}
    for row in range(n):
        if final.get(row) == row or row in alone:
            request = row if row in alone else asked[row]
            index[row] = len(pairs.reply)
            pairs.reply.append(-1 if row in alone else row)
            pairs.request.append(request)
            pairs.ended.append(-1 if row in alone else tail[row])
            pairs.heard.append(heard[row])
            pairs.edited.append(next_user_sibling[request] if request >= 0 else -1)
            pairs.remade.append(-1 if row in alone else next_reply[row])
    pairs.steps = {row: index[end] for row, end in final.items()}
    _react(pairs, on, user, asked, answered, alone, settings)
    return pairs


def _runs(
    up: list[int], on: list[int], first_user: list[int], user: list[bool], spoke: list[bool], worded: list[bool]
) -> tuple[dict[int, int], list[int]]:
    """For each message of a run: its reply; and for each row, the first user message after it."""
    n = len(up)
    later_text, later_reply, heard, above = [False] * n, [False] * n, [-1] * n, [-1] * n
    for row, parent in enumerate(up):
        if parent >= 0 and not user[parent]:
            above[row] = parent if spoke[parent] and worded[parent] else above[parent]
    for row in range(n - 1, -1, -1):
        after = on[row]
        if first_user[row] >= 0 or after < 0:
            heard[row] = first_user[row]
        else:
            later_text[row] = later_text[after] or (spoke[after] and worded[after])
            later_reply[row] = later_reply[after] or spoke[after]
            heard[row] = heard[after]
    final: dict[int, int] = {}
    for row in range(n - 1, -1, -1):
        if not spoke[row]:
            continue
        if later_text[row] or (not worded[row] and above[row] < 0 and later_reply[row]):
            after = on[row]
            while not spoke[after]:
                after = on[after]
            final[row] = final[after]
        else:
            final[row] = row if worded[row] or above[row] < 0 else above[row]
    _add_between(final, up, on, user, spoke)
    return final, heard


def _add_between(final: dict[int, int], up: list[int], on: list[int], user: list[bool], spoke: list[bool]) -> None:
    """Add what stands between assistant messages of a run, or after them: it belongs to the same reply."""
    between = [row for row in range(len(up)) if not user[row] and not spoke[row]]
    for row in reversed(between):
        if on[row] in final:
            final[row] = final[on[row]]
    for row in between:
        if row not in final and up[row] in final:
            final[row] = final[up[row]]


def _tails(on: list[int], first_user: list[int], spoke: list[bool]) -> list[int]:
    """For each row, the last assistant message of the run that it stands in; -1 where there is none."""
    tail = [-1] * len(on)
    for row in range(len(on) - 1, -1, -1):
        if first_user[row] < 0 <= on[row]:
            tail[row] = tail[on[row]]
        if tail[row] < 0 and spoke[row]:
            tail[row] = row
    return tail


def _relate(
    up: list[int], user: list[bool], spoke: list[bool], active: list[bool], on: list[int], first_user: list[int],
    next_reply: list[int], next_user_sibling: list[int], session: list[int],
) -> None:  # fmt: skip
    """Fill, for each row: the child it goes on to, its first user child, and its next sibling of the same role."""
    last_user: dict[tuple[int, int], int] = {}
    last_reply: dict[tuple[int, int], int] = {}
    for row, parent in enumerate(up):
        nest = (session[row], parent)
        if user[row]:
            if nest in last_user:
                next_user_sibling[last_user[nest]] = row
            last_user[nest] = row
            if parent >= 0 and first_user[parent] < 0:
                first_user[parent] = row
        elif spoke[row]:
            if nest in last_reply:
                next_reply[last_reply[nest]] = row
            last_reply[nest] = row
        if parent >= 0 and (on[parent] < 0 or active[row] or not active[on[parent]]):
            on[parent] = row


def _look_up(
    up: list[int], user: list[bool], spoke: list[bool], failed: list[bool]
) -> tuple[list[int], list[bool], list[bool]]:
    """For each row: the nearest user message above it; whether a reply that did not fail, or none, stands between."""
    asked, answered, silent = [-1] * len(up), [False] * len(up), [True] * len(up)
    for row, parent in enumerate(up):
        if parent < 0:
            continue
        if user[parent]:
            asked[row] = parent
        else:
            asked[row] = asked[parent]
            answered[row] = answered[parent] or (spoke[parent] and not failed[parent])
            silent[row] = silent[parent] and not spoke[parent]
    return asked, answered, silent


def _react(
    pairs: Pairs, on: list[int], user: list[bool], asked: list[int], answered: list[bool], alone: set[int],
    settings: LinkSettings,
) -> None:  # fmt: skip
    for exchange, heard in enumerate(pairs.heard):
        row = heard if heard >= 0 else pairs.edited[exchange]
        rank = 0
        while row >= 0 and user[row] and rank < settings.turn_messages:
            pairs.reactions.append((exchange, row, rank))
            earlier, was_answered = asked[row], answered[row]
            back = 1
            while earlier >= 0 and back <= settings.look_back:
                if was_answered:
                    pairs.earlier.append((exchange, row, earlier, back))
                was_answered = was_answered or answered[earlier]
                earlier = asked[earlier]
                back += 1
            # What follows a request whose reply was not logged is a reaction to that reply.
            row, rank = -1 if row in alone else on[row], rank + 1
