"""Votes of users among the annotations and evaluations of spans. Judges vote there too: theirs are passed over."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from pipelines.readers import fields
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import Context
from pipelines.readers.items import Remark
from pipelines.readers.raw import Refusal
from pipelines.readers.tracing.attributes import Attributes, flat, listed
from pipelines.readers.tracing.call import conversation_of, user_of
from pipelines.readers.tracing.span import Mark, Span, moment, telemetry_id
from pipelines.readers.votes import vote
from schemas.enums import EventKind
from schemas.reasons import Reason

_NOT_A_LETTER = re.compile(r"[\W_]+")
_THUMBS = frozenset(
    {
        "thumb",
        "thumbs",
        "thumbsup",
        "thumbsdown",
        "thumbsupdown",
        "userfeedback",
        "enduserfeedback",
        "humanfeedback",
        "customerfeedback",
        "chatfeedback",
        "messagefeedback",
        "userrating",
        "uservote",
        "userthumbs",
        "userreaction",
    }
)
_AGAINST = frozenset({"thumbsdown", "dislike", "downvote"})
_FROM_PEOPLE = _THUMBS | _AGAINST | {"feedback", "rating", "vote", "like", "reaction", "upvote", "userscore"}
_TURNED = {EventKind.THUMBS_UP: EventKind.THUMBS_DOWN, EventKind.THUMBS_DOWN: None}
_LABELS = ("result.label", "label", "annotation_label")
_SCORES = ("result.score", "score", "annotation_score")
_COMMENTS = ("result.explanation", "explanation")
_LISTS = (("annotations", "annotation"), ("evaluations", "evaluation"))
_EVALUATION = "gen_ai.evaluation.result"


def is_annotation(r: Record) -> bool:
    """Whether a record is an annotation of a span, a trace or a session as Phoenix exports it."""
    about = ("span_id", "context.span_id", "trace_id", "context.trace_id", "session_id", "spanId", "traceId")
    named = "annotation_name" in r or "name" in r
    said = "result" in r or any(k in r for k in (*_LABELS, *_SCORES))
    return named and said and ("annotator_kind" in r or "annotatorKind" in r) and any(k in r for k in about)


def read_annotation(r: Record, context: Context) -> Iterator[Remark]:
    """Read one annotation of Phoenix, as its API or a data frame writes it.

    Only what a person said under a name that is a user's vote counts: reviewers annotate too.

    Raises:
        Refused: It is a vote, and its value, its time or what it is about cannot be read.
    """
    a = flat(r)
    kind = a.get("annotator_kind", a.get("annotatorKind"))
    name = a.get("annotation_name", a.get("name"))
    if not _is_human(kind) or not _named(name, _FROM_PEOPLE):
        return
    event = _vote(a, name, _LABELS, _SCORES, context)
    if event is None:
        return
    span_id = next((telemetry_id(a[k], k) for k in ("span_id", "context.span_id", "spanId") if k in a), None)
    trace_id = next((telemetry_id(a[k], k) for k in ("trace_id", "context.trace_id", "traceId") if k in a), None)
    session = fields.optional_any_id(a, "session_id")
    if span_id is None and trace_id is None and session is None:
        raise Refused(Reason.MISSING_KEY, "span_id")
    yield Remark(
        source=context.name,
        conversation_id=session,
        trace_id=trace_id,
        call_id=span_id,
        event=event,
        at=_time(a, context),
        text=_comment(a, _COMMENTS),
    )


def remarks_on(span: Span, context: Context, refused: list[Refusal]) -> Iterator[Remark]:
    """Votes that stand in a span itself: OpenInference annotations, and evaluation results among its events."""
    for scope in ("", "trace.", "session."):
        for plural, singular in _LISTS:
            for n, given in enumerate(listed(span.attributes, scope + plural) or ()):
                if type(given) is not dict:
                    continue
                a = {k.removeprefix(f"{singular}."): v for k, v in given.items()}
                if _is_human(a.get("annotator_kind")) and _named(a.get("name"), _FROM_PEOPLE):
                    where = f"{scope}{plural}[{n}]"
                    yield from _remark(span, a, scope, span.ended_at or span.started_at, where, context, refused)
    for n, mark in enumerate(span.marks):
        if is_evaluation(mark):
            read = moment(mark.at, context.clock) if mark.at is not None else span.ended_at
            at = None if isinstance(read, Reason) else read
            yield from _remark(span, _evaluated(mark), "", at, f"events[{n}]", context, refused)


def is_evaluation(mark: Mark) -> bool:
    """Whether an event is a user's vote. The conventions do not say who judged, so only the plainest names count."""
    kind = mark.attributes.get("gen_ai.evaluation.annotator_kind", mark.attributes.get("annotator_kind", "HUMAN"))
    return (
        mark.name == _EVALUATION and _is_human(kind) and _named(mark.attributes.get("gen_ai.evaluation.name"), _THUMBS)
    )


