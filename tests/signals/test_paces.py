"""A user's own reading pace: known after enough replies, never slower than a fast reader's, whatever the order."""

import polars as pl
import pytest
from talks import frames, message

from signals.detect import detect
from signals.link import link
from signals.paces import user_paces
from signals.settings import LinkSettings
from signals.sources import source_facts

WORDS = 200
REPLY = "ropes " * WORDS
# By its length alone, which is all that the paces read.
NEED = len(REPLY) / 6 * 60 / 400


def conversation(user, number, share, n=1, *, text=REPLY, asked="go on with it"):
    """Requests that a user sends after a share of the time that a fast reader needs for the reply before."""
    rows, clock, name = [], number * 100_000.0, f"{user}{number:03d}"
    for turn in range(n + 1):
        rows.append(message(f"u{turn}", "user", asked, clock, conversation=name, user_key=user))
        rows.append(message(f"a{turn}", "assistant", text, clock + 1, clock + 3, conversation=name, user_key=user))
        clock += 1 + share * NEED + len(asked) / 8
    return rows


def paces(rows):
    return {user: pace for _, user, pace in user_paces(frames(rows)[0]).rows()}


def test_a_pace_is_known_after_enough_replies_over_many_conversations():
    few = [row for n in range(19) for row in conversation("f", n, 0.8)]
    assert paces(few) == {}
    assert paces(few + conversation("f", 99, 0.8)) == {"f": pytest.approx(0.8, abs=0.01)}


def test_no_pace_is_slower_than_a_fast_readers_nor_faster_than_the_least():
    assert paces(conversation("slow", 0, 3.0, n=30)) == {}
    assert paces(conversation("rash", 0, 0.1, n=30)) == {"rash": LinkSettings().pace_least}


def test_what_tells_nothing_about_reading_is_not_counted():
    short = conversation("s", 0, 0.7, n=30, text="Yes, it is.")
    away = conversation("a", 0, 400.0, n=30)
    stopped = [row | {"status": "stopped"} for row in conversation("t", 0, 0.7, n=30)]
    one_clock = [row | {"completed_at": None} for row in conversation("o", 0, 0.7, n=30)]
    nobody = [row | {"user_key": None} for row in conversation("n", 0, 0.7, n=30)]
    assert paces(short + away + stopped + one_clock + nobody) == {}


def test_neither_order_nor_versions_change_a_pace():
    rows = [row for n in range(30) for row in conversation("v", n, 0.65 + n / 100)]
    found = user_paces(frames(rows)[0])
    assert found.height == 1
    assert user_paces(frames(rows)[0].sample(fraction=1.0, shuffle=True, seed=3)).equals(found)
    assert user_paces(frames(rows + rows[:20])[0]).equals(found)


def test_a_fast_reader_is_held_to_the_own_pace():
    """The same haste is a skim of one who reads at a usual pace, and none of one who always reads this fast."""
    hasty = 0.42
    rows = [row for n in range(30) for row in conversation("q", n, 0.7)]
    rows += conversation("q", 99, hasty) + conversation("new", 99, hasty)
    messages, events = frames(rows)
    facts, known = source_facts(messages, events), user_paces(messages)

    def skims(paces):
        judged = detect(link(messages, events, facts, paces=paces), None).exchanges
        return {
            c: (skim, round(s, 1))
            for c, skim, s in judged.filter(
                pl.col("conversation_id").str.ends_with("099") & pl.col("skim").is_not_null()
            )
            .select("conversation_id", "skim", "reading_s")
            .rows()
        }

    usual = WORDS * 60 / 400
    assert skims(None) == {"q099": (True, usual), "new099": (True, usual)}
    assert skims(known) == {"q099": (False, round(0.7 * usual, 1)), "new099": (True, usual)}
