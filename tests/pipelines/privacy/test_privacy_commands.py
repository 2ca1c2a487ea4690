"""The privacy officer's commands, as they are typed."""

import json
import shutil
import stat

import pytest
from talks_of_users import DAYS, ERASED, OTHER, landing_zone
from typer.testing import CliRunner

from anonymize.keys import load_key
from pipelines.cli.app import app
from pipelines.night import run_night
from pipelines.readers.landing import landing_days
from tests.conftest import settings_for
from warehouse.layout import Warehouse


@pytest.fixture(scope="module")
def run_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    landing = landing_zone(folder / "landing")
    file = landing / f"dt={DAYS[0]}" / "web.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    rows[0]["content"] = "I am Joanna Lindqvist, write to j.lindqvist@example.com"
    file.write_text("".join(json.dumps(r) + "\n" for r in rows))
    settings = settings_for(folder, landing=landing, workers=1)
    run_night(settings, landing_days(landing))
    return settings


@pytest.fixture
def tacit(run_once, tmp_path, monkeypatch):
    """Runs a command against a copy of a finished run; gives exit code, output and errors."""
    for name in ("landing", "warehouse", "home"):
        shutil.copytree(getattr(run_once, name), tmp_path / name)
        monkeypatch.setenv(f"TACIT_{name.upper()}", str(tmp_path / name))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TACIT_WORKERS", "1")
    monkeypatch.delenv("AIRFLOW_HOME", raising=False)
    # What other runs on this machine left in the temporary folder is not this test's.
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))

    def run(*arguments, **options):
        done = CliRunner().invoke(app, list(map(str, arguments)), **options)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            return 1, done.stdout, str(done.exception)
        return done.exit_code, done.stdout, done.stderr

    return run


