"""The tree of one session of a conversation: order, effective parents, and the branch that the user ended on.

Everything here runs over row numbers in one pass each, without recursion, so that neither a conversation of a hundred
thousand messages nor a loop of parents stalls it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush


@dataclass(frozen=True, slots=True)
class Links:
    """What is known of the rows of one session, in order of time.

    Attributes:
        named: The row that each names as its parent; None where it names none, or one that is not there.
        twins: The first row that names the same absent parent as this one (itself, where it is the first); else None.
        roots: Whether it may start a branch of its own (it names no parent, and is a request).
        replaces: Whether it is a reply made anew in place of the row before it.
        off: Whether the source states that it is not on the active branch.
    """

    named: Sequence[int | None]
    twins: Sequence[int | None]
    roots: Sequence[bool]
    replaces: Sequence[bool]
    off: Sequence[bool]


@dataclass(frozen=True, slots=True)
class Tree:
    """A session in order.

    Attributes:
        order: Rows, parents before their children, else as they were given.
        parent: For each row, the row before it on its branch, or -1.
        active: For each row, whether it lies on the active branch.
    """

    order: list[int]
    parent: list[int]
    active: list[bool]


def grow(links: Links) -> Tree:
    """Arrange the rows of one session.

    Args:
        links: What is known of its rows.

    Returns:
        The tree. Rows that name no parent follow the row before them, unless the session is linked throughout: then
        a request without a parent is the first request, edited, and rows that name one absent parent are siblings.
        The active branch leads to the newest leaf; at a fork, what the source states to be off it loses.
    """
    n = len(links.named)
    linked = 2 * sum(p is not None for p in links.named) >= max(n - sum(links.roots), 1)
    parent = [-1] * n
    for row in range(n):
        given, twin = links.named[row], links.twins[row]
        if given is not None and given != row:
            parent[row] = given
        elif row and links.replaces[row]:
            parent[row] = parent[row - 1]
        elif linked and twin is not None and twin < row:
            parent[row] = parent[twin]
        elif row and not (linked and links.roots[row]):
            parent[row] = row - 1
    _cut_loops(parent)
    order = _sorted_by_parent(parent)
    return Tree(order, parent, _active(order, parent, links.off))


def _active(order: list[int], parent: list[int], off: Sequence[bool]) -> list[bool]:
    """The path to the newest leaf of what is left when all is taken away that is stated off it, or goes on from that.

    Where the source states nothing, that is the newest leaf of all.
    """
    left_out, goes_on = list(off), [False] * len(parent)
    for row in order:
        above = parent[row]
        if above >= 0:
            left_out[row] = left_out[row] or left_out[above]
            goes_on[above] = goes_on[above] or not left_out[row]
    active = [False] * len(parent)
    row = max((i for i in range(len(parent)) if not goes_on[i] and not left_out[i]), default=-1)
    while row >= 0:
        active[row] = True
        row = parent[row]
    return active


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
