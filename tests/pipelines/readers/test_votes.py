"""Votes are spelled in many ways; each is read as what the user did, and what is on no scale is refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.readers.fields import Refused
from pipelines.readers.votes import vote
from schemas.enums import EventKind
from schemas.reasons import Reason

UP, DOWN, CLEAR = EventKind.THUMBS_UP, EventKind.THUMBS_DOWN, EventKind.THUMBS_CLEAR
STARS = {"1": DOWN, "2": DOWN, "3": None, "4": UP, "5": UP}


WORDS = {
    UP: "thumbsUp thumbs_up THUMBS_UP thumbs-up thumb_up like Liked upvote up positive good helpful true"
    " 点赞 ｌｉｋｅ 👍 👍🏽",
    DOWN: "thumbsDown thumbs_down THUMBS_DOWN thumbs-down thumb_down dislike Disliked downvote bad not-helpful False"
    " 点踩 不满意 👎 👎🏿",
}
UP_SPELLINGS = [*WORDS[UP].split(), "Thumbs Up", True, 1, 1.0, "1", "+1", "1.0", " +1 "]
DOWN_SPELLINGS = [*WORDS[DOWN].split(), "Thumbs Down", False, -1, -1.0, "-1", 0, "0", 0.0]


@pytest.mark.parametrize("spelling", UP_SPELLINGS)
def test_a_thumb_up_is_read_in_any_spelling(spelling: Any) -> None:
    assert vote(spelling, {}) is UP


@pytest.mark.parametrize("spelling", DOWN_SPELLINGS)
def test_a_thumb_down_is_read_in_any_spelling(spelling: Any) -> None:
    assert vote(spelling, {}) is DOWN


@pytest.mark.parametrize("spelling", ["thumbs_clear", "removed", "Retracted", "un-vote", "取消"])
def test_taking_a_vote_back_is_an_act_of_its_own(spelling: str) -> None:
    assert vote(spelling, {}) is CLEAR


@pytest.mark.parametrize("nothing", [None, "", "  ", "none", "NULL", "neutral", "not_rated", "N/A"])
def test_what_is_no_vote_is_none(nothing: Any) -> None:
    assert vote(nothing, {}) is None


@pytest.mark.parametrize("value", [2, 3, 4, 5, "5", 0.5, "0.5", -2, 10, 1e300, float("nan"), float("inf"), 10**40])
def test_a_number_that_is_on_no_scale_of_thumbs_is_refused(value: Any) -> None:
    with pytest.raises(Refused) as refused:
        vote(value, {})
    assert (refused.value.reason, refused.value.field) == (Reason.UNKNOWN_VALUE, "rating")


@pytest.mark.parametrize("value", ["meh", "thumbs", "x" * 500, "5 stars", "-", "👀", "²"])
def test_a_word_that_is_no_vote_is_refused_and_never_guessed(value: str) -> None:
    with pytest.raises(Refused) as refused:
        vote(value, {}, "feedback.rating")
    assert (refused.value.reason, refused.value.field) == (Reason.UNKNOWN_VALUE, "feedback.rating")


@pytest.mark.parametrize("value", [[1], {"rating": 1}, []])
def test_a_vote_of_another_type_is_refused(value: Any) -> None:
    with pytest.raises(Refused) as refused:
        vote(value, {})
    assert refused.value.reason is Reason.WRONG_TYPE


def test_stars_are_read_as_they_are_declared() -> None:
    assert [vote(n, STARS) for n in (1, 2, 3, 4, 5)] == [DOWN, DOWN, None, UP, UP]
    assert [vote(n, STARS) for n in (1.0, "2", "5.0", " 4")] == [DOWN, DOWN, UP, UP]
    with pytest.raises(Refused):
        vote(6, STARS)


def test_the_declaration_wins_over_the_usual_meaning() -> None:
    assert vote("good", {"good": DOWN}) is DOWN
    assert vote(True, {"true": DOWN}) is DOWN
    assert vote("like", {"like": None}) is None
    assert vote("Not-Great", {"not great": DOWN}) is DOWN
    assert vote("Great", {"not great": DOWN}) is UP


def test_a_source_that_toggles_can_declare_its_second_click() -> None:
    assert vote("thumbs_down_off", {"thumbs_down_off": CLEAR}) is CLEAR


def test_zero_is_what_the_scale_of_the_format_says() -> None:
    assert vote(0, {}, zero=None) is None
    assert vote("0", {}, zero=CLEAR) is CLEAR
    assert vote(0, {"0": UP}, zero=None) is UP
    assert vote(False, {}, zero=None) is DOWN


@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers()), st.binary()))
def test_whatever_stands_there_is_a_vote_none_or_refused(value: Any) -> None:
    try:
        assert vote(value, STARS) in (UP, DOWN, CLEAR, None)
    except Refused as refused:
        assert refused.reason in (Reason.UNKNOWN_VALUE, Reason.WRONG_TYPE)  # noqa: PT017 - either is right
