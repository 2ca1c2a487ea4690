"""Exports have the shapes that their takers publish, and are the same lines at every run."""

import json
from datetime import UTC, date, datetime

import pytest
from typer.testing import CliRunner

from pipelines.cli.app import app
from pipelines.exports.detections import detections
from pipelines.exports.langfuse import scores
from pipelines.exports.otel import log_lines
from schemas.enums import Signal

ROW = {
    "signal_id": "5f" * 16,
    "signal": "repeat",
    "exchange_id": "e1",
    "source": "web-chat",
    "conversation_id": "c1",
    "message_id": "m1",
    "trigger_message_id": "m2",
    "trigger": "text",
    "occurred_at": datetime(2026, 11, 2, 9, 0, 1, 234567, tzinfo=UTC),
    "score": 0.75,
    "threshold": 0.5,
    "rule": "near_copy",
    "rule_version": "3",
    "evidence": None,
    "primary": True,
    "dt": date(2026, 11, 2),
    "model": "model-a",
    "session_id": "s1",
    "script": "latin",
    "outcome": "followed",
}


def records(lines: list[str]) -> list[dict]:
    """The log records of OTLP lines, after a check of what encloses them."""
    made = []
    for line in lines:
        request = json.loads(line)
        assert set(request) == {"resourceLogs"}
        for resource_logs in request["resourceLogs"]:
            assert resource_logs["resource"]["attributes"][0]["key"] == "service.name"
            for scope_logs in resource_logs["scopeLogs"]:
                assert scope_logs["scope"]["name"] == "tacit"
                made += scope_logs["logRecords"]
    return made


def attributes(record: dict) -> dict[str, object]:
    made = {}
    for pair in record["attributes"]:
        [(kind, value)] = pair["value"].items()
        assert isinstance(value, {"stringValue": str, "doubleValue": float, "boolValue": bool}[kind])
        made[pair["key"]] = value
    return made


def test_a_detection_is_an_evaluation_event_of_opentelemetry():
    [record] = records(list(log_lines([ROW])))
    assert record["eventName"] == "gen_ai.evaluation.result"
    assert record["timeUnixNano"] == "1793610001234567000"  # 64-bit numbers are strings in OTLP's JSON
    assert record["severityNumber"] == 9
    found = attributes(record)
    assert found["gen_ai.evaluation.name"] == "repeat"
    assert found["gen_ai.evaluation.score.value"] == 0.75
    assert found["gen_ai.evaluation.score.label"] == "detected"
    assert found["gen_ai.response.id"] == "m1"
    assert found["gen_ai.conversation.id"] == "c1"
    assert found["tacit.signal_id"] == ROW["signal_id"]
    assert found["tacit.primary"] is True


def test_what_is_not_known_is_left_out_of_an_event():
    bare = {**ROW, "occurred_at": None, "message_id": None, "model": None, "score": 1}
    [record] = records(list(log_lines([bare])))
    assert "timeUnixNano" not in record
    found = attributes(record)
    assert not {"gen_ai.response.id", "gen_ai.response.model"} & set(found)
    assert found["gen_ai.evaluation.score.value"] == 1.0


def test_many_events_are_divided_into_requests_of_bounded_size():
    lines = list(log_lines({**ROW, "signal_id": f"{n}"} for n in range(1001)))
    assert [len(records([line])) for line in lines] == [500, 500, 1]
    assert list(log_lines([])) == []


def test_a_detection_is_a_score_on_exactly_one_thing_of_langfuse():
    [line] = scores([ROW])
    body = json.loads(line)
    assert (body["id"], body["name"], body["value"], body["dataType"]) == (ROW["signal_id"], "repeat", 0.75, "NUMERIC")
    assert body["sessionId"] == "c1"
    assert not {"traceId", "observationId", "datasetRunId"} & set(body)
    known = {"id", "traceId", "sessionId", "observationId", "datasetRunId", "name", "value", "comment", "metadata"}
    assert set(body) <= known | {"environment", "queueId", "dataType", "configId", "source"}


@pytest.mark.parametrize(("message_id", "on"), [("m1", ("traceId", "m1")), (None, ("sessionId", "c1"))])
def test_a_score_is_put_on_the_trace_of_the_reply_where_it_has_an_id(message_id, on):
    [line] = scores([{**ROW, "message_id": message_id}], on_reply=True)
    body = json.loads(line)
    assert {k: body[k] for k in ("traceId", "sessionId") if k in body} == dict([on])


def test_all_detections_are_read_once_in_a_fixed_order(sample_night):
    rows = list(detections(sample_night.warehouse))
    there = sample_night.warehouse.scan("signals").collect()
    assert sorted(r["signal_id"] for r in rows) == sorted(there["signal_id"])
    assert rows == list(detections(sample_night.warehouse))
    assert all(r["outcome"] for r in rows)


def test_days_and_signals_narrow_an_export(sample_night):
    day = date(2026, 11, 3)
    rows = list(detections(sample_night.warehouse, [day], [Signal.COMPLAIN, Signal.SKIM]))
    assert {r["dt"] for r in rows} == {day}
    assert {r["signal"] for r in rows} == {"complain", "skim"}


@pytest.mark.parametrize("shape", ["jsonl", "otel", "langfuse"])
def test_the_command_writes_every_detection_as_lines_of_json(sample_night, tmp_path, shape):
    target = tmp_path / "out.jsonl"
    root = str(sample_night.settings.warehouse)
    result = CliRunner().invoke(app, ["export", "--as", shape, "--warehouse", root, "--out", str(target)])
    assert result.exit_code == 0, result.output
    lines = target.read_text(encoding="utf-8").splitlines()
    text = "\n".join(lines)
    ids = sample_night.warehouse.scan("signals").collect()["signal_id"]
    assert all(one in text for one in ids)
    assert all(json.loads(line) for line in lines)
    printed = CliRunner().invoke(app, ["export", "--as", shape, "--warehouse", root, "--day", "2026-11-02"])
    assert printed.stdout.splitlines()[0] == lines[0] or shape == "otel"
