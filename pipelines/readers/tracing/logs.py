"""Log records that hold the content of a call which is a span elsewhere."""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from pipelines.readers.chat import Turns
from pipelines.readers.fields import Refused
from pipelines.readers.format import Context
from pipelines.readers.items import Call
from pipelines.readers.raw import Refusal
from pipelines.readers.tracing.attributes import attributes_of
from pipelines.readers.tracing.call import make_call
from pipelines.readers.tracing.genai import first_choice, read_input, read_output
from pipelines.readers.tracing.notes import DETAILS, is_answer, is_request, note_turns
from pipelines.readers.tracing.span import Mark, Span, moment
from schemas.ids import content_id
from schemas.reasons import Reason


def is_content(log: Span) -> bool:
    """Whether a log record holds content of a call."""
    mark = log.marks[0]
    return is_request(mark) or is_answer(mark) or mark.name == DETAILS


def calls_of_logs(logs: list[tuple[str, Span]], context: Context) -> Iterator[Call | Refusal]:
    """The parts of calls that log records tell of: `merge_calls` joins them with the span and with each other.

    What went in has the time of its first record as start and no end; what came back has an end and no start; a record
    that describes the whole call has an end.

    Args:
        logs: The log records of one batch that hold content, each with where it stands.
        context: Names the source where they do not, and reads their times.

    Yields:
        For each span first what went in, then what came back, then what describes it whole; and refusals.
    """
    spans: dict[tuple[str | None, str], list[tuple[str, Span]]] = {}
    for where, log in logs:
        call_id = log.span_id or _own_id(log)
        if call_id is None:
            yield Refusal(Reason.MISSING_KEY, f"{where}.spanId")
        else:
            spans.setdefault((log.trace_id, call_id), []).append((where, log))
    for (_, call_id), of in spans.items():
        try:
            yield from _parts(of, call_id, context)
        except Refused as fault:
            yield fault.refusal(of[0][0])


def _parts(of: list[tuple[str, Span]], call_id: str, context: Context) -> Iterator[Call | Refusal]:
    for chosen, is_input in ((is_request, True), (is_answer, False)):
        picked = [(where, log) for where, log in of if chosen(log.marks[0])]
        if picked:
            yield from _part(picked, call_id, context, is_input=is_input)
    for where, log in of:
        if log.marks[0].name == DETAILS:
            yield from _details(where, log, call_id, context)


def _own_id(log: Span) -> str | None:
    """An id for a whole call whose span was not sampled."""
    mark = log.marks[0]
    answer = log.attributes.get("gen_ai.response.id")
    return content_id("log", answer) if mark.name == DETAILS and type(answer) is str and answer else None


def _part(
    picked: list[tuple[str, Span]], call_id: str, context: Context, *, is_input: bool
) -> Iterator[Call | Refusal]:
    timed: list[tuple[int, datetime, int, Mark]] = []
    for n, (where, log) in enumerate(picked):
        mark = log.marks[0]
        at = moment(mark.at, context.clock)
        if isinstance(at, Reason):
            yield Refusal(Reason.MISSING_KEY if mark.at is None else at, f"{where}.timeUnixNano")
        else:
            timed.append((_choice(mark), at, n, mark))
    if not timed:
        return
    refused: list[Refusal] = []
    marks = tuple(mark for *_, mark in sorted(timed, key=lambda t: t[:3]))
    turns = note_turns(marks, refused)
    times = [at for _, at, *_ in timed]
    where, first = picked[0]
    span = msgspec.structs.replace(
        first,
        span_id=call_id,
        started_at=min(times) if is_input else None,
        ended_at=None if is_input else max(times),
        marks=() if is_input else marks,
    )
    yield from _made(
        where, span, context, refused, turns if is_input else None, None if is_input else first_choice(turns)
    )


def _choice(mark: Mark) -> int:
    """The number of an answer among several to one request."""
    index = mark.body.get("index") if type(mark.body) is dict else mark.attributes.get("index")
    return index if type(index) is int else 0


def _details(where: str, log: Span, call_id: str, context: Context) -> Iterator[Call | Refusal]:
    mark = log.marks[0]
    at = moment(mark.at, context.clock)
    if isinstance(at, Reason):
        yield Refusal(Reason.MISSING_KEY if mark.at is None else at, f"{where}.timeUnixNano")
        return
    refused: list[Refusal] = []
    said = msgspec.structs.replace(log, span_id=call_id, ended_at=at)
    if type(mark.body) is dict:
        said = msgspec.structs.replace(said, attributes=attributes_of(mark.body) | log.attributes)
    sent, came = read_input(said, refused), first_choice(read_output(said, refused))
    yield from _made(where, said, context, refused, sent, came)


def _made(
    where: str, span: Span, context: Context, refused: list[Refusal], sent: Turns | None, came: Turns | None
) -> Iterator[Call | Refusal]:
    call = make_call(span, context, refused, input=sent, output=came)
    for found in refused:
        yield Refusal(found.reason, f"{where}.{found.field}" if found.field else where)
    if call is not None:
        yield call
