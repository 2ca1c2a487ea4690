"""Detections as OpenTelemetry events `gen_ai.evaluation.result`: OTLP log records in JSON, as its file exporter writes.

The conventions for generative AI say which attributes the event has. Beside them stand ours, under `tacit.`. Each line
is a whole export request, so a file can be sent line by line to `/v1/logs`.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from importlib.metadata import version
from itertools import islice
from typing import Any

EVENT = "gen_ai.evaluation.result"
_RECORDS = 500  # a line; collectors limit a request's size
_INFO = 9
_OWN = ("signal_id", "exchange_id", "source", "rule", "rule_version", "threshold", "primary", "trigger", "outcome")


def log_lines(detections: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Write export requests of up to 500 detections each.

    Args:
        detections: Rows as `pipelines.exports.detections` reads them.

    Yields:
        Lines of JSON, without their ends.
    """
    scope = {"name": "tacit", "version": version("tacit")}
    resource = {"attributes": [_attribute("service.name", "tacit")]}
    remaining = iter(detections)
    while rows := list(islice(remaining, _RECORDS)):
        logs = [{"scope": scope, "logRecords": [_record(row) for row in rows]}]
        yield json.dumps({"resourceLogs": [{"resource": resource, "scopeLogs": logs}]}, ensure_ascii=False)


def _record(row: dict[str, Any]) -> dict[str, Any]:
    attributes = {
        "gen_ai.evaluation.name": row["signal"],
        "gen_ai.evaluation.score.value": float(row["score"]),
        "gen_ai.evaluation.score.label": "detected",
        "gen_ai.evaluation.explanation": f"rule {row['rule']}, version {row['rule_version']}",
        # The id of the reply as it was logged, which is that of the response where the log kept it.
        "gen_ai.response.id": row["message_id"],
        "gen_ai.conversation.id": row["conversation_id"],
        "gen_ai.response.model": row["model"],
        **{f"tacit.{name}": row[name] for name in _OWN},
    }
    record: dict[str, Any] = {
        "severityNumber": _INFO,
        "severityText": "INFO",
        "eventName": EVENT,
        "attributes": [_attribute(name, value) for name, value in attributes.items() if value is not None],
    }
    # Without a clock there is no time to give; a collector then notes when it received the record.
    return {"timeUnixNano": _nanoseconds(row["occurred_at"]), **record} if row["occurred_at"] else record


def _attribute(key: str, value: object) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"key": key, "value": {"boolValue": value}}
    if isinstance(value, float):
        return {"key": key, "value": {"doubleValue": value}}
    return {"key": key, "value": {"stringValue": str(value)}}


def _nanoseconds(at: datetime) -> str:
    """Nanoseconds since 1970; OTLP writes 64-bit numbers as strings. From whole numbers: a float would round them."""
    whole = int(at.replace(microsecond=0).timestamp())
    return str(whole * 1_000_000_000 + at.microsecond * 1_000)
