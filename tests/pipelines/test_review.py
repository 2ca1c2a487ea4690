"""`tacit review` as a reviewer meets it, over a copy of the sample night."""

import json
import shutil

import pytest
from typer.testing import CliRunner

from pipelines.beside import add_rows, drop_exchanges
from pipelines.cli.app import app
from pipelines.review import BORDERLINE, Journal, Plan, draw
from schemas.enums import Signal
from warehouse.layout import Warehouse


@pytest.fixture
def tables(sample_night, tmp_path):
    shutil.copytree(sample_night.settings.warehouse, tmp_path / "warehouse")
    return Warehouse(tmp_path / "warehouse")


@pytest.fixture
def tacit(tables, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TACIT_WAREHOUSE", str(tables.root))
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))

    def run(*arguments: str, answers: str = "") -> tuple[int, str]:
        done = CliRunner().invoke(app, ["review", *arguments], input=answers)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.exit_code, done.output

    return run


def kept(tables):
    return tables.scan("reviews").collect()


def keys(frame):
    return set(frame.select("exchange_id", "signal").rows())


def test_the_same_seed_draws_the_same_sample_and_another_seed_another(tables):
    plan = Plan((Signal.COMPLAIN,), 5, 1)
    once = draw(tables, plan)
    assert once.equals(draw(tables, plan))
    assert keys(once) != keys(draw(tables, Plan((Signal.COMPLAIN,), 5, 2)))
    assert once["exchange_id"].n_unique() == once.height
    assert once.group_by("band").len()["len"].max() == 5


def test_a_larger_sample_holds_the_smaller_one(tables):
    small, large = (keys(draw(tables, Plan((Signal.COMPLAIN,), n, 1))) for n in (3, 9))
    assert small < large


def test_strata_are_bands_and_sources_where_asked(tables):
    drawn = draw(tables, Plan((Signal.COMPLAIN,), 2, 1, by_source=True))
    assert drawn["source"].n_unique() > 1
    assert drawn.group_by("band", "source").len()["len"].max() == 2
    where = {r["exchange_id"]: r for r in tables.scan("exchanges").collect().to_dicts()}
    for row in drawn.to_dicts():
        exchange = where[row["exchange_id"]]
        assert exchange["complain"] is not None
        assert (row["band"] == "detected") == exchange["complain"]
        assert row["band"] == "detected" or (row["band"] == "borderline") == (exchange["p_complain"] >= BORDERLINE)


def test_what_cannot_be_measured_is_never_asked(tables):
    drawn = draw(tables, Plan((Signal.SKIM,), 10_000, 1))
    measurable = tables.scan("exchanges").collect()["skim"].drop_nulls().len()
    assert drawn.height == measurable > 0


def test_verdicts_are_stored_and_the_same_command_goes_on(tacit, tables):
    code, output = tacit("--signal", "complain", "-n", "3", answers="y\nmaybe\nn\nu\nq\n")
    assert code == 0
    assert "Stopped" in output
    assert "what the user wrote next" in output
    assert kept(tables)["verdict"].sort().to_list() == ["no", "unsure", "yes"]
    before = keys(kept(tables))
    rest = draw(tables, Plan((Signal.COMPLAIN,), 3, 1)).height - 3
    code, output = tacit("--signal", "complain", "-n", "3", answers="n\n" * rest)
    assert "All that was drawn is judged" in output
    assert before < keys(kept(tables))
    assert kept(tables).height == rest + 3
    assert "Nothing is left" in tacit("--signal", "complain", "-n", "3")[1]


def test_the_end_of_the_input_is_an_interruption_that_loses_nothing(tacit, tables):
    code, _ = tacit("--signal", "repeat", "-n", "4", answers="y\nn\n")
    assert code == 0
    assert kept(tables).height == 2


def test_another_reviewer_is_asked_the_same(tacit, tables):
    tacit("--signal", "complain", "-n", "1", "--reviewer", "ann", answers="y\n" * 3)
    tacit("--signal", "complain", "-n", "1", "--reviewer", "bo", answers="n\n" * 3)
    rows = kept(tables)
    assert keys(rows.filter(rows["reviewer"] == "ann")) == keys(rows.filter(rows["reviewer"] == "bo"))
    _, output = tacit("--report", "--json")
    report = json.loads(output)
    assert {(r["signal"], r["agreement"]) for r in report} == {("complain", 0.0)}


