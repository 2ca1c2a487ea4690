"""Puts the calls of a conversation in order: by time, and where they state none, by what they send of one another."""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from pipelines.readers.assembly.logged import Logged, wordless
from schemas.enums import Role


def in_order(calls: Sequence[Logged]) -> list[Logged]:
    """Order calls so that one comes after those whose replies it sends or goes on from.

    Args:
        calls: The distinct calls of a conversation.

    Returns:
        Those with a time by time, then those without: each after the call that made the last reply in its history,
        else the shorter history first.
    """
    calls = sorted(calls, key=Logged.order)
    timed = [c for c in calls if c.when is not None]
    rest = calls[len(timed) :]
    made: dict[str, list[int]] = {}
    named: dict[str, int] = {}
    for n, c in enumerate(rest):
        for key in dict.fromkeys(c.said_keys):
            made.setdefault(key, []).append(n)
        for alias in c.aliases:
            named.setdefault(alias, n)
    waits, after = [0] * len(rest), [[] for _ in rest]  # type: tuple[list[int], list[list[int]]]
    for n, c in enumerate(rest):
        for m in {_reply_before(c, made), named.get(c.call.parent_id or "", n) if c.call.trace_id is None else n}:
            if m is not None and m != n:
                waits[n] += 1
                after[m].append(n)
    ready = [n for n in range(len(rest)) if not waits[n]]
    heapify(ready)
    order: list[int] = []
    taken = [False] * len(rest)
    for least in range(len(rest)):
        if not taken[least]:
            if not ready:
                ready = [least]  # they wait for one another: begin with the first
            _take(ready, taken, waits, after, order, least)
    return timed + [rest[n] for n in order]


def _take(
    ready: list[int], taken: list[bool], waits: list[int], after: list[list[int]], order: list[int], until: int
) -> None:
    while ready and not taken[until]:
        n = heappop(ready)
        if taken[n]:
            continue
        taken[n] = True
        order.append(n)
        for m in after[n]:
            waits[m] -= 1
            if not waits[m] and not taken[m]:
                heappush(ready, m)


def _reply_before(c: Logged, made: dict[str, list[int]]) -> int | None:
    """The one call that made the last reply in the history of another."""
    for at in range(c.history - 1, -1, -1):
        if c.turns[at].role is Role.ASSISTANT and not wordless(c.keys[at]):
            found = made.get(c.keys[at], [])
            return found[0] if len(found) == 1 else None
    return None
