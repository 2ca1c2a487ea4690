"""Finds the place of a sent history among the turns that are known: whole, or cut off at the front by a window."""

from collections.abc import Sequence

from pipelines.readers.assembly.logged import Logged, wordless
from pipelines.readers.assembly.nodes import Node
from pipelines.readers.items import Turn
from schemas.enums import Role

_CANDIDATES = 64  # turns with the same words that are compared, the newest ones
_TELLING = 12  # characters from which a reply alone says where a history goes on


class Known:
    """The turns of one conversation.

    Attributes:
        nodes: All of them, parents before their children.
        openings: Turns that nothing stands before, by key.
        by_id: Turns with an id of their own.
        notes: What the application wrote, by key.
        words: Keys of all turns that are not of the system.
        cut: Whether a history was seen whose front was cut off.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.openings: dict[str, Node] = {}
        self.by_id: dict[str, Node] = {}
        self.notes: dict[str, Node] = {}
        self.words: set[str] = set()
        self.cut = False
        self._spoken: dict[str, list[Node]] = {}

    def add(self, node: Node) -> None:
        """Take a turn in."""
        self.nodes.append(node)
        if node.turn.message_id is not None:
            self.by_id.setdefault(node.turn.message_id, node)
        self._worded(node)

    def child(self, above: Node | None, key: str, turn: Turn) -> Node | None:
        """The turn with this id or these words after another one; None if there is none yet."""
        if turn.message_id is not None and turn.message_id in self.by_id:
            return self.by_id[turn.message_id]
        found = (self.openings if above is None else above.children).get(key)
        if found is not None:
            other = found.turn.message_id
            return None if turn.message_id is not None and other not in (None, turn.message_id) else found
        if above is not None and above.uncaptured and turn.role is Role.ASSISTANT and not wordless(key):
            return self._adopted(above.uncaptured.pop(), key, turn)
        return None

    def find(self, c: Logged, before: Node | None) -> tuple[list[Node], list[Turn], int]:
        """Match the input of a call.

        Args:
            c: The call.
            before: The reply that it goes on from without sending it, if any.

        Returns:
            The nodes of the turns that are known, one for each turn from the first that has one; the turns in front of
            those that stand for a history; and the number of turns that are settled so.
        """
        path: list[Node] = []
        node = before
        for turn, key in zip(c.turns, c.keys, strict=True):
            found = self.child(node, key, turn)
            if found is None:
                break
            path.append(found)
            node = found
        if before is not None or not c.history or (len(path) >= c.history and not self.cut):
            return path, [], len(path)
        anchor = self._anchor(c, 0 if self.cut else len(path))
        if anchor is None:
            return path, [], len(path)
        return self._aligned(c, *anchor)

    def _anchor(self, c: Logged, known: int) -> tuple[int, Node] | None:
        """The last reply of a history that is known, and where it stands in it."""
        for at in range(c.history - 1, known - 1, -1):
            spoken = self._spoken.get(c.keys[at])
            if not spoken:
                continue
            runs = [(_run(node, c.keys, at), n) for n, node in enumerate(spoken[-_CANDIDATES:], 1)]
            run, n = max(runs)
            node = spoken[-_CANDIDATES:][n - 1]
            telling = not wordless(c.keys[at]) and (len(node.turn.text or "") >= _TELLING or node is self._newest())
            if run > 1 or telling:
                return at, node
        return None

    def _newest(self) -> Node | None:
        return next((n for n in reversed(self.nodes) if n.role is Role.ASSISTANT), None)

    def _aligned(self, c: Logged, at: int, anchor: Node) -> tuple[list[Node], list[Turn], int]:
        path = [anchor]
        for n in range(at - 1, -1, -1):
            above = path[-1].above(c.keys[n])
            if above is None or above.role is not c.turns[n].role:
                break
            if above.missing:
                self._adopted(above, c.keys[n], c.turns[n])
            elif above.key != c.keys[n] and (path[-1].role is above.role or (not n and _after(above))):
                break  # what stands here is not this turn in other words, but a summary of what came before the next
            path.append(above)
        front = c.turns[: at + 1 - len(path)]
        self.cut = self.cut or _after(path[-1])
        return path[::-1], front, at + 1

    def _adopted(self, node: Node, key: str, turn: Turn) -> Node:
        """Give a turn whose words were not captured those that a later history has for it."""
        node.turn, node.key, node.missing, node.salt, node.rooted = turn, key, False, None, False
        self._worded(node)
        return node

    def _worded(self, node: Node) -> None:
        self.words.add(node.key)
        (self.openings if node.parent is None else node.parent.children).setdefault(node.key, node)
        if node.role is Role.ASSISTANT:
            self._spoken.setdefault(node.key, []).append(node)


def _after(node: Node) -> bool:
    """Whether a history with this turn in front was cut off."""
    return node.parent is not None and not node.rooted


def _run(node: Node, keys: Sequence[str], at: int) -> int:
    """How many turns in a row are the same, up to and with this one."""
    run = 1
    while run <= at:
        above = node.above(keys[at - run])
        if above is None or above.key != keys[at - run]:
            break
        node, run = above, run + 1
    return run
