"""Reads records of telemetry. Each span is read by its own conventions, since one file holds several."""

from collections.abc import Iterator
from typing import Any

import msgspec

from pipelines.readers.fields import Refused
from pipelines.readers.format import Context, Reader
from pipelines.readers.items import Call, Item
from pipelines.readers.raw import Refusal
from pipelines.readers.tracing.genai import genai_call
from pipelines.readers.tracing.logs import calls_of_logs, is_content
from pipelines.readers.tracing.openinference import KINDS, openinference_call
from pipelines.readers.tracing.pieces import Kind, Piece, pieces
from pipelines.readers.tracing.remarks import is_evaluation, read_annotation, remarks_on
from pipelines.readers.tracing.span import Span, read_log, read_span

_JUDGE = "EVALUATOR"


def trace_reader(context: Context) -> Reader:
    """Make the reader of one file of spans, log records or annotations, in whatever conventions."""

    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        found = list(pieces(record))
        if len(found) == 1 and isinstance(found[0], Refusal):
            raise Refused(found[0].reason, found[0].field)
        for item in _items(found, context):
            yield _flagged(item, flags) if flags and isinstance(item, Call) else item

    return read


def _items(found: list[Piece | Refusal], context: Context) -> Iterator[Item]:
    spans: list[tuple[str, Span]] = []
    logs: list[tuple[str, Span]] = []
    for piece in found:
        if isinstance(piece, Refusal):
            yield piece
            continue
        try:
            if piece.kind is Kind.ANNOTATION:
                yield from read_annotation(piece.held, context)
            elif piece.kind is Kind.LOG:
                logs.append((piece.where, read_log(piece.held, piece.service)))
            else:
                spans.append((piece.where, read_span(piece.held, piece.service, context.clock)))
        except Refused as fault:
            yield fault.refusal(piece.where)
    yield from _of_spans(spans, context)
    yield from calls_of_logs([(where, log) for where, log in logs if is_content(log)], context)
    for where, log in logs:
        if is_evaluation(log.marks[0]):
            yield from _inside(where, log, context)


def _flagged(call: Call, flags: tuple[str, ...]) -> Call:
    """The call, with what was mended in its record noted on each turn."""
    sent, came = (
        side and tuple(msgspec.structs.replace(t, flags=(*t.flags, *flags)) for t in side)
        for side in (call.input, call.output)
    )
    return msgspec.structs.replace(call, input=sent, output=came)


def _of_spans(spans: list[tuple[str, Span]], context: Context) -> Iterator[Item]:
    known = {span.span_id: span for _, span in spans}
    for where, span in spans:
        refused: list[Refusal] = []
        if not _is_judged(span, known):
            read = openinference_call if span.kind in KINDS else genai_call
            try:
                call = read(span, context, refused)
            except Refused as fault:
                call = None
                refused.append(fault.refusal())
            if call is not None:
                yield call
        for found in refused:
            yield Refusal(found.reason, ".".join(p for p in (where, found.field) if p))
        yield from _inside(where, span, context)


def _inside(where: str, span: Span, context: Context) -> Iterator[Item]:
    refused: list[Refusal] = []
    try:
        yield from remarks_on(span, context, refused)
    except Refused as fault:
        refused.append(fault.refusal())
    for found in refused:
        yield Refusal(found.reason, ".".join(p for p in (where, found.field) if p))


def _is_judged(span: Span, known: dict[str | None, Span]) -> bool:
    """Whether a span was made by a judge: its prompt is nobody's message, though it has the user's role."""
    for _ in range(len(known)):
        parent = known.get(span.parent_id) if span.parent_id else None
        if parent is None:
            return False
        if parent.kind == _JUDGE:
            return True
        span = parent
    return False
