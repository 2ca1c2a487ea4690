import gzip
import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
import zstandard

from schemas.enums import EventKind, Role, Signal, Status
from schemas.reasons import Reason

SAMPLES = Path(__file__).parents[2] / "samples"
LANDING = SAMPLES / "landing"
DAYS = ("2026-11-02", "2026-11-03", "2026-11-04")


def content(path: Path) -> object:
    """What a file says, apart from how a library's version packs it."""
    if path.suffix == ".parquet":
        return pq.read_table(path)
    data = path.read_bytes()
    if path.suffix == ".gz" and path.name != "mobile-app-2.jsonl.gz":
        return gzip.decompress(data)
    if path.suffix == ".zst":
        return zstandard.ZstdDecompressor().decompress(data, max_output_size=1 << 26)
    return data


def authored() -> list[dict]:
    files = sorted((SAMPLES / "conversations").glob("*.yaml"))
    return [raw for file in files for raw in yaml.safe_load(file.read_text(encoding="utf-8"))]


def landed_records() -> list[dict]:
    records = []
    for path in sorted(LANDING.rglob("*.jsonl*")):
        if path.name in ("mobile-app-2.jsonl.gz", "mobile-app-overflow.jsonl.gz"):
            continue
        for line in content(path).splitlines():
            try:
                record = json.loads(line)
            except (UnicodeDecodeError, json.JSONDecodeError):
                continue
            if isinstance(record, dict):
                records.append(record)
    for path in sorted(LANDING.rglob("*.parquet")):
        records += pq.read_table(path).to_pylist()
    return records


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folders = tuple(tmp_path_factory.mktemp(name) for name in ("first", "second"))
    for folder in folders:
        subprocess.run([sys.executable, SAMPLES / "build.py", "--out", folder], check=True)
    return folders


def names(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in (folder / "landing").rglob("*") if p.is_file())


def test_two_builds_give_the_same_bytes(rebuilt):
    first, second = rebuilt
    assert names(first) == names(second)
    for name in [*names(first), "labels.jsonl", "expected.yaml"]:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name


def test_what_is_committed_is_what_the_sources_give(rebuilt):
    assert names(rebuilt[0]) == names(SAMPLES)
    for name in [*names(SAMPLES), "labels.jsonl", "expected.yaml"]:
        built, committed = content(rebuilt[0] / name), content(SAMPLES / name)
        # Not `assert built == committed`: a difference in a 20 MiB line would be printed for minutes.
        same = built == committed
        assert same, f"{name} is out of date: run python samples/build.py"


def test_the_checkout_stays_small():
    assert sum(p.stat().st_size for p in LANDING.rglob("*") if p.is_file()) < 1_500_000


def test_records_are_not_sorted_by_time():
    for path in LANDING.rglob("web-chat.jsonl"):
        times = []
        for line in path.read_bytes().splitlines():
            try:
                record = json.loads(line)
                times.append(record.get("created_at") or record["at"])
            except (UnicodeDecodeError, json.JSONDecodeError, AttributeError, KeyError):
                continue
        assert times != sorted(times)


def test_conversations_are_many_and_of_both_languages():
    languages = Counter(raw["lang"] for raw in authored())
    assert languages["en"] + languages["mixed"] / 2 >= 55
    assert languages["zh"] + languages["mixed"] / 2 >= 55
    assert languages["mixed"] >= 4


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("signal", list(Signal))
def test_each_signal_shows_at_least_six_times_in_each_language(signal, language):
    labels = [label for raw in authored() if raw["lang"] == language for label in raw.get("labels", [])]
    clear = [x for x in labels if x["signal"] == signal and x.get("sure", True) and x.get("measurable", True)]
    assert len(clear) >= 6


def test_a_third_of_the_conversations_holds_no_signal():
    conversations = authored()
    assert sum(not raw.get("labels") for raw in conversations) * 3 >= len(conversations)


def test_every_role_status_and_event_is_used():
    records = landed_records()
    assert {r["role"] for r in records if r.get("kind") == "message" and "role" in r} >= set(Role)
    assert {r.get("status") for r in records} >= set(Status)
    assert {r.get("event") for r in records} >= set(EventKind)


def test_every_source_lands_on_every_day():
    for day in DAYS:
        found = {p.name.split(".")[0] for p in (LANDING / f"dt={day}").iterdir()}
        assert found >= {"web-chat", "mobile-app", "code-assistant", "import"}


def test_every_reason_that_a_native_log_can_give_has_a_record():
    of_others = {Reason.FORMAT_UNKNOWN, Reason.MEMBER_UNSAFE, Reason.EXPANDS_TOO_FAR, Reason.BROKEN_TREE}
    expected = yaml.safe_load((SAMPLES / "expected.yaml").read_text(encoding="utf-8"))
    assert {reason for day in expected["days"].values() for reason in day["quarantined"]} == (
        set(Reason) - of_others - {Reason.READER_FAULT}
    )


def test_every_label_names_messages_that_landed():
    landed = {(r["conversation_id"], r["message_id"]) for r in landed_records() if r.get("message_id")}
    for line in (SAMPLES / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        assert (label["conversation_id"], label["message_id"]) in landed
        assert label["about"] is None or (label["conversation_id"], label["about"]) in landed


def test_the_checker_names_a_label_without_a_message(tmp_path):
    for module in SAMPLES.glob("*.py"):
        (tmp_path / module.name).write_bytes(module.read_bytes())
    shutil.copytree(SAMPLES / "formats", tmp_path / "formats", ignore=shutil.ignore_patterns("dt=*", "__pycache__"))
    (tmp_path / "conversations").mkdir()
    (tmp_path / "conversations" / "en_x.yaml").write_text(
        "- id: c-1\n  about: x\n  lang: en\n  source: web-chat\n  start: '2026-11-02T10:00:00Z'\n  colour: red\n"
        "  messages:\n    - user: hello\n  labels:\n    - {message: u9, signal: repeat, about: null}\n",
        encoding="utf-8",
    )
    run = subprocess.run(
        [sys.executable, tmp_path / "build.py", "--check"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert "absent message u9" in run.stderr
    assert "unknown key `colour`" in run.stderr
