"""What changes in how a message is written, and not in what it says, changes no decision.

Each variant is applied to every user message of the sample conversations and of generated ones, and all six signals of
every exchange are held to what they were. Where a variant does say something (capitals shout), the one direction in
which decisions may move is stated.
"""

import random
import unicodedata
from collections.abc import Callable

import numpy as np
import opencc
import polars as pl
import pytest
from talks import frames, message

from schemas.enums import Signal
from signals.detect import detect
from signals.link import link
from signals.logistic import logistic
from signals.sources import source_facts

NEAR = 0.1  # a probability this near to its threshold may cross it where a variant moves it at all
_NARROW = {chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)}
_TRADITIONAL = opencc.OpenCC("s2t")

NEEDS = [
    ("How do I get candle wax out of a tablecloth", "I mean the wax on the cloth, how can it be removed?"),
    ("List the moons of Saturn by size", "List the moons of Jupiter by size"),
    ("Write a rhyme about a lighthouse", "Write a rhyme about a lighthouse"),
    ("怎么把窗帘上的油渍洗掉", "我是问窗帘沾了油该怎么清洗"),
    ("写一段介绍灯塔的文字", "写一段介绍灯塔的文字"),
    ("把会议改到周三下午三点", "把会议改到周四下午三点"),
    ("Sort these rows by date: 3 May, 1 June, 9 April", "You left out one of the rows, please do it properly"),
    ("请把这首诗译成英文", "译得不对，完全不是这个意思"),
    ("Name a tree that keeps its leaves in winter", "thanks, that helps"),
    ("推荐一本讲航海史的书", "算了，不用了"),
]


class Remembering:
    """An encoder that encodes each distinct text once in its life, alone."""

    def __init__(self, encoder):
        self.name, self.revision, self._encoder, self._known = encoder.name, encoder.revision, encoder, {}

    def encode(self, texts):
        for text in texts:
            if text not in self._known:
                self._known[text] = self._encoder.encode([text])[0]
        return np.stack([self._known[t] for t in texts]) if len(texts) else self._encoder.encode([])


@pytest.fixture(scope="module")
def remembering(use):
    return Remembering(use)


def generated():
    """Forty conversations of two to four requests in random order, with replies of random length and random pauses."""
    dice, rows = random.Random(11), []
    for n in range(40):
        clock = n * 10_000.0
        said = [text for pair in dice.sample(NEEDS, dice.choice((1, 2))) for text in pair]
        for turn, text in enumerate(said):
            reply = " ".join(dice.choices(("tide", "harbour", "rope", "signal", "keeper"), k=dice.randint(5, 120)))
            rows.append(message(f"u{turn}", "user", text, clock, conversation=f"g{n:02d}"))
            rows.append(message(f"a{turn}", "assistant", reply, clock + 2, clock + 6, conversation=f"g{n:02d}"))
            clock += dice.choice((9.0, 40.0, 200.0))
    return frames(rows)


@pytest.fixture(scope="module")
def tables(sample_night):
    """Messages and events of the sample night, de-identified, with the generated conversations."""
    parts = [(sample_night.warehouse.scan("messages").collect(), sample_night.warehouse.scan("events").collect())]
    parts.append(generated())
    messages, events = (pl.concat([a.select(b.columns), b]) for a, b in zip(*parts, strict=True))
    return messages, events


def judged(tables, encoder):
    messages, events = tables
    return detect(link(messages, events, source_facts(messages, events)), encoder)


@pytest.fixture(scope="module")
def plain(tables, remembering):
    return judged(tables, remembering)


def rewritten(tables, how: Callable[[str], str]):
    messages, events = tables
    said = pl.col("text").map_elements(lambda t: how(t) if t.strip() else t, return_dtype=pl.String)
    return messages.with_columns(text=pl.when(pl.col("role") == "user").then(said).otherwise("text")), events


def moved(before, after, signal):
    """Exchanges whose decision differs: (before, after, probability before)."""
    both = before.exchanges.join(after.exchanges, on="exchange_id", how="full", suffix="_now", coalesce=True)
    found = both.filter(pl.col(signal).ne_missing(pl.col(f"{signal}_now")))
    return found.select(signal, f"{signal}_now", f"p_{signal}").rows()


