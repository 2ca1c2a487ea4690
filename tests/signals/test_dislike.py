from datetime import date

import pytest
from talks import event, found, message, of

from signals.settings import DetectSettings

CHAT = [
    message("u0", "user", "which city is older", 0),
    message("a0", "assistant", "Rome.", 1, 2),
    message("u1", "user", "and bigger", 60),
    message("a1", "assistant", "Rome too.", 61, 62),
]


def votes(*kinds, on="a0"):
    return [event(kind, 10 + n, on) for n, kind in enumerate(kinds)]


@pytest.mark.parametrize(
    ("kinds", "stands"),
    [
        (("thumbs_down",), True),
        (("thumbs_down", "thumbs_down"), True),
        (("thumbs_down", "thumbs_clear"), False),
        (("thumbs_down", "thumbs_up"), False),
        (("thumbs_up", "thumbs_down"), True),
        (("thumbs_clear", "thumbs_down"), True),
        (("thumbs_up",), False),
    ],
)
def test_the_last_state_of_the_vote_counts(kinds, stands):
    detections = found(CHAT, votes(*kinds))
    assert of(detections, "a0", "dislike") is stands
    assert of(detections, "a1", "dislike") is False


def test_a_second_click_takes_the_vote_back_where_the_source_toggles():
    toggling = DetectSettings(toggling_sources=frozenset({"web"}))
    assert of(found(CHAT, votes("thumbs_down", "thumbs_down"), settings=toggling), "a0", "dislike") is False
    assert of(found(CHAT, votes("thumbs_down") * 2, settings=toggling), "a0", "dislike") is True


def test_a_source_that_records_no_votes_cannot_dislike():
    detections = found(CHAT, [event("close", 90)])
    assert of(detections, "a0", "dislike") is None


def test_an_event_that_arrived_twice_counts_once():
    once = votes("thumbs_down")
    toggling = DetectSettings(toggling_sources=frozenset({"web"}))
    assert of(found(CHAT, once + once, settings=toggling), "a0", "dislike") is True


def test_a_vote_on_an_abandoned_branch_stays_with_its_reply():
    rows = [
        message("u0", "user", "a slogan", 0, parent_id=None),
        message("a0", "assistant", "Buy it.", 1, 2, parent_id="u0"),
        message("a1", "assistant", "Love it.", 6, 7, parent_id="u0"),
        message("u1", "user", "nice", 20, parent_id="a1"),
        message("a2", "assistant", "Glad.", 21, 22, parent_id="u1"),
    ]
    detections = found(rows, [event("thumbs_down", 4, "a0"), event("regenerate", 5, "a0")])
    exchange = detections.exchanges.filter(detections.exchanges["reply_id"] == "a0").row(0, named=True)
    assert (exchange["dislike"], exchange["on_active_branch"], exchange["follow_up"]) == (True, False, "regenerate")
    assert detections.signals["message_id"].to_list() == ["a0"]


def test_a_vote_on_a_step_counts_for_the_reply_that_it_led_to():
    rows = [
        message("u0", "user", "look it up", 0),
        message("a0", "assistant", "Searching the index.", 1, 2),
        message("t0", "tool", "three hits", 3),
        message("a1", "assistant", "It is in chapter two.", 4, 6),
    ]
    detections = found(rows, [event("thumbs_down", 9, "a0")])
    assert detections.exchanges["reply_id"].to_list() == ["a1"]
    assert of(detections, "a1", "dislike") is True


def test_of_two_votes_at_one_moment_the_later_arrival_counts():
    first, later = event("thumbs_down", 10, "a0"), event("thumbs_up", 10, "a0", arrival_dt=date(2026, 11, 5))
    assert of(found(CHAT, [first, later]), "a0", "dislike") is False
    first, later = event("thumbs_up", 10, "a0"), event("thumbs_down", 10, "a0", arrival_dt=date(2026, 11, 5))
    assert of(found(CHAT, [later, first]), "a0", "dislike") is True
