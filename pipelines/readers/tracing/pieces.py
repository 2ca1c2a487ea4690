"""Takes a record apart into spans, log records and annotations, however they are wrapped."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from pipelines.readers.fields import Record
from pipelines.readers.raw import Refusal
from pipelines.readers.tracing.remarks import is_annotation
from pipelines.readers.tracing.span import service_of
from schemas.reasons import Reason

_SPANS = ("resourceSpans", "resource_spans")
_LOGS = ("resourceLogs", "resource_logs")
_METRICS = frozenset({"resourceMetrics", "resource_metrics", "scopeMetrics", "scope_metrics"})
_SPAN_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans")
_LOG_SCOPES = ("scopeLogs", "scope_logs", "instrumentationLibraryLogs")
_LOG_LISTS = ("logRecords", "log_records", "logs")
_PAGES = ("data", "spans", "traces", "annotations")
_LOG_KEYS = frozenset(
    {"severityNumber", "severity_number", "observed_timestamp", "observedTimeUnixNano", "SeverityNumber"}
)
_IDS = frozenset({"spanId", "span_id", "spanID", "SpanId", "context.span_id"})
_CONTEXTS = ("context", "spanContext", "span_context")
_SPAN_SIGNS = frozenset({"attributes", "tags", "SpanAttributes", "start_time", "startTime", "startTimeUnixNano"})
_DEEPEST = 6


class Kind(Enum):
    """What a piece of a record is."""

    SPAN = auto()
    LOG = auto()
    ANNOTATION = auto()


@dataclass(frozen=True, slots=True)
class Piece:
    """One span, log record or annotation.

    Attributes:
        kind: Which of them.
        where: Where in the record it stands; empty for the record itself.
        held: It.
        service: What its resource says is the name of the service.
    """

    kind: Kind
    where: str
    held: Record
    service: str | None = None


def pieces(record: Any) -> Iterator[Piece | Refusal]:
    """Take a record apart.

    Args:
        record: An export request of OTLP, one of its resources, a span or a log record by itself, a list or a page of
            them, a Jaeger trace, an annotation.

    Yields:
        Its pieces in their order, and a refusal for each part that is none. Metrics are passed over.
    """
    return _pieces(record, "", {}, 0)


def is_export(record: Any) -> bool:
    """Whether a record is what an exporter of OTLP writes, be it spans, log records or metrics."""
    keys = frozenset((*_SPANS, *_LOGS, *_METRICS, *_SPAN_SCOPES, *_LOG_SCOPES))
    return type(record) is dict and not keys.isdisjoint(record)


def kind_of(r: Record) -> Kind | None:
    """What a record by itself is, by its keys."""
    if is_annotation(r):
        return Kind.ANNOTATION
    if not _LOG_KEYS.isdisjoint(r):
        return Kind.LOG
    inner: Record = next((r[k] for k in _CONTEXTS if type(r.get(k)) is dict), {})
    identified = not _IDS.isdisjoint(r) or not _IDS.isdisjoint(inner)
    if identified and (not _SPAN_SIGNS.isdisjoint(r) or any(k.startswith("attributes.") for k in r)):
        return Kind.SPAN
    return None


def _pieces(value: Any, where: str, services: dict[str, str], depth: int) -> Iterator[Piece | Refusal]:
    if type(value) is list and depth < _DEEPEST:
        for n, element in enumerate(value):
            if element is not None:
                yield from _pieces(element, f"{where}[{n}]", services, depth + 1)
    elif type(value) is not dict:
        yield Refusal(Reason.NOT_AN_OBJECT, where or None)
    elif is_export(value):
        yield from _export(value, where)
    elif (kind := kind_of(value)) is not None:
        yield from _alone(kind, value, where, services)
    else:
        yield from _page(value, where, services, depth)


def _export(value: Record, where: str) -> Iterator[Piece | Refusal]:
    resources = [e for key in (*_SPANS, *_LOGS) for e in _objects(value, key, where)]
    if not any(key in value for key in (*_SPANS, *_LOGS)):
        resources = [(where, value)]
    for resource in resources:
        if isinstance(resource, Refusal):
            yield resource
            continue
        place, held = resource
        service = service_of(held)
        for scopes, lists, kind in ((_SPAN_SCOPES, ("spans",), Kind.SPAN), (_LOG_SCOPES, _LOG_LISTS, Kind.LOG)):
            for scope in (e for key in scopes for e in _objects(held, key, place)):
                if isinstance(scope, Refusal):
                    yield scope
                    continue
                for found in (e for key in lists for e in _objects(scope[1], key, scope[0])):
                    yield found if isinstance(found, Refusal) else Piece(kind, *found, service)


def _alone(kind: Kind, value: Record, where: str, services: dict[str, str]) -> Iterator[Piece | Refusal]:
    """A span, log record or annotation by itself, and the annotations that a span carries."""
    process = value.get("processID")
    yield Piece(kind, where, value, services.get(process) if type(process) is str else None)
    if kind is Kind.SPAN:
        for annotation in _objects(value, "annotations", where):
            if isinstance(annotation, Refusal):
                yield annotation
            elif is_annotation(about := _about(value) | annotation[1]):
                yield Piece(Kind.ANNOTATION, annotation[0], about)


def _page(value: Record, where: str, services: dict[str, str], depth: int) -> Iterator[Piece | Refusal]:
    """A page of an API, or a trace of Jaeger, which names its services beside its spans."""
    inside = f"{where}." if where else ""
    key = next((k for k in _PAGES if type(value.get(k)) is list), None)
    if key is None or depth >= _DEEPEST:
        yield Refusal(Reason.MISSING_KEY, f"{inside}resourceSpans")
        return
    processes = value.get("processes")
    if type(processes) is dict:
        named = {p: service_of(held) for p, held in processes.items() if type(held) is dict}
        services = {p: name for p, name in named.items() if name is not None}
    yield from _pieces(value[key], f"{inside}{key}", services, depth + 1)


def _about(span: Record) -> Record:
    """The ids of the span that an annotation inside it is about."""
    inner = next((span[k] for k in _CONTEXTS if type(span.get(k)) is dict), span)
    ids = {"span_id": ("span_id", "spanId", "context.span_id"), "trace_id": ("trace_id", "traceId", "context.trace_id")}
    return {name: inner[k] for name, keys in ids.items() for k in keys if inner.get(k) is not None}


def _objects(holder: Record, key: str, where: str) -> Iterator[tuple[str, Record] | Refusal]:
    """The objects of a list with where they stand, and a refusal for whatever else there is. Null is nothing."""
    value = holder.get(key)
    place = f"{where}.{key}" if where else key
    if type(value) is not list:
        if value is not None:
            yield Refusal(Reason.WRONG_TYPE, place)
        return
    for n, element in enumerate(value):
        if type(element) is dict:
            yield f"{place}[{n}]", element
        elif element is not None:
            yield Refusal(Reason.NOT_AN_OBJECT, f"{place}[{n}]")
