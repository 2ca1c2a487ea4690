import random
from datetime import date

import polars as pl
import pytest
from talks import DAY, Grams, at, event, frames, linked, message, talk

from schemas.contract import table
from signals.detect import detect
from signals.link import link
from signals.sources import source_facts


def exchange(window, reply):
    return window.exchanges.filter(pl.col("reply_id") == reply).row(0, named=True)


def tree():
    return [
        message("u1", "user", "name a cat", 0, parent_id=None),
        message("a7", "assistant", "Tom", 1, 2, parent_id="u1"),
        message("a9", "assistant", "Mia", 8, 9, parent_id="u1"),
        message("u2", "user", "and a dog", 20, parent_id="a9"),
        message("a10", "assistant", "Rex", 21, 22, parent_id="u2"),
    ]


def test_the_branch_that_the_user_ended_on_is_active_and_the_other_is_kept():
    window = linked(tree())
    active = dict(window.messages.select("message_id", "on_active_branch").iter_rows())
    assert active == {"u1": True, "a7": False, "a9": True, "u2": True, "a10": True}
    assert exchange(window, "a7")["follow_up"] == "regenerate"
    assert exchange(window, "a7")["outcome"] == "followed"
    assert exchange(window, "a9")["next_user_id"] == "u2"


def test_a_regenerated_reply_is_known_by_its_event_where_no_parents_are_named():
    rows = [{**row, "parent_id": None} for row in tree()]
    window = linked(rows, [event("regenerate", 5, "a7")])
    assert exchange(window, "a7")["follow_up"] == "regenerate"
    assert exchange(window, "a9")["request_id"] == "u1"


def test_an_edited_request_is_an_edit_and_the_first_one_is_left_behind():
    rows = [
        message("u1", "user", "currency of Sweden", 0), message("a1", "assistant", "Krona", 1, 2, parent_id="u1"),
        message("u1b", "user", "currency of Norway", 9), message("a2", "assistant", "Krone", 10, 11, parent_id="u1b"),
        message("u2", "user", "thanks", 20, parent_id="a2"),
    ]  # fmt: skip
    window = linked(rows)
    assert (exchange(window, "a1")["follow_up"], exchange(window, "a1")["next_user_id"]) == ("edit", "u1b")
    assert exchange(window, "a1")["on_active_branch"] is False


def test_a_loop_of_parents_loses_nothing_and_does_not_hang():
    rows = [
        message("u1", "user", "a", 0, parent_id="a2"), message("a1", "assistant", "b", 1, 2, parent_id="u1"),
        message("u2", "user", "c", 5, parent_id="a1"), message("a2", "assistant", "d", 6, 7, parent_id="u2"),
        message("x", "user", "e", 9, parent_id="x"),
    ]  # fmt: skip
    window = linked(rows)
    assert window.messages["message_id"].to_list() == ["u1", "a1", "u2", "a2", "x"]
    assert window.exchanges["reply_id"].to_list() == ["a1", "a2"]


def test_a_parent_that_is_not_there_is_replaced_by_the_order_in_time():
    rows = [
        message("u1", "user", "a", 0, parent_id="gone"), message("a1", "assistant", "b", 1, 2, parent_id="lost"),
        message("u2", "user", "c", 5, parent_id="a1"), message("a2", "assistant", "d", 6, 7, parent_id="u2"),
    ]  # fmt: skip
    assert linked(rows).exchanges["request_id"].to_list() == ["u1", "u2"]


def test_parents_outrank_clocks_that_disagree():
    rows = [
        message("u1", "user", "a", 10), message("a1", "assistant", "b", 11, 14, parent_id="u1"),
        message("u2", "user", "c", 2, parent_id="a1"), message("a2", "assistant", "d", 16, 17, parent_id="u2"),
    ]  # fmt: skip
    window = linked(rows)
    assert window.messages["message_id"].to_list() == ["u1", "a1", "u2", "a2"]
    assert exchange(window, "a1")["clock_quality"] == "none"


def test_without_clocks_the_sequence_orders_and_nothing_is_said_about_time():
    window = linked(list(reversed(talk("a", "b", "c"))))
    assert window.messages["message_id"].to_list() == ["u0", "a0", "u1", "a1", "u2", "a2"]
    assert window.exchanges.select("gap_s", "visible_s", "replied_at").null_count().row(0) == (3, 3, 3)
    assert window.exchanges["outcome"].to_list() == ["followed", "followed", "censored"]


def test_the_newest_version_of_a_message_wins():
    rows = [
        message("u1", "user", "hello", 0),
        message("a1", "assistant", "Hel", 1, None, status="partial"),
        message("a1", "assistant", "Hello there", 1, 4, arrival_dt=date(2026, 11, 3)),
        message("a1", "assistant", "Hello", 1, 9),
    ]
    assert linked(rows).exchanges["reply_text"].to_list() == ["Hello there"]
    assert linked([rows[0], rows[1], rows[3]]).exchanges["reply_text"].to_list() == ["Hello"]
    same_time = [message("a1", "assistant", text, 1, 4, digest=text) for text in ("x", "y")]
    assert linked([rows[0], *same_time]).exchanges["reply_text"].to_list() == ["y"]


def test_a_run_of_assistant_messages_is_one_exchange_with_the_last_text():
    rows = [
        message("u1", "user", "find it", 0), message("a1", "assistant", "Let me look.", 1, 2),
        message("t1", "tool", "{}", 3), message("a2", "assistant", None, 4, 4), message("t2", "tool", "{}", 5),
        message("a3", "assistant", "It is here.", 6, 8), message("a4", "assistant", "", 9, 9),
        message("u2", "user", "thanks", 20),
    ]  # fmt: skip
    window = linked(rows)
    assert window.exchanges.select("request_id", "reply_id", "next_user_id").rows() == [("u1", "a3", "u2")]


