"""One request, several assistant messages: tool calls, retries, streams that broke, and votes on any of them."""

from itertools import pairwise

import pytest
from talks import event, found, linked, message, of

from signals.settings import DetectSettings


def rows_of(window, *columns):
    return window.exchanges.select(columns).rows()


def run(*parts, **more):
    """A request, then assistant and tool messages in a row, then the user's next message."""
    rows = [message("u1", "user", "find it", 0)]
    for n, (role, text, status) in enumerate(parts, 1):
        rows.append(message(f"m{n}", role, text, 2 * n, 2 * n + 1, status=status))
    return [*rows, message("u2", "user", more.get("then", "and now sort it by date"), 100)]


def test_a_call_without_text_a_tool_and_the_text_are_one_exchange_with_or_without_parents():
    rows = run(("assistant", None, "ok"), ("tool", "{}", "ok"), ("assistant", "Here.", "ok"))
    chained = [row | {"parent_id": above["message_id"]} for above, row in pairwise(rows)]
    for given in (rows, [rows[0], *chained]):
        assert rows_of(linked(given), "request_id", "reply_id", "next_user_id") == [("u1", "m3", "u2")]


def test_a_vote_on_any_step_is_a_vote_on_the_exchange():
    rows = run(("assistant", None, "ok"), ("tool", "{}", "ok"), ("assistant", "Here.", "ok"))
    for step in ("m1", "m2", "m3"):
        assert of(found(rows, [event("thumbs_down", 50, step)]), "m3", "dislike") is True, step


def test_votes_on_two_steps_do_not_take_each_other_back():
    rows = run(("assistant", "Looking.", "ok"), ("assistant", "Here.", "ok"))
    down_both = [event("thumbs_down", 50, "m1"), event("thumbs_down", 51, "m2")]
    toggling = DetectSettings(toggling_sources=frozenset({"web"}))
    assert of(found(rows, down_both, settings=toggling), "m2", "dislike") is True
    mixed = [event("thumbs_down", 50, "m1"), event("thumbs_up", 51, "m2")]
    assert of(found(rows, mixed), "m2", "dislike") is True
    taken_back = [*mixed, event("thumbs_clear", 52, "m1")]
    assert of(found(rows, taken_back), "m2", "dislike") is False


def test_each_users_vote_is_their_own_and_nameless_votes_are_one_users():
    rows = run(("assistant", "Here.", "ok"))
    votes = [event("thumbs_down", 50, "m1", user_key="ua"), event("thumbs_up", 51, "m1", user_key="ub")]
    assert of(found(rows, votes), "m1", "dislike") is True
    assert of(found(rows, [votes[0], votes[1] | {"user_key": None}]), "m1", "dislike") is False


def test_an_error_and_its_retry_beside_it_are_a_retry_and_not_a_regenerated_reply():
    rows = [
        message("u1", "user", "find it", 0),
        message("e1", "assistant", None, 1, 2, parent_id="u1", status="error"),
        message("a1", "assistant", "Here.", 8, 9, parent_id="u1"),
        message("u2", "user", "thanks", 20, parent_id="a1"),
    ]
    assert rows_of(linked(rows), "reply_id", "reply_status", "follow_up", "on_active_branch") == [
        ("e1", "error", "retry_after_error", False), ("a1", "ok", "message", True),
    ]  # fmt: skip


def test_a_retry_that_writes_the_request_anew_is_a_retry_also_as_a_sibling():
    rows = [
        message("u1", "user", "plan trip", 0),
        message("e1", "assistant", "Oops.", 1, 2, parent_id="u1", status="error"),
        message("u1b", "user", "plan trip", 4), message("a1", "assistant", "Here.", 5, 9, parent_id="u1b"),
    ]  # fmt: skip
    assert rows_of(linked(rows), "reply_id", "follow_up")[0] == ("e1", "retry_after_error")


def test_a_step_that_retried_by_itself_is_one_exchange():
    rows = run(("assistant", "", "error"), ("assistant", "Here.", "ok"))
    assert rows_of(linked(rows), "reply_id", "reply_status", "follow_up") == [("m2", "ok", "message")]


@pytest.mark.parametrize("status", ["error", "stopped", "partial"])
def test_a_run_that_broke_after_some_words_ended_as_its_last_step_did(status):
    rows = run(("assistant", "Let me look.", "ok"), ("tool", "{}", "ok"), ("assistant", None, status), then="find it")
    window = linked(rows)
    assert rows_of(window, "reply_id", "reply_status") == [("m1", status)]
    assert rows_of(window, "follow_up") == [("retry_after_error" if status == "error" else "message",)]


@pytest.mark.parametrize("status", ["stopped", "partial", "error"])
def test_a_broken_reply_yields_no_skim_and_the_next_words_are_still_heard(status):
    rows = [
        message("u1", "user", "explain it", 0), message("a1", "assistant", "word " * 400, 1, 2, status=status),
        message("u2", "user", "something else", 4),
    ]  # fmt: skip
    exchanges = found(rows).exchanges
    assert exchanges.select("reply_status", "next_user_id", "skim").rows() == [(status, "u2", None)]


@pytest.mark.parametrize(("text", "status"), [("", "partial"), ("", "ok"), (None, "stopped")])
def test_an_empty_reply_is_an_exchange_with_its_status(text, status):
    window = linked(run(("assistant", text, status)))
    assert rows_of(window, "reply_id", "reply_status", "next_user_id") == [("m1", status, "u2")]


def test_a_stop_at_what_a_tool_gave_back_stops_the_run():
    rows = run(("assistant", None, "ok"), ("tool", "{}", "ok"), ("assistant", "Here.", "ok"))
    stopped = linked(rows, [event("stop", 4.5, "m2")]).exchanges["stopped_at"].to_list()
    assert [at is not None for at in stopped] == [True]
