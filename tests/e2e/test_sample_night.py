"""What a night over the sample logs must come to."""

import json
from datetime import date

import polars as pl
import pytest
import yaml

from schemas.enums import Signal
from tests.conftest import SAMPLES, Night
from warehouse.query import run_query

EXPECTED = yaml.safe_load((SAMPLES / "expected.yaml").read_text())


def counts_of(night: Night, day: str) -> dict[str, int]:
    runs = night.warehouse.scan("runs", [date.fromisoformat(day)]).collect()
    return {c["count"]: c["n"] for c in runs["counts"][-1] if c["step"] == "read"}


@pytest.mark.parametrize("day", list(EXPECTED["days"]))
def test_every_record_of_a_day_is_accounted_for(sample_night, day):
    counts, expected = counts_of(sample_night, day), EXPECTED["days"][day]
    quarantined = expected["quarantined"]
    whole_files = sum(n for reason, n in quarantined.items() if reason.startswith("file_"))
    assert counts["records"] == expected["records"] + whole_files
    assert counts["duplicates"] == expected["duplicates"]
    assert counts["superseded"] == expected["superseded"]
    found = sample_night.warehouse.scan("quarantine", [date.fromisoformat(day)]).collect()
    assert dict(found.group_by("reason").len().rows()) == quarantined
    kept = counts["messages"] + counts["events"]
    assert counts["records"] == kept + counts["duplicates"] + counts["superseded"] + counts["quarantined"]
    for table, n in (("messages", counts["messages"]), ("events", counts["events"])):
        arrived = sample_night.warehouse.scan(table).filter(pl.col("arrival_dt") == date.fromisoformat(day)).collect()
        assert arrived.height == n


def test_every_signal_is_found_in_both_languages(sample_night):
    exchanges = sample_night.warehouse.scan("exchanges").collect()
    for signal in Signal:
        scripts = exchanges.filter(pl.col(signal))["script"].to_list()
        assert scripts.count("latin") >= 2, signal
        assert scripts.count("han") >= 2, signal


def test_detections_agree_with_the_authored_labels_for_the_most_part(sample_night):
    labels = [json.loads(line) for line in (SAMPLES / "labels.jsonl").read_text().splitlines()]
    exchanges = sample_night.warehouse.scan("exchanges").collect()
    found = {
        (row["conversation_id"], row["reply_id"], signal)
        for row in exchanges.iter_rows(named=True)
        for signal in Signal
        if row[signal]
    }
    wanted = {
        (x["conversation_id"], x["about"], "complain" if x["signal"] == "failure_report" else x["signal"])
        for x in labels
        if x.get("sure", True) and x.get("measurable", True)
    }
    # A floor that a broken detector falls through, not a measure of quality: that is taken on labelled sets.
    for signal in Signal:
        wanted_here = {w for w in wanted if w[2] == signal}
        assert len(found & wanted_here) >= len(wanted_here) / 3, signal


def test_without_clocks_timing_is_null_and_never_false(sample_night):
    unclocked = sample_night.warehouse.scan("exchanges").filter(pl.col("source") == "import").collect()
    assert unclocked.height > 5
    for column in ("skim", "p_skim", "gap_s", "visible_s", "replied_at"):
        assert unclocked[column].null_count() == unclocked.height, column
    assert set(unclocked["clock_quality"]) == {"none"}


def test_a_conversation_across_midnight_is_one_conversation(sample_night):
    days = run_query(
        sample_night.warehouse,
        "SELECT e.exchange_id, m.dt AS request_day, n.dt AS next_day FROM exchanges e"
        " JOIN messages m ON m.conversation_id = e.conversation_id AND m.message_id = e.request_id"
        " JOIN messages n ON n.conversation_id = e.conversation_id AND n.message_id = e.next_user_id"
        " WHERE n.dt > m.dt",
    )
    assert not days.is_empty()


def test_late_versions_replace_what_came_before(sample_night):
    versions = run_query(
        sample_night.warehouse,
        "SELECT v.conversation_id, v.message_id, max(v.n_chars) AS longest, any_value(m.n_chars) AS shown"
        " FROM message_versions v JOIN messages m USING (source, conversation_id, message_id)"
        " GROUP BY ALL HAVING count(*) > 1",
    )
    assert not versions.is_empty()
    assert (versions["longest"] == versions["shown"]).all()


def test_every_detection_has_its_exchange_and_one_primary(sample_night):
    signals = sample_night.warehouse.scan("signals").collect()
    exchanges = sample_night.warehouse.scan("exchanges").collect()
    assert set(signals["exchange_id"]) <= set(exchanges["exchange_id"])
    assert signals["signal_id"].n_unique() == signals.height
    assert (signals.group_by("exchange_id").agg(pl.col("primary").sum())["primary"] == 1).all()


def test_nothing_is_left_beside_the_tables(sample_night):
    root = sample_night.settings.warehouse
    assert {p.name for p in root.iterdir()} == {
        *("messages", "events", "quarantine", "exchanges", "signals", "quality", "runs"),
        *(".work", ".staging", ".lock", "warehouse.duckdb", "marts"),
    }
    assert not list((root / ".work").iterdir())
    assert not list((root / ".staging").iterdir())


def test_checks_passed_and_were_written_down(sample_night):
    quality = sample_night.warehouse.scan("quality").collect()
    assert set(quality["table_name"]) >= {"messages", "events", "exchanges", "signals", "quarantine"}
    assert quality.filter(pl.col("severity") == "fail")["passed"].all()
