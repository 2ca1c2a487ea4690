"""The leak audit over a whole run: one canary of every kind in every field, and none of them anywhere afterwards."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys

import pytest

from audit.canaries import read_canaries
from audit.report import Audit
from tests.conftest import REPOSITORY
from tests.e2e.canaries import CANARIES
from tests.e2e.leaky_landing import DAY, canary_file, land
from warehouse.layout import Warehouse

pytestmark = pytest.mark.slow

FAILING = """
import sys
from pipelines.steps import door
from pipelines.cli import main

def failing(record, *_):
    raise ValueError(f"cannot shape {record.content}")

door.message_row = failing
sys.argv = ["tacit", *sys.argv[1:]]
main()
"""

SCHEDULED = f"""
from datetime import datetime, timedelta, timezone
from pipelines.steps import door
from dags.nightly import nightly

def failing(record, *_):
    raise ValueError(f"cannot shape {{record.content}}")

door.message_row = failing
for task in nightly.tasks:
    task.retries = 0
run = nightly.test(logical_date=datetime.fromisoformat("{DAY}").replace(tzinfo=timezone.utc) + timedelta(days=1))
print("STATE", run.state)
"""


@pytest.fixture(scope="module")
def night(tmp_path_factory):
    """A run over the landing day in a folder of its own; the folder, its environment, and what the run printed."""
    folder = tmp_path_factory.mktemp("leaks")
    land(folder / "landing")
    (folder / "temporary").mkdir()
    canary_file(folder / "canaries.txt")
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY), "TMPDIR": str(folder / "temporary")}
    environment |= {f"TACIT_{n.upper()}": str(folder / n) for n in ("landing", "warehouse", "home")}
    environment |= {"TACIT_BUCKETS": "3", "TACIT_WORKERS": "2"}
    done = command(folder, environment, "-m", "pipelines", "run", "--all")
    assert done.returncode == 0, done.stderr
    (folder / "printed.log").write_text(done.stdout + done.stderr)
    return folder, environment


def command(folder, environment, *arguments):
    line = [sys.executable, *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=False, env=environment, cwd=folder)


def audited(folder, environment, *also):
    arguments = ["-m", "pipelines", "audit", "--json", "--canaries", "canaries.txt"]
    done = command(folder, environment, *arguments, *(a for path in also for a in ("--also", path)))
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_the_landing_day_holds_every_canary_and_every_format_is_read(night):
    folder, _ = night
    audit = Audit(read_canaries(folder / "canaries.txt"))
    audit.folder("landing", folder / "landing")
    assert {name for _, _, name in audit.report.hits} == set(CANARIES)
    runs = Warehouse(folder / "warehouse").scan("runs").collect().to_dicts()
    assert {f["format"] for f in runs[0]["inputs"]} >= {"native", "chatgpt", "otel-genai", "langfuse"}
    conversations = set(Warehouse(folder / "warehouse").scan("messages").collect()["conversation_id"])
    assert conversations >= {"c0", "g1", "o1", "s1"}
    reasons = set(Warehouse(folder / "warehouse").scan("quarantine").collect()["reason"])
    assert len(reasons) >= 5


def test_no_canary_is_left_anywhere(night):
    folder, environment = night
    code, found = audited(folder, environment, "temporary", "printed.log")
    assert found["found"] == []
    assert found["not_searched"] == {}
    assert code == 0
    assert found["canaries"] == len(CANARIES)
    assert found["files"] > 10


def test_the_samples_hold_no_residual_identifier_that_is_not_known(sample_night):
    """A warning, not an error; here it must not grow unseen."""
    audit = Audit()
    audit.folder("warehouse", sample_night.settings.warehouse)
    kinds = {(place.split("/")[1], kind) for place, _, kind in audit.report.residual}
    assert {table for table, _ in kinds} <= {"messages", "events", "exchanges", "signals"}
    assert {kind for _, kind in kinds} <= {"e-mail", "IP address"}  # git@ hosts, and addresses that are nobody's


@pytest.mark.parametrize("place", ["warehouse/.work/run/left.txt", "home/cache/left.txt", "temporary/tacit-x/left.txt"])
def test_the_audit_of_the_run_sees_what_is_planted_afterwards(night, place):
    folder, environment = night
    file = folder / place
    file.parent.mkdir(parents=True)
    file.write_text(f"cannot shape {CANARIES['person'].upper()}")
    try:
        code, found = audited(folder, environment)
        assert code == 1
        assert [f["canary"] for f in found["found"]] == ["person"]
        assert found["found"][0]["place"].endswith("left.txt")
    finally:
        shutil.rmtree(file.parent)


def test_a_task_that_raises_with_the_message_in_its_hands_leaves_no_trace(night, tmp_path):
    folder, environment = night
    shutil.copytree(folder / "landing", tmp_path / "landing")
    (tmp_path / "temporary").mkdir()
    canary_file(tmp_path / "canaries.txt")
    here = environment | {f"TACIT_{n.upper()}": str(tmp_path / n) for n in ("landing", "warehouse", "home")}
    here |= {"TMPDIR": str(tmp_path / "temporary"), "TACIT_WORKERS": "1"}
    done = command(tmp_path, here, "-c", FAILING, "run", "--day", DAY)
    assert done.returncode == 1
    assert "ValueError" in done.stderr
    (tmp_path / "printed.log").write_text(done.stdout + done.stderr)
    code, found = audited(tmp_path, here, "temporary", "printed.log")
    assert (code, found["found"]) == (0, [])


@pytest.mark.airflow
def test_a_scheduled_task_that_raises_leaves_no_trace_in_airflow(night, tmp_path):
    folder, environment = night
    home = tmp_path / "airflow"
    given = {
        "HOME": str(tmp_path),
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGS_FOLDER": str(REPOSITORY / "dags"),
        "PYTHONWARNINGS": "ignore",
    }
    shutil.copytree(folder / "landing", tmp_path / "landing")
    canary_file(tmp_path / "canaries.txt")
    here = environment | given | {f"TACIT_{n.upper()}": str(tmp_path / n) for n in ("landing", "warehouse", "home")}
    assert command(tmp_path, here, "-m", "pipelines", "keys", "new").returncode == 0
    here |= {"TACIT_KEY_FILE": str(tmp_path / "home" / "keys" / "pseudonym.key")}
    migrated = command(tmp_path, here, "-m", "airflow", "db", "migrate")
    assert migrated.returncode == 0, migrated.stderr
    done = command(tmp_path, here, "-c", SCHEDULED)
    assert "STATE failed" in done.stdout, done.stdout[-3000:] + done.stderr[-3000:]
    assert "ValueError" in done.stdout + done.stderr
    (tmp_path / "printed.log").write_text(done.stdout + done.stderr)
    code, found = audited(tmp_path, here, "printed.log")
    assert found["found"] == []
    assert found["not_searched"] == {}
    assert code == 0
    # The audit did look into Airflow's own database: what is planted there is found.
    with sqlite3.connect(home / "airflow.db") as con:
        con.execute("CREATE TABLE planted AS SELECT ? AS note", [CANARIES["人名"]])
    code, found = audited(tmp_path, here)
    assert code == 1
    assert "airflow/airflow.db" in {f["place"] for f in found["found"]}  # and in its write-ahead log
