"""Assembles conversations from logged model calls, which know each other by ids, traces and the histories they send."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pipelines.readers.assembly.histories import History
from pipelines.readers.assembly.logged import Keys, Logged, count, once, ready
from pipelines.readers.assembly.nodes import Node, messages, name
from pipelines.readers.assembly.sequence import in_order
from pipelines.readers.assembly.traces import turns_of
from pipelines.readers.items import Call, Remark
from pipelines.readers.raw import Place
from schemas.ids import content_id
from schemas.records import Event, Message

_Group = tuple[str, str | None, str | None]


@dataclass(slots=True)
class Assembly:
    """Conversations put together from calls.

    Attributes:
        messages: The turns, each with the place of the call that it was first read from.
        events: Feedback, with its place.
        turns: Turns of input and output that went in; one that was not captured counts too. They are the messages,
            the duplicates and those set aside.
        duplicates: Turns sent again with a later call, or exported again.
        set_aside: Turns of calls that only led to a reply, or that nobody saw.
    """

    messages: list[tuple[Message, Place]] = field(default_factory=list)
    events: list[tuple[Event, Place]] = field(default_factory=list)
    turns: int = 0
    duplicates: int = 0
    set_aside: int = 0


def assemble(calls: Sequence[tuple[Call, Place]], remarks: Sequence[tuple[Remark, Place]]) -> Assembly:
    """Put conversations together.

    Args:
        calls: All calls of one landing day of some set of conversations, never a part of one, in any order.
        remarks: Feedback about them, or about calls of other days.

    Returns:
        The messages and events, in an order that depends on what they say only.
    """
    made = Assembly(turns=sum(count(c) for c, _ in calls))
    keys = Keys()
    groups: dict[_Group, list[Logged]] = {}
    for group, logged in _grouped(sorted((ready(c, p, keys) for c, p in calls), key=Logged.order)):
        groups.setdefault(group, []).append(logged)
    replies: dict[tuple[str, str], list[Message]] = {}
    for group in sorted(groups, key=lambda g: tuple((p is None, p or "") for p in g)):
        _conversation(group, groups[group], keys, made, replies)
    for remark, place in remarks:
        made.events.append((_event(remark, replies), place))
    made.events.sort(key=lambda e: (str(e[0]), e[1].file, e[1].line))
    return made


def _conversation(
    group: _Group, calls: list[Logged], keys: Keys, made: Assembly, replies: dict[tuple[str, str], list[Message]]
) -> None:
    source, conversation_id, user_id = group
    traces: dict[str, list[Logged]] = {}
    turns: list[Logged] = []
    for c in calls:
        if c.call.trace_id is None:
            turns.append(c)
        else:
            traces.setdefault(c.call.trace_id, []).append(c)
    for trace_id, inside in traces.items():
        chosen, aside = turns_of(inside, trace_id, keys)
        turns += chosen
        made.set_aside += aside
    distinct, duplicates = once(turns)
    history = History(in_order(distinct), keys, stream=conversation_id is None)
    made.duplicates += duplicates + history.duplicates
    nodes = history.known.nodes
    name(nodes, content_id(conversation_id, user_id))
    by_node: dict[Node, Message] = {}
    timed = any(c.when is not None for c in distinct)
    for node, message in zip(nodes, messages(nodes, source, conversation_id, timed=timed), strict=True):
        by_node[node] = message
        made.messages.append((message, node.place))
    for alias, node in history.replies.items():
        replies.setdefault((source, alias), []).append(by_node[node])


def _grouped(calls: Sequence[Logged]) -> Iterable[tuple[_Group, Logged]]:
    """Say of each call which conversation it is of."""
    traces: dict[tuple[str, str], list[Logged]] = {}
    alone: dict[str, dict[str, Logged]] = {}
    for c in calls:
        if c.call.trace_id is not None:
            traces.setdefault((c.call.source, c.call.trace_id), []).append(c)
        else:
            for alias in c.aliases:
                alone.setdefault(c.call.source, {}).setdefault(alias, c)
    for (source, trace_id), inside in traces.items():
        around = {c.call.call_id: c for c in reversed(inside)}
        known: dict[int, Logged] = {}
        first = next((c.call.conversation_id for c in inside if c.call.conversation_id is not None), trace_id)
        for c in inside:
            yield (source, _nearest(c, around, known).call.conversation_id or first, None), c
    known = {}
    for c in calls:
        if c.call.trace_id is None:
            yield _untraced(_nearest(c, alone[c.call.source], known)), c


def _nearest(c: Logged, around: dict[str, Logged], known: dict[int, Logged]) -> Logged:
    """The nearest call, from this one outwards or back, that names a conversation; else the outermost or first one.

    Args:
        c: Where to begin.
        around: Calls by id.
        known: Answers so far; each call is passed once.
    """
    path: list[Logged] = []
    at = c
    while id(at) not in known:
        known[id(at)] = at  # ends a loop of parents
        path.append(at)
        parent = at.call.parent_id
        up = None if parent is None or at.call.conversation_id is not None else around.get(parent)
        if up is None:
            break
        at = up
    for step in path:
        known[id(step)] = known[id(at)]
    return known[id(at)]


def _untraced(at: Logged) -> _Group:
    """Without a trace, the parent is the call whose reply a call goes on from, and the first one says where it is."""
    call = at.call
    if call.conversation_id is not None:
        return call.source, call.conversation_id, None
    if call.user_id is not None:
        return call.source, None, call.user_id
    return call.source, call.parent_id or call.call_id, None


def _event(remark: Remark, replies: dict[tuple[str, str], list[Message]]) -> Event:
    """Feedback, with the message that it is about where that is known; else with the id that it names."""
    about = None
    for named in (remark.call_id, remark.trace_id):
        found = replies.get((remark.source, named), []) if named is not None else []
        fitting = [m for m in found if remark.conversation_id in (None, m.conversation_id)] or found
        if len(fitting) == 1:
            about = fitting[0]
            break
    return Event(
        source=remark.source,
        conversation_id=remark.conversation_id if about is None else about.conversation_id,
        message_id=(remark.call_id or remark.trace_id) if about is None else about.message_id,
        event=remark.event,
        at=remark.at,
        user_id=remark.user_id,
        text=remark.text,
    )
