"""Trees of messages: what hangs on a root, the newest leaf, and a number for each message."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pipelines.readers.trees import newest_leaf, numbered, reachable, upwards

T0 = datetime(2026, 11, 2, tzinfo=UTC)


def test_what_hangs_on_a_root_is_reached_whatever_the_order_in_the_file() -> None:
    assert reachable({"c": "b", "b": "a", "a": None}) == {"a": None, "b": "a", "c": "b"}


def test_a_loop_and_what_hangs_on_nothing_are_not_reached() -> None:
    tree = {"root": None, "q": "root", "a": "b", "b": "a", "self": "self", "lost": "nowhere", "child": "lost"}
    assert list(reachable(tree)) == ["root", "q"]


def test_a_chain_of_a_hundred_thousand_is_walked_without_recursion() -> None:
    tree: dict[str, str | None] = {str(n): str(n - 1) if n else None for n in range(100_000)}
    assert len(reachable(tree)) == 100_000
    assert len(list(upwards(tree, "99999"))) == 100_000
    assert numbered(tree, ())["99999"] == 99_999


def test_the_newest_leaf_is_the_latest_and_a_leaf_without_time_comes_last() -> None:
    tree = {"q": None, "old": "q", "new": "q", "timeless": "q"}
    times = {"q": T0, "new": T0 + timedelta(seconds=9), "old": T0 + timedelta(seconds=3), "timeless": None}
    assert newest_leaf(tree, times) == "new"
    assert newest_leaf(tree, dict.fromkeys(times)) == "timeless"


def test_of_leaves_of_one_time_the_later_in_the_file_is_newer() -> None:
    assert newest_leaf({"q": None, "a": "q", "b": "q"}, {"q": T0, "b": T0, "a": T0}) == "a"
    assert newest_leaf({}, {}) is None


def test_the_end_of_the_active_path_has_the_greatest_number() -> None:
    tree = {"q": None, "a1": "q", "q2": "a1", "a2": "q", "a3": "q"}
    assert numbered(tree, {"q", "a1", "q2"}) == {"q": 0, "a2": 1, "a3": 2, "a1": 3, "q2": 4}


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("abcdefghi") | st.none()))
def test_any_parents_end_in_a_forest_in_which_parents_come_first(parents: dict[str, str | None]) -> None:
    found = reachable(parents)
    seen: set[str] = set()
    for key, parent in found.items():
        assert parent is None or parent in seen
        seen.add(key)
    assert set(numbered(found, ())) == set(found)
    for key in parents.keys() - found.keys():  # nothing is left out that ends in a root
        walked: list[str] = []
        step: str | None = key
        while step is not None and step in parents and step not in walked:
            walked.append(step)
            step = parents[step]
        assert step is not None
