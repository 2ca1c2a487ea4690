"""`tacit second-read` over a copy of the sample night, against a server on the loopback."""

import json
import shutil
import socket

import pytest
from server import Server, completion, serving, verdict
from typer.testing import CliRunner

from pipelines.cli.app import app
from pipelines.second.read import second_read
from pipelines.settings import load_settings
from schemas.errors import ConfigError, WarehouseBusy
from tests.conftest import settings_for
from warehouse.layout import Warehouse


@pytest.fixture
def tables(sample_night, tmp_path):
    shutil.copytree(sample_night.settings.warehouse, tmp_path / "warehouse")
    return Warehouse(tmp_path / "warehouse")


def read(tables, tmp_path, url, signals=("complain",), **group):
    """Runs it without waiting between tries."""
    given = {"url": url, "model": "reader", "send_deidentified_text": True, "timeout_s": 5.0} | group
    settings = settings_for(tmp_path, second_reader=given)
    return second_read(settings, tables, signals, sleep=lambda _: None)


def kept(tables):
    return tables.scan("second_readings").collect()


def test_verdicts_stand_beside_the_first_score_and_change_nothing_else(tables, tmp_path):
    before = {name: tables.scan(name).collect() for name in ("exchanges", "signals")}
    server = Server(verdict("confirmed", 0.8), verdict("rejected", 0.7), verdict("unsure", 0.2))
    with serving(server) as url:
        done = read(tables, tmp_path, url)
    rows = kept(tables)
    assert done.wanted == done.calls == done.published == rows.height
    expected = before["exchanges"].filter(before["exchanges"]["p_complain"].is_between(0.15, 0.85))
    assert set(rows["exchange_id"]) == set(expected["exchange_id"])
    assert done.wanted > 3
    assert rows["verdict"].value_counts().sort("verdict")["count"][0] == 1
    assert rows["p"].is_between(0.15, 0.85).all()
    first = before["exchanges"].rows_by_key("exchange_id", named=True, unique=True)
    for row in rows.to_dicts():
        assert row["p"] == first[row["exchange_id"]][f"p_{row['signal']}"]
        assert row["detected"] == first[row["exchange_id"]][row["signal"]]
    assert all(tables.scan(name).collect().equals(frame) for name, frame in before.items())


def test_only_what_stands_in_the_messages_table_is_sent(tables, tmp_path):
    server = Server(verdict("unsure"))
    with serving(server) as url:
        read(tables, tmp_path, url)
    texts = set(tables.scan("messages").collect()["text"].drop_nulls())
    assert server.bodies
    for body in server.bodies:
        said = json.loads(body["messages"][1]["content"])
        assert {"request", "next_message"} <= set(said) <= {"request", "next_message", "reply", "earlier_request"}
        assert all(text in texts or "[…]" in text for text in said.values())
        assert set(body) == {"model", "messages", "temperature", "max_tokens", "response_format"}


def test_what_was_answered_is_asked_neither_again_nor_elsewhere(tables, tmp_path):
    server = Server(verdict("confirmed"))
    with serving(server) as url:
        read(tables, tmp_path, url)
        calls = len(server.bodies)
        assert read(tables, tmp_path, url).wanted == 0
        shutil.rmtree(tables.root / "second_readings")
        again = read(tables, tmp_path, url)
        assert (again.calls, again.cached, again.tokens) == (0, calls, 0)
        assert again.published == calls == len(server.bodies)
    home = [p for p in (tmp_path / "home" / "second-readings").rglob("*") if p.is_file()]
    assert len(home) == calls
    assert all(set(json.loads(p.read_bytes())) == {"verdict", "confidence"} for p in home)
    assert all(p.stat().st_mode & 0o077 == 0 for p in home)


