"""What tracing tools record of an assistant: OpenTelemetry, OpenInference and Phoenix."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from formats.packed import columns, document, lines
from formats.told import Said, Talk, hexed, iso, nanos, uuid

_SYSTEM = "You are the assistant of Harbour Shop. Answer in the language of the customer."
Files = dict[str, bytes]


def otel(talks: Mapping[str, Talk]) -> Files:
    """Spans of the GenAI conventions with the content in their attributes, and of a service that logs it instead."""
    spans = [_otlp_spans("helpdesk", [_genai_span(talks[key], *e) for e in talks[key].exchanges])
             for key in ("f-dough", "f-reminder", "f-script")]  # fmt: skip
    silent, noted = [], []
    for key in ("f-cat", "f-parcel"):
        for request, reply in talks[key].exchanges:
            silent.append(_otlp_spans("storefront", [_genai_span(talks[key], request, reply, content=False)]))
            noted.append(_otlp_logs("storefront", _notes(talks[key], reply)))
    return {
        "otel/traces.jsonl": lines(spans),
        "otel/storefront-traces.jsonl": lines(silent),
        "otel/storefront-logs.jsonl": lines(noted),
    }


def _typed(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [_typed(v) for v in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": _pairs(value)}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def _pairs(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _typed(value)} for key, value in attributes.items()]


def _otlp_spans(service: str, spans: Sequence[Any]) -> dict[str, Any]:
    scope = {"scope": {"name": "opentelemetry.instrumentation.openai_v2"}, "spans": list(spans)}
    return {"resourceSpans": [{"resource": {"attributes": _pairs({"service.name": service})}, "scopeSpans": [scope]}]}


def _otlp_logs(service: str, records: Sequence[Any]) -> dict[str, Any]:
    scope = {"scope": {"name": "opentelemetry.instrumentation.openai_v2"}, "logRecords": list(records)}
    return {"resourceLogs": [{"resource": {"attributes": _pairs({"service.name": service})}, "scopeLogs": [scope]}]}


def ids(talk: Talk, reply: Said) -> tuple[str, str]:
    """The trace and the span of the call that a reply came from."""
    return hexed(32, "trace", talk.key, reply.key), hexed(16, "span", talk.key, reply.key)


def _span(talk: Talk, request: Said, reply: Said, name: str, attributes: Mapping[str, Any]) -> dict[str, Any]:
    trace, span = ids(talk, reply)
    return {
        "traceId": trace,
        "spanId": span,
        "parentSpanId": "",
        "name": name,
        "kind": 3,
        "startTimeUnixNano": nanos(request.start),
        "endTimeUnixNano": nanos(reply.end),
        "attributes": _pairs(attributes),
        "status": {},
    }


def _genai_span(talk: Talk, request: Said, reply: Said, *, content: bool = True) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.response.model": "gpt-4o-mini-2024-07-18",
        "gen_ai.conversation.id": uuid("otel", talk.key),
        "user.id": uuid("otel", talk.user),
        "gen_ai.usage.output_tokens": len(reply.text) // 4,
    }
    if content:
        sent = [{"role": str(s.role), "parts": [{"type": "text", "content": s.text}]} for s in talk.before(reply)]
        answered = [{"role": "assistant", "parts": [{"type": "text", "content": reply.text}], "finish_reason": "stop"}]
        attributes |= {
            "gen_ai.system_instructions": _json([{"type": "text", "content": _SYSTEM}]),
            "gen_ai.input.messages": _json(sent),
            "gen_ai.output.messages": _json(answered),
        }
    return _span(talk, request, reply, "chat gpt-4o-mini", attributes)


def _notes(talk: Talk, reply: Said) -> Iterator[dict[str, Any]]:
    """The log records of a call: what was sent to the model, and what it chose to say."""
    trace, span = ids(talk, reply)
    said = [({"content": s.text}, f"gen_ai.{s.role}.message", s.start) for s in talk.before(reply)]
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply.text}}
    sent_at = talk.before(reply)[-1].start
    for body, name, at in [*said, (choice, "gen_ai.choice", reply.end)]:
        yield {
            "timeUnixNano": nanos(at if name == "gen_ai.choice" else sent_at),
            "severityNumber": 9,
            "eventName": name,
            "body": _typed(body),
            "attributes": _pairs({"gen_ai.system": "openai", "event.name": name}),
            "traceId": trace,
            "spanId": span,
        }


def _openinference_attributes(talk: Talk, reply: Said) -> dict[str, Any]:
    attributes: dict[str, Any] = {"openinference.span.kind": "LLM", "llm.model_name": "claude-sonnet-4-5",
                                  "session.id": uuid("studio", talk.key), "user.id": uuid(talk.user)}  # fmt: skip
    for n, said in enumerate(talk.before(reply)):
        attributes[f"llm.input_messages.{n}.message.role"] = str(said.role)
        attributes[f"llm.input_messages.{n}.message.content"] = said.text
    return attributes | {"llm.output_messages.0.message.role": "assistant",
                         "llm.output_messages.0.message.content": reply.text}  # fmt: skip


def openinference(talks: Mapping[str, Talk]) -> Files:
    """OTLP lines of an instrumented application."""
    made = [
        _span(talks[key], request, reply, "Messages", _openinference_attributes(talks[key], reply))
        | {"events": [{"name": "First Token Stream Event", "timeUnixNano": nanos(reply.start)}]}
        for key in ("f-router", "f-limerick", "f-sheet")
        for request, reply in talks[key].exchanges
    ]
    return {"openinference/traces.jsonl": lines(_otlp_spans("studio", [span]) for span in made)}


def phoenix(talks: Mapping[str, Talk]) -> Files:
    """The data frame of a project's spans, and the annotations on them as the API gives them."""
    rows, annotations = [], []
    for key in ("f-dough", "f-tea", "f-parcel"):
        for request, reply in talks[key].exchanges:
            span = ids(talks[key], reply)[1]
            rows.append(_frame(talks[key], request, reply))
            if reply.vote is not None:
                result = {"label": "thumbs_up" if reply.liked else "thumbs_down", "score": float(reply.liked),
                          "explanation": reply.vote.text}  # fmt: skip
                at = iso(reply.vote.at, zone="+00:00")
                annotations.append(
                    {
                        "id": f"U3Bhbk{hexed(8, span)}",
                        "span_id": span,
                        "name": "user_feedback",
                        "annotator_kind": "HUMAN",
                        "result": result,
                        "metadata": {},
                        "identifier": "",
                        "source": "API",
                        "user_id": None,
                        "created_at": at,
                        "updated_at": at,
                    }
                )
    message = pa.list_(pa.struct([("message.role", pa.string()), ("message.content", pa.string())]))
    time = pa.timestamp("ns", "UTC")
    kinds = {"start_time": time, "end_time": time, "attributes.llm.input_messages": message,
             "attributes.llm.output_messages": message}  # fmt: skip
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in rows[0]])
    return {
        "phoenix/spans.parquet": columns(rows, schema),
        "phoenix/span-annotations.json": document({"data": annotations, "next_cursor": None}),
    }


def _frame(talk: Talk, request: Said, reply: Said) -> dict[str, Any]:
    trace, span = ids(talk, reply)
    sent = [{"message.role": str(s.role), "message.content": s.text} for s in talk.before(reply)]
    return {
        "context.span_id": span,
        "context.trace_id": trace,
        "name": "ChatCompletion",
        "span_kind": "LLM",
        "parent_id": None,
        "start_time": request.start,
        "end_time": reply.end,
        "status_code": "OK",
        "status_message": "",
        "attributes.openinference.span.kind": "LLM",
        "attributes.llm.model_name": "gpt-4o-mini",
        "attributes.llm.input_messages": sent,
        "attributes.llm.output_messages": [{"message.role": "assistant", "message.content": reply.text}],
        "attributes.session.id": uuid("phoenix", talk.key),
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
