"""The view `signal_quality`, against figures worked out by hand and against samples of a known population."""

from datetime import UTC, datetime

import frames
import numpy as np
import polars as pl
import pytest

from schemas import contract
from warehouse.catalogue import connect

DAY = frames.DAY
P = {"detected": 0.9, "borderline": 0.3, "unlikely": 0.01}


def population(*groups):
    """Exchanges with `complain` by (band, number, source)."""
    base = frames.exchanges(turns=1).row(0, named=True)
    rows = []
    for band, n, source in groups:
        for _ in range(n):
            rows.append(base | {"exchange_id": f"x{len(rows)}", "source": source, "complain": band == "detected",
                                "p_complain": P[band], "dislike": None, "p_dislike": None})  # fmt: skip
    return pl.DataFrame(rows, schema=contract.table("exchanges").polars)


def reviews(exchanges, *verdicts, by_source=False, reviewer="a"):
    """Rows of (band, source, how many yes, how many no, how many unsure), on the first exchanges of each stratum."""
    rows = []
    for band, source, *numbers in verdicts:
        of = exchanges.filter((pl.col("p_complain") == P[band]) & (pl.col("source") == source))["exchange_id"].to_list()
        said = [v for v, n in zip(("yes", "no", "unsure"), numbers, strict=True) for _ in range(n)]
        rows += [
            {"exchange_id": one, "signal": "complain", "source": source, "conversation_id": "c0", "reviewer": reviewer,
             "verdict": verdict, "band": band, "by_source": by_source, "p": P[band], "seed": 1,
             "reviewed_at": datetime(2026, 12, 1, tzinfo=UTC)}
            for one, verdict in zip(of, said, strict=False)
        ]  # fmt: skip
    return pl.DataFrame(rows, schema=contract.table("reviews").polars)


def quality(warehouse, source=None):
    where = "source IS NULL" if source is None else f"source = '{source}'"
    with connect(warehouse) as con:
        return pl.DataFrame(con.sql(f"SELECT * FROM signal_quality WHERE {where}").to_arrow_table()).to_dicts()  # noqa: S608


def test_nothing_reviewed_gives_no_rows(warehouse, put):
    put("exchanges", DAY, population(("detected", 3, "app")))
    assert quality(warehouse) == []


def test_precision_is_the_share_of_reviewed_detections_and_recall_weighs_misses_by_their_number(warehouse, put):
    made = population(("detected", 100, "app"), ("borderline", 50, "app"), ("unlikely", 850, "app"))
    put("exchanges", DAY, made)
    put("reviews", DAY, reviews(made, ("detected", "app", 8, 2, 1), ("borderline", "app", 4, 6, 0),
                                ("unlikely", "app", 1, 19, 0)))  # fmt: skip
    [row] = quality(warehouse)
    assert (row["measurable"], row["detected"], row["reviewed"], row["unsure"], row["moved"]) == (1000, 100, 40, 1, 0)
    hits, missed = 100 * 0.8, 50 * 0.4 + 850 * 0.05
    assert row["precision"] == pytest.approx(0.8)
    # Wilson of 8 in 10 with the finite population of 100: 10 * 99 / 90 = 11 draws' worth.
    assert (row["precision_low"], row["precision_high"]) == (
        pytest.approx(0.5045, abs=1e-4),
        pytest.approx(0.9402, abs=1e-4),
    )
    assert row["recall"] == pytest.approx(hits / (hits + missed))
    assert row["recall_low"] < row["recall"] < row["recall_high"]
    assert row["true_rate"] == pytest.approx((hits + missed) / 1000)
    assert row["estimated_rate"] == pytest.approx((90 + 15 + 8.5) / 1000)
    assert row["covered"] == 1.0


def test_a_stratum_that_was_judged_whole_leaves_no_doubt(warehouse, put):
    made = population(("detected", 4, "app"), ("unlikely", 3, "app"))
    put("exchanges", DAY, made)
    put("reviews", DAY, reviews(made, ("detected", "app", 3, 1, 0), ("unlikely", "app", 1, 2, 0)))
    [row] = quality(warehouse)
    assert [row[f"precision{end}"] for end in ("", "_low", "_high")] == [0.75] * 3
    assert [row[f"recall{end}"] for end in ("", "_low", "_high")] == [0.75] * 3


def test_recall_is_unknown_until_every_band_was_looked_at(warehouse, put):
    made = population(("detected", 9, "app"), ("borderline", 9, "app"), ("unlikely", 9, "app"))
    put("exchanges", DAY, made)
    put("reviews", DAY, reviews(made, ("detected", "app", 2, 2, 0), ("borderline", "app", 1, 3, 0)))
    [row] = quality(warehouse)
    assert row["precision"] == 0.5
    assert (row["recall"], row["recall_low"], row["true_rate"], row["covered"]) == (None, None, None, 0.0)


