"""OpenTelemetry spans and log records of assistants, in the GenAI conventions and their relatives."""

from pipelines.readers.format import TEXT_SIGNALS, Format, Glimpse, Shape
from pipelines.readers.tracing.glimpses import GENAI, OTHER, conventions
from pipelines.readers.tracing.reader import trace_reader
from schemas.enums import Signal


def _recognise(glimpse: Glimpse) -> str | None:
    found = conventions(glimpse)
    if found == GENAI:
        return "spans or log records have `gen_ai.*` attributes, or those of OpenLLMetry or the AI SDK"
    return "OTLP export requests: `resourceSpans`, `resourceLogs` or `resourceMetrics`" if found == OTHER else None


OTEL_GENAI = Format(
    name="otel-genai",
    title="OpenTelemetry GenAI",
    seen="conventions 1.27 to 1.40; OpenLLMetry; AI SDK 3 to 6; Pydantic AI, Strands, Azure AI",
    shapes=frozenset({Shape.LINES, Shape.DOCUMENT, Shape.ROWS}),
    recognise=_recognise,
    reader=trace_reader,
    user_time="sent: the start of the span, or the time of the first message event",
    reply_time="both: first token where an event or attribute states it, last token by the end of the span",
    conversation="`gen_ai.conversation.id`, `session.id` or metadata of such a name; else the trace",
    finds={
        **TEXT_SIGNALS,
        Signal.DISLIKE: "`gen_ai.evaluation.result` under a name such as `user_feedback`",
        Signal.SKIM: "the first token and the end of spans",
    },
    notes=(
        "Content stands in attributes, events or log records; switched off, the exchange is known, its text is not.",
        "Of several answers to one request the first is taken.",
        "A cancelled call is partial: it does not say whether the user stopped it.",
        "Tools, embeddings and retrieval are steps, not messages.",
    ),
)