WRITTEN_ALIKE = {
    "spaces at the end": lambda t: t + "  \n ",
    "spaces doubled": lambda t: t.replace(" ", "  "),
    "invisible characters": lambda t: "\u200b" + t.replace("e", "e\u200d", 1) + "\ufeff",
    "accents apart from their letters": lambda t: unicodedata.normalize("NFD", t),
    "full width": lambda t: "".join(_NARROW.get(c, c) for c in t),
    "small letters": str.lower,
    "first letters large": str.title,
    "traditional characters": _TRADITIONAL.convert,
    "curly apostrophes": lambda t: t.replace("'", "\u2019"),
    "a picture at the end": lambda t: t + " \U0001f642",
    "two pictures before": lambda t: "\U0001f44b\U0001f600 " + t,
    "no full stop": lambda t: t.rstrip().rstrip(".。") or t,
}


@pytest.mark.parametrize("variant", list(WRITTEN_ALIKE))
def test_another_way_to_write_the_same_changes_no_decision(tables, plain, remembering, variant):
    after = judged(rewritten(tables, WRITTEN_ALIKE[variant]), remembering)
    assert plain.exchanges.height == after.exchanges.height
    found = {s.value: moved(plain, after, s.value) for s in Signal}
    if "picture" in variant:
        # A picture takes a moment to type, and so leaves less to read: at the brink a Skim may appear.
        assert all(now is True and p > 0.5 - NEAR for _, now, p in found.pop(Signal.SKIM.value))
    assert {name: those for name, those in found.items() if those} == {}


def test_the_cases_hold_every_signal(plain):
    """Else the tests above would hold to nothing."""
    counts = {s.value: plain.exchanges[s.value].sum() for s in Signal}
    assert min(counts.values()) >= 3, counts
    assert plain.exchanges.height > 400


def test_capitals_shout_and_may_only_add_complaints(tables, plain, remembering):
    after = judged(rewritten(tables, str.upper), remembering)
    for signal in Signal:
        found = moved(plain, after, signal.value)
        if signal is Signal.COMPLAIN:
            assert all(now is True for _, now, _ in found)
        else:
            assert found == []


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(lambda t: t if t.rstrip()[-1:] in ".!?。！？" else t.rstrip() + "。", id="full stop"),
        pytest.param(lambda t: t.replace(", ", "，").replace("?", "？").replace("!", "！"), id="chinese marks"),
        pytest.param(lambda t: t.replace("，", ", ").replace("、", ", "), id="latin marks"),
    ],
)
def test_marks_within_a_sentence_change_no_clear_decision(tables, plain, remembering, how):
    """Models read sequences of characters, marks among them: what lies at the threshold may cross it, nothing else."""
    after = judged(rewritten(tables, how), remembering)
    for signal in Signal:
        found = moved(plain, after, signal.value)
        if signal in (Signal.COMPLAIN, Signal.REPHRASE):
            model = logistic(signal.value)
            limits = {part.threshold for part in (model, model.han) if part is not None}
            assert all(min(abs(p - limit) for limit in limits) < NEAR for _, _, p in found), (signal, found)
            assert len(found) <= 0.01 * plain.exchanges.height, (signal, found)
        elif signal is Signal.SKIM:
            assert all(abs(p - 0.5) < NEAR for _, _, p in found), found  # a mark is typed too
        else:
            assert found == [], signal


def test_rows_in_any_order_give_the_same_tables(tables, plain, remembering):
    messages, events = (frame.sample(fraction=1.0, shuffle=True, seed=5) for frame in tables)
    after = judged((messages, events), remembering)
    assert after.exchanges.equals(plain.exchanges)
    assert after.signals.equals(plain.signals)


def test_a_day_judged_in_parts_gives_the_same_tables(tables, plain, remembering):
    """Conversations are judged apart from one another; what is known of a source is known of all of it."""
    messages, events = tables
    facts = source_facts(messages, events)
    parts = []
    for odd in (0, 1):
        part = [f.filter(pl.col("conversation_id").fill_null("").str.len_bytes() % 2 == odd) for f in tables]
        parts.append(detect(link(part[0], part[1], facts), remembering))
    for name in ("exchanges", "signals"):
        both = pl.concat([getattr(part, name) for part in parts]).sort(pl.all().exclude("evidence"))
        assert both.equals(getattr(plain, name).sort(pl.all().exclude("evidence")))


def test_a_second_run_gives_the_same_tables(tables, plain, remembering, use):
    assert judged(tables, remembering).exchanges.equals(plain.exchanges)
    fresh = judged(tables, Remembering(use))
    assert fresh.exchanges.equals(plain.exchanges)
    assert fresh.signals.equals(plain.signals)
