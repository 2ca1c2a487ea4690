import polars as pl
from talks import event, found, linked, message, talk


def mute(*texts, **more):
    """A conversation of which only the user's side was logged, without clocks."""
    return [message(f"u{n}", "user", text, seq=n, **more) for n, text in enumerate(texts)]


def test_where_no_reply_was_logged_each_user_message_is_a_request():
    window = linked(mute("plan a trip", "shorter please", "thanks"))
    assert window.exchanges.select("request_id", "reply_id", "next_user_id", "reply_status").rows() == [
        ("u0", None, "u1", "missing"),
        ("u1", None, "u2", "missing"),
        ("u2", None, None, "missing"),
    ]
    assert window.exchanges.select("reply_chars", "reading_s", "visible_s", "gap_s").null_count().row(0) == (3, 3, 3, 3)


def test_words_are_judged_without_the_reply_and_reading_is_not(use):
    rows = mute("How tall is Mont Blanc?", "How tall is Mont Blanc", "No, that's wrong, you ignored my question")
    exchanges = found(rows, encoder=use).exchanges
    assert exchanges["repeat"].to_list() == [True, False, None]
    assert exchanges["complain"].to_list() == [False, True, None]
    assert exchanges["skim"].null_count() == 3


def test_a_detection_without_a_reply_names_its_exchange_alone(use):
    signals = found(mute("name a cat", "name a cat"), encoder=use).signals
    assert signals.select("signal", "message_id", "trigger_message_id").rows() == [("repeat", None, "u1")]


def test_the_id_of_an_exchange_without_reply_is_that_of_no_reply():
    window = linked([*mute("a", "b"), message("u0", "assistant", "c", conversation="c2")])
    assert window.exchanges["exchange_id"].n_unique() == 3


def test_messages_in_a_row_are_parts_of_one_where_replies_are_logged():
    rows = talk("a", "b")
    rows.insert(3, message("u1b", "user", "c", seq=2))
    for n, row in enumerate(rows):
        row["seq"] = n
    window = linked(rows)
    assert window.exchanges["reply_id"].to_list() == ["a0", "a1"]
    assert window.reactions["message_id"].to_list() == ["u1", "u1b"]


def test_a_long_pause_between_them_tells_of_a_reply_that_is_missing():
    def rows(pause):
        return [
            message("u0", "user", "a", 0), message("a0", "assistant", "b", 1, 2), message("u1", "user", "c", 10),
            message("u2", "user", "d", 10 + pause), message("a2", "assistant", "e", 12 + pause, 13 + pause),
        ]  # fmt: skip

    assert linked(rows(30)).exchanges["request_id"].to_list() == ["u0", "u2"]
    window = linked(rows(3600))
    assert window.exchanges.select("request_id", "reply_id", "next_user_id").rows() == [
        ("u0", "a0", "u1"), ("u1", None, "u2"), ("u2", "a2", None),
    ]  # fmt: skip
    assert window.reactions.select("exchange", "message_id").rows() == [(0, "u1"), (1, "u2")]


def test_the_last_request_may_still_be_answered():
    assert linked([*talk("a"), message("u1", "user", "b", seq=2)]).exchanges["reply_id"].to_list() == ["a0"]


def test_a_failed_reply_stands_between_two_requests():
    rows = [
        message("u0", "user", "a", 0), message("a0", "assistant", None, 1, 1, status="error"),
        message("u1", "user", "b", 3),
    ]  # fmt: skip
    assert linked(rows).exchanges.select("reply_id", "reply_status").rows() == [("a0", "error")]


def test_a_request_sent_twice_at_once_is_a_double_submit():
    rows = [message("u0", "user", "plan trip", 0), message("u1", "user", "plan trip", 1)]
    window = linked(rows)
    assert window.exchanges["follow_up"].to_list() == ["double_submit", None]


def test_the_day_is_that_of_the_request_and_leaving_is_known_but_not_why():
    rows = [message("u0", "user", "a", 0), message("u0", "user", "b", 50 * 3600, conversation="c2")]
    first = found(rows, [event("close", 60, conversation="c2")]).exchanges.filter(pl.col("conversation_id") == "c1")
    assert first["dt"].to_list() == [rows[0]["created_at"].date()]
    assert first.select("outcome", "dismiss").row(0) == ("left", None)


def test_a_vote_on_a_reply_that_is_not_there_leaves_dislike_open():
    rows = [message("u0", "user", "a", 0), message("u1", "user", "b", 0, conversation="c2")]
    exchanges = found(rows, [event("thumbs_down", 9, "gone")]).exchanges.sort("conversation_id")
    assert exchanges["dislike"].to_list() == [None, False]
