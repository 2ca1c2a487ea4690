import numpy as np
import polars as pl
import pytest

from pipelines.evaluation import bootstrap_f1, score, wilson
from schemas.contract import table
from schemas.enums import Signal


def exchanges(*rows):
    """Rows of (conversation, number, {column: value}); signals that are not named are false."""
    out = []
    for conversation, n, found in rows:
        row = dict.fromkeys(table("exchanges").polars)
        row |= {s.value: False for s in Signal} | {f"p_{s}": 0.1 for s in Signal}
        row |= {
            "exchange_id": f"{conversation}-{n}", "source": "web", "conversation_id": conversation, "script": "latin",
            "reply_id": f"a{n}", "next_user_id": f"u{n + 1}",
        }  # fmt: skip
        out.append(row | found)
    return pl.DataFrame(out, schema=table("exchanges").polars)


def labels(*rows):
    """Rows of (conversation, message, signal, {key: value})."""
    out = [
        {"conversation_id": c, "message_id": m, "signal": s, "about": None, "sure": True, "measurable": True} | more
        for c, m, s, more in rows
    ]
    schema = {"conversation_id": pl.String, "message_id": pl.String, "signal": pl.String, "about": pl.String}
    return pl.DataFrame(out, schema=schema | {"sure": pl.Boolean, "measurable": pl.Boolean})


def row(scores, signal, kind="all", group="all"):
    found = scores.filter(
        (pl.col("signal") == signal) & (pl.col("group_kind") == kind) & (pl.col("group") == group)
    ).to_dicts()
    assert len(found) == 1
    return found[0]


def counts(scores, signal):
    found = row(scores, signal)
    return found["tp"], found["fp"], found["fn"]


def test_hits_false_alarms_and_misses_are_counted():
    made = exchanges(
        ("c1", 0, {"repeat": True}), ("c1", 1, {"repeat": True}), ("c2", 0, {}), ("c2", 1, {"repeat": None})
    )
    found = score(made, labels(("c1", "u1", "repeat", {}), ("c2", "u1", "repeat", {}), ("c2", "u2", "repeat", {})))
    assert counts(found, "repeat") == (1, 1, 2)
    assert row(found, "repeat")["precision"] == 0.5
    assert row(found, "repeat")["recall"] == pytest.approx(1 / 3)
    assert row(found, "repeat")["labelled_rate"] == pytest.approx(2 / 3)


def test_both_rates_are_of_the_exchanges_that_can_be_measured():
    """One positive of two measurable exchanges; the two others can say nothing about the rate, labelled or not."""
    unknown = {"skim": None, "p_skim": None}
    made = exchanges(
        ("c1", 0, {"skim": True, "p_skim": 0.9}), ("c1", 1, {"p_skim": 0.2}), ("c1", 2, unknown), ("c1", 3, unknown)
    )
    found = row(score(made, labels(("c1", "u1", "skim", {}), ("c1", "u3", "skim", {}))), "skim")
    assert (found["n_measured"], found["n_items"]) == (2, 4)
    assert found["labelled_rate"] == 0.5
    assert found["estimated_rate"] == pytest.approx(0.55)
    assert (found["tp"], found["fn"]) == (1, 1)


def test_what_the_readers_were_not_sure_of_is_left_out_both_ways():
    made = exchanges(("c1", 0, {"repeat": True}), ("c1", 1, {}))
    unsure = labels(("c1", "u1", "repeat", {"sure": False}), ("c1", "u2", "repeat", {"sure": False}))
    assert score(made, unsure).filter(pl.col("signal") == "repeat").is_empty()


def test_one_sure_reading_outweighs_an_unsure_one():
    made = exchanges(("c1", 0, {"repeat": True}))
    both = labels(("c1", "u1", "repeat", {"sure": False}), ("c1", "u1", "repeat", {}))
    assert counts(score(made, both), "repeat") == (1, 0, 0)


def test_an_act_without_words_is_matched_by_the_reply():
    made = exchanges(("c1", 0, {"dislike": True}), ("c1", 1, {"dislike": False}))
    found = score(made, labels(("c1", "a0", "dislike", {}), ("c1", "a1", "dislike", {})))
    assert counts(found, "dislike") == (1, 0, 1)


def test_a_label_on_a_second_message_is_matched_by_its_reply_or_by_the_detection():
    made = exchanges(("c1", 0, {"complain": True}))
    about = labels(("c1", "u1b", "complain", {"about": "a0"}))
    assert counts(score(made, about), "complain") == (1, 0, 0)
    signals = pl.DataFrame({"conversation_id": ["c1"], "exchange_id": ["c1-0"], "trigger_message_id": ["u1b"]})
    assert counts(score(made, labels(("c1", "u1b", "complain", {})), signals), "complain") == (1, 0, 0)


def test_a_label_that_belongs_to_no_exchange_is_a_miss():
    found = score(exchanges(("c1", 0, {})), labels(("c9", "u5", "repeat", {}), ("c1", "u7", "repeat", {})))
    assert counts(found, "repeat") == (0, 0, 2)


@pytest.mark.parametrize(("value", "wrong"), [(True, 1), (False, 1), (None, 0)])
def test_where_nothing_can_be_measured_only_null_is_right(value, wrong):
    found = score(exchanges(("c1", 0, {"skim": value})), labels(("c1", "u1", "skim", {"measurable": False})))
    assert counts(found, "skim") == (0, wrong, 0)
    assert row(found, "skim")["n_not_measurable"] == 1


def test_a_failure_report_counts_as_a_complaint_and_is_scored_apart():
    made = exchanges(("c1", 0, {"complain": True}), ("c1", 1, {}), ("c1", 2, {"complain": True}))
    found = score(
        made,
        labels(("c1", "u1", "failure_report", {}), ("c1", "u2", "failure_report", {}), ("c1", "u3", "complain", {})),
    )
    assert counts(found, "complain") == (2, 0, 1)
    assert counts(found, "dissatisfaction") == (1, 0, 0)
    assert (row(found, "failure_report")["recall"], row(found, "failure_report")["precision"]) == (0.5, None)


def test_repeat_and_rephrase_are_also_scored_as_one():
    made = exchanges(("c1", 0, {"repeat": True}), ("c1", 1, {"rephrase": True}))
    found = score(made, labels(("c1", "u1", "rephrase", {}), ("c1", "u2", "repeat", {})))
    assert counts(found, "repeat_or_rephrase") == (2, 0, 0)
    assert counts(found, "repeat") == (0, 1, 1)


def test_groups_are_languages_and_sources():
    made = exchanges(("c1", 0, {"repeat": True}), ("c2", 0, {"repeat": True, "script": "han", "source": "app"}))
    found = score(made, labels(("c1", "u1", "repeat", {})))
    assert row(found, "repeat", "language", "latin")["tp"] == 1
    assert row(found, "repeat", "language", "chinese")["fp"] == 1
    assert row(found, "repeat", "source", "app")["fp"] == 1


def test_intervals_hold_their_figure_and_do_not_change_between_runs():
    share, low, high = wilson(8, 10)
    assert low < share < high
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)
    assert wilson(0, 0) == (None, None, None)
    table_ = np.array([[1, 0, 1], [2, 1, 0], [0, 1, 1]])
    assert bootstrap_f1(table_) == bootstrap_f1(table_)
    f1, low, high = bootstrap_f1(table_)
    assert low <= f1 <= high
    assert bootstrap_f1(np.zeros((3, 3), dtype=int)) == (None, None, None)
