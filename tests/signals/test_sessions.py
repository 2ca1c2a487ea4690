"""Several users or visits under one conversation id: nothing reaches from one into another (case 47)."""

import pytest
from talks import Grams, at, event, found, linked, message

from schemas.ids import content_id
from signals.settings import LinkSettings

DAY_S = 24 * 3600.0


def turn(n, seconds, *, user="u", reply=True, **more):
    asked = message(f"u{n}", "user", f"request {n}", seconds, user_key=user, **more)
    said = message(f"a{n}", "assistant", f"reply {n}", seconds + 1, seconds + 4, user_key=None, **more)
    return [asked, said] if reply else [asked]


def rows_of(window, *columns):
    return window.exchanges.select(columns).rows()


def test_two_users_under_one_id_are_two_sessions_and_neither_answers_the_other():
    rows = [*turn(0, 0, user="ua"), *turn(1, 10, user="ub"), *turn(2, 20, user="ua"), *turn(3, 30, user="ub")]
    window = linked(rows)
    following = {r: (q, n, u) for r, q, n, u in rows_of(window, "reply_id", "request_id", "next_user_id", "user_key")}
    assert following == {
        "a0": ("u0", "u2", "ua"), "a2": ("u2", None, "ua"), "a1": ("u1", "u3", "ub"), "a3": ("u3", None, "ub"),
    }  # fmt: skip
    assert window.exchanges["session_id"].n_unique() == 2
    assert window.exchanges["position"].to_list() == [0, 1, 2, 3]


def test_a_pause_of_three_days_cuts_one_users_part_and_the_reply_before_it_is_left():
    rows = [*turn(0, 0, user="ua"), *turn(1, 10, user="ub"), *turn(2, 3 * DAY_S, user="ua")]
    window = linked(rows)
    outcomes = {r: (n, o) for r, n, o in rows_of(window, "reply_id", "next_user_id", "outcome")}
    assert outcomes == {"a0": (None, "left"), "a1": (None, "left"), "a2": (None, "censored")}
    assert window.exchanges["session_id"].n_unique() == 3
    assert window.earlier.is_empty()


def test_no_repeat_no_complaint_and_no_edit_reaches_across_a_cut():
    words = "How tall is Mont Blanc exactly?"
    first = [message("u0", "user", words, 0), message("a0", "assistant", "Very tall.", 1, 2)]
    again = [message("u1", "user", words, 60), message("a1", "assistant", "Very tall.", 61, 62)]
    late = [
        row | {"created_at": at((61 if n else 60) + 3 * DAY_S), "completed_at": None} for n, row in enumerate(again)
    ]
    other = [row | {"user_key": "ub"} for row in again]
    assert found([*first, *again], encoder=Grams()).exchanges["repeat"].to_list() == [True, None]
    for cut in (late, other):
        assert found([*first, *cut], encoder=Grams()).exchanges["repeat"].to_list() == [None, None]
    linked_late = [
        first[0],
        first[1] | {"parent_id": "u0"},
        late[0] | {"parent_id": None},
        late[1] | {"parent_id": "u1"},
    ]
    assert linked(linked_late).exchanges["follow_up"].to_list() == [None, None]


def test_a_stream_of_a_user_is_cut_by_half_an_hour_and_a_stated_conversation_is_not():
    def rows(flags):
        return [*turn(0, 0, flags=flags), *turn(1, 1700, flags=flags), *turn(2, 3800, flags=flags)]

    stated, inferred = linked(rows([])), linked(rows(["session_inferred"]))
    assert rows_of(stated, "next_user_id") == [("u1",), ("u2",), (None,)]
    assert rows_of(inferred, "next_user_id", "outcome") == [("u1", "followed"), (None, "left"), (None, "censored")]
    longer = linked(rows(["session_inferred"]), settings=LinkSettings(session_gap_s=3600))
    assert longer.exchanges["session_id"].n_unique() == 1


def test_the_pause_is_counted_from_the_last_sign_of_life():
    rows = [*turn(0, 0), message("a9", "assistant", "More.", 1.5 * DAY_S, 1.9 * DAY_S), *turn(1, 3.5 * DAY_S)]
    assert linked(rows).exchanges["session_id"].n_unique() == 1


def test_a_reply_that_comes_late_belongs_to_its_request():
    rows = [*turn(0, 0, reply=False), message("a0", "assistant", "Done.", 4 * DAY_S, 4 * DAY_S + 1)]
    assert rows_of(linked(rows), "request_id", "reply_id") == [("u0", "a0")]


def test_a_reply_of_its_own_accord_after_a_pause_begins_a_session():
    rows = [
        *turn(0, 0),
        message("hi", "assistant", "Anything else?", 4 * DAY_S, 4 * DAY_S + 1),
        *turn(1, 4 * DAY_S + 9),
    ]
    assert rows_of(linked(rows), "reply_id", "request_id", "next_user_id") == [
        ("a0", "u0", None), ("hi", None, "u1"), ("a1", "u1", None),
    ]  # fmt: skip


def test_replies_belong_to_their_parents_user_also_when_two_requests_cross():
    rows = [
        message("ua1", "user", "a", 0, user_key="ua"), message("ub1", "user", "b", 1, user_key="ub"),
        message("ra", "assistant", "for a", 2, 3, parent_id="ua1", user_key=None),
        message("rb", "assistant", "for b", 4, 5, parent_id="ub1", user_key=None),
    ]  # fmt: skip
    assert sorted(rows_of(linked(rows), "reply_id", "request_id")) == [("ra", "ua1"), ("rb", "ub1")]
    stated = [row | {"parent_id": None, "user_key": row["user_key"] or f"u{row['message_id'][1]}"} for row in rows]
    assert sorted(rows_of(linked(stated), "reply_id", "request_id")) == [("ra", "ua1"), ("rb", "ub1")]


