"""Feedback that comes days after its message: what is published never depends on which of the two was read first."""

import itertools
import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipelines.settings import Settings, load_settings
from pipelines.steps import detect as detect_step
from pipelines.steps.detect import days_to_detect, detect_chunk, plan_detection
from pipelines.steps.overlay import Overlay
from schemas.contract import table
from warehouse.layout import Warehouse
from warehouse.publish import publish
from warehouse.stage import Stage

FIRST = date(2026, 11, 2)
LOOKBACK = 3


def day(n: int) -> date:
    return FIRST + timedelta(days=n)


def moment(days: float) -> datetime:
    return datetime(2026, 11, 2, 9, tzinfo=UTC) + timedelta(days=days)


def said(arrival: int, at: float, conversation: str, message_id: str, role: str, **more: Any) -> dict[str, Any]:
    row = {
        "source": "web", "conversation_id": conversation, "message_id": message_id, "parent_id": None, "seq": None,
        "role": role, "text": message_id, "n_chars": len(message_id), "script": "latin", "created_at": moment(at),
        "completed_at": moment(at) if role == "assistant" else None, "status": "ok", "user_key": "u", "model": None,
        "has_attachment": False, "entity_counts": [], "flags": [], "aliases": None, "digest": message_id,
        "arrival_dt": day(arrival), "dt": moment(at).date(),
    }  # fmt: skip
    return row | more


def turn(arrival: int, at: float, conversation: str, name: str, **more: Any) -> list[dict[str, Any]]:
    """A request and its reply, a second apart."""
    return [
        said(arrival, at, conversation, f"u-{name}", "user"),
        said(arrival, at + 1 / 86400, conversation, name, "assistant", **more),
    ]


def vote(arrival: int, at: float, name: str, conversation: str | None = None, kind: str = "thumbs_down") -> dict:
    return {
        "event_id": f"{kind}-{at}-{name}-{conversation}", "source": "web", "conversation_id": conversation,
        "message_id": name, "event": kind, "at": moment(at), "user_key": "u", "text": None, "entity_counts": [],
        "arrival_dt": day(arrival), "dt": moment(at).date(),
    }  # fmt: skip


@dataclass
class House:
    """A warehouse that takes one landing day after the other, without reading or de-identifying."""

    folder: Path
    settings: Settings = field(init=False)
    runs: int = 0

    def __post_init__(self) -> None:
        self.settings = load_settings({"warehouse": self.folder, "lookback_days": LOOKBACK}).settings

    @property
    def warehouse(self) -> Warehouse:
        return Warehouse(self.folder)

    def land(self, arrival: int, messages: Sequence[dict], events: Sequence[dict]) -> list[date]:
        """Run one landing day; gives the event days whose exchanges were computed."""
        self.runs += 1
        work = self.folder / ".work" / str(self.runs)
        overlay = Overlay(self.warehouse, work)
        touched = {day(arrival)}
        for name, rows in (("messages", messages), ("events", events)):
            fresh = pl.DataFrame(list(rows), schema=table(name).polars | {"dt": pl.Date}, orient="row")
            held = self.warehouse.scan(name).filter(pl.col("arrival_dt") == day(arrival)).collect()
            for dt in {day(arrival), *fresh["dt"], *held["dt"]}:
                touched.add(dt)
                others = overlay.scan(name, [dt]).filter(pl.col("arrival_dt") != day(arrival)).collect()
                overlay.write(name, dt, table(name).conform(pl.concat([others, fresh.filter(pl.col("dt") == dt)])))
        days = days_to_detect(self.settings, overlay, touched)
        found = [detect_chunk(self.settings, overlay, c) for c in plan_detection(self.settings, overlay, days)]
        with Stage(self.warehouse, f"r{self.runs}") as stage:
            staged = [
                stage.write(name, dt, pl.read_parquet(overlay.path(name, dt)), {})
                for name in ("messages", "events")
                for dt in overlay.made(name)
            ]
            for dt in days:
                parts = [pl.read_parquet(f"{c.folder}/exchanges.parquet") for c in found if c.dt == dt]
                staged.append(stage.write("exchanges", dt, pl.concat([table("exchanges").empty(), *parts]), {}))
            publish(self.warehouse, staged)
        shutil.rmtree(work)
        return days

    def exchanges(self) -> pl.DataFrame:
        return self.warehouse.scan("exchanges").collect().sort("dt", "source", "conversation_id", "position")

    def disliked(self) -> dict[str, bool | None]:
        return dict(self.exchanges().select("reply_id", "dislike").iter_rows())