def _evaluated(mark: Mark) -> Attributes:
    a = mark.attributes
    found = {
        "name": a.get("gen_ai.evaluation.name"),
        "label": a.get("gen_ai.evaluation.score.label"),
        "score": a.get("gen_ai.evaluation.score.value"),
        "explanation": a.get("gen_ai.evaluation.explanation"),
    }
    return {k: v for k, v in found.items() if v is not None}


def _remark(
    span: Span,
    a: Attributes,
    scope: str,
    at: datetime | None,
    where: str,
    context: Context,
    refused: list[Refusal],
) -> Iterator[Remark]:
    try:
        event = _vote(a, a.get("name"), ("label",), ("score",), context)
    except Refused as fault:
        refused.append(fault.refusal(where))
        return
    if event is None:
        return
    if at is None:
        refused.append(Refusal(Reason.MISSING_KEY, f"{where}.time"))
        return
    conversation = conversation_of(span.attributes)
    if scope == "session." and conversation is None:
        refused.append(Refusal(Reason.MISSING_KEY, f"{where}.session.id"))
        return
    yield Remark(
        source=span.service or context.name,
        conversation_id=conversation,
        trace_id=None if scope == "session." else span.trace_id,
        call_id=None if scope else span.span_id,
        event=event,
        at=at,
        user_id=user_of(span.attributes),
        text=_comment(a, ("explanation",)),
    )


def _vote(
    a: Mapping[str, Any], name: Any, labels: tuple[str, ...], scores: tuple[str, ...], context: Context
) -> EventKind | None:
    """The label says what the vote is; the score does where there is no label, or one that is no word for a vote."""
    label = next((a[k] for k in labels if a.get(k) not in (None, "")), None)
    score = next((a[k] for k in scores if a.get(k) is not None), None)
    declared = context.source.votes
    try:
        event = vote(label if label is not None else score, declared, "label" if label is not None else "score")
    except Refused:
        if label is None or score is None:
            raise
        event = vote(score, declared, "score")
    if _folded(name) in _AGAINST and type(label if label is not None else score) in (int, float, bool):
        return _TURNED.get(event) if event is not None else None  # a one under `thumbs_down` is a thumb down
    return event


def _time(a: Attributes, context: Context) -> datetime:
    """When the vote was last set: an annotation that is sent again replaces the one of its name."""
    for key in ("updated_at", "updatedAt", "created_at", "createdAt"):
        if a.get(key) is not None:
            return fields.need_time(a, key, context.clock)
    raise Refused(Reason.MISSING_KEY, "created_at")


def _comment(a: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((a[k] for k in keys if type(a.get(k)) is str and a[k].strip()), None)


def _is_human(kind: Any) -> bool:
    return type(kind) is str and kind.upper() == "HUMAN"


def _named(name: Any, names: frozenset[str]) -> bool:
    return _folded(name) in names


def _folded(name: Any) -> str:
    return _NOT_A_LETTER.sub("", name).lower() if type(name) is str and len(name) < 100 else ""
