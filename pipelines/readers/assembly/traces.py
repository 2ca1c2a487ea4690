"""Which of the calls that one request of a user set off is the user's turn, and which are steps towards it."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

import msgspec

from pipelines.readers.assembly.logged import Keys, Logged, count, ready, wordless
from schemas.enums import Role

_HEAD = 40  # characters by which two system prompts are known to be one, filled in differently
_SHORTEST = 8
_REQUESTS = 4  # a trace with as many different requests may be a whole conversation, whatever its prompts
_PAUSE = timedelta(seconds=2)  # programs go on sooner than people


def turns_of(calls: Sequence[Logged], trace_id: str, keys: Keys) -> tuple[list[Logged], int]:
    """Choose the calls of one trace that are turns of the conversation.

    Args:
        calls: All calls of the trace that are of one conversation.
        trace_id: Their trace.
        keys: Keys of turns.

    Returns:
        The calls that are turns, and the number of turns in those that were set aside. The last of them answers for
        the trace: it has the ids of the trace and of what was set aside among its aliases.
    """
    calls = sorted(calls, key=Logged.order)
    tops = _tops(calls, trace_id)
    if any(top is not None for top in tops):
        wholes = [c for c, top in zip(calls, tops, strict=True) if top is c]
        inside = {id(w): [c for c, top in zip(calls, tops, strict=True) if top is w and c is not w] for w in wholes}
        strays = [c for c, top in zip(calls, tops, strict=True) if top is None]
        inside[id(wholes[-1])] += strays
        chosen = [_filled(w, _main(inside[id(w)]), keys) for w in wholes]
    elif len(calls) > 1 and all(c.call.input is None for c in calls):
        chosen = [_filled(calls[0], calls[1:], keys, ends=True)]
    else:
        chosen = _main([c for c in calls if c.call.input is not None]) or list(calls)
    last = max(chosen, key=_ending)
    named = {alias for c in chosen for alias in c.aliases}
    last.aliases += [a for a in (trace_id, *(a for c in calls for a in c.aliases)) if a not in named]
    last.aliases[:] = dict.fromkeys(last.aliases)
    return chosen, sum(count(c.call) for c in calls) - sum(count(c.call) for c in chosen)


def _ending(c: Logged) -> tuple[str, tuple[bool, str, int, str, str, str, str, int]]:
    until = c.until
    return "" if until is None else until.isoformat(timespec="microseconds"), c.order()


def _tops(calls: Sequence[Logged], trace_id: str) -> list[Logged | None]:
    """For each call, the outermost whole call around it (itself, where it is that)."""
    by_id = {c.call.call_id: c for c in reversed(calls)}
    root = by_id.get(trace_id)
    found: dict[str, Logged | None] = {}
    for call in calls:
        path: list[Logged] = []
        at: Logged | None = call
        climbed: set[str] = set()
        while at is not None and at.call.call_id not in found and at.call.call_id not in climbed:
            climbed.add(at.call.call_id)
            path.append(at)
            at = by_id.get(at.call.parent_id) if at.call.parent_id is not None else None
        top = found.get(at.call.call_id) if at is not None else None
        if top is None and at is None and root is not None and root.call.whole:
            top = root
        for step in reversed(path):
            top = top or (step if step.call.whole else None)
            found[step.call.call_id] = top
    return [found[c.call.call_id] if by_id[c.call.call_id] is c or not c.call.whole else c for c in calls]


def _filled(whole: Logged, steps: Sequence[Logged], keys: Keys, *, ends: bool = False) -> Logged:
    """Give a call what it lacks from the steps inside it.

    Args:
        whole: The call that stands for all.
        steps: Steps towards its output, in order.
        keys: Keys of turns.
        ends: Whether the last step's end is the end of the whole.
    """
    if not steps:
        return whole
    call, last = whole.call, max(steps, key=_ending).call
    first = steps[0].call
    captured = next((s.call.output for s in reversed(steps) if s.call.output), last.output)
    filled = msgspec.structs.replace(
        call,
        user_id=call.user_id or first.user_id,
        model=call.model or last.model,
        first_token_at=call.first_token_at or last.first_token_at,
        ended_at=(last.ended_at if ends else call.ended_at) or last.ended_at,
        input=first.input if call.input is None else call.input,
        output=captured if call.output is None else call.output,
        status=last.status if ends else call.status,
    )
    made = ready(filled, whole.place, keys)
    made.aliases = list(whole.aliases)
    return made


def _main(calls: Sequence[Logged]) -> list[Logged]:
    """The calls that answer the user, without the titles, routes and verdicts that other prompts were asked for.

    Calls belong together if one sends the reply of the other in its history, or if they have the same system prompt up
    to what is filled in. Of the groups that hold what the user wrote, and do not quote it in a text of their own, the
    one that ends last is what the user saw.
    """
    groups = _groups(calls)
    if len(groups) < 2:
        return list(calls)
    words = {id(g): [_request(c) for c in g if c.request >= 0] for g in groups}
    short = sorted({w for ws in words.values() for w in ws if w}, key=lambda w: (len(w), w))[:_SHORTEST]
    own = [g for g in groups if words[id(g)] and not all(_quotes(w, short) for w in words[id(g)])]
    asked = sorted((c for g in own for c in g), key=Logged.order)
    if len({w for g in own for w in words[id(g)]}) >= _REQUESTS and _at_leisure(asked):
        return asked
    return max(own or groups, key=lambda g: max(_ending(c) for c in g))


def _at_leisure(calls: Sequence[Logged]) -> bool:
    """Whether calls follow one another at the pace of a person, as far as their times say."""
    times = [(a.until, b.when) for a, b in pairwise(calls)]
    pauses = [begun - ended for ended, begun in times if ended is not None and begun is not None]
    return sum(p >= _PAUSE for p in pauses) * 2 >= len(pauses)


def _request(c: Logged) -> str:
    return (c.turns[c.request].text or "").strip()


def _quotes(text: str, others: Sequence[str]) -> bool:
    return any(other != text and other in text for other in others)


def _groups(calls: Sequence[Logged]) -> list[list[Logged]]:
    parent = list(range(len(calls)))

    def top(n: int) -> int:
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n

    said: dict[str, int] = {}
    prompts: dict[str, int] = {}
    for n, c in enumerate(calls):
        for key in c.said_keys:
            said.setdefault(key, n)
    for n, c in enumerate(calls):
        for mark in _marks(c):
            parent[top(n)] = top(prompts.setdefault(mark, n))
        for turn, key in zip(c.turns, c.keys, strict=True):
            if turn.role is Role.ASSISTANT and key in said and turn.text:
                parent[top(n)] = top(said[key])
    groups: dict[int, list[Logged]] = {}
    for n, c in enumerate(calls):
        groups.setdefault(top(n), []).append(c)
    return list(groups.values())


def _marks(c: Logged) -> list[str]:
    """What calls of one prompt have in common."""
    prompt = "".join(t.text or "" for t, before in c.system if not before).strip()
    marks = ["h" + prompt[:_HEAD], "t" + prompt[-_HEAD:]]
    if c.request >= 0 and (not c.fresh or all(wordless(key) for key in c.said_keys)):
        marks.append("r" + c.keys[c.request])  # steps of one agent, told by what it works on
    return marks
