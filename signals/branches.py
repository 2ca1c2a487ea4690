"""The tree of one conversation: order, effective parents, and the branch that the user ended on.

Everything here runs over row numbers in one pass each, without recursion, so that neither a conversation of a hundred
thousand messages nor a loop of parents stalls it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush


@dataclass(frozen=True, slots=True)
class Tree:
    """A conversation in order.

    Attributes:
        order: Rows, parents before their children, else as they were given.
        parent: For each row, the row before it on its branch, or -1.
        active: For each row, whether it lies on the path to the newest leaf.
    """

    order: list[int]
    parent: list[int]
    active: list[bool]


def grow(named: Sequence[int | None], roots: Sequence[bool], replaces: Sequence[bool]) -> Tree:
    """Arrange the rows of one conversation.

    Args:
        named: For each row, in order of time: the row that it names as its parent; None where it names none, or one
            that is not there.
        roots: For each row, whether it may start a branch of its own (it names no parent, and is a request).
        replaces: For each row, whether it is a reply made anew in place of the row before it.

    Returns:
        The tree. Rows that name no parent follow the row before them, unless the conversation is linked throughout:
        then a request without a parent is the first request, edited.
    """
    n = len(named)
    linked = 2 * sum(p is not None for p in named) >= max(n - sum(roots), 1)
    parent = [-1] * n
    for row in range(n):
        given = named[row]
        if given is not None and given != row:
            parent[row] = given
        elif row and replaces[row]:
            parent[row] = parent[row - 1]
        elif row and not (linked and roots[row]):
            parent[row] = row - 1
    _cut_loops(parent)
    order = _sorted_by_parent(parent)
    has_child = [False] * n
    for p in parent:
        if p >= 0:
            has_child[p] = True
    active = [False] * n
    row = max((i for i in range(n) if not has_child[i]), default=-1)
    while row >= 0:
        active[row] = True
        row = parent[row]
    return Tree(order, parent, active)


def _cut_loops(parent: list[int]) -> None:
    """Make the first row of each loop a root, in place."""
    seen = [0] * len(parent)
    for start in range(len(parent)):
        row = start
        while row >= 0 and not seen[row]:
            seen[row] = start + 1
            row = parent[row]
        if row >= 0 and seen[row] == start + 1:
            loop = [row]
            while parent[loop[-1]] != row:
                loop.append(parent[loop[-1]])
            parent[min(loop)] = -1


def _sorted_by_parent(parent: list[int]) -> list[int]:
    if all(p < row for row, p in enumerate(parent)):
        return list(range(len(parent)))
    children: list[list[int]] = [[] for _ in parent]
    ready: list[int] = []
    for row, p in enumerate(parent):
        if p < 0:
            heappush(ready, row)
        else:
            children[p].append(row)
    order = []
    while ready:
        row = heappop(ready)
        order.append(row)
        for child in children[row]:
            heappush(ready, child)
    return order
