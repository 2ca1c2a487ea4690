"""One span or log record, read from any of the shapes that exporters write."""

import re
from base64 import b64decode
from binascii import Error as Base64Error
from datetime import datetime, timedelta
from typing import Any

import msgspec

from pipelines.readers import fields
from pipelines.readers.fields import Record, Refused
from pipelines.readers.times import Clock
from pipelines.readers.tracing.attributes import Attributes, attributes_of, decoded, plain
from schemas.reasons import Reason

_HEX = re.compile(r"(0x)?([0-9a-fA-F]{16}|[0-9a-fA-F]{32})")
_ZEROS = re.compile(r"0+")
_NANOS = 10**9
_TRACE_KEYS = ("traceId", "trace_id", "traceID", "TraceId", "context.trace_id")
_SPAN_KEYS = ("spanId", "span_id", "spanID", "SpanId", "context.span_id")
_PARENT_KEYS = ("parentSpanId", "parent_span_id", "parent_id", "parentId", "parentSpanID", "ParentSpanId")
_START_KEYS = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "start_timestamp", "Timestamp")
_END_KEYS = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime", "end_timestamp")
_EVENT_TIME_KEYS = ("timeUnixNano", "time_unix_nano", "timestamp", "time", "observedTimeUnixNano")
_LOG_TIME_KEYS = (*_EVENT_TIME_KEYS, "observed_time_unix_nano", "observed_timestamp")
_ATTRIBUTE_KEYS = ("attributes", "tags", "SpanAttributes", "LogAttributes")
_RESOURCE_KEYS = ("resource", "ResourceAttributes", "otel_resource_attributes", "process")
_SERVICE_KEYS = ("service_name", "serviceName", "ServiceName")
_COLUMN = "attributes."


