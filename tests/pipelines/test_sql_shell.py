"""`tacit sql` without a query: the terminal session, and standard input."""

import signal
import stat
import threading
import time
from os import getpid, kill

import pytest
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from typer.testing import CliRunner

from pipelines.cli.app import app
from pipelines.cli.completion import SqlCompleter
from pipelines.cli.shell import HISTORY, Shell, is_whole
from tests.conftest import settings_for


@pytest.fixture
def chosen(sample_night, tmp_path):
    return settings_for(tmp_path, warehouse=sample_night.settings.warehouse)


@pytest.fixture
def shell(sample_night, chosen):
    with create_pipe_input() as pipe:
        yield Shell(sample_night.warehouse, chosen, input=pipe, output=DummyOutput())


def typed(sample_night, chosen, keys: str) -> None:
    with create_pipe_input() as pipe:
        pipe.send_text(keys)
        Shell(sample_night.warehouse, chosen, input=pipe, output=DummyOutput()).run()


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("SELECT 1;", True),
        ("SELECT 1", False),
        ("SELECT ';'", False),
        ("SELECT 1 -- ;", False),
        ("SELECT ';'\n;", True),
        ("\\d", True),
        ("  ", True),
        ("exit", True),
    ],
)
def test_enter_sends_a_whole_statement_only(text, whole):
    assert is_whole(text) == whole


def test_a_session_answers_over_several_lines_and_ends(sample_night, chosen, capsys):
    typed(sample_night, chosen, "SELECT 41 +\r1 AS answer;\rSELECT 7 AS seven;\r\\q\r")
    shown = capsys.readouterr()
    assert "42" in shown.out
    assert "seven" in shown.out
    assert "1 row" in shown.err


def test_the_history_is_kept_in_home_for_its_owner_only(sample_night, chosen):
    typed(sample_night, chosen, "SELECT 4711;\r\\q\r")
    path = chosen.home / HISTORY
    assert "SELECT 4711;" in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("\\d", "worst_requests"),
        ("\\d signal_rates", "Wilson"),
        ("\\d nothing_such", "no such table"),
        ("\\d x' OR '1'='1", "no such table"),
        ("\\df", "wilson_low(k, n)"),
        ("\\?", "Ctrl-C"),
        ("\\csv SELECT 1 AS a, 2 AS b;", "a,b\n1,2"),
        ("DROP VIEW messages;", "DROP statement"),
        ("COPY messages TO 'x.csv';", "COPY statement"),
        ("SELECT * FROM read_parquet('/etc/x.parquet');", "outside the warehouse"),
        ("SELECT nothing FROM messages;", "nothing"),
    ],
)
def test_short_commands_and_refusals_are_said_and_the_session_goes_on(shell, capsys, question, says):
    shell.answer(question)
    shell.answer("SELECT 'still ' || 'here' AS it;")
    shown = capsys.readouterr()
    assert says in shown.out + shown.err
    assert "still here" in shown.out


def test_rows_can_be_shown_below_one_another(shell, capsys):
    shell.answer("\\x")
    shell.answer("SELECT 1 AS one;")
    assert "row 1" in capsys.readouterr().out


@pytest.fixture
def heard_ctrl_c():
    """Ctrl-C as a terminal has it: where tests run in the background, a shell may have had it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard_ctrl_c")
def test_ctrl_c_stops_the_query_and_not_the_session(shell, capsys):
    def interrupt() -> None:
        time.sleep(1.5)
        kill(getpid(), signal.SIGINT)

    began = time.monotonic()
    threading.Thread(target=interrupt).start()
    shell.answer("SELECT sum(a.range * b.range) FROM range(10000000) a, range(1000000) b;")
    assert time.monotonic() - began < 30
    assert "cancelled" in capsys.readouterr().err
    shell.answer("SELECT 'on' || 'ward' AS it;")
    assert "onward" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "first", "among"),
    [
        ("SELECT * FROM sig", "signals", "signal_rates"),
        ("SELECT mod", "model_comparison", None),
        ("\\d wor", "worst_requests", None),
        ("SELECT r.detected_ FROM signal_rates r", "detected_rate", None),
        ("sel", "SELECT", None),
        ("SELECT wil", "wilson_low", "wilson_high"),
        ("SELECT zzz", None, None),
    ],
)
def test_names_of_tables_columns_functions_and_keywords_complete(text, first, among):
    place = text.index("detected_") + len("detected_") if "detected_" in text else len(text)
    found = [c.text for c in SqlCompleter().get_completions(Document(text, place), None)]
    assert found[:1] == ([first] if first else [])
    assert among is None or among in found


def test_columns_of_the_tables_that_are_named_come_first():
    text = "SELECT outc FROM exchanges"
    found = [c.text for c in SqlCompleter().get_completions(Document(text, len("SELECT outc")), None)]
    assert found == ["outcome"]


def test_a_query_is_read_from_standard_input(sample_night):
    root = str(sample_night.settings.warehouse)
    result = CliRunner().invoke(app, ["sql", "--warehouse", root, "--format", "csv"], input="SELECT 1 AS a;\n")
    assert result.output == "a\n1\n"
    nothing = CliRunner().invoke(app, ["sql", "--warehouse", root], input="")
    assert nothing.exit_code == 2


def test_the_catalogue_command_makes_the_file_right(sample_night, tmp_path):
    import shutil

    import duckdb

    there = tmp_path / "moved"
    shutil.copytree(sample_night.settings.warehouse, there)
    result = CliRunner().invoke(app, ["catalogue", "--warehouse", str(there)])
    assert result.exit_code == 0, result.output
    with duckdb.connect(there / "warehouse.duckdb", read_only=True) as con:
        sql = "SELECT sql FROM duckdb_views() WHERE view_name = 'exchanges'"
        assert str(there) in con.execute(sql).fetchall()[0][0]
