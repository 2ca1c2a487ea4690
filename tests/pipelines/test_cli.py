"""The command line as a user meets it, wrong arguments included."""

import json
import shutil
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from pipelines.cli.app import app
from pipelines.cli.errors import errors_in_words
from tests.conftest import SAMPLES
from warehouse.query import run_query


@pytest.fixture
def tacit(sample_night, monkeypatch, tmp_path):
    """Runs a command against the sample night's warehouse; gives exit code and output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TACIT_WAREHOUSE", str(sample_night.settings.warehouse))
    monkeypatch.setenv("TACIT_HOME", str(sample_night.settings.home))
    monkeypatch.setenv("TACIT_LANDING", str(sample_night.settings.landing))

    def run(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, list(arguments), catch_exceptions=True)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            return 1, done.output + str(done.exception)
        return done.exit_code, done.output

    return run


def test_sql_answers_as_table_csv_and_json(tacit):
    query = "SELECT signal, count(*) AS n FROM signals GROUP BY signal ORDER BY signal"
    assert "complain" in tacit("sql", query)[1]
    code, csv = tacit("sql", query, "--format", "csv")
    assert (code, csv.splitlines()[0]) == (0, "signal,n")
    assert json.loads(tacit("sql", query, "--format", "json")[1])[0]["signal"] == "complain"


def test_sql_reads_a_query_from_a_file(tacit, tmp_path):
    (tmp_path / "q.sql").write_text("SELECT 41 + 1 AS answer")
    assert "42" in tacit("sql", "-f", "q.sql")[1]


def test_nested_columns_survive_every_format(tacit):
    for kind in ("table", "csv", "json"):
        code, output = tacit(
            "sql", "SELECT evidence, signal FROM signals WHERE signal = 'repeat' LIMIT 1", "--format", kind
        )
        assert code == 0
        assert "lexical" in output


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["sql"], 2, "give a query"),
        (["sql", "SELECT 1", "-f", "q.sql"], 2, "give a query"),
        (["sql", "-f", "absent.sql"], 2, "there is no file"),
        (["sql", "DROP TABLE messages"], 1, "DROP"),
        (["sql", "COPY messages TO 'x.csv'"], 1, "COPY"),
        (["sql", "SELECT * FROM read_csv('/etc/passwd')"], 1, "table function"),
        (["sql", "SELECT nothing FROM messages"], 1, "nothing"),
        (["sql", "SELECT 1", "--warehouse", "elsewhere"], 1, "no warehouse in elsewhere"),
        (["run"], 2, "--all"),
        (["run", "--all", "--day", "2026-11-02"], 2, "--all"),
        (["run", "--day", "yesterday"], 2, "YYYY-MM-DD"),
        (["run", "--landing", "elsewhere", "--all"], 1, "No landing day"),
        (["explain", "abc"], 2, "at least 6"),
        (["explain", "zzzzzzzz"], 1, "No detection"),
        (["quarantine", "list", "--reason", "tuesday"], 2, "file_unreadable"),
        (["evaluate", "absent.jsonl", "absent.jsonl"], 2, "there is no file"),
        (["config", "--config", "absent.toml"], 1, "cannot be read"),
        (["frobnicate"], 2, "frobnicate"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(tacit, arguments, code, says):
    found, output = tacit(*arguments)
    assert found == code
    assert says in output.replace("\n", " ")


def test_explain_shows_the_exchange_and_its_evidence(tacit, sample_night):
    signals = run_query(sample_night.warehouse, "SELECT signal_id, signal FROM signals ORDER BY signal_id")
    for signal_id, signal in signals.group_by("signal").first().select("signal_id", "signal").rows():
        code, output = tacit("explain", signal_id[:12])
        assert code == 0
        assert signal in output
        assert "reply that it is about" in output
        found = json.loads(tacit("explain", signal_id, "--json")[1])
        assert found["signal"]["signal_id"] == signal_id
        assert found["messages"]["reply"]["role"] == "assistant"


def test_quarantine_counts_by_reason_and_lists_places(tacit, sample_night):
    code, output = tacit("quarantine")
    assert code == 0
    reasons = set(sample_night.warehouse.scan("quarantine").collect()["reason"])
    assert len(reasons) > 10
    for reason in reasons:
        assert reason in output
    listed = json.loads(tacit("quarantine", "list", "--reason", "not_utf8", "--format", "json")[1])
    assert {row["reason"] for row in listed} == {"not_utf8"}
    assert all(len(row["sha256"]) == 64 and row["line"] > 0 for row in listed)
    assert "No such record" in tacit("quarantine", "list", "--day", "2025-01-01")[1]
    code, output = tacit("quarantine", "show", listed[0]["sha256"][:10])
    assert code == 0
    assert "not UTF-8" in output
    assert tacit("quarantine", "show", "zz")[0] == 1


def test_status_names_tables_runs_and_days_that_were_never_run(tacit, tmp_path):
    code, output = tacit("status")
    assert code == 0
    assert "exchanges" in output
    assert "2026-11-04" in output
    assert "never run" not in output
    shutil.copytree(SAMPLES / "landing" / "dt=2026-11-02", tmp_path / "landing" / "dt=2026-12-24")
    assert "2026-12-24" in tacit("status", "--landing", "landing")[1]
    assert json.loads(tacit("status", "--json")[1])["landing_days_not_run"] == []


def test_doctor_finds_all_that_a_run_needs(tacit):
    code, output = tacit("doctor", "--json")
    findings = {f["what"]: f for f in json.loads(output)}
    assert code == 0
    assert {f["state"] for f in findings.values()} <= {"ok", "note"}
    assert findings["pseudonym key"]["state"] == "ok"


def test_doctor_says_how_to_get_what_is_missing(tacit, monkeypatch):
    monkeypatch.setenv("TACIT_ENCODER", "sentence-transformers:no/such-model")
    monkeypatch.setenv("TACIT_ANONYMIZE__ENGLISH_MODEL", "no_such_model")
    code, output = tacit("doctor", "--json")
    missing = {f["what"]: f for f in json.loads(output) if f["state"] == "missing"}
    assert code == 1
    assert set(missing) == {"sentence encoder", "de-identification"}
    assert all(f["then"] for f in missing.values())


def test_config_shows_values_and_where_they_came_from(tacit, sample_night):
    found = json.loads(tacit("config", "--json")[1])
    assert found["warehouse"] == {"value": str(sample_night.settings.warehouse), "origin": "environment"}
    assert found["workers"]["origin"] == "default"
    assert sample_night.settings.key_path.read_text().strip() not in json.dumps(found)


def test_evaluate_prints_figures_with_intervals(tacit, tmp_path):
    gold = tmp_path / "gold.jsonl"
    day = SAMPLES / "landing" / "dt=2026-11-03" / "web-chat.jsonl"
    gold.write_bytes(day.read_bytes())
    code, output = tacit("evaluate", str(gold), str(SAMPLES / "labels.jsonl"), "--raw", "--json")
    assert code == 0
    result = json.loads(output)
    everything = {r["signal"]: r for r in result["scores"] if r["group_kind"] == "all"}
    assert everything["dislike"]["f1"] == 1.0
    assert everything["complain"]["precision_low"] <= everything["complain"]["precision"]
    assert result["counts"]["records refused"] > 0


def test_evaluate_refuses_lines_that_are_no_labels(tacit, tmp_path):
    (tmp_path / "gold.jsonl").write_text("")
    (tmp_path / "labels.jsonl").write_text('{"signal": "repeat"}\n')
    code, output = tacit("evaluate", "gold.jsonl", "labels.jsonl", "--raw")
    assert code == 1
    assert "Line 1 of labels.jsonl is not a label" in output


def test_a_fault_is_shown_by_its_place_and_never_by_its_message(capsys):
    with pytest.raises(SystemExit) as ended, errors_in_words():
        raise ValueError("li.si@example.com")
    shown = capsys.readouterr().err
    assert ended.value.code == 1
    assert "ValueError" in shown
    assert "test_cli.py" in shown
    assert "li.si" not in shown


def test_the_command_starts_as_a_module_too():
    done = subprocess.run([sys.executable, "-m", "pipelines", "--help"], capture_output=True, text=True, check=True)
    assert "quarantine" in done.stdout
