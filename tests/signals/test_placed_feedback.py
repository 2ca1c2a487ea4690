"""Feedback that names a message by an alias, or names no conversation."""

import polars as pl
from talks import event, found, linked, message, of, talk


def named(conversation="c1", **more):
    return [
        message("u1", "user", "a", 0, conversation=conversation),
        message(f"a-{conversation}", "assistant", "b", 1, 2, conversation=conversation, **more),
    ]


def placed(rows, *events):
    return linked(rows, events).events.select("conversation_id", "message_id", "exchange").rows()


def test_a_vote_without_conversation_joins_the_message_of_that_id():
    vote = event("thumbs_down", 9, "a-c2", conversation=None)
    assert placed([*named(), *named("c2")], vote) == [("c2", "a-c2", 1)]
    assert of(found([*named(), *named("c2")], [vote]), "a-c2", "dislike") is True


def test_a_name_that_two_conversations_hold_joins_neither_and_the_event_is_kept():
    rows = [*named(aliases=["t"]), *named("c2", aliases=["t"])]
    assert placed(rows, event("thumbs_down", 9, "t", conversation=None)) == [(None, "t", None)]
    assert placed(rows, event("thumbs_down", 9, "u1", conversation=None)) == [(None, "u1", None)]
    assert placed(rows, event("thumbs_down", 9, "t", conversation="c2")) == [("c2", "a-c2", 1)]


def test_the_same_name_in_another_source_does_not_matter():
    rows = [*named(aliases=["t"]), *(r | {"source": "app"} for r in named("c2", aliases=["t"]))]
    assert placed(rows, event("thumbs_down", 9, "t", conversation=None))[0][:2] == ("c1", "a-c1")


def test_a_name_of_a_whole_call_means_its_last_reply():
    rows = [
        message("u1", "user", "a", 0, aliases=["t"]), message("a1", "assistant", None, 1, 2, aliases=["t"]),
        message("t1", "tool", "{}", 9, aliases=["t"]), message("a2", "assistant", "b", 4, 5, aliases=["t", "s"]),
    ]  # fmt: skip
    assert placed(rows, event("thumbs_down", 9, "t", conversation=None)) == [("c1", "a2", 0)]


def test_its_own_id_outranks_an_alias():
    rows = [*named(), message("a2", "assistant", "c", 4, 5, aliases=["a-c1"])]
    assert placed(rows, event("thumbs_down", 9, "a-c1"))[0][1] == "a-c1"


def test_a_regenerate_may_name_the_reply_by_an_alias():
    rows = [*named(aliases=["t"]), message("a2", "assistant", "c", 8, 9)]
    window = linked(rows, [event("regenerate", 5, "t", conversation=None)])
    assert window.exchanges.select("reply_id", "request_id", "follow_up").rows()[0] == ("a-c1", "u1", "regenerate")


def test_an_event_that_names_nothing_is_kept_and_belongs_nowhere():
    window = linked(talk("a"), [event("close", 9, conversation=None)])
    assert window.events.select("session", "exchange").rows() == [(None, None)]
    assert window.exchanges["closed_at"].to_list() == [None]


def test_every_event_is_there_once_whatever_became_of_it():
    rows = [*named(aliases=["t", "x"]), *named("c2", aliases=["t"])]
    acts = [event("thumbs_down", n, name, conversation=c) for n, name in enumerate(("t", "x", "gone", "a-c1"))
            for c in (None, "c1", "c9")]  # fmt: skip
    window = linked(rows, acts)
    assert sorted(window.events["event_id"]) == sorted(a["event_id"] for a in acts)
    assert window.events.schema["exchange"] == pl.UInt32
