"""Scores of Langfuse: which of them a user gave, and what they say."""

from collections.abc import Iterator
from typing import Any

from pipelines.readers import fields
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import Context
from pipelines.readers.items import Item, Remark
from pipelines.readers.scored import given_at, is_user_feedback, scored_vote
from pipelines.readers.times import Clock
from schemas.reasons import Reason

SOURCES = frozenset({"API", "ANNOTATION", "EVAL"})
_SAYS = ("value", "stringValue", "dataType")
_OF = ("traceId", "observationId", "sessionId")


def is_score(r: Record) -> bool:
    """Whether a record is a score, in the names of the API."""
    return "name" in r and any(key in r for key in _SAYS) and any(key in r for key in _OF) and "type" not in r


def read_score(
    r: Record, context: Context, clock: Clock, trace_id: str | None = None, conversation_id: str | None = None
) -> Iterator[Item]:
    """Read a score as what a user said of a reply.

    A judge's (`EVAL`), an expert's (`ANNOTATION`), an experiment's, and those whose names do not say that they are a
    user's give nothing.

    Args:
        r: The score.
        context: What is declared about the source.
        clock: Reads its times.
        trace_id: The trace inside which it stands, if it stands in one.
        conversation_id: That trace's conversation.

    Raises:
        Refused: It is a user's, and cannot be read.
    """
    by = r.get("source")
    if (type(by) is str and by.upper() != "API") or r.get("datasetRunId") or r.get("dataType") == "TEXT":
        return
    if not is_user_feedback(r.get("name"), context.source.feedback_names):
        return
    key, value = _value(r)
    event = scored_vote(r["name"], value, context.source.votes, key)
    if event is None:
        return
    trace = fields.optional_any_id(r, "traceId") or trace_id
    call = fields.optional_any_id(r, "observationId")
    conversation = fields.optional_any_id(r, "sessionId") or conversation_id
    if trace is None and call is None and conversation is None:
        raise Refused(Reason.MISSING_KEY, "traceId")
    created = fields.time(r, "timestamp", clock) or fields.time(r, "createdAt", clock)
    at = given_at(created, fields.time(r, "updatedAt", clock))
    if at is None:
        raise Refused(Reason.MISSING_KEY, "timestamp")
    of = r.get("trace")  # newer versions of the API repeat some of the trace in each score
    yield Remark(
        source=context.name,
        conversation_id=conversation,
        trace_id=trace,
        call_id=call,
        event=event,
        at=at,
        user_id=fields.text(of, "userId") if type(of) is dict else fields.text(r, "userId"),
        text=fields.text(r, "comment"),
    )


def _value(r: Record) -> tuple[str, Any]:
    """What a score says, and its key. The number of a category is only its place in a list."""
    is_category = r.get("dataType") == "CATEGORICAL" or (r.get("dataType") is None and r.get("stringValue") is not None)
    worded = is_category or r.get("value") is None
    return (
        ("stringValue", r["stringValue"]) if worded and r.get("stringValue") is not None else ("value", r.get("value"))
    )