@pytest.fixture(autouse=True)
def no_encoder(monkeypatch):
    monkeypatch.setattr(detect_step, "_encoder", lambda *_: None)


@pytest.fixture
def house(tmp_path) -> House:
    return House(tmp_path / "warehouse")


@pytest.mark.parametrize("stated", ["c1", None])
@pytest.mark.parametrize("message_first", [True, False])
def test_a_vote_days_after_its_reply_counts_for_it_whichever_arrived_first(house, stated, message_first):
    landings = [(0, turn(0, 0, "c1", "a1"), []), (3, [], [vote(3, 3, "a1", stated)])]
    for landing in landings if message_first else reversed(landings):
        house.land(*landing)
    assert house.disliked() == {"a1": True}
    house.land(3, [], [])  # delivered again without the vote
    assert house.disliked() == {"a1": None}


def test_a_later_change_of_mind_counts_too(house):
    house.land(0, turn(0, 0, "c1", "a1"), [vote(0, 0.1, "a1", "c1")])
    house.land(2, [], [vote(2, 2, "a1", "c1", "thumbs_clear")])
    assert house.disliked() == {"a1": False}


def test_a_vote_beyond_the_look_back_stays_in_the_events_and_changes_nothing(house):
    house.land(0, turn(0, 0, "c1", "a1"), [])
    days = house.land(4, [], [vote(4, 4, "a1", "c1"), vote(4, 4, "a1")])
    assert day(0) not in days
    assert house.disliked() == {"a1": None}
    assert house.warehouse.scan("events").collect().height == 2


def test_days_that_no_vote_reaches_are_not_computed_again(house):
    for n in range(4):
        house.land(n, turn(n, n, f"c{n}", f"a{n}"), [])
    days = house.land(4, turn(4, 4, "c4", "a4"), [vote(4, 4, "a1", "c1"), vote(4, 4.1, "a4")])
    assert days == [day(1), day(2), day(3), day(4)]  # the voted one and its next, the day before, the day itself
    assert house.land(5, [], []) == [day(4), day(5)]


def test_an_alias_names_the_reply_of_the_call(house):
    house.land(0, turn(0, 0, "c1", "a1", aliases=["trace-1", "span-7"]), [])
    house.land(2, [], [vote(2, 2, "span-7"), vote(2, 2.1, "trace-1", "c1", "copy")])
    assert house.disliked() == {"a1": True}


def test_a_name_that_two_conversations_hold_is_placed_in_neither_until_one_is_gone(house):
    house.land(0, turn(0, 0, "c1", "a1"), [])
    house.land(3, [], [vote(3, 3, "a1")])
    house.land(2, turn(2, 2, "c2", "b2", aliases=["a1"]), [])
    assert house.disliked() == {"a1": None, "b2": False}  # b2: the day's window holds a vote, of nobody
    assert house.warehouse.scan("events").collect()["conversation_id"].to_list() == [None]
    house.land(2, [], [])
    assert house.disliked() == {"a1": True}


def test_another_act_that_names_its_message_alone_goes_elsewhere_when_a_later_day_bears_the_name(house):
    house.land(0, turn(0, 0, "c1", "a1"), [])
    house.land(1, [], [vote(1, 1, "a1", None, "regenerate")])
    assert house.exchanges()["follow_up"].to_list() == ["regenerate"]
    house.land(2, turn(2, 2, "c2", "a1"), [])
    assert house.exchanges()["follow_up"].to_list() == [None, None]


