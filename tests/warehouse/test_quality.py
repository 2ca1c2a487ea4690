import json
import pickle
import tempfile
from datetime import timedelta

import frames
import polars as pl
import pytest

from schemas import contract
from schemas.errors import CheckFailed
from warehouse.quality import check
from warehouse.quality.checks import checks_of
from warehouse.stage import Stage, Staged

DAY = frames.DAY
CANARY = "canary-li.si@example.com"


def test_a_sound_day_passes_and_fits_the_table_quality(full_day, stage):
    results = check(full_day(), {"messages": 6, "events": 1, "quarantine": 1, "exchanges": 3, "signals": 2})
    assert results["passed"].all()
    shape = contract.table("quality")
    assert results.schema == pl.Schema({**shape.polars, "dt": pl.Date()})
    assert results.select(shape.key).is_unique().all()
    assert stage.write("quality", DAY, results.drop("dt"), {}).rows == results.height


def test_a_true_zero_day_passes_and_says_so(full_day):
    empty = {
        name: contract.table(name).empty() for name in ("messages", "events", "quarantine", "exchanges", "signals")
    }
    results = check(full_day(**empty), dict.fromkeys(empty, 0))
    assert results["passed"].all()
    counted = results.filter(check="row_count", table_name="messages")
    assert counted.select("observed", "passed").rows() == [(0.0, True)]


@pytest.mark.parametrize("counts", [{"messages": 6}, {"messages/2026-11-29": 6}])
def test_an_empty_table_fails_where_the_run_counted_rows(stage, counts):
    staged = [stage.write("messages", DAY, contract.table("messages").empty(), {})]
    with pytest.raises(CheckFailed, match=r"messages 2026-11-29 rows_differ_from_count \(fail\): 6, bound 0"):
        check(staged, counts)


@pytest.mark.parametrize("counted", [5, 7])
def test_a_lost_or_a_doubled_row_fails(stage, counted):
    with pytest.raises(CheckFailed, match="rows_differ_from_count"):
        check([stage.write("messages", DAY, frames.messages(), {})], {"messages": counted})


def test_a_count_is_of_all_days_together(stage):
    days = [DAY - timedelta(days=n) for n in range(3)]
    staged = [stage.write("messages", day, frames.messages(day), {}) for day in days]
    assert check(staged, {"messages": 18})["passed"].all()
    with pytest.raises(CheckFailed):
        check(staged, {"messages": 17})


DOUBLED = pl.concat([frames.messages(), frames.messages().head(1)])
BAD = {
    "a role outside its set": ("messages", frames.messages(role=CANARY), "outside_set(role)"),
    "a length below zero": ("messages", frames.messages(n_chars=-1), "below_minimum(n_chars)"),
    "a key twice": ("messages", DOUBLED, "duplicates(source, conversation_id, message_id, arrival_dt)"),
    "an empty text of a long original": ("messages", frames.messages(text="", n_chars=300), "text_lost(text)"),
    "a blank text of a long original": ("messages", frames.messages(text=" \u3000", n_chars=300), "text_lost(text)"),
    "no text of an original that was read": ("messages", frames.messages().with_columns(text=None), "text_lost(text)"),
    "a probability above one": ("exchanges", frames.exchanges(p_skim=1.5), "above_maximum(p_skim)"),
    "an unknown outcome": ("exchanges", frames.exchanges(outcome=CANARY), "outside_set(outcome)"),
    "an unknown follow-up": ("exchanges", frames.exchanges(follow_up=CANARY), "outside_set(follow_up)"),
    "a signal without its exchange": ("signals", frames.signals(exchange_id=CANARY), "without_exchange(exchange_id)"),
    "a reason that does not exist": (
        "quarantine",
        frames.quarantine().with_columns(reason=pl.lit(CANARY)),
        "outside_set(reason)",
    ),
}


def _stage_cases(stage: Stage, cases: dict[str, tuple[str, pl.DataFrame, str]]) -> tuple[list[Staged], dict]:
    """Stages each case as a day of its own, since a check costs a second whatever the number of days."""
    whole = {"messages": frames.messages(), "exchanges": frames.exchanges(), "signals": frames.signals()}
    days = {case: DAY - timedelta(days=n) for n, case in enumerate(cases)}
    staged = []
    for case, (table, frame, _) in cases.items():
        staged += [stage.write(t, days[case], f, {}) for t, f in {**whole, table: frame}.items()]
    return staged, days