def test_the_report_shows_precision_and_recall_with_intervals(tacit, tables):
    assert "Nothing was reviewed" in tacit("--report")[1]
    drawn = draw(tables, Plan((Signal.COMPLAIN,), 10_000, 1))
    found = "".join("y\n" if band == "detected" else "n\n" for band in drawn["band"])
    tacit("--signal", "complain", "-n", "10000", answers=found)
    [row] = [r for r in json.loads(tacit("--report", "--json")[1]) if r["source"] is None]
    assert (row["precision"], row["recall"], row["recall_low"], row["covered"]) == (1.0, 1.0, 1.0, 1.0)
    assert row["detected"] == drawn.filter(drawn["band"] == "detected").height
    assert row["measurable"] == row["reviewed"] == drawn.height
    assert "1.00 (1.00-1.00)" in tacit("--report")[1]


def test_a_blind_reviewer_is_not_told_what_was_found(tacit):
    shown = tacit("--signal", "complain", "-n", "2", answers="q\n")[1]
    blind = tacit("--signal", "complain", "-n", "2", "--blind", answers="q\n")[1]
    assert "probability" in shown
    assert "probability" not in blind.split("Quality")[0]
    assert "what the user wrote next" in blind


def test_while_a_run_holds_the_warehouse_verdicts_wait_at_home(tacit, tables, tmp_path):
    with tables.writer():
        code, output = tacit("--signal", "complain", "-n", "2", answers="y\nq\n")
    assert code == 0
    assert "published next time" in output.replace("\n", " ")
    assert kept(tables).is_empty()
    tacit("--signal", "complain", "-n", "2", answers="q\n")
    assert kept(tables)["verdict"].to_list() == ["yes"]
    assert not list((tmp_path / "home" / "reviews").iterdir())


def test_a_line_that_a_crash_tore_costs_only_itself(tables, tmp_path):
    plan = Plan((Signal.COMPLAIN,), 4, 1)
    journal = Journal(tmp_path, tables, "ann")
    first, second, *_ = draw(tables, plan).to_dicts()
    journal.add(first, "yes", plan)
    journal.path.write_bytes(journal.path.read_bytes() + journal.path.read_bytes()[:40])
    journal.add(second, "no", plan)
    assert journal.rows()["verdict"].to_list() == ["yes", "no"]
    assert journal.path.stat().st_mode & 0o077 == 0
    assert journal.publish() == 2
    assert journal.judged() == {(r["exchange_id"], "complain") for r in (first, second)}


def test_a_verdict_given_again_takes_the_place_of_the_first(tables, tmp_path):
    plan = Plan((Signal.COMPLAIN,), 2, 1)
    journal = Journal(tmp_path, tables, "ann")
    item = draw(tables, plan).to_dicts()[0]
    for verdict in ("yes", "no"):
        journal.add(item, verdict, plan)
        journal.publish()
    assert kept(tables)["verdict"].to_list() == ["no"]
    assert tables.verify(["reviews"]) == 1
    assert add_rows(tables, "reviews", kept(tables).clear()) == 0


def test_an_erasure_takes_the_verdicts_with_the_exchange(tables, tmp_path):
    plan = Plan((Signal.COMPLAIN,), 3, 1)
    journal = Journal(tmp_path, tables, "ann")
    one, other, *_ = draw(tables, plan).to_dicts()
    for item in (one, other):
        journal.add(item, "yes", plan)
    journal.publish()
    with tables.writer():
        assert drop_exchanges(tables, [one["exchange_id"]]) == 1
    assert kept(tables)["exchange_id"].to_list() == [other["exchange_id"]]


@pytest.mark.parametrize("arguments", [("--reviewer", "Li Si"), ("--by-source", "--source", "web"), ("-n", "0"),
                                       ("--signal", "boredom")])  # fmt: skip
def test_a_wrong_call_is_refused(tacit, arguments):
    assert tacit(*arguments)[0] == 2
