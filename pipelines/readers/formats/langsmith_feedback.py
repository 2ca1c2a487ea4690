"""Feedback records of LangSmith: which of them a user gave, and what they say."""

from collections.abc import Iterator

from pipelines.readers import fields
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import Context
from pipelines.readers.items import Item, Remark
from pipelines.readers.scored import given_at, is_user_feedback, scored_vote
from pipelines.readers.times import Clock
from pipelines.readers.wrapped import embedded_object
from schemas.reasons import Reason

_MACHINES = frozenset({"model", "evaluator", "auto_eval", "automation"})


def is_feedback(r: Record) -> bool:
    """Whether a record is feedback rather than a run."""
    return "key" in r and ("run_id" in r or "trace_id" in r) and "run_type" not in r


def read_feedback(r: Record, context: Context, clock: Clock) -> Iterator[Item]:
    """Read feedback as what a user said of a reply.

    That of a model or an evaluator, in comparisons of experiments, and under keys that do not say that it is a user's
    gives nothing.

    Raises:
        Refused: It is a user's, and cannot be read.
    """
    by = embedded_object(r, "feedback_source")
    kind, more = by.get("type"), by.get("metadata")
    if (type(kind) is str and kind.lower() in _MACHINES) or (type(more) is dict and more.get("__run")):
        return
    if r.get("comparative_experiment_id") or not is_user_feedback(r.get("key"), context.source.feedback_names):
        return
    field = "score" if r.get("score") is not None else "value"
    event = scored_vote(r["key"], r.get(field), context.source.votes, field)
    if event is None:
        return
    run, trace = fields.optional_any_id(r, "run_id"), fields.optional_any_id(r, "trace_id")
    if run is None and trace is None:
        raise Refused(Reason.MISSING_KEY, "run_id")
    at = given_at(fields.time(r, "created_at", clock), fields.time(r, "modified_at", clock))
    if at is None:
        raise Refused(Reason.MISSING_KEY, "created_at")
    yield Remark(
        source=context.name,
        trace_id=trace,
        call_id=run,
        event=event,
        at=at,
        text=fields.text(r, "comment"),
    )
