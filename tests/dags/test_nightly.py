"""The nightly DAG, run for real on a throw-away Airflow home."""

import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from pipelines.night import run_night
from pipelines.scheduled import landing_day
from schemas.errors import ConfigError
from tests.conftest import REPOSITORY, SAMPLES, settings_for
from tests.e2e.test_promises import digests
from warehouse.layout import Warehouse

DAY = date(2026, 11, 3)
SCRIPT = """
import json, sys
from datetime import datetime, timedelta, timezone
from dags.nightly import nightly
loaded = {m.split('.')[0] for m in sys.modules}
heavy = sorted(loaded & {'polars', 'duckdb', 'spacy', 'presidio_analyzer', 'great_expectations'})
for task in nightly.tasks:
    task.retries = 0  # a failure shows at once
states = {}
xcoms = {}
for day in json.loads(sys.argv[1]):
    # A manual run covers the last whole day before its logical date.
    run = nightly.test(logical_date=datetime.fromisoformat(day).replace(tzinfo=timezone.utc) + timedelta(days=1))
    states[day] = str(run.state)
    from airflow.models.xcom import XComModel
    from airflow.utils.session import create_session
    with create_session() as session:
        rows = session.query(XComModel).filter(XComModel.run_id == run.run_id).all()
        for row in rows:
            xcoms[f"{day}/{row.task_id}/{row.map_index}/{row.key}"] = len(json.dumps(row.value))
print("RESULT " + json.dumps({"states": states, "heavy": heavy, "xcoms": xcoms,
                             "catchup": nightly.catchup, "writers": nightly.max_active_runs}))
"""


@pytest.fixture(scope="module")
def airflow_home(tmp_path_factory):
    home = tmp_path_factory.mktemp("airflow")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGS_FOLDER": str(REPOSITORY / "dags"),
        "AIRFLOW__CORE__UNIT_TEST_MODE": "False",
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONWARNINGS": "ignore",
    }
    # Which kernels multiply shows in the last digit of a probability: both sides compute with this machine's.
    environment |= {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS_")}
    migrate = [sys.executable, "-m", "airflow", "db", "migrate"]
    subprocess.run(migrate, check=True, capture_output=True, env=environment)
    return home, environment


@pytest.fixture(scope="module")
def dag_runs(airflow_home, tmp_path_factory):
    """The DAG run for a sample day and for a day without files; the settings, and what the script printed."""
    _, environment = airflow_home
    settings = settings_for(tmp_path_factory.mktemp("scheduled"), workers=1)
    days = [DAY, date(2026, 11, 20)]
    given = {
        "TACIT_LANDING": str(settings.landing),
        "TACIT_WAREHOUSE": str(settings.warehouse),
        "TACIT_KEY_FILE": str(settings.key_path),
        "TACIT_BUCKETS": "3",
    }
    logical = json.dumps([str(d) for d in days])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, logical],
        capture_output=True,
        text=True,
        check=False,
        env=environment | given,
        cwd=REPOSITORY,
        timeout=300,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert lines, done.stdout[-3000:] + done.stderr[-3000:]
    result = json.loads(lines[0].removeprefix("RESULT "))
    assert set(result["states"].values()) == {"success"}, done.stdout[-6000:]
    return settings, result


@pytest.mark.airflow
def test_the_dag_publishes_what_the_command_line_publishes(dag_runs, tmp_path):
    settings, _ = dag_runs
    other = settings_for(tmp_path, workers=1, key_file=settings.key_path)
    run_night(other, [DAY, date(2026, 11, 20)])
    ours, theirs = digests(settings.warehouse), digests(other.warehouse)
    assert ours.pop("warehouse.duckdb") != theirs.pop("warehouse.duckdb")
    assert ours == theirs
    assert not list((settings.warehouse / ".work").iterdir())


@pytest.mark.airflow
def test_a_day_without_files_is_published_though_nothing_is_mapped(dag_runs):
    settings, _ = dag_runs
    warehouse = Warehouse(settings.warehouse)
    assert date(2026, 11, 20) in warehouse.days("exchanges")
    assert warehouse.scan("runs", [date(2026, 11, 20)]).collect().height == 1


@pytest.mark.airflow
def test_days_missed_in_a_pause_are_caught_up_one_after_another(dag_runs):
    _, result = dag_runs
    assert (result["catchup"], result["writers"]) == (True, 1)


@pytest.mark.airflow
def test_tasks_hand_over_little_and_parsing_loads_nothing_heavy(dag_runs):
    _, result = dag_runs
    assert result["heavy"] == []
    assert result["xcoms"]
    assert max(result["xcoms"].values()) < 10_000


@pytest.mark.airflow
@pytest.mark.usefixtures("dag_runs")
def test_no_text_reaches_the_metadata_database_or_the_logs(airflow_home):
    home, _ = airflow_home
    texts = [
        record["content"][:60]
        for line in (SAMPLES / "landing" / f"dt={DAY}" / "web-chat.jsonl").read_bytes().splitlines()
        if line.startswith(b"{") and (record := _record(line)) and len(record.get("content") or "") > 60
    ]
    assert len(texts) > 50
    stored = b"".join(p.read_bytes() for p in Path(home).rglob("*") if p.is_file())
    assert not [t for t in texts if json.dumps(t)[1:-1].encode() in stored or t.encode() in stored]


def _record(line: bytes) -> dict:
    try:
        record = json.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) and isinstance(record.get("content"), str) else {}


MIDNIGHT = datetime(2026, 11, 3, tzinfo=UTC)


def test_the_landing_day_is_the_day_of_the_data_interval():
    assert landing_day(MIDNIGHT, MIDNIGHT + timedelta(days=1)) == date(2026, 11, 3)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (None, None),
        (MIDNIGHT, MIDNIGHT),
        (MIDNIGHT, MIDNIGHT + timedelta(hours=6)),
        (MIDNIGHT, MIDNIGHT + timedelta(days=2)),
        (MIDNIGHT + timedelta(hours=6), MIDNIGHT + timedelta(hours=30)),
    ],
)
def test_a_run_without_a_whole_utc_day_is_refused(start, end):
    with pytest.raises(ConfigError, match="data interval"):
        landing_day(start, end)
