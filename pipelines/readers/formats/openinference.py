"""OpenInference spans, as OTLP or in an SDK's own JSON."""

from pipelines.readers.format import TEXT_SIGNALS, Format, Glimpse, Shape
from pipelines.readers.tracing.glimpses import OPENINFERENCE as FOUND
from pipelines.readers.tracing.glimpses import conventions
from pipelines.readers.tracing.reader import trace_reader
from schemas.enums import Signal


def _recognise(glimpse: Glimpse) -> str | None:
    return "spans have `openinference.span.kind`" if conventions(glimpse) == FOUND else None


OPENINFERENCE = Format(
    name="openinference",
    title="OpenInference",
    seen="semantic conventions of 2024 to 2026, attributes flattened or nested",
    shapes=frozenset({Shape.LINES, Shape.DOCUMENT, Shape.ROWS}),
    recognise=_recognise,
    reader=trace_reader,
    user_time="sent: the start of the span",
    reply_time="both: first token by the event `First Token Stream Event`, last token by the end of the span",
    conversation="`session.id`, or a session or thread in `metadata`; else the trace",
    finds={
        **TEXT_SIGNALS,
        Signal.DISLIKE: "`annotations` and `evaluations` by a human under a name such as `user_feedback`",
        Signal.SKIM: "the first token and the end of spans",
    },
    notes=(
        "A root chain or agent stands for its trace where its input and output hold words.",
        "A bare prompt inside a chain was put together by the application, so it is not the user's.",
        "What a judge calls is no conversation.",
    ),
)
