"""The sample files of every format: what they are, what is read from them, and what a night makes of them all."""

import gzip
import io
import random
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections import Counter
from contextlib import closing
from datetime import date
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
import yaml

from pipelines.inspected import inspected
from pipelines.inspection import LogFacts, measurable
from pipelines.night import run_night
from pipelines.readers.containers.origin import Origin
from pipelines.readers.format import Glimpse
from pipelines.readers.landing import context_for, origins
from pipelines.readers.logfile import _CONTAINERS, LogFile, look, open_log
from pipelines.readers.registry import FORMATS
from pipelines.readers.sources import Source, Sources, load_sources
from tests.conftest import SAMPLES, Night, settings_for
from tests.e2e.test_promises import digests, with_key_of
from tests.samples.reshaped import reshape
from warehouse.layout import Warehouse

HERE = SAMPLES / "formats"
DAY = date(2026, 11, 5)
EXPECTED = yaml.safe_load((HERE / "expected.yaml").read_text(encoding="utf-8"))
LIMIT = 16 << 20
# These tell which file a record stood in, or when it was run.
OF_FILES = ("quarantine", "runs", "quality", "warehouse.duckdb")


def files() -> list[Origin]:
    return [origin for origin in origins(HERE, DAY) if isinstance(origin, Origin)]


def opened(origin: Origin) -> LogFile:
    log = open_log(origin, context_for(load_sources(HERE / "sources.yaml"), origin.name, DAY, "default"), LIMIT)
    assert isinstance(log, LogFile)
    return log


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LogFacts]:
    settings = settings_for(tmp_path_factory.mktemp("facts"))
    return {f.name.partition("/")[2]: f for f in inspected(HERE, settings, None, 0)}


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Night:
    settings = settings_for(tmp_path_factory.mktemp("formats"), landing=HERE, workers=1)
    report = run_night(settings, [DAY])
    return Night(settings, report, Warehouse(settings.warehouse))


def test_every_format_has_a_file_and_every_file_is_expected():
    assert {e["format"] for e in EXPECTED["files"].values()} == {f.name for f in FORMATS}
    assert [o.name for o in files()] == list(EXPECTED["files"])


@pytest.mark.parametrize("name", [n for n, e in EXPECTED["files"].items() if "conversations" in e])
def test_a_file_is_recognised_by_its_own_format_and_by_no_other(name):
    origin = next(o for o in files() if o.name == name)
    shape, container = _CONTAINERS[origin.suffix]
    glimpse = look(origin, shape, container, LIMIT)
    assert isinstance(glimpse, Glimpse)
    takes = [f.name for f in FORMATS if shape in f.shapes and f.recognise(glimpse) is not None]
    assert takes == [f for f in [EXPECTED["files"][name]["format"]] if f != "turns"]


def test_each_file_gives_what_it_tells(facts):
    found = {}
    for name, f in facts.items():
        known = {
            "format": f.format and f.format.name,
            "conversations": f.conversations,
            "messages": {str(role): n for role, n in f.roles.items()},
            "events": {str(kind): n for kind, n in f.events.items() if n},
            "refused": {reason: n for (reason, _), (n, _) in f.refused.items()},
            "measurable": [str(signal) for signal, possible, _ in measurable(f) if possible],
        }
        found[name] = {k: v for k, v in known.items() if k in EXPECTED["files"][name] or v}
    assert found == EXPECTED["files"]


def test_the_files_of_a_format_allow_what_it_names_and_nothing_else(facts):
    lacking = {}
    for f in FORMATS:
        allowed = {s for x in facts.values() if x.format is f for s, possible, _ in measurable(x) if possible}
        assert allowed <= set(f.finds), f.name
        if left := sorted(str(s) for s in set(f.finds) - allowed):
            lacking[f.name] = left
    assert lacking == EXPECTED["not_shown"]


def test_two_builds_give_the_same_bytes_and_what_is_committed(tmp_path):
    first, second = (tmp_path / name / f"dt={DAY}" for name in ("first", "second"))
    for day in (first, second):
        # Only these, not all samples, in a process of its own each time.
        code = "import sys, pathlib, formats.build as b; b.build(b.read()[0], pathlib.Path(sys.argv[1]))"
        subprocess.run([sys.executable, "-c", code, day.parent], cwd=SAMPLES, check=True)
    committed = HERE / f"dt={DAY}"
    names = sorted(p.relative_to(first) for p in first.rglob("*") if p.is_file())
    assert names == sorted(p.relative_to(committed) for p in committed.rglob("*") if p.is_file())
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name
        same = content(first / name) == content(committed / name)
        assert same, f"{name} is out of date: run python samples/build.py"