@pytest.mark.parametrize("junk", [b"", b"{", b"[]", b'{"verdict": "perhaps"}', b"\xff"])
def test_a_damaged_answer_in_the_cache_is_asked_again(tables, tmp_path, junk):
    server = Server(verdict("confirmed"))
    with serving(server) as url:
        read(tables, tmp_path, url)
        shutil.rmtree(tables.root / "second_readings")
        for path in (tmp_path / "home" / "second-readings").rglob("*.json"):
            path.write_bytes(junk)
        again = read(tables, tmp_path, url)
    assert again.cached == 0
    assert again.published == again.calls > 0


def test_another_model_reads_for_itself(tables, tmp_path):
    with serving(Server(verdict("confirmed"))) as url:
        read(tables, tmp_path, url)
        read(tables, tmp_path, url, model="other")
    assert set(kept(tables)["model"]) == {"reader", "other"}


def test_the_budget_in_calls_and_in_tokens_is_kept(tables, tmp_path):
    with serving(Server(verdict("confirmed"))) as url:
        done = read(tables, tmp_path, url, max_calls=2)
        assert (done.calls, done.published) == (2, 2)
        assert done.counts["over_budget"] == done.wanted - 2
        done = read(tables, tmp_path, url, max_tokens=1500)
        assert 0 < done.calls < done.wanted
        assert done.tokens <= 1500
        assert read(tables, tmp_path, url, max_tokens=0).calls == 0


def test_refusals_and_rubbish_are_counted_and_leave_no_row(tables, tmp_path):
    server = Server(completion(None, refusal="no"), completion("hm"), (200, {}, b"{}"), verdict("confirmed"))
    with serving(server) as url:
        done = read(tables, tmp_path, url)
    assert (done.counts["refused"], done.counts["malformed"]) == (1, 2)
    assert kept(tables).height == done.wanted - 3
    with serving(Server(verdict("rejected"))) as url:
        assert read(tables, tmp_path, url).published == 3


def test_a_fault_half_way_keeps_what_was_answered(tables, tmp_path):
    server = Server(verdict("confirmed"), verdict("confirmed"), (401, {}, b""))
    with serving(server) as url, pytest.raises(Exception, match="status 401"):
        read(tables, tmp_path, url)
    assert kept(tables).height == 2


def test_while_a_run_holds_the_warehouse_answers_are_not_lost(tables, tmp_path):
    with serving(Server(verdict("confirmed"))) as url:
        with tables.writer(), pytest.raises(WarehouseBusy):
            read(tables, tmp_path, url)
        done = read(tables, tmp_path, url)
    assert done.calls == 0
    assert done.published == done.cached > 0


@pytest.mark.parametrize("absent", ["url", "model", "send_deidentified_text"])
def test_without_every_setting_nothing_is_sent(tables, tmp_path, monkeypatch, absent):
    def refuse(*_):
        raise AssertionError("a connection was made")

    group = {"url": "http://127.0.0.1:9/v1", "model": "m", "send_deidentified_text": True}
    monkeypatch.setattr(socket.socket, "connect", refuse)
    del group[absent]
    with pytest.raises(ConfigError, match=absent):
        second_read(settings_for(tmp_path, second_reader=group), tables)


def test_by_default_it_is_off():
    group = load_settings().settings.second_reader
    assert (group.url, group.model, group.send_deidentified_text) == (None, None, False)


def test_the_command_says_what_it_did(tables, tmp_path, monkeypatch):
    monkeypatch.setenv("TACIT_WAREHOUSE", str(tables.root))
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    run = CliRunner().invoke
    assert "Nothing was sent" in run(app, ["second-read", "--dry-run"]).output
    assert isinstance(run(app, ["second-read"]).exception, ConfigError)
    with serving(Server(verdict("confirmed"))) as url:
        monkeypatch.setenv("TACIT_SECOND_READER__URL", url)
        monkeypatch.setenv("TACIT_SECOND_READER__MODEL", "reader")
        monkeypatch.setenv("TACIT_SECOND_READER__SEND_DEIDENTIFIED_TEXT", "true")
        done = json.loads(run(app, ["second-read", "--signal", "complain", "--json"]).output)
    assert done["counts"] == {"confirmed": done["published"]}
    assert set(kept(tables)["signal"]) == {"complain"}