def test_where_no_miss_was_found_the_interval_still_says_what_may_be_missed(warehouse, put):
    made = population(("detected", 100, "app"), ("unlikely", 900, "app"))
    put("exchanges", DAY, made)
    put("reviews", DAY, reviews(made, ("detected", "app", 20, 0, 0), ("unlikely", "app", 0, 30, 0)))
    [row] = quality(warehouse)
    assert (row["recall"], row["recall_high"]) == (1.0, 1.0)
    assert 0.4 < row["recall_low"] < 0.6  # up to about 0.11 of 900 may have been missed


def test_sources_drawn_alike_are_weighed_by_their_size(warehouse, put):
    made = population(("detected", 90, "big"), ("detected", 10, "small"), ("unlikely", 9, "big"))
    put("exchanges", DAY, made)
    put("reviews", DAY, reviews(made, ("detected", "big", 9, 1, 0), ("detected", "small", 2, 8, 0),
                                ("unlikely", "big", 0, 9, 0), by_source=True))  # fmt: skip
    [row] = quality(warehouse)
    assert row["precision"] == pytest.approx(0.9 * 0.9 + 0.1 * 0.2)
    assert quality(warehouse, "small")[0]["precision"] == pytest.approx(0.2)


def test_a_source_that_was_not_reviewed_is_left_out_and_said_to_be(warehouse, put):
    made = population(("detected", 10, "one"), ("unlikely", 10, "one"), ("detected", 60, "other"))
    put("exchanges", DAY, made)
    put("reviews", DAY, reviews(made, ("detected", "one", 5, 5, 0), ("unlikely", "one", 0, 10, 0), by_source=True))
    [row] = quality(warehouse)
    assert (row["precision"], row["recall"], row["covered"]) == (0.5, 1.0, 0.25)


def test_what_was_drawn_as_something_else_than_it_is_now_is_left_out(warehouse, put):
    made = population(("detected", 10, "app"))
    put("exchanges", DAY, made)
    drawn = reviews(made, ("detected", "app", 4, 1, 0))
    put(
        "reviews",
        DAY,
        drawn.with_columns(band=pl.when(pl.col("verdict") == "no").then(pl.lit("unlikely")).otherwise("band")),
    )
    [row] = quality(warehouse)
    assert (row["precision"], row["reviewed"], row["moved"]) == (1.0, 4, 1)


def test_two_reviewers_who_differ_evenly_are_unsure_together(warehouse, put):
    made = population(("detected", 10, "app"))
    put("exchanges", DAY, made)
    one, two, three = (
        reviews(made, ("detected", "app", *n, 0), reviewer=r) for n, r in (((3, 0), "a"), ((2, 1), "b"), ((2, 0), "c"))
    )
    put("reviews", DAY, pl.concat([one, two, three]))
    [row] = quality(warehouse)
    assert (row["reviewed"], row["unsure"], row["precision"]) == (2, 1, 1.0)
    assert (row["reviewed_twice"], row["agreement"]) == (3, pytest.approx(2 / 3))


def test_intervals_hold_the_truth_about_as_often_as_they_say(warehouse, put):
    """A hundred samples of a population with known truth, each as the reviews of a source of its own."""
    dice = np.random.default_rng(7)
    right = {"detected": (80, 64), "borderline": (60, 18), "unlikely": (260, 13)}
    trials, each = 100, 20
    drawn = []
    for trial in range(trials):
        for band, (size, true) in right.items():
            yes = int(dice.hypergeometric(true, size - true, each))
            drawn.append((band, f"s{trial:03d}", yes, each - yes, 0))
    made = population(*((band, size, f"s{n:03d}") for n in range(trials) for band, (size, _) in right.items()))
    put("exchanges", DAY, made)
    put("reviews", DAY, reviews(made, *drawn))
    with connect(warehouse) as con:
        rows = pl.DataFrame(con.sql("SELECT * FROM signal_quality WHERE source IS NOT NULL").to_arrow_table())
    truth = {"precision": 64 / 80, "recall": 64 / 95, "true": 95 / 400}
    assert rows.height == trials
    assert abs(rows["recall"].mean() - truth["recall"]) < 0.03
    for name, value in truth.items():
        held = ((rows[f"{name}_low"] <= value) & (value <= rows[f"{name}_high"])).mean()
        assert 0.90 <= held <= 1.0, (name, held)
    assert 0.1 < (rows["recall_high"] - rows["recall_low"]).mean() < 0.5