def test_a_user_is_erased_with_the_id_on_standard_input(tacit, tmp_path):
    code, said, _ = tacit("forget", "--user", "-", "--dry-run", input=f"{ERASED}\n")
    assert (code, "rows that would go" in said) == (0, True)
    code, said, errors = tacit("forget", "--user", "-", input=f"{ERASED}\n")
    assert code == 0, errors
    assert "0 rows are left" in said
    assert f"dt={DAYS[0]}/web.jsonl: 9 records" in said
    assert ERASED not in said + errors
    assert set(Warehouse(tmp_path / "warehouse").scan("messages").collect()["conversation_id"]) == {
        "b",
        "c",
        "d",
        "both",
    }
    assert "Nothing is left to erase" in tacit("forget", "--user", ERASED)[1]
    found = json.loads(tacit("forget", "--user", ERASED, "--json")[1])
    assert (found["removed"], found["run_id"]) == ({}, None)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["forget"], 2, "--user"),
        (["forget", "--user", "a", "--conversation", "b"], 2, "--user"),
        (["forget", "--user", "nobody-of-that-name"], 1, "Nothing in the tables"),
        (["forget", "--user", "a", "--warehouse", "elsewhere"], 1, "no warehouse"),
        (["prune"], 2, "--before"),
        (["prune", "--before", "soon"], 2, "YYYY-MM-DD"),
        (["anonymize", "none.txt"], 1, "cannot be read"),
        (["anonymize", "-", "--tenant", "../x"], 1, "tenant"),
        (["audit", "--canaries", "none.txt"], 1, "cannot be read"),
        (["audit", "--also", "none"], 2, "there is no"),
        (["keys", "new"], 1, "already exists"),
        (["keys", "show", "--tenant", "nobody"], 1, "missing"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(tacit, arguments, code, says):
    found, output, errors = tacit(*arguments)
    assert found == code
    said = (output + errors).replace("\n", " ")
    assert says in said
    assert "nobody-of-that-name" not in said


def test_old_days_are_pruned_by_date_or_by_the_setting(tacit, monkeypatch, tmp_path):
    code, said, _ = tacit("prune", "--before", DAYS[1], "--dry-run")
    assert code == 0
    assert "would go" in said
    assert f"bring rows back: {DAYS[0]}" in said
    monkeypatch.setenv("TACIT_RETENTION_DAYS", "1")
    assert json.loads(tacit("prune", "--json", "--dry-run")[1])["before"] > DAYS[1]
    assert tacit("prune", "--before", DAYS[1])[0] == 0
    assert [str(d) for d in Warehouse(tmp_path / "warehouse").days("messages")] == [DAYS[1]]
    assert "No day before" in tacit("prune", "--before", DAYS[1])[1]


def test_a_copy_of_native_records_has_the_tags_of_the_tables(tacit, tmp_path):
    file = tmp_path / "landing" / f"dt={DAYS[0]}" / "web.jsonl"
    code, copied, errors = tacit("anonymize", file)
    assert code == 0, errors
    ours = {r["message_id"]: r["content"] for r in map(json.loads, copied.splitlines()) if r["kind"] == "message"}
    rows = Warehouse(tmp_path / "warehouse").scan("messages").collect()
    theirs = dict(rows.filter(rows["dt"] == rows["dt"].min()).select("message_id", "text").rows())
    assert "Joanna" not in copied
    assert "<PERSON_" in ours["a-m1"]
    assert {k: ours[k] for k in theirs} == theirs


def test_a_copy_goes_to_a_file_and_its_findings_are_explained(tacit, tmp_path):
    (tmp_path / "note.txt").write_text("Hello,\nI am Joanna Lindqvist.\n")
    code, said, _ = tacit("anonymize", "note.txt", "--explain", "-o", "clean.txt")
    assert code == 0
    assert said.splitlines()[0] == "line\tfield\tstart\tend\ttype\trule\tscore"
    assert said.splitlines()[1].startswith("2\t\t5\t21\tPERSON\t")
    assert "Joanna" not in said
    clean = (tmp_path / "clean.txt").read_text()
    assert clean.startswith("Hello,\nI am <PERSON_")
    assert tacit("anonymize", "-", input=clean)[1] == clean
    assert sorted(p.name for p in tmp_path.glob("*clean*")) == ["clean.txt"]


def test_a_line_that_cannot_be_scanned_is_withheld_and_said_so(tacit, tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b'{"content": "one"}\n\xff Joanna Lindqvist\n{"content": "two"}\n')
    code, said, errors = tacit("anonymize", "a.jsonl")
    assert code == 1
    assert said.splitlines() == ['{"content": "one"}', "null", '{"content": "two"}']
    assert errors.strip() == "withheld: line 2: not_utf8"


def test_each_tenant_has_a_key_of_its_own_and_no_key_is_ever_shown(tacit, tmp_path):
    secrets = {(tmp_path / "home" / "keys" / "pseudonym.key").read_text().strip()}
    said = tacit("keys", "new", "--tenant", "north")[1] + tacit("keys", "rotate", "--tenant", "north")[1]
    folder = tmp_path / "home" / "keys"
    files = sorted(folder.iterdir())
    ids = {load_key(f).key_id for f in files}
    assert len(files) == len(ids) == 3
    assert all(stat.S_IMODE(f.stat().st_mode) == 0o600 for f in files)
    secrets |= {f.read_text().strip() for f in files}
    code, listed, _ = tacit("keys", "list")
    assert code == 0
    assert all(i in listed for i in ids)
    assert listed.count("current") == 2
    assert listed.count("retired") == 1
    assert "tables" in listed
    assert not [s for s in secrets if s in said + listed]
    assert tacit("keys", "show", "--tenant", "north")[1] != tacit("keys", "show")[1]


def test_a_weak_key_is_listed_as_what_it_is_and_not_rotated(tacit, tmp_path):
    weak = tmp_path / "home" / "keys" / "weak.key"
    weak.write_text("00" * 32)
    weak.chmod(0o600)
    assert "weak" in tacit("keys", "list")[1]
    assert tacit("keys", "rotate", "--tenant", "weak")[0] == 1
    assert sorted(p.name for p in weak.parent.iterdir()) == ["pseudonym.key", "weak.key"]


@pytest.mark.slow
def test_tables_rebuilt_after_a_rotation_do_not_bring_an_erased_user_back(tacit, tmp_path):
    assert tacit("forget", "--user", ERASED)[0] == 0
    code, _, errors = tacit("keys", "rotate")
    assert code == 1
    assert "--into" in errors
    assert tacit("keys", "rotate", "--into", "new")[0] == 0
    assert tacit("run", "--all")[0] == 1  # the old tables take no days with the new key
    code, _, errors = tacit("run", "--all", "--warehouse", "new")
    assert code == 0, errors
    old, new = (Warehouse(tmp_path / n).scan("messages").collect() for n in ("warehouse", "new"))
    assert set(new["message_id"]) == set(old["message_id"])
    assert not set(new["user_key"].drop_nulls()) & set(old["user_key"].drop_nulls())
    # From the old tables, people are still erased with the old key, which the command finds.
    assert tacit("forget", "--user", OTHER, "--warehouse", "warehouse")[0] == 0
    # And without the old key nothing is read into the new ones, since erasures could not be kept.
    for file in (tmp_path / "home" / "keys").glob("pseudonym.*.key"):
        file.unlink()
    code, _, errors = tacit("run", "--all", "--warehouse", "new")
    assert code == 1
    assert "is needed" in errors


def test_an_audit_of_a_finished_run_finds_no_canary_and_finds_one_that_is_planted(tacit, tmp_path):
    (tmp_path / "canaries.txt").write_text("person\tJoanna Lindqvist\nmail\tj.lindqvist@example.com\n")
    code, said, errors = tacit("audit", "--canaries", "canaries.txt")
    assert code == 0, said + errors
    assert "2 canaries found 0 times" in said
    (tmp_path / "home" / "run.log").write_text("could not parse 'I am JOANNA LINDQVIST'")
    code, said, _ = tacit("audit", "--canaries", "canaries.txt", "--json")
    found = json.loads(said)
    assert code == 1
    assert found["found"] == [{"place": "home/run.log", "part": "bytes", "canary": "person", "times": 1}]
    assert "Lindqvist" not in said
    assert tacit("audit")[0] == 0


def test_an_audit_follows_airflow_to_its_logs_and_its_database(tacit, tmp_path, monkeypatch):
    (tmp_path / "canaries.txt").write_text("person\tJoanna Lindqvist\n")
    home = tmp_path / "airflow"
    (tmp_path / "logs").mkdir()
    home.mkdir()
    (tmp_path / "logs" / "task.log").write_text("Joanna Lindqvist")
    (home / "airflow.cfg").write_text(
        f"[logging]\nbase_log_folder = {tmp_path / 'logs'}\n"
        "[database]\nsql_alchemy_conn = postgresql://a:s3cret@127.0.0.1:1/x\n"
    )
    monkeypatch.setenv("AIRFLOW_HOME", str(home))
    code, said, errors = tacit("audit", "--canaries", "canaries.txt", "--json")
    found = json.loads(said)
    assert code == 1
    assert [f["place"] for f in found["found"]] == ["airflow logs/task.log"]
    assert list(found["not_searched"]) == ["airflow database"]
    assert "s3cret" not in said + errors
