"""`tacit inspect` as a user meets it: what it says of good files, broken ones, folders and archives, what it hides."""

import gzip
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pipelines.cli.app import app
from tests.conftest import SAMPLES
from tests.pipelines.readers.chatgpt_kit import conversation, said

FORMATS = SAMPLES / "formats"
DAY = FORMATS / "dt=2026-11-05"
CHAT = [
    {"kind": "message", "conversation_id": "c1", "message_id": "u1", "role": "user", "content": "Ask for Ellen Marsh",
     "created_at": "2026-11-02T10:00:00Z", "user_id": "u-1"},
    {"kind": "message", "conversation_id": "c1", "message_id": "a1", "role": "assistant", "content": "She is out.",
     "created_at": "2026-11-02T10:00:02Z", "completed_at": "2026-11-02T10:00:04Z", "status": "stopped"},
    {"kind": "event", "conversation_id": "c1", "message_id": "a1", "event": "stop", "at": "2026-11-02T10:00:04Z"},
]  # fmt: skip


@pytest.fixture
def tacit(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))

    def run(*arguments: object) -> str:
        done = CliRunner().invoke(app, ["inspect", *map(str, arguments)])
        assert done.exit_code == 0, done.output
        return done.output

    return run


def write(path: Path, *records: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


def test_a_good_file_is_told_by_format_counts_clocks_feedback_and_signals(tacit, tmp_path):
    output = tacit(write(tmp_path / "chat.jsonl", *CHAT))
    assert "Tacit's own format (`native`)" in output
    assert "1 assistant, 1 user" in output
    assert "1 stop" in output
    assert "2026-11-02 10:00:00 to 2026-11-02 10:00:04 UTC" in output
    assert "1 of 1 replies say when they began and when they ended" in output
    assert "there is no vote" in output
    assert "quarantined" not in output


def test_a_stop_that_a_status_and_an_event_tell_is_one(tacit, tmp_path):
    (found,) = json.loads(tacit(write(tmp_path / "chat.jsonl", *CHAT), "--json"))
    assert found["events"] == {"stop": 1}


def test_what_would_be_quarantined_is_told_by_reason_and_place_and_not_by_text(tacit, tmp_path):
    wrong = CHAT[0] | {"created_at": "2026-11-02T10:00:00", "content": "Ellen Marsh"}
    path = write(tmp_path / "chat.jsonl", *CHAT, wrong, wrong)
    path.write_text(path.read_text() + '{"kind": "message", "conv\n')
    output = tacit(path)
    assert "2  naive_time in created_at, first at line 4" in output
    assert "1  invalid_json, first at line 6" in output
    assert "Marsh" not in output


def test_a_file_that_nobody_reads_is_told_so(tacit, tmp_path):
    (tmp_path / "notes.docx").write_bytes(b"PK")
    assert "no reader takes it" in tacit(tmp_path / "notes.docx")
    assert "format_unknown" in tacit(write(tmp_path / "other.json", {"weather": "fair"}))


def test_a_file_that_breaks_off_is_read_up_to_there(tacit, tmp_path):
    whole = gzip.compress("".join(json.dumps(CHAT[0] | {"message_id": f"u{n}"}) + "\n" for n in range(500)).encode())
    (tmp_path / "chat.jsonl.gz").write_bytes(whole[: len(whole) * 3 // 4])
    (found,) = json.loads(tacit(tmp_path / "chat.jsonl.gz", "--json"))
    assert 0 < found["messages"]["user"] < 500
    assert [r["reason"] for r in found["refused"]] == ["file_unreadable"]


def test_a_folder_is_a_line_a_file_and_the_signals_of_its_formats_together(tacit, tmp_path):
    feedback = {"id": "q", "conversation_id": "c1", "user_id": "u", "rating": "thumbsDown",
                "create_time": "2026-11-01T10:00:00Z", "content": "{}"}  # fmt: skip
    chat = conversation(("root", None, None), ("q", "root", said("user", "Which plum keeps longest?")))
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as packed:
        packed.writestr("conversations.json", json.dumps([chat]))
        packed.writestr("message_feedback.json", json.dumps([feedback]))
        packed.writestr("user.json", "{}")
    lines = tacit(tmp_path).splitlines()
    (talks,) = (line for line in lines if line.startswith("export.zip!conversations.json"))
    (votes,) = (line for line in lines if line.startswith("export.zip!message_feedback.json"))
    (signals,) = (line for line in lines if line.startswith("chatgpt"))
    assert talks.split() == ["export.zip!conversations.json", "chatgpt", "1", "1"]
    assert votes.split() == ["export.zip!message_feedback.json", "chatgpt", "1", "1"]
    assert signals.split() == ["chatgpt", "yes", "yes", "yes", "yes", "yes", "null"]
    assert any("hold nothing of a conversation: export.zip!user.json" in line for line in lines)
    assert tacit(tmp_path / "export.zip").splitlines() == lines


def test_what_is_wrong_in_a_folder_is_told_with_its_file(tacit, tmp_path):
    folder = tmp_path / "logs"
    write(folder / "a" / "good.jsonl", *CHAT)
    write(folder / "b" / "bad.jsonl", CHAT[0] | {"role": "narrator"})
    output = tacit(folder)
    assert "b/bad.jsonl: unknown_value in role, first at line 1" in output
    assert "a/good.jsonl:" not in output


def test_an_empty_folder_says_that_it_is_empty(tacit, tmp_path):
    (tmp_path / "logs").mkdir()
    assert "There is no file in it." in tacit(tmp_path / "logs")


def test_calls_are_put_together_to_conversations(tacit):
    output = tacit(DAY / "openai" / "requests.jsonl.gz")
    assert "11, put together to conversations" in output
    assert "12 assistant, 11 user, 4 system, 1 tool" in output


def test_a_log_without_clocks_says_so_and_skim_is_null(tacit):
    output = tacit(DAY / "sharegpt" / "sharegpt-part-1.json")
    assert "clocks         none" in output
    assert "skim      null        0 of 11 replies say when they began" in output
    assert "complain  measurable  11 of 11 user messages have text" in output


def test_one_time_for_a_whole_reply_does_not_make_skim_measurable(tacit):
    assert "skim      null        0 of 8 replies" in tacit(DAY / "chatwoot" / "webhooks.jsonl")


def test_a_landing_zone_is_told_by_its_days_with_what_is_declared_in_it(tacit):
    found = {f["name"]: f for f in json.loads(tacit(FORMATS, "--json"))}
    assert found["dt=2026-11-05/support/turns.csv"]["format"] == "turns"
    assert not any(name.endswith((".py", ".yaml")) for name in found)


@pytest.mark.parametrize("inside", ["support/turns.csv", "support"])
def test_a_file_of_a_landing_day_is_read_as_its_zone_declares(tacit, inside):
    (found,) = json.loads(tacit(DAY / inside, "--json"))
    assert (found["name"], found["format"]) == ("turns.csv", "turns")
    assert list(found["sources"]) == ["support-bot"]


def test_the_day_that_a_file_lies_in_bounds_its_times(tacit, tmp_path):
    path = write(tmp_path / "landing" / "dt=2026-10-20" / "chat.jsonl", CHAT[0])
    assert "time_out_of_range" in tacit(path)
    assert "time_out_of_range" not in tacit(path, "--day", "2026-11-02")


def test_declarations_beside_the_files_of_any_folder_count(tacit, tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    shutil.copy2(DAY / "support" / "turns.csv", folder / "turns.csv")
    unknown = tacit(folder / "turns.csv")
    assert "format_unknown" in unknown
    assert "sources.yaml" in unknown
    declared = (FORMATS / "sources.yaml").read_text().replace("support/*.csv", "*.csv")
    (folder / "sources.yaml").write_text(declared)
    assert "Table of turns (`turns`): declared" in tacit(folder)
    assert "Table of turns (`turns`): declared" in tacit(folder / "turns.csv")


def test_no_text_of_a_log_is_shown_unless_a_sample_is_asked_for(tacit):
    for output in (tacit(FORMATS), tacit(FORMATS, "--json"), *(tacit(p) for p in (DAY / "dify").glob("*.json"))):
        assert not [text for text in ("yeast", "fridge", "Lindqvist", "催款", "example.com") if text in output]


def test_a_sample_is_de_identified_in_the_order_of_the_log_and_no_longer_than_asked_for(tacit, tmp_path):
    others = [{**record, "conversation_id": "c2", "message_id": f"other-{n}", "content": "Of another talk"}
              for n, record in enumerate(CHAT[:2])]  # fmt: skip
    output = tacit(write(tmp_path / "chat.jsonl", *CHAT, *others), "--sample", "1")
    assert "Marsh" not in output
    assert "another talk" not in output
    asked, answered = output.index("Ask for <PERSON_"), output.index("She is out.")
    assert asked < answered


def test_a_sample_of_calls_and_of_turns_that_share_a_time_is_in_order(tacit):
    output = tacit(DAY / "dify" / "messages-page.json", "--sample", "1")
    told = [output.index(text) for text in ("How much dry yeast", "Take 7 g", "That's not what", "You are right")]
    assert told == sorted(told)
    assert "13912345678" not in tacit(DAY / "openai" / "requests.jsonl.gz", "--sample", "2")


def test_nothing_is_written(tacit, tmp_path):
    path = write(tmp_path / "logs" / "chat.jsonl", *CHAT)
    tacit(path, "--sample", "1")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["chat.jsonl", "logs"]


def test_a_path_that_is_not_there_is_a_usage_error():
    done = CliRunner().invoke(app, ["inspect", "nowhere.jsonl"])
    assert done.exit_code == 2