def content(path: Path) -> object:
    """What a file says, apart from how a library's version packs it."""
    data = path.read_bytes()
    if path.suffix == ".zip":
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            return {i.filename: (i.date_time, packed.read(i)) for i in packed.infolist()}
    if path.suffix == ".parquet":
        return pq.read_table(path)
    if path.suffix == ".db":
        with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as db:
            return list(db.iterdump())
    return gzip.decompress(data) if path.suffix == ".gz" else data


def test_the_checkout_stays_small():
    assert sum(p.stat().st_size for p in HERE.rglob("*") if p.is_file() and p.suffix != ".pyc") < 400_000


def test_a_night_keeps_the_messages_of_every_source_and_quarantines_the_broken_line_only(night):
    kept = Counter(night.warehouse.scan("messages").collect()["source"].to_list())
    assert kept == EXPECTED["night"]["messages"]
    refused = night.warehouse.scan("quarantine").collect().select("file", "reason").rows()
    listed = {f: [r for r, n in of.items() for _ in range(n)] for f, of in EXPECTED["night"]["quarantined"].items()}
    assert refused == [(file, reason) for file, reasons in listed.items() for reason in reasons]


def test_what_every_format_tells_is_found_in_every_format(night):
    found = detections(night)
    for signal in ("repeat", "dislike", "complain"):
        assert sorted(found.get(signal, ())) == sorted(EXPECTED["night"][signal]), signal


def test_most_formats_show_a_detection(night):
    found = {source for sources in detections(night).values() for source in sources}
    assert len(found) >= 0.9 * len(EXPECTED["night"]["messages"])


def detections(night: Night) -> dict[str, set[str]]:
    messages = night.warehouse.scan("messages").select("source", "conversation_id", "message_id").collect()
    signals = night.warehouse.scan("signals").collect()
    joined = signals.join(messages, on=["conversation_id", "message_id"], how="left")
    assert joined["source"].null_count() == 0
    return {str(s): set(of["source"]) for (s,), of in joined.group_by("signal")}


def test_no_personal_data_of_the_samples_is_in_the_tables(night):
    told = (HERE / "conversations.yaml").read_text(encoding="utf-8")
    for secret in ("hanna.vesely@example.com", "13912345678", "6222021234567890128", "周婉清", "Lindqvist",
                   "+44 7700 900123", "4111 1111 1111 1111", "Adeyemi", "14 Harbour Lane", "mira.kovac"):  # fmt: skip
        assert secret in told
        for table, column in (("messages", "text"), ("events", "text")):
            texts = night.warehouse.scan(table).select(column).collect()[column]
            assert not texts.str.contains(secret, literal=True).fill_null(value=False).any(), secret


def test_running_the_day_again_in_other_buckets_changes_no_byte(night, tmp_path):
    settings = with_key_of(night.settings, tmp_path, landing=HERE, workers=1, buckets=7)
    shutil.copytree(night.settings.warehouse, settings.warehouse)
    report = run_night(settings, [DAY])
    assert {p.table for p in report.published if p.changed} <= {"runs"}
    same = ("runs", "warehouse.duckdb")
    assert digests(settings.warehouse, same) == digests(night.settings.warehouse, same)


def test_files_that_were_renamed_cut_in_two_and_shuffled_give_the_same_tables(night, tmp_path):
    landing = tmp_path / "landing"
    reshape(HERE / f"dt={DAY}", landing / f"dt={DAY}", random.Random(11))
    shutil.copy2(HERE / "sources.yaml", landing / "sources.yaml")
    settings = with_key_of(night.settings, tmp_path, landing=landing, workers=1)
    run_night(settings, [DAY])
    for table in ("messages", "events", "exchanges", "signals"):
        ours, theirs = Warehouse(settings.warehouse).scan(table).collect(), night.warehouse.scan(table).collect()
        differs = ours.join(theirs, on=ours.columns[:2], how="anti") if ours.height != theirs.height else pl.DataFrame()
        assert differs.is_empty(), table
    assert digests(settings.warehouse, OF_FILES) == digests(night.settings.warehouse, OF_FILES)


@pytest.mark.slow
def test_many_processes_give_the_tables_of_one(night, tmp_path):
    settings = with_key_of(night.settings, tmp_path, landing=HERE, workers=3)
    run_night(settings, [DAY])
    same = ("runs", "warehouse.duckdb")
    assert digests(settings.warehouse, same) == digests(night.settings.warehouse, same)


def test_a_table_of_turns_is_refused_where_nothing_is_declared_about_it():
    assert Sources().of("support/turns.csv") == Source()
    refused = open_log(
        next(o for o in files() if o.name == "support/turns.csv"),
        context_for(Sources(), "support/turns.csv", DAY, "default"),
        LIMIT,
    )
    assert not isinstance(refused, LogFile)
