"""One conversation out of calls that each send its history again: each turn once, and what was said twice twice."""

from collections.abc import Sequence

import msgspec

from pipelines.readers.assembly.logged import Keys, Logged, wordless
from pipelines.readers.assembly.nodes import Node
from pipelines.readers.assembly.places import Known
from pipelines.readers.items import Turn
from schemas.enums import Role, Status
from schemas.flags import Flag


class History:
    """Collects the turns of one conversation.

    Args:
        calls: Its distinct calls, in order.
        keys: Keys of turns.
        stream: Whether the source names no conversation, so that a call without a history begins a new one.

    Attributes:
        known: The turns.
        replies: By the id of a call: its reply.
        duplicates: Turns that were sent again.
    """

    def __init__(self, calls: Sequence[Logged], keys: Keys, *, stream: bool) -> None:
        self.known = Known()
        self.replies: dict[str, Node] = {}
        self.duplicates = 0
        self._keys = keys
        self._stream = stream
        # What stands for a trace as a whole is often the request alone, where the calls inside send the history.
        # Calls that nothing but their first words puts together are no proof that one user asked twice.
        known = [c for c in calls if not any(Flag.ID_FROM_CONTENT.value in t.flags for t in c.turns)]
        self._loose = {whole: _sends_no_history([c for c in known if c.call.whole is whole]) for whole in (True, False)}
        self._last: Node | None = None
        self._opened: dict[tuple[str, str], Node] = {}
        for call in calls:
            self._add(call)

    def _add(self, c: Logged) -> None:
        first = len(self.known.nodes)
        before = self._asked_after(c)
        path, front = self._input(c, before)
        self._notes(c, path, front, first)
        self._last = self._output(c, path[-1] if path else before)

    def _asked_after(self, c: Logged) -> Node | None:
        """The reply that a call goes on from without sending it: the source keeps the history itself."""
        if c.call.trace_id is not None or c.call.parent_id is None:
            return None
        return self.replies.get(c.call.parent_id)

    def _input(self, c: Logged, before: Node | None) -> tuple[list[Node], list[Turn]]:
        """Find or make the node of each turn of the input; also what the application put in place of a history."""
        call, front = c.call, list[Turn]()
        if call.input is None:
            node = self._new(Turn(role=Role.USER, text=None), f"?{c.stamp}", c, before or self._last)
            node.salt, node.rooted, node.missing, node.logged = c.stamp, True, True, True
            node.sent_at = call.started_at
            return [node], front
        opens = self._opens(c) and before is None
        path: list[Node] = []
        start = 0
        if not opens:
            path, front, start = self.known.find(c, before)
            self.duplicates += start - len(front)
        else:
            front = c.turns[: c.request] if self._loose[c.call.whole][1] else []
            path = self._opening(c, len(front))
            start = c.request + 1
        above = path[-1] if path else before
        for turn, key in zip(c.turns[start:], c.keys[start:], strict=True):
            above = self._step(turn, key, c, above)
            path.append(above)
        self._send(c, path)
        return path, front

    def _opening(self, c: Logged, start: int) -> list[Node]:
        """Take a request that is a new turn. What is sent before it, without replies, are the requests before it."""
        path: list[Node] = []
        above = self._last
        for at in range(start, c.request + 1):
            turn, key = c.turns[at], c.keys[at]
            known = self.known.by_id.get(turn.message_id or "")
            if known is None:
                known = self._opened.get((c.stamp, key)) if at == c.request else self.known.openings.get(key)
            if known is not None:
                self.duplicates += 1
                path.append(known)
                continue
            above = self._new(turn, key, c, above)
            above.salt, above.rooted, above.flags = c.stamp, True, (Flag.ORDER_INFERRED.value,)
            self._opened[c.stamp, key] = self.known.openings[key] = above
            path.append(above)
        return path

    def _send(self, c: Logged, path: list[Node]) -> None:
        """Note when the request went in, and with it what tools had returned."""
        offset = len(c.turns) - len(path)
        for at in range(max(min(c.history, c.request), 0), len(c.turns)):
            if at - offset < 0 or (at != c.request and (c.turns[at].role is not Role.TOOL or at < c.history)):
                continue
            node = path[at - offset]
            node.logged = True
            node.sent_at = node.sent_at or c.call.started_at
            node.user_id = node.user_id or c.call.user_id

    def _opens(self, c: Logged) -> bool:
        """Whether the request of a call is a new turn, whatever was said before."""
        if c.request < 0 or not c.fresh:
            return False
        loose = self._loose[c.call.whole][0]
        if loose or c.history:
            return loose
        # Where histories are cut off, one that holds the request only is more likely cut than begun anew.
        return self._stream or (self.known.cut and c.keys[0] not in self.known.openings)

    def _step(self, turn: Turn, key: str, c: Logged, above: Node | None) -> Node:
        known = self.known.child(above, key, turn)
        if known is not None:
            self.duplicates += 1
            return known
        return self._new(turn, key, c, above)

    def _new(self, turn: Turn, key: str, c: Logged, above: Node | None) -> Node:
        node = Node(turn, key, c.place, above, c.call.user_id)
        self.known.add(node)
        return node

    def _output(self, c: Logged, node: Node | None) -> Node | None:
        call, said = c.call, list(zip(c.said, c.said_keys, strict=True))
        echoed = _echoed(c)
        self.duplicates += echoed
        said = said[echoed:]
        made: list[Node] = []
        first = node
        for turn, key in said:
            if turn.role is Role.SYSTEM:
                note = self._note(turn, c, None)
                self.known.nodes += [] if note is None else [note]
                continue
            aside = Flag.OFF_BRANCH.value in turn.flags and bool(made)
            one = self._said(turn, key, c, first if aside else node)
            made.append(one)
            node = node if aside else one
        if not c.said:
            text = None if call.output is None else ""
            turn = Turn(role=Role.ASSISTANT, text=text)
            node = self._said(turn, self._keys.of(turn) if text is not None else f"?{c.stamp}", c, node)
            made = [node]
            if text is None:
                node.missing = True
                if node.parent is not None and call.status is not Status.ERROR:
                    node.parent.uncaptured.append(node)
            elif node.status is Status.OK and call.status is Status.OK:
                node.status = Status.PARTIAL
        self._finish(c, made)
        return node

    def _said(self, turn: Turn, key: str, c: Logged, above: Node | None) -> Node:
        known = self.known.child(above, key, turn)
        same = known is not None and turn.message_id is not None and known.turn.message_id == turn.message_id
        if known is not None and (same or not known.made):  # it stood in the history of a call that states no time
            self.duplicates += 1
            known.logged = known.made = True
            return known
        node = self._new(turn, key, c, above)
        node.salt = None if known is None else c.stamp
        node.logged = node.made = True
        return node

    def _finish(self, c: Logged, made: list[Node]) -> None:
        """Say of the reply how and when it was made. Steps on the way to it have the model, and no time."""
        call = c.call
        main = [n for n in made if Flag.OFF_BRANCH.value not in n.turn.flags or n is made[0]]
        spoke = [n for n in main if n.role is Role.ASSISTANT] or main
        if not spoke:
            return
        reply = next((n for n in reversed(spoke) if n.turn.text), spoke[-1])
        for node in made:
            node.user_id = node.user_id or call.user_id
            node.model = (node.model or call.model) if node.role is Role.ASSISTANT else None
            if node not in main or node is reply:
                node.ended_at = node.ended_at or call.ended_at
                node.status = call.status if node.status is Status.OK else node.status
            if node not in main or node is spoke[0]:
                node.first_at = node.first_at or call.first_token_at
        reply.aliases.update(dict.fromkeys(c.aliases))
        for alias in c.aliases:
            self.replies.setdefault(alias, reply)

    def _notes(self, c: Logged, path: list[Node], front: list[Turn], first: int) -> None:
        """Keep what the application wrote: system prompts, and what it put in place of a history that it cut off."""
        offset = len(c.turns) - len(path)
        early = any(not n.logged for n in path)
        notes: list[tuple[Turn, Node | None]] = []
        for turn, key in zip(front, c.keys, strict=False):
            if wordless(key) or key in self.known.words:
                self.duplicates += 1
            else:
                notes.append((turn, None))
        notes += [(t, path[n - offset - 1] if n > offset else None) for t, n in c.system]
        kept = []
        for turn, above in notes:
            node = self._note(turn, c, above)
            if node is not None:
                node.logged = not early
                kept.append(node)
        self.known.nodes[first:first] = [n for n in kept if n.parent is None]
        self.known.nodes += [n for n in kept if n.parent is not None]

    def _note(self, turn: Turn, c: Logged, above: Node | None) -> Node | None:
        turn = msgspec.structs.replace(turn, role=Role.SYSTEM)
        key = self._keys.of(turn)
        if key in self.known.notes:
            self.duplicates += 1
            return None
        node = self.known.notes[key] = Node(turn, key, c.place, above, c.call.user_id, rooted=True, logged=True)
        node.sent_at = c.call.started_at
        return node


def _echoed(c: Logged) -> int:
    """How many turns at the start of an output are the input once more, as in the state of a graph."""
    sent = len(c.keys)
    if sent and len(c.said) > sent and c.said_keys[:sent] == c.keys:
        return sent
    return int(c.request >= 0 and bool(c.said) and c.said_keys[0] == c.keys[c.request])


def _sends_no_history(calls: Sequence[Logged]) -> tuple[bool, bool]:
    """Whether no call sends what was said before, and whether what stands before each request is the same in all."""
    alone = [c for c in calls if c.call.trace_id is not None or c.call.parent_id is None]
    fresh = [c for c in alone if c.request >= 0 and c.fresh]
    fronts = {tuple(c.keys[: c.request]) for c in fresh}
    requests = {(c.stamp, c.keys[c.request]) for c in fresh}
    if len(requests) < 2:
        return False, False
    several = len({key for _, key in requests}) > 2
    alike = len(fronts) == 1 and fronts != {()} and several
    spoken = any(c.history for c in fresh)
    return not spoken or alike, alike
