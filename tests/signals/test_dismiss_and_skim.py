import pytest
from talks import event, found, message, of, pair_verdicts, talk

LONG = "The old harbour town grew along the river because boats could land there in any weather. " * 14
LONG_ZH = "古代铸造青铜器最常用的是范铸法，先用泥做出实心模型，晾干后翻出外范，再浇入铜液。" * 8


def stopped(shown_s, share, then, *, later=12.0):
    """A long stream that the user stopped, and what came next."""
    rows = [
        message("u0", "user", "Write a long essay on the history of tea", 0),
        message("a0", "assistant", LONG[: int(len(LONG) * share)], 1, 1 + shown_s, status="stopped"),
    ]
    if then is not None:
        rows += [
            message("u1", "user", then, 1 + shown_s + later),
            message("a1", "assistant", "Sure.", 40 + shown_s, 41 + shown_s),
        ]
    return rows, [event("stop", 1 + shown_s, "a0")]


def test_a_stop_at_once_and_another_topic_is_dismissed():
    rows, acts = stopped(1.2, 0.03, "what is 37 C in Fahrenheit")
    assert of(found(rows, acts), "a0", "dismiss") is True


def test_a_stop_near_the_end_with_thanks_is_not():
    rows, acts = stopped(40, 0.9, "thanks, now part 2")
    assert of(found(rows, acts), "a0", "dismiss") is False


def test_a_stop_to_narrow_the_request_is_not():
    rows, acts = stopped(1.5, 0.03, "only the history of tea in Japan")
    assert of(found(rows, acts), "a0", "dismiss") is False


def test_a_stop_followed_by_leaving_is_dismissed():
    rows, acts = stopped(1.2, 0.03, None)
    assert of(found(rows, [*acts, event("close", 5)]), "a0", "dismiss") is True


def reply(text, close=None, **more):
    rows = [message("u0", "user", "best way to learn", 0), message("a0", "assistant", text, 1, 4, **more)]
    return rows, [] if close is None else [event("close", close)]


def test_closing_a_long_reply_unread_is_dismissed_and_reading_it_is_not():
    assert of(found(*reply(LONG, 5.5)), "a0", "dismiss") is True
    assert of(found(*reply(LONG_ZH, 5.5)), "a0", "dismiss") is True
    assert of(found(*reply(LONG, 120)), "a0", "dismiss") is False
    assert of(found(*reply("In small steps.", 5.5)), "a0", "dismiss") is False


def test_taking_the_answer_along_is_not_dismissing_it():
    rows, acts = reply(LONG, 6)
    assert of(found(rows, [*acts, event("copy", 5, "a0")]), "a0", "dismiss") is False


def test_a_lost_connection_is_not_the_users_act():
    rows, acts = reply(LONG[:60], 6, status="partial")
    assert of(found(rows, [*acts, event("disconnect", 4)]), "a0", "dismiss") is False


def test_the_end_of_the_log_decides_nothing():
    assert of(found(*reply(LONG)), "a0", "dismiss") is None


GIVING_UP = ["never mind", "算了，我自己来吧", "forget it, I'll just google it", "不用了，我去问同事", "算了"]
GOING_ON = ["ok, thanks", "What does 'never' mean?", "再算一遍", "add one more column", "谢谢，不错"]


@pytest.fixture(scope="module")
def words(use):
    return pair_verdicts([("Make me a timetable", text) for text in GIVING_UP + GOING_ON], use)


@pytest.mark.parametrize("text", GIVING_UP)
def test_giving_up_in_words_is_dismissed(text, words):
    assert words["Make me a timetable", text]["dismiss"] is True


@pytest.mark.parametrize("text", GOING_ON)
def test_other_words_are_not(text, words):
    assert words["Make me a timetable", text]["dismiss"] is False


def timed(text, gap, next_text="next topic pls", begun=1.0, ended=6.0, events=(), **more):
    rows = [
        message("u0", "user", "tell me about harbours", 0),
        message("a0", "assistant", text, begun, ended, **more),
        message("u1", "user", next_text, (ended if ended is not None else begun) + gap),
        message("a1", "assistant", "Fine.", 9000, 9001),
    ]
    return found(rows, list(events))


def test_moving_on_after_seconds_is_a_skim():
    assert of(timed(LONG, 4), "a0", "skim") is True
    assert of(timed(LONG_ZH, 4), "a0", "skim") is True
    assert of(timed(LONG, 60), "a0", "skim") is False


def test_time_in_the_background_does_not_count():
    away = [event("hidden", 7), event("visible", 67)]
    assert of(timed(LONG, 62, events=away), "a0", "skim") is True


def test_reading_while_it_streams_counts():
    assert of(timed(LONG, 4, ended=50.0), "a0", "skim") is False


@pytest.mark.parametrize(
    "case",
    [
        {"text": "Yes.", "gap": 2},
        {"text": LONG, "gap": 4, "begun": None, "ended": None},
        {"text": LONG, "gap": 4, "ended": None},
        {"text": LONG, "gap": 4, "begun": 6.0, "ended": 6.0},
        {"text": LONG, "gap": -3},
        {"text": "```\n" + LONG + "\n```", "gap": 3},
        {"text": LONG, "gap": 3600},
        {"text": LONG, "gap": 3, "status": "partial"},
        {"text": None, "gap": 3},
    ],
    ids=["short", "no clocks", "no end", "no duration", "disagreeing", "code", "idle", "partial", "no text"],
)
def test_without_clocks_or_content_skim_is_not_measurable(case):
    case = dict(case)
    text, gap = case.pop("text"), case.pop("gap")
    if case.get("begun", 1.0) is None:
        rows = [
            {**r, "created_at": None, "completed_at": None, "seq": n} for n, r in enumerate(talk("a", "b", reply=text))
        ]
        assert of(found(rows), "a0", "skim") is None
        return
    assert of(timed(text, gap, **case), "a0", "skim") is None