def test_each_kind_of_fault_stops_the_publish_and_no_value_gets_out(stage):
    staged, days = _stage_cases(stage, BAD)
    with pytest.raises(CheckFailed) as caught:
        check(staged, {})
    fault = caught.value
    expected = {(days[case], table, name) for case, (table, _, name) in BAD.items()}
    failed = fault.results.filter(passed=False, severity="fail")
    assert set(failed.select("dt", "table_name", "check").rows()) == expected
    assert "11 checks failed: quarantine 2026-11-19 outside_set(reason) (fail): 1, bound 0; " in str(fault)
    assert "; and 1 more." in str(fault)
    assert CANARY not in str(fault)
    assert CANARY not in fault.results.write_json()
    again = pickle.loads(pickle.dumps(fault))  # noqa: S301 - our own bytes
    assert str(again) == str(fault)
    assert again.results.equals(fault.results)


WARNED = {
    "an end before its start": (
        "messages",
        frames.messages(completed_at=frames.at(DAY, -5)),
        "ends_before_start(completed_at)",
    ),
    "much text that was not captured": (
        "messages",
        frames.messages(n_chars=None).with_columns(text=pl.lit(None, pl.String)),
        "share_of_nulls(text)",
    ),
    "replies without an exchange": ("messages", frames.messages(turns=4), "share_of_replies_with_exchange"),
    "a signal without a probability": ("exchanges", frames.exchanges(p_complain=None), "signal_without_probability"),
}


def test_a_warning_is_recorded_and_stops_nothing(stage):
    staged, days = _stage_cases(stage, WARNED)
    results = check(staged, {})
    expected = {(days[case], table, name) for case, (table, _, name) in WARNED.items()}
    failed = results.filter(passed=False)
    assert set(failed.select("dt", "table_name", "check").rows()) == expected
    assert failed["severity"].unique().to_list() == ["warn"]


def test_which_checks_a_partition_of_exchanges_has_does_not_depend_on_what_else_was_staged(full_day):
    staged = full_day()
    alone = check([s for s in staged if s.table in ("exchanges", "signals")], {})
    together = check(staged, {}).filter(pl.col("table_name").is_in(["exchanges", "signals"]))
    assert alone.equals(together)


def test_a_blank_original_that_came_out_as_it_was_is_no_loss(stage):
    results = check([stage.write("messages", DAY, frames.messages(text="  \n ", n_chars=4), {})], {})
    assert results.filter(check="text_lost(text)")["passed"].all()


def test_a_signal_without_any_exchanges_of_its_day_fails(stage):
    with pytest.raises(CheckFailed, match=r"without_exchange\(exchange_id\) \(fail\): 2, bound 0"):
        check([stage.write("signals", DAY, frames.signals(), {})], {})


def test_only_the_day_at_fault_is_named(stage):
    other = DAY - timedelta(days=1)
    staged = [
        stage.write("messages", DAY, frames.messages(), {}),
        stage.write("messages", other, frames.messages(other, n_chars=-1), {}),
    ]
    with pytest.raises(CheckFailed) as caught:
        check(staged, {})
    bad = caught.value.results.filter(~pl.col("passed"))
    assert bad.select("dt", "check", "observed").rows() == [(other, "below_minimum(n_chars)", 6.0)]


def test_every_value_check_has_a_twin_that_nulls_do_not_pass():
    for table in contract.tables().values():
        names = {c.name for c in checks_of(table)}
        for column in table.columns:
            ruled = column.allowed or column.minimum is not None or column.maximum is not None
            assert not (ruled and not column.nullable) or f"nulls({column.name})" in names
        assert {"row_count", "rows_differ_from_count"} <= names
        assert len(names) == len(checks_of(table))


def test_great_expectations_is_given_numbers_only(full_day, monkeypatch):
    import great_expectations as gx

    seen = []
    real = gx.core.batch_definition.BatchDefinition.get_batch

    def spy(self, parameters):
        seen.append(parameters["dataframe"])
        return real(self, parameters)

    monkeypatch.setattr(gx.core.batch_definition.BatchDefinition, "get_batch", spy)
    check(full_day(messages=frames.messages(text=CANARY)), {})
    assert len(seen) == 5
    for frame in seen:
        assert CANARY not in json.dumps(frame.to_dict("list"))
        assert {str(kind) for kind in frame.drop(columns="dt").dtypes} == {"float64"}


def test_a_check_leaves_nothing_in_the_temporary_folder(stage, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    check([stage.write("messages", DAY, frames.messages(), {})], {})
    assert not list((tmp_path / "temporary").iterdir())


def test_nothing_staged_gives_no_results(warehouse):
    with Stage(warehouse, "empty"):
        assert check([], {}).is_empty()
