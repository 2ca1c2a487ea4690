"""What Phoenix exports: spans by its API or as a data frame, and the annotations on them."""

from pipelines.readers.format import TEXT_SIGNALS, Format, Glimpse, Shape
from pipelines.readers.tracing.glimpses import PHOENIX as FOUND
from pipelines.readers.tracing.glimpses import conventions
from pipelines.readers.tracing.reader import trace_reader
from schemas.enums import Signal


def _recognise(glimpse: Glimpse) -> str | None:
    if conventions(glimpse) != FOUND:
        return None
    return "annotations with `annotator_kind`, or spans with `span_kind` and `status_code` or `context.span_id`"


PHOENIX = Format(
    name="phoenix",
    title="Arize Phoenix",
    seen="4 to 12: data frames and the REST API, span, trace and session annotations",
    shapes=frozenset({Shape.LINES, Shape.DOCUMENT, Shape.ROWS}),
    recognise=_recognise,
    reader=trace_reader,
    user_time="sent: the start of the span",
    reply_time="both: first token by the event `First Token Stream Event`, last token by the end of the span",
    conversation="`session.id`; else the trace",
    finds={
        **TEXT_SIGNALS,
        Signal.DISLIKE: "annotations by a human under a name such as `user_feedback` or `thumbs`",
        Signal.SKIM: "the first token and the end of spans",
    },
    notes=(
        "Annotations under other names are reviews, not votes of users, and are passed over.",
        "An annotation names no source: it joins spans of the same source, so declare one for both where they differ.",
    ),
)
