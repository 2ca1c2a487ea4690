"""Trees of messages as exports hold them: what can be reached, which path is active, and one order for all of it.

A tree is given as the parent of each key, in file order. Everything runs in one pass, without recursion, so that a
chain of a hundred thousand messages or a loop of parents does no harm.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime

Parents = Mapping[str, str | None]
_NEVER = datetime(1, 1, 1, tzinfo=UTC)


def reachable(parents: Parents) -> dict[str, str | None]:
    """The part of a tree that hangs on a root, parents before their children.

    Args:
        parents: The parent that each key names; None for a root. It may name one that is not there, or itself.

    Returns:
        Each key that can be reached from a root, with its parent. What is missing stands in a loop, or below a parent
        that does not exist.
    """
    children = _children(parents)
    found: dict[str, str | None] = {}
    ready = [key for key, parent in parents.items() if parent is None]
    for key in ready:  # grows while it is walked
        found[key] = parents[key]
        ready += children.get(key, ())
    return found


def upwards(parents: Parents, key: str | None) -> Iterator[str]:
    """A key, its parent, and so on up to the root, in a tree without loops."""
    while key is not None:
        yield key
        key = parents[key]


def newest_leaf(parents: Parents, times: Mapping[str, datetime | None]) -> str | None:
    """The leaf that was written last: by time, where it has one, then by place in the file.

    Args:
        parents: A tree without loops.
        times: When each message was written. Its order, not that of `parents`, is the order of the file; keys that
            are not in it are no messages, and cannot be the leaf.

    Returns:
        The leaf; None where there is no message.
    """
    inner: set[str] = set()
    for key in times:
        above = parents[key]
        while above is not None and above not in inner:
            inner.add(above)
            above = parents[above]
    leaves = [(times[key] or _NEVER, place, key) for place, key in enumerate(times) if key not in inner]
    return max(leaves)[2] if leaves else None


def numbered(parents: Parents, active: Collection[str]) -> dict[str, int]:
    """Number a tree so that parents come before their children, and the active path comes last.

    It stands in for the clock where that is missing: the greatest number is the end of the active path.

    Args:
        parents: A tree without loops.
        active: The keys of its active path.

    Returns:
        The number of each key, from 0.
    """
    children = _children(parents)
    numbers: dict[str, int] = {}
    stack = _active_first((key for key, parent in parents.items() if parent is None), active)
    while stack:
        key = stack.pop()
        numbers[key] = len(numbers)
        stack += _active_first(children.get(key, ()), active)
    return numbers


def _active_first(keys: Collection[str] | Iterator[str], active: Collection[str]) -> list[str]:
    """Siblings for a stack: the active one at the bottom, the others so that they are taken in their order."""
    found = list(keys)
    return [k for k in found if k in active] + [k for k in reversed(found) if k not in active]


def _children(parents: Parents) -> dict[str | None, list[str]]:
    children: dict[str | None, list[str]] = {}
    for key, parent in parents.items():
        children.setdefault(parent, []).append(key)
    return children