def test_a_vote_on_a_step_before_midnight_counts_for_the_reply_after_it(house):
    night = 15 / 24 - 30 / 86400  # half a minute before midnight
    rows = [
        said(0, night, "c1", "u1", "user"), said(0, night + 9 / 86400, "c1", "step", "assistant"),
        said(0, night + 60 / 86400, "c1", "a1", "assistant"),
    ]  # fmt: skip
    house.land(0, rows, [])
    house.land(3, [], [vote(3, 3, "step", "c1")])
    assert house.disliked() == {"a1": True}


def _landings(dice: random.Random) -> dict[int, tuple[list[dict], list[dict]]]:
    """Ten days of a few conversations whose ids and aliases often collide, with votes that come early and late."""
    landings: dict[int, tuple[list[dict], list[dict]]] = {n: ([], []) for n in range(10)}
    for n in range(14):
        at = dice.uniform(0, 8)
        arrival = min(9, int(at) + dice.choice([0, 0, 1, 3]))
        name = f"a{dice.randrange(9)}"
        aliases = [f"a{dice.randrange(9)}"] if dice.random() < 0.4 else None
        rows = turn(arrival, at, f"c{dice.randrange(4)}", name, aliases=aliases)
        landings[arrival][0].extend(r | {"digest": f"{n}"} for r in rows)
    for _ in range(14):
        at = dice.uniform(0, 9)
        arrival = min(9, int(at) + dice.choice([0, 0, 2]))
        kind = dice.choice(["thumbs_down", "thumbs_down", "thumbs_up", "regenerate", "copy", "close"])
        conversation = dice.choice([None, None, f"c{dice.randrange(4)}"])
        landings[arrival][1].append(vote(arrival, at, f"a{dice.randrange(9)}", conversation, kind))
    return {
        n: (list({(r["conversation_id"], r["message_id"]): r for r in said_}.values()), acts)
        for n, (said_, acts) in landings.items()
    }


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (0, 3, 4, 5))])
def test_days_in_any_order_and_days_delivered_again_give_the_same_exchanges(tmp_path, seed):
    dice = random.Random(seed)
    landings = _landings(dice)
    straight, mixed = House(tmp_path / "straight"), House(tmp_path / "mixed")
    for n, rows in landings.items():
        straight.land(n, *rows)
    order = list(landings)
    dice.shuffle(order)
    for n in order:
        messages, events = landings[n]
        if dice.random() < 0.4:  # first another delivery, part of which is gone, or was never there, in the second
            others = landings[dice.choice(order)]
            extra = [r | {"arrival_dt": day(n)} for r in others[0]], [r | {"arrival_dt": day(n)} for r in others[1]]
            mixed.land(n, [*messages[2:], *_new(extra[0], messages)], [*events[1:], *_new(extra[1], events)])
        mixed.land(n, messages, events)
    assert straight.exchanges().height > 5
    assert mixed.exchanges().equals(straight.exchanges())


def _new(rows: list[dict], among: list[dict]) -> list[dict]:
    there = {(r["conversation_id"], r["message_id"], r.get("event_id")) for r in among}
    return [r for r in rows if (r["conversation_id"], r["message_id"], r.get("event_id")) not in there]


def test_every_landing_order_of_a_name_that_becomes_ambiguous_gives_the_same(tmp_path):
    landings = {
        0: (turn(0, 0, "c1", "a1"), []),
        2: (turn(2, 2, "c2", "a1"), []),
        3: ([], [vote(3, 3, "a1"), vote(3, 3.1, "a1", "c2", "thumbs_up")]),
    }
    results = []
    for number, order in enumerate(itertools.permutations(landings)):
        house = House(tmp_path / f"w{number}")
        for n in order:
            house.land(n, *landings[n])
        results.append(house.exchanges().select("conversation_id", "reply_id", "dislike").rows())
    assert all(r == results[0] for r in results)
    assert results[0] == [("c1", "a1", None), ("c2", "a1", False)]
