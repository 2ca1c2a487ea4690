"""Langfuse: traces with their observations and scores, as its interface, its API and its exports give them."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from pipelines.readers import fields
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.formats.langfuse_calls import OBSERVED, Head, calls_of_a_trace, calls_of_an_observation
from pipelines.readers.formats.langfuse_scores import SOURCES, is_score, read_score
from pipelines.readers.items import Item
from pipelines.readers.parts import each, numbered
from pipelines.readers.times import Clock
from pipelines.readers.traced import Taken, blanks_dropped, rows_of, thread_of, utc
from schemas.enums import Signal
from schemas.reasons import Reason

_OF_A_TRACE = {
    "sessionId",
    "userId",
    "release",
    "version",
    "public",
    "bookmarked",
    "projectId",
    "htmlPath",
    "environment",
}
_OF_AN_OBSERVATION = {"parentObservationId", "completionStartTime", "statusMessage", "modelParameters", "level"}
_SNAKE = re.compile(r"_([a-z])")
# Langfuse reserves these environments for its own work: judges and experiments, which are no conversations of users.
_INTERNAL = "langfuse-"
_EXPERIMENT = "sdk-experiment"


def _recognise(glimpse: Glimpse) -> str | None:
    for record in glimpse.records:
        for r in _looked_into(record):
            keys = r.keys()
            if _is_observation(r) and len(keys & _OF_AN_OBSERVATION) > 1:
                return "observations with a `traceId`, a `type` and a `startTime`"
            if (
                is_score(r)
                and type(r.get("source")) is str
                and r["source"] in SOURCES
                and keys & {"dataType", "timestamp"}
            ):
                return "scores with a `source` of API, ANNOTATION or EVAL"
            if _is_trace(r) and len(keys & _OF_A_TRACE) > 3:
                return "traces with a `timestamp`, a `sessionId` and a `userId`"
    return None


def _looked_into(record: Any) -> Iterator[Record]:
    """The traces, observations and scores of a record, as far as is needed to know it."""
    values = record[:5] if type(record) is list else [record]
    for value in values:
        if type(value) is dict:
            r = _camelled(value)  # with its blanks: in a table all columns are always there
            inner = [
                r.get("trace"),
                *(r[k][0] for k in ("data", "traces", "observations") if type(r.get(k)) is list and r[k]),
            ]
            yield from (_camelled(v) for v in inner if type(v) is dict)
            yield r


@lru_cache(4096)
def _camel(key: str) -> str:
    return _SNAKE.sub(lambda m: m[1].upper(), key)


def _camelled(record: Record) -> Record:
    """A record under the names of the API, which the exports write with underscores."""
    return {_camel(key): value for key, value in record.items()}


def _named(record: Record) -> Record:
    return blanks_dropped(_camelled(record))


def _is_observation(r: Record) -> bool:
    return "traceId" in r and "startTime" in r and type(r.get("type")) is str and r["type"].upper() in OBSERVED


def _is_trace(r: Record) -> bool:
    return "id" in r and "timestamp" in r and "traceId" not in r and not is_score(r)


def _reader(context: Context) -> Reader:
    clock = utc(context)

    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        yield from each(rows_of(record, ("data",)), lambda row: one(row, flags))

    def one(row: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        if type(row) is not dict:
            raise Refused(Reason.NOT_AN_OBJECT)
        r = _named(row)
        if type(r.get("traces")) is list:  # a session
            session = fields.optional_any_id(r, "id")
            yield from each(numbered(r["traces"], "traces"), lambda t: _trace(t, [], context, clock, flags, session))
        elif type(r.get("trace")) is dict and type(r.get("observations")) is list:  # a download of the interface
            yield from _trace(r["trace"], r["observations"], context, clock, flags)
        elif is_score(r):
            yield from read_score(r, context, clock)
        elif _is_observation(r):
            yield from _observation(r, context, clock, flags)
        elif _is_trace(r):
            yield from _trace(r, [], context, clock, flags)
        else:
            raise Refused(Reason.MISSING_KEY, "traceId" if "startTime" in r else "id")

    return read


def _trace(
    record: Any, beside: list[Any], context: Context, clock: Clock, flags: tuple[str, ...], session: str | None = None
) -> Iterator[Item]:
    r = _named(fields.as_object(record, "trace"))
    trace_id = fields.any_id(r, "id")
    if _is_internal(r):
        return
    taken = Taken(r, clock, flags)
    inside = r["observations"] if type(r.get("observations")) is list else []
    observations = _merged([*numbered(inside, "observations"), *numbered(beside, "observations")])
    conversation = taken.id("sessionId") or session or thread_of(taken.object("metadata"))
    for _, o in observations:
        conversation = conversation or thread_of(Taken(o, clock).object("metadata"))
    head = Head(context.name, trace_id, conversation, taken.id("userId"))
    yield from calls_of_a_trace(taken, head, [(where, Taken(o, clock, flags)) for where, o in observations])
    scores = numbered(r["scores"], "scores") if type(r.get("scores")) is list else iter(())
    whole = [(where, _named(s)) for where, s in scores if type(s) is dict]  # lists of the API hold only their ids
    yield from each(whole, lambda s: read_score(s, context, clock, trace_id, conversation))


def _merged(parts: list[tuple[str, Any]]) -> list[tuple[str, Record]]:
    """Each observation once: a download holds them twice, once without their inputs and outputs."""
    found: dict[Any, tuple[str, Record]] = {}
    for where, part in parts:
        if type(part) is dict:
            o = _named(part)
            key = o["id"] if type(o.get("id")) is str else where
            place, held = found.get(key, (where, {}))
            found[key] = place, {**held, **{k: v for k, v in o.items() if v is not None}}
    return list(found.values())


def _observation(r: Record, context: Context, clock: Clock, flags: tuple[str, ...]) -> Iterator[Item]:
    if _is_internal(r):
        return
    taken = Taken(r, clock, flags)
    conversation = taken.id("sessionId") or thread_of(taken.object("metadata"))
    head = Head(context.name, fields.any_id(r, "traceId"), conversation, taken.id("userId"))
    yield from calls_of_an_observation(taken, head)


def _is_internal(r: Record) -> bool:
    environment = r.get("environment")
    return type(environment) is str and (environment.startswith(_INTERNAL) or environment == _EXPERIMENT)


LANGFUSE = Format(
    name="langfuse",
    title="Langfuse traces and scores",
    seen="versions 2 to 4: downloads and table exports of the interface, API, blob storage export",
    shapes=frozenset({Shape.DOCUMENT, Shape.LINES, Shape.ROWS, Shape.CSV}),
    recognise=_recognise,
    reader=_reader,
    user_time="sent: the start of the trace or generation",
    reply_time="first token where `completionStartTime` is logged, last token by `endTime`",
    conversation="`sessionId`, else a thread that the metadata name, else the trace",
    finds={
        **TEXT_SIGNALS,
        Signal.DISLIKE: "scores of source API whose names say that they are a user's",
        Signal.SKIM: "`completionStartTime` and `endTime` of the answering generation",
    },
    notes=(
        "A trace whose own input holds the user's words is one exchange; else its generations are read.",
        "Words are only taken from inputs and outputs of known shapes; other arguments of functions are passed over.",
        "Times without a zone are UTC, as Langfuse documents, unless a zone is declared.",
        "Scores of judges (EVAL), of experts (ANNOTATION) and of experiments are left out.",
        "Votes in columns of an exported table of traces are left out, since they state no time: export the scores.",
        "A score of value 0 is a thumb down; where 0 means no vote, or for stars, declare `votes`.",
        "A score that was changed more than a minute after it was given is dated by its change.",
        "A deleted score is only missing from later exports: what was exported before it was deleted stands.",
        "Traces of Langfuse's own judges and experiments are left out, by their environment.",
    ),
)
