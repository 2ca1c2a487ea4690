"""Order does not matter: days in any order, lines shuffled, files split, records twice, however the work is divided."""

import random
import tempfile
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from quick import FIRST, Record, digests, land, make_quick, moment, talk, vote

from anonymize.keys import create_key
from pipelines.night import run_night
from pipelines.settings import Settings, load_settings
from pipelines.steps import parts
from pipelines.steps.parts import in_parts, stored_parts
from schemas.contract import table


def unclocked(records: list[Record]) -> list[Record]:
    return [{k: v for k, v in r.items() if not k.endswith("_at")} | {"seq": n} for n, r in enumerate(records)]


DAYS = [FIRST + timedelta(days=n) for n in range(3)]
# What arrives on each day: late records, a conversation over midnight, votes before and after their message, one that
# names no conversation, a message twice with other content, and records without a clock.
ARRIVING = {
    DAYS[0]: [*talk("a", 0), *talk("night", 0.4997, turns=3), vote("a", "a1", 0.2), vote("b", "a0", 0.4)],
    DAYS[1]: [
        *talk("b", 0.3),
        *talk("a", 0.9),
        *talk("c", 1),
        {"kind": "event", "source": "web", "message_id": "only-here", "event": "thumbs_down", "at": moment(1.1)},
        *unclocked(talk("no clock", 0)),
    ],
    DAYS[2]: [
        *talk("c", 1.001, turns=1),
        *talk("night", 2, turns=1),
        vote("c", "a1", 2.2),
        vote("night", "a2", 2.3, "thumbs_up"),
        {"kind": "message", "source": "web", "conversation_id": "d", "message_id": "only-here", "role": "assistant",
         "content": "Once.", "created_at": moment(1), "completed_at": moment(1.0001)},
    ],
}  # fmt: skip


def night_settings(folder: Path, key: Path, buckets: int) -> Settings:
    flags = {"landing": folder / "landing", "warehouse": folder / "warehouse", "home": folder, "key_file": key}
    return load_settings(flags | {"workers": 1, "buckets": buckets}).settings


@pytest.fixture(scope="module", autouse=True)
def key(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("key") / "pseudonym.key"
    create_key(path)
    return path


@pytest.fixture(scope="module", autouse=True)
def quick():
    with pytest.MonkeyPatch.context() as patch:
        make_quick(patch)
        # So few that every partition comes in several parts.
        patch.setattr(parts, "PART_ROWS", 5)
        yield


@pytest.fixture(scope="module")
def plain(tmp_path_factory, key) -> dict[str, str]:
    """The tables of one run of all days, in order."""
    made = night_settings(tmp_path_factory.mktemp("plain"), key, 1)
    for day, records in ARRIVING.items():
        land(made.landing, day, records)
    run_night(made, DAYS)
    return digests(made.warehouse)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    order=st.permutations(DAYS),
    again=st.lists(st.sampled_from(DAYS), max_size=2),
    files=st.integers(1, 3),
    buckets=st.integers(1, 5),
    seed=st.integers(0, 999),
)
def test_any_order_and_division_gives_the_same_bytes(plain, key, order, again, files, buckets, seed):
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        made = night_settings(Path(folder), key, buckets)
        for day, records in ARRIVING.items():
            shuffled = [*records, *dice.sample(records, 3)]
            dice.shuffle(shuffled)
            for n in range(files):
                land(made.landing, day, shuffled[n::files], f"{n}.jsonl")
        for day in [*order, *again]:
            run_night(made, [day])
        assert digests(made.warehouse) == plain


@pytest.mark.parametrize("name", ["messages", "events"])
@pytest.mark.parametrize("rows_a_part", [1, 2, 7, 1000])
def test_parts_one_after_the_other_are_the_sorted_whole(tmp_path, monkeypatch, name, rows_a_part):
    monkeypatch.setattr(parts, "PART_ROWS", rows_a_part)
    dice = random.Random(3)
    shape = table(name)
    rows = [
        {
            "source": dice.choice(["a", "b"]),
            "conversation_id": dice.choice(["", "c", "d", "é", "你"] + [None] * (name == "events")),
            "message_id": f"m{dice.randrange(5)}",
            "event_id": f"e{n}",
            "arrival_dt": FIRST,
        }
        for n in range(40)
    ]
    frame = pl.DataFrame(rows).select(
        (pl.col(c) if c in rows[0] else pl.lit(None)).cast(kind).alias(c) for c, kind in shape.polars.items()
    )
    for n in range(2):
        frame[n::2].write_parquet(tmp_path / f"{n}.parquet")
    found = list(in_parts(name, pl.scan_parquet(tmp_path / "*.parquet")))
    # Rows that differ in nothing that the table is sorted by may come in any order.
    keys = list(shape.sort)
    assert pl.concat(found).select(keys).equals(shape.conform(frame).select(keys))
    assert all(part.height <= rows_a_part + 39 for part in found)
    assert len(found) > 1 or rows_a_part == 1000


def test_a_stored_frame_without_rows_has_no_parts(tmp_path):
    table("events").empty().write_parquet(tmp_path / "a.parquet")
    assert [p.height for p in stored_parts(tmp_path / "a.parquet")] in ([], [0])
    assert list(in_parts("events", pl.scan_parquet(tmp_path / "a.parquet"))) == []
