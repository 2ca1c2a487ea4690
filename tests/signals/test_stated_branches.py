"""Where the source says which branch is active, that is followed; where it does not, the newest leaf is."""

from datetime import date

import polars as pl
from talks import event, found, linked, message

OFF = {"flags": ["off_branch"]}


def tree(**of):
    rows = [
        message("q1", "user", "name a cat", 0),
        message("n7", "assistant", "Tom", 1, 2, parent_id="q1"),
        message("n9", "assistant", "Mia", 8, 9, parent_id="q1"),
        message("q2", "user", "and a dog", 20, parent_id="n9"),
        message("n10", "assistant", "Rex", 21, 22, parent_id="q2"),
    ]
    return [row | of.get(row["message_id"], {}) for row in rows]


def active(rows, events=()):
    frame = linked(rows, events).messages
    return set(frame.filter("on_active_branch")["message_id"])


def test_the_stated_branch_is_followed_where_it_is_also_the_newest():
    assert active(tree(n7=OFF)) == {"q1", "n9", "q2", "n10"}


def test_a_user_who_went_back_to_the_older_branch_is_followed():
    rows = [*tree(n9=OFF, q2=OFF, n10=OFF), message("q3", "user", "and a cow", 15, parent_id="n7")]
    assert active(rows) == {"q1", "n7", "q3"}
    window = linked(rows)
    heard = dict(window.exchanges.select("reply_id", "next_user_id").iter_rows())
    assert heard == {"n7": "q3", "n9": "q2", "n10": None}


def test_one_flag_at_the_fork_is_enough():
    assert active([*tree(n9=OFF), message("q3", "user", "and a cow", 15, parent_id="n7")]) == {"q1", "n7", "q3"}


def test_a_stated_leaf_without_children_is_where_the_branch_ends():
    assert active(tree(n9=OFF, q2=OFF, n10=OFF)) == {"q1", "n7"}


def test_where_all_is_said_to_be_off_nothing_is_active_and_nothing_is_lost():
    rows = [row | OFF for row in tree()]
    assert active(rows) == set()
    assert linked(rows).exchanges.height == 3


def test_a_path_that_was_inferred_by_the_reader_is_inferred_here_too():
    rows = [row | {"flags": ["path_inferred"]} for row in tree()]
    assert active(rows) == {"q1", "n9", "q2", "n10"}


def test_a_vote_on_the_branch_that_was_left_counts_there_and_once():
    exchanges = found(tree(n7=OFF), [event("thumbs_down", 4, "n7")]).exchanges
    assert exchanges.select("reply_id", "dislike", "on_active_branch").rows() == [
        ("n7", True, False), ("n9", False, True), ("n10", False, True),
    ]  # fmt: skip


def test_siblings_of_a_request_before_the_window_are_still_siblings():
    assert linked(tree()[1:]).exchanges.select("reply_id", "follow_up").rows()[0] == ("n7", "regenerate")
    assert active(tree(n9=OFF, q2=OFF, n10=OFF)[1:]) == {"n7"}


def test_a_message_known_from_a_later_history_loses_against_the_logged_one_whenever_that_came():
    logged = message("a", "assistant", "as logged", 1, 4, arrival_dt=date(2026, 11, 2))
    told = message("a", "assistant", "as told", 1, 9, arrival_dt=date(2026, 11, 5), flags=["path_inferred", "restated"])
    again = told | {"arrival_dt": date(2026, 11, 6), "text": "as told again"}
    question = message("u", "user", "b", 0)
    assert linked([question, told, logged, again]).exchanges["reply_text"].to_list() == ["as logged"]
    assert linked([question, again, told]).exchanges["reply_text"].to_list() == ["as told again"]


def test_flags_and_aliases_of_files_older_than_these_columns_are_none():
    rows = [row | {"aliases": None, "flags": None} for row in tree()]
    assert active(rows) == {"q1", "n9", "q2", "n10"}
    assert linked(rows).exchanges["session_id"].null_count() == 0
    assert isinstance(linked(rows).events, pl.DataFrame)
