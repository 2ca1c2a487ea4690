"""What all conventions of spans have in common: whose call it was, when, and how it ended."""

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from pipelines.readers.chat import Turns
from pipelines.readers.format import Context
from pipelines.readers.items import Call
from pipelines.readers.raw import Refusal
from pipelines.readers.tracing.attributes import Attributes, attributes_of, decoded, first
from pipelines.readers.tracing.span import Span, moment
from pipelines.readers.tracing.turns import after_request
from schemas.enums import Status
from schemas.reasons import Reason

_ASSOCIATED = ("traceloop.association.properties.", "ai.telemetry.metadata.", "metadata.")
_CONVERSATION_KEYS = ("gen_ai.conversation.id", "session.id", "gen_ai.thread.id", "langfuse.session.id")
_CONVERSATION_NAMES = (
    "conversation_id",
    "conversationId",
    "session_id",
    "sessionId",
    "thread_id",
    "threadId",
    "chat_id",
    "chatId",
)
_USER_KEYS = ("user.id", "enduser.id", "enduser.pseudo.id", "langfuse.user.id")
_USER_NAMES = ("user_id", "userId")
_MODEL_KEYS = (
    "gen_ai.response.model",
    "llm.response.model",
    "ai.response.model",
    "llm.model_name",
    "gen_ai.request.model",
    "llm.request.model",
    "ai.model.id",
    "model_name",
)
_OUTPUT_ID_KEYS = ("gen_ai.response.id", "ai.response.id")
_FIRST_MARKS = frozenset({"First Token Stream Event", "ai.stream.firstChunk", "llm.content.completion.chunk"})
_FIRST_AFTER = {  # the time to the first token, by its unit in seconds
    "gen_ai.response.time_to_first_chunk": 1.0,
    "gen_ai.server.time_to_first_token": 1.0,
    "ai.response.msToFirstChunk": 0.001,
    "ai.stream.msToFirstChunk": 0.001,
}
_CUT = frozenset({"length", "max_tokens", "content_filter", "content-filter", "incomplete", "safety"})
_BROKEN = frozenset({"cancelled", "canceled", "aborted", "abort"})
_CANCELLED = frozenset({"cancelled", "canceled", "cancellederror", "aborterror", "generatorexit"})


def conversation_of(attributes: Attributes) -> str | None:
    """The conversation, session or thread that a span or log record names."""
    return first(attributes, *_CONVERSATION_KEYS) or _associated(attributes, _CONVERSATION_NAMES)


def user_of(attributes: Attributes) -> str | None:
    """The user that a span or log record names."""
    return first(attributes, *_USER_KEYS) or _associated(attributes, _USER_NAMES)


def _associated(attributes: Attributes, names: tuple[str, ...]) -> str | None:
    found = first(attributes, *(prefix + name for prefix in _ASSOCIATED for name in names))
    metadata = decoded(attributes.get("metadata"))
    if found is None and type(metadata) is dict and type(attributes["metadata"]) is str:
        found = first(attributes_of(metadata), *names)
    return found


def make_call(
    span: Span,
    context: Context,
    refused: list[Refusal],
    *,
    input: Turns | None,  # noqa: A002 - the field's own name
    output: Turns | None,
    whole: bool = False,
) -> Call | None:
    """A call from a span and what was read of its content.

    Args:
        span: It; None comes back where it has no id.
        context: Names the source where the span does not.
        refused: Takes what could not be read of its first token.
        input: What went in.
        output: What came back.
        whole: As in `Call`.

    Returns:
        The call.
    """
    if span.span_id is None:
        return None
    status = _status(span)
    if status is Status.ERROR and input is not None and output is None and not whole:
        output = ()
    return Call(
        source=span.service or context.name,
        conversation_id=conversation_of(span.attributes),
        trace_id=span.trace_id,
        call_id=span.span_id,
        parent_id=span.parent_id,
        user_id=user_of(span.attributes),
        model=first(span.attributes, *_MODEL_KEYS),
        started_at=span.started_at,
        first_token_at=_first_token(span, context, refused),
        ended_at=span.ended_at,
        input=input,
        output=output,
        status=status,
        whole=whole,
        output_id=first(span.attributes, *_OUTPUT_ID_KEYS),
    )


def enclosing_call(
    span: Span,
    context: Context,
    refused: list[Refusal],
    *,
    sent: Turns | None,
    came: Turns | None,
    answers: bool,
) -> Call | None:
    """The call of a span that encloses others: an agent, a chain, a workflow.

    At the root it stands for the trace, and lacks what the calls inside it may tell. Deeper it only lends its
    conversation to them, since an agent may be the tool of another.

    Args:
        span: It.
        context: As for `make_call`.
        refused: As for `make_call`.
        sent: What was asked of it, where that is known.
        came: What it came to, where that is known.
        answers: Whether such a span always answers somebody, so that one without words is an exchange all the same.

    Returns:
        The call; None where nothing says that it is an exchange.
    """
    named = conversation_of(span.attributes) is not None
    if span.parent_id is not None:
        return make_call(span, context, refused, input=None, output=None) if named and answers else None
    if sent is None and came is None and not (answers or named or user_of(span.attributes) is not None):
        return None
    return make_call(span, context, refused, input=sent, output=came and after_request(came), whole=True)


def _first_token(span: Span, context: Context, refused: list[Refusal]) -> datetime | None:
    found: list[datetime] = []
    for n, mark in enumerate(span.marks):
        if mark.name in _FIRST_MARKS:
            at = moment(mark.at, context.clock)
            if isinstance(at, Reason):
                refused.append(Refusal(at, f"events[{n}].time"))
            else:
                found.append(at)
    for name, unit in _FIRST_AFTER.items():
        after = span.attributes.get(name)
        if span.started_at and isinstance(after, int | float) and math.isfinite(after) and 0 < after * unit < 10**6:
            found.append(span.started_at + timedelta(seconds=after * unit))
    token = min(found, default=None)
    if token is None or (span.started_at and token < span.started_at) or (span.ended_at and token > span.ended_at):
        return None  # clocks that contradict each other say nothing
    return token


def _status(span: Span) -> Status:
    """How it ended. A cancelled call is partial: whether the user stopped it or was cut off, it does not say."""
    kind = span.attributes.get("error.type")
    if type(kind) is str and kind.rpartition(".")[2].lower() in _CANCELLED:
        return Status.PARTIAL
    reasons = set(finish_reasons(span.attributes))
    for mark in span.marks:
        if mark.name == "gen_ai.choice":
            reasons.update(finish_reasons(mark.attributes))
            if type(mark.body) is dict:
                reasons.update(finish_reasons(mark.body))
    if span.failed or "error" in reasons or (type(kind) is str and kind):
        return Status.ERROR
    return Status.PARTIAL if reasons & (_CUT | _BROKEN) else Status.OK


def finish_reasons(attributes: Mapping[str, Any]) -> list[str]:
    """Why a model ended, in lower case."""
    found: list[Any] = []
    for name in ("gen_ai.response.finish_reasons", "ai.response.finishReason", "finish_reason", "llm.finish_reason"):
        value = decoded(attributes.get(name))
        found += value if type(value) is list else [value]
    found.append(attributes.get("gen_ai.completion.0.finish_reason"))
    messages = decoded(attributes.get("gen_ai.output.messages"))
    if type(messages) is list:
        found += [m.get("finish_reason") for m in messages if type(m) is dict]
    return [f.lower() for f in found if type(f) is str]
