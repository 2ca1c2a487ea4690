"""Builds OTLP JSON as the file exporter of the collector writes it, and looks into what readers make of it."""

from collections.abc import Iterable
from typing import Any

from pipelines.readers.items import Call, Item, Remark

TRACE = "5b8efff798038103d269b633813fc60c"
SPAN = "eee19b7ec3c1b174"
NANOS = 1_793_610_000_000_000_000  # 2026-11-02T09:00:00Z
SECOND = 10**9


def wrapped(value: Any) -> dict[str, Any]:
    """A value as OTLP types it."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [wrapped(v) for v in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": pairs(value)}}
    return {"stringValue": value}


def pairs(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    """Attributes as key-value pairs."""
    return [{"key": key, "value": wrapped(value)} for key, value in attributes.items()]


def span(
    attributes: dict[str, Any], span_id: str = SPAN, start: float = 0, end: float = 4, **more: Any
) -> dict[str, Any]:
    """One span, its times in seconds after nine o'clock."""
    return {
        "traceId": TRACE,
        "spanId": span_id,
        "parentSpanId": "",
        "name": "chat small-1",
        "kind": 3,
        "startTimeUnixNano": str(NANOS + int(start * SECOND)),
        "endTimeUnixNano": str(NANOS + int(end * SECOND)),
        "attributes": pairs(attributes),
        "status": {},
    } | more


def event(name: str, attributes: dict[str, Any] | None = None, at: float = 0) -> dict[str, Any]:
    """An event of a span."""
    return {"name": name, "timeUnixNano": str(NANOS + int(at * SECOND)), "attributes": pairs(attributes or {})}


def log(
    name: str, body: Any = None, at: float = 0, attributes: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """A log record that belongs to a span."""
    record = {
        "timeUnixNano": str(NANOS + int(at * SECOND)),
        "severityNumber": 9,
        "eventName": name,
        "attributes": pairs(attributes or {}),
        "traceId": TRACE,
        "spanId": SPAN,
    }
    return record | ({} if body is None else {"body": wrapped(body)}) | more


def spans(*of: dict[str, Any], service: str = "helpdesk") -> dict[str, Any]:
    """One line of a trace export."""
    scope = {"scope": {"name": "opentelemetry.instrumentation.openai_v2"}, "spans": list(of)}
    return {"resourceSpans": [{"resource": {"attributes": pairs({"service.name": service})}, "scopeSpans": [scope]}]}


def logs(*of: dict[str, Any], service: str = "helpdesk") -> dict[str, Any]:
    """One line of a log export."""
    scope = {"scope": {"name": "opentelemetry.instrumentation.openai_v2"}, "logRecords": list(of)}
    return {"resourceLogs": [{"resource": {"attributes": pairs({"service.name": service})}, "scopeLogs": [scope]}]}


def calls(found: Iterable[Item]) -> list[Call]:
    """The calls among items."""
    return [i for i in found if isinstance(i, Call)]


def only_call(found: Iterable[Item]) -> Call:
    """The only item, which is a call."""
    (call,) = found
    assert isinstance(call, Call)
    return call


def remarks(found: Iterable[Item]) -> list[Remark]:
    """The remarks among items."""
    return [i for i in found if isinstance(i, Remark)]


def said(turns: Any) -> list[tuple[str, str | None]] | None:
    """Roles and texts."""
    return None if turns is None else [(str(t.role), t.text) for t in turns]