def test_a_reply_that_carries_the_bots_own_key_belongs_to_the_user_before_it():
    rows = [row | {"user_key": row["user_key"] or "bot"} for row in [*turn(0, 0, user="ua"), *turn(1, 9, user="ub")]]
    assert rows_of(linked(rows), "request_id", "reply_id", "user_key") == [("u0", "a0", "ua"), ("u1", "a1", "ub")]


def test_the_last_request_before_a_long_pause_had_a_reply_that_was_not_logged():
    rows = [*turn(0, 0), *turn(1, 60, reply=False), *turn(2, 4 * DAY_S)]
    assert rows_of(linked(rows), "request_id", "reply_id", "outcome") == [
        ("u0", "a0", "followed"), ("u1", None, "left"), ("u2", "a2", "censored"),
    ]  # fmt: skip


def test_without_clocks_nothing_is_cut_but_by_user():
    rows = [row | {"created_at": None, "completed_at": None, "seq": n}
            for n, row in enumerate([*turn(0, 0), *turn(1, 9), *turn(2, 18, user="ub")])]  # fmt: skip
    assert rows_of(linked(rows), "next_user_id") == [("u1",), (None,), (None,)]


def test_an_edit_after_a_cut_is_still_an_edit_within_its_own_session():
    rows = [
        *turn(0, 0),
        message("u1", "user", "capital of Peru", 4 * DAY_S, parent_id="a0"),
        message("a1", "assistant", "Lima", 4 * DAY_S + 1, 4 * DAY_S + 2, parent_id="u1"),
        message("u1b", "user", "capital of Chile", 4 * DAY_S + 30, parent_id="a0"),
        message("a2", "assistant", "Santiago", 4 * DAY_S + 31, 4 * DAY_S + 32, parent_id="u1b"),
    ]
    rows[1]["parent_id"] = "u0"
    assert rows_of(linked(rows), "reply_id", "follow_up", "on_active_branch") == [
        ("a0", None, True), ("a1", "edit", False), ("a2", None, True),
    ]  # fmt: skip


def test_a_thread_root_that_every_message_names_makes_no_siblings():
    rows = [row | {"parent_id": "thread-1"} for row in [*turn(0, 0), *turn(1, 9)]]
    assert rows_of(linked(rows), "request_id", "next_user_id") == [("u0", "u1"), ("u1", None)]


@pytest.mark.parametrize(("seconds", "left"), [(60, ["a0"]), (2.9 * DAY_S, []), (3 * DAY_S + 60, ["a2"])])
def test_a_close_belongs_to_the_visit_that_it_ends(seconds, left):
    rows = [*turn(0, 0), *turn(2, 3 * DAY_S)]
    window = linked(rows, [event("close", seconds)], LinkSettings(conversation_gap_s=DAY_S))
    assert [r for r, c in rows_of(window, "reply_id", "closed_at") if c is not None] == left


def test_acts_without_a_message_belong_to_the_user_who_did_them():
    rows = [*turn(0, 0, user="ua"), *turn(1, 10, user="ub")]
    window = linked(rows, [event("close", 30, user_key="ua")])
    assert [r for r, c in rows_of(window, "reply_id", "closed_at") if c is not None] == ["a0"]


def test_the_background_of_one_user_is_not_anothers():
    rows = [
        message("ua1", "user", "a", 0, user_key="ua"), message("ra", "assistant", "b " * 200, 1, 5),
        message("ub1", "user", "c", 6, user_key="ub"), message("rb", "assistant", "d " * 200, 7, 9),
        message("ua2", "user", "e", 65, user_key="ua"), message("ub2", "user", "f", 69, user_key="ub"),
    ]  # fmt: skip
    window = linked(rows, [event("hidden", 10, user_key="ua"), event("visible", 60, user_key="ua")])
    seen = dict(rows_of(window, "reply_id", "visible_s"))
    assert seen["ra"] == pytest.approx(64 - 50, abs=0.5)
    assert seen["rb"] == pytest.approx(62, abs=0.5)


def test_the_id_of_a_session_is_that_of_its_user_and_first_message():
    rows = [*turn(0, 0, user="ua"), *turn(1, 3 * DAY_S, user="ua")]
    assert linked(rows).exchanges["session_id"].to_list() == [
        content_id("web", "c1", "ua", "u0"), content_id("web", "c1", "ua", "u1"),
    ]  # fmt: skip


def test_replies_of_which_only_the_end_is_known_stand_in_their_place():
    rows = [row | ({"created_at": None} if row["role"] == "assistant" else {}) for row in [*turn(0, 0), *turn(1, 60)]]
    window = linked(rows, [event("close", 120)])
    assert rows_of(window, "request_id", "reply_id", "next_user_id") == [("u0", "a0", "u1"), ("u1", "a1", None)]
    assert window.exchanges["closed_at"].to_list() == [None, at(120)]


def test_of_equal_times_the_request_comes_first():
    rows = [message("z", "user", "a", 0), message("a", "assistant", "b", 0, 0)]
    assert rows_of(linked(rows), "request_id", "reply_id") == [("z", "a")]