def test_a_reply_without_text_is_still_an_exchange():
    rows = [
        message("u1", "user", "a", 0),
        message("a1", "assistant", None, 1, 2, status="error"),
        message("u2", "user", "b", 9),
    ]
    assert linked(rows).exchanges["reply_id"].to_list() == ["a1"]


def test_a_reply_before_any_request_has_none():
    rows = [message("a1", "assistant", "Welcome!", 0, 1), message("u1", "user", "hi", 5)]
    assert exchange(linked(rows), "a1")["request_id"] is None


def test_leaving_needs_a_close_or_a_long_silence_that_the_log_outlives():
    pair = [message("u1", "user", "a", 0), message("a1", "assistant", "b", 1, 2)]
    later = [
        message("u1", "user", "a", 13 * 3600, conversation="c2"),
        message("u1", "user", "a", 5000, conversation="c3"),
    ]
    assert exchange(linked(pair), "a1")["outcome"] == "censored"
    assert exchange(linked(pair, [event("close", 9)]), "a1")["outcome"] == "left"
    assert exchange(linked([*pair, later[0]]), "a1")["outcome"] == "left"
    assert exchange(linked([*pair, later[1]]), "a1")["outcome"] == "censored"
    assert exchange(linked([*pair, {**later[0], "source": "other"}]), "a1")["outcome"] == "censored"


def test_time_on_screen_leaves_out_the_background_and_typing():
    rows = [
        message("u1", "user", "a", 0), message("a1", "assistant", "b " * 200, 12, 20),
        message("u2", "user", "12345678", 84), message("a2", "assistant", "x", 85, 86),
    ]  # fmt: skip
    full = exchange(linked(rows), "a1")
    assert (full["clock_quality"], full["gap_s"], full["visible_s"]) == ("full", 64.0, 71.0)
    away = exchange(linked(rows, [event("hidden", 23), event("visible", 83)]), "a1")
    assert away["visible_s"] == pytest.approx(11.0)
    only_back = exchange(linked(rows, [event("visible", 83)]), "a1")
    assert only_back["visible_s"] == 0.0


def test_shuffled_rows_and_events_give_the_same_tables():
    rows = tree() + talk("how tall is it", "how tall is it?", "that is wrong", conversation="c2")
    acts = [event("thumbs_down", 4, "a7"), event("close", 60), event("regenerate", 5, "a7")]
    messages, events = frames(rows, acts)
    facts = source_facts(messages, events)
    grams = Grams()
    wanted = detect(link(messages, events, facts), grams)
    for seed in range(4):
        order = random.Random(seed)
        a, b = rows[:], acts[:]
        order.shuffle(a)
        order.shuffle(b)
        got = detect(link(*frames(a, b), facts), grams)
        assert got.exchanges.equals(wanted.exchanges)
        assert got.signals.equals(wanted.signals)


def test_the_frames_hold_the_contracts_columns_and_the_day(grams):
    messages, events = frames(tree(), [event("thumbs_down", 4, "a7")])
    found = detect(link(messages, events, source_facts(messages, events)), grams)
    for name, frame in (("exchanges", found.exchanges), ("signals", found.signals)):
        assert frame.drop("dt").schema == pl.Schema(table(name).polars)
        assert frame["dt"].to_list() == [DAY] * frame.height
        assert table(name).conform(frame).equals(frame.drop("dt"))


def test_empty_frames_give_empty_tables(grams):
    messages, events = frames([])
    found = detect(link(messages, events, source_facts(messages, events)), grams)
    assert found.exchanges.is_empty()
    assert found.signals.is_empty()
    assert found.signals.drop("dt").schema == pl.Schema(table("signals").polars)


def test_one_conversation_of_a_hundred_thousand_messages_is_linked():
    n = 100_000
    ids = [f"m{i:06d}" for i in range(n)]
    rows = pl.DataFrame(
        {"message_id": ids, "parent_id": [None, *ids[:-1]], "seq": range(n), "role": ["user", "assistant"] * (n // 2)}
    ).with_columns(
        **{
            k: pl.lit(v, table("messages").polars[k])
            for k, v in message("", "", "hm").items()
            if k not in ("message_id", "parent_id", "seq", "role")
        },
        dt=pl.lit(DAY),
    )
    events = frames([])[1]
    window = link(rows, events, source_facts(rows, events))
    assert window.exchanges.height == n // 2
    assert window.messages["on_active_branch"].all()


def test_facts_name_the_end_of_each_log_and_what_it_records():
    messages, events = frames(tree(), [event("close", 99), event("thumbs_up", 3, "a7"), event("close", 50)])
    assert source_facts(messages, events).row(0) == ("web", at(99), ["close", "thumbs_up"])
    silent, _ = frames(talk("a"))
    assert source_facts(silent, events.clear()).row(0) == ("web", None, [])


def test_requests_of_a_log_without_histories_follow_one_another_and_edit_nothing():
    inferred = {"flags": ["order_inferred"]}
    rows = [
        message("u0", "user", "fix it", 0, **inferred),
        message("a0", "assistant", "Done.", 1, 2, parent_id="u0"),
        message("u1", "user", "fix it", 40, **inferred),
        message("a1", "assistant", "Done.", 41, 42, parent_id="u1"),
    ]
    window = linked(rows)
    assert window.exchanges.select("reply_id", "next_user_id", "follow_up").rows()[0] == ("a0", "u1", "message")