class Mark(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Something noted at one moment: an event of a span, or a log record.

    Attributes:
        name: Event name.
        at: When, as it was logged: it is read only where it is needed.
        attributes: By dotted name.
        body: What a log record says.
    """

    name: str
    at: Any
    attributes: Attributes
    body: Any = None


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """One span, or the place of a log record, whose only mark it then is.

    Attributes:
        trace_id: In lower-case hexadecimal.
        span_id: In lower-case hexadecimal; None only for log records.
        parent_id: None at the root.
        kind: What OpenInference says that it is, in upper case.
        started_at: When it began.
        ended_at: When it ended. None too where that is not after the start, since nothing lasts no time.
        failed: Whether it ended in an error.
        service: Name of the service, where it is known.
        attributes: Its attributes by dotted name, the resource's not among them.
        marks: Its events.
    """

    trace_id: str | None
    span_id: str | None
    parent_id: str | None = None
    kind: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    failed: bool = False
    service: str | None = None
    attributes: Attributes
    marks: tuple[Mark, ...] = ()


def telemetry_id(value: Any, field: str = "span_id") -> str | None:
    """An id of a trace or a span: hexadecimal in any case, with `0x`, or base64. Zeros and nothing are None."""
    if value is None or value == "":
        return None
    text = fields.any_id({field: value}, field)
    if match := _HEX.fullmatch(text):
        return None if _ZEROS.fullmatch(match[2]) else match[2].lower()
    if text.endswith("=") and len(text) in (12, 24):
        try:
            raw = b64decode(text, validate=True)
        except (Base64Error, ValueError):
            return text
        if len(raw) in (8, 16):
            return raw.hex() if any(raw) else None
    return text


def read_span(r: Record, service: str | None, clock: Clock) -> Span:
    """Read one span.

    Args:
        r: It, as OTLP JSON, an SDK's own JSON, Jaeger's, a row of a Phoenix data frame or of a table of spans.
        service: What its resource says is the name of the service.
        clock: Reads its times.

    Returns:
        The span.

    Raises:
        Refused: It has no id, or a time that cannot be read.
    """
    context: Record = next((r[k] for k in ("context", "spanContext", "span_context") if type(r.get(k)) is dict), {})
    span_id = _identified(r, _SPAN_KEYS) or _identified(context, _SPAN_KEYS)
    if span_id is None:
        raise Refused(Reason.MISSING_KEY, "span_id")
    attributes = _attributes(r)
    started = _time(r, _START_KEYS, clock)
    ended = _time(r, _END_KEYS, clock) or _after(r, started)
    return Span(
        trace_id=_identified(r, _TRACE_KEYS) or _identified(context, _TRACE_KEYS),
        span_id=span_id,
        parent_id=_parent(r),
        kind=_kind(r, attributes),
        started_at=started,
        ended_at=ended if ended and (started is None or ended > started) else None,
        failed=_failed(r, attributes),
        service=service or service_of(r),
        attributes=attributes,
        marks=tuple(_marks(r)),
    )


def signs_of(r: Record) -> tuple[str, Attributes]:
    """The kind and the attributes of a span of which nothing else need be good."""
    attributes = _attributes(r)
    return _kind(r, attributes), attributes


def read_log(r: Record, service: str | None) -> Span:
    """Read one log record, as a span that has it as its only mark and no times."""
    attributes = _attributes(r)
    name = r.get("eventName") or r.get("event_name") or r.get("EventName") or attributes.get("event.name") or ""
    body = r.get("body", r.get("Body"))
    at = next((r[k] for k in _LOG_TIME_KEYS if r.get(k) not in (None, 0, "0", "")), None)
    mark = Mark(name=name if type(name) is str else "", at=at, attributes=attributes, body=decoded(plain(body)))
    return Span(
        trace_id=_identified(r, _TRACE_KEYS),
        span_id=_identified(r, _SPAN_KEYS),
        service=service or service_of(r),
        attributes=attributes,
        marks=(mark,),
    )


def service_of(r: Record) -> str | None:
    """The name of the service that a resource, or the record itself, states; None for an invented one."""
    name: Any = next((r[k] for k in _SERVICE_KEYS if type(r.get(k)) is str), None)
    for key in _RESOURCE_KEYS:
        held = decoded(r.get(key))
        if name is None and held is not None:
            inner = held.get("attributes", held.get("tags", held)) if type(held) is dict else held
            name = attributes_of(inner).get("service.name") or (held.get("serviceName") if type(held) is dict else None)
    if type(name) is not str or not name.strip() or name.startswith("unknown_service") or not name.isprintable():
        return None
    return name[:512]


def moment(value: Any, clock: Clock) -> datetime | Reason:
    """A time, also as the pair of seconds and nanoseconds that the JavaScript SDK writes."""
    if type(value) is list and len(value) == 2 and all(type(v) is int for v in value):
        value = value[0] * _NANOS + value[1]
    return clock.read(value)


def _time(r: Record, keys: tuple[str, ...], clock: Clock) -> datetime | None:
    for key in keys:
        if r.get(key) not in (None, 0, "0", "", [0, 0]):
            read = moment(r[key], clock)
            if isinstance(read, Reason):
                raise Refused(read, key)
            return read
    return None


def _after(r: Record, started: datetime | None) -> datetime | None:
    """The end of a span that states how long it took: Jaeger in microseconds, tables of spans in nanoseconds."""
    for key, unit in (("duration", 1), ("Duration", 1000)):
        took = r.get(key)
        if started and type(took) is int and 0 < took < 10**17 and ("operationName" in r or key == "Duration"):
            try:
                return started + timedelta(microseconds=took // unit)
            except OverflowError:
                return None
    return None


def _identified(r: Record, keys: tuple[str, ...]) -> str | None:
    return next((found for k in keys if (found := telemetry_id(r.get(k), k)) is not None), None)


def _parent(r: Record) -> str | None:
    found = _identified(r, _PARENT_KEYS)
    for key in ("parentSpanContext", "parent"):
        if found is None and type(r.get(key)) is dict:
            found = _identified(r[key], _SPAN_KEYS)
    references = r.get("references")
    if found is None and type(references) is list:
        kin = [e for e in references if type(e) is dict and e.get("refType", "CHILD_OF") == "CHILD_OF"]
        found = next((i for e in kin if (i := _identified(e, _SPAN_KEYS)) is not None), None)
    return found


def _attributes(r: Record) -> Attributes:
    for key in _ATTRIBUTE_KEYS:
        if r.get(key) is not None:
            return attributes_of(r[key])
    return attributes_of({k.removeprefix(_COLUMN): v for k, v in r.items() if k.startswith(_COLUMN)})


def _kind(r: Record, attributes: Attributes) -> str:
    kind = attributes.get("openinference.span.kind", r.get("span_kind"))
    return kind.upper() if type(kind) is str else ""


def _failed(r: Record, attributes: Attributes) -> bool:
    status = r.get("status")
    held = [r.get(k) for k in ("status_code", "statusCode", "StatusCode")]
    held += [status.get(k) for k in ("code", "status_code", "statusCode")] if type(status) is dict else [status]
    held += [attributes.get("otel.status_code")]
    return (
        2 in [h for h in held if type(h) is int]
        or attributes.get("error") is True
        or any(
            type(h) is str and h.upper().removeprefix("STATUS_CODE_").removeprefix("STATUSCODE.") == "ERROR"
            for h in held
        )
    )


def _marks(r: Record) -> list[Mark]:
    events = decoded(next((r[k] for k in ("events", "logs", "otel_events") if r.get(k) is not None), None))
    found = []
    for e in events if type(events) is list else []:
        event = decoded(e)
        if type(event) is not dict:
            continue
        attributes = attributes_of(event.get("attributes", event.get("fields", event.get("event_attributes"))))
        name = next((event[k] for k in ("name", "event_name") if type(event.get(k)) is str), attributes.get("event"))
        at = next((event[k] for k in (*_EVENT_TIME_KEYS, "event_timestamp") if event.get(k) is not None), None)
        found.append(Mark(name=name if type(name) is str else "", at=at, attributes=attributes))
    return found
