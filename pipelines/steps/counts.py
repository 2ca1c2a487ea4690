"""The book-keeping that promises that nothing is lost: records in are records out, duplicates and refusals."""

from collections.abc import Mapping

from schemas.errors import CountMismatch

_OUT = ("messages", "events", "duplicates", "superseded", "set_aside", "forgotten", "quarantined")


def require_balance(where: str, counts: Mapping[str, int]) -> None:
    """Check that every record that went in came out somewhere.

    Args:
        where: The step or unit, for the error.
        counts: `records` in, and `messages`, `events`, `duplicates`, `superseded`, `set_aside`,
            `forgotten`, `quarantined` out.

    Raises:
        CountMismatch: The sums differ.
    """
    out = sum(counts.get(name, 0) for name in _OUT)
    require_equal(where, "records in", counts["records"], "accounted for", out)


def require_equal(where: str, left: str, n_left: int, right: str, n_right: int) -> None:
    """Check that two counts of the same thing agree.

    Raises:
        CountMismatch: They differ.
    """
    if n_left != n_right:
        raise CountMismatch(
            f"In {where}, {n_left} {left} but {n_right} {right}.",
            state="Nothing of this run was published; the tables are as they were.",
            then="This is a fault in Tacit, not in the data: please report it with the output of `tacit doctor`.",
        )


def add_counts(parts: list[dict[str, int]]) -> dict[str, int]:
    """Sum counts by name, names in the order in which they first appear."""
    total: dict[str, int] = {}
    for part in parts:
        for name, n in part.items():
            total[name] = total.get(name, 0) + n
    return total
