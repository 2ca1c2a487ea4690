"""Traces and observations of Langfuse as logged calls."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from pipelines.readers.chat import Turns
from pipelines.readers.items import Call, Item
from pipelines.readers.payload import Exchanged, exchanged, has_words
from pipelines.readers.raw import Refusal
from pipelines.readers.traced import Taken
from schemas.enums import Role, Status

_GENERATION = "GENERATION"
_ACTING = frozenset({_GENERATION, "SPAN", "AGENT", "CHAIN"})
OBSERVED = _ACTING | {"EVENT", "TOOL", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"}
# Only rows that carry the context of their trace can stand for it: of others, the trace is exported beside them.
_CONTEXT = ("traceName", "sessionId", "userId", "tags")

Place = tuple[str, Taken]


@dataclass(frozen=True, slots=True)
class Head:
    """What all calls of one trace share."""

    source: str
    trace_id: str
    conversation_id: str | None
    user_id: str | None


@dataclass(frozen=True, slots=True)
class _Observed:
    """One observation that may be a step of a conversation."""

    taken: Taken
    id: str
    kind: str
    parent_id: str | None
    model: str | None
    started_at: datetime | None
    first_token_at: datetime | None
    ended_at: datetime | None
    failed: bool
    said: Exchanged

    @property
    def answers(self) -> bool:
        return has_words(self.said.output, Role.ASSISTANT)

    @property
    def asks(self) -> bool:
        return has_words(self.said.input, Role.USER)


def calls_of_a_trace(trace: Taken, head: Head, places: Sequence[Place]) -> Iterator[Item]:
    """Read a trace with its observations.

    The trace is one call if its input holds the user's words, or else its only root that does; the generations follow
    as steps towards it, of which the last gives the answer where the whole does not state it. Where there are no such
    words, the generations stand by themselves.
    """
    refused: list[Refusal] = []
    observed = []
    for where, taken in places:
        one = _observed(taken)
        observed += [one] if one is not None else []
        refused += [Refusal(r.reason, f"{where}.{r.field}" if r.field else where) for r in taken.refusals]
    said = _said(trace)
    started_at = trace.time("timestamp")
    generations = [o for o in observed if o.kind == _GENERATION]
    root = None
    if _stands_for(said, trace, generations):
        yield _completed(_of_the_trace(said, started_at, head, trace.r.get("output") is None, observed), observed)
    else:
        root = _only_root(observed)
        if root is not None:
            yield _completed(_call(root, head, whole=True), observed)
    yield from (_call(o, head, whole=False) for o in generations if o is not root)
    yield from trace.refusals
    yield from refused


def calls_of_an_observation(taken: Taken, head: Head) -> Iterator[Item]:
    """Read an observation that stands by itself in a table or a page of the API."""
    one = _observed(taken)
    if one is not None:
        knows_its_trace = any(key in taken.r for key in _CONTEXT)
        whole = one.parent_id is None and knows_its_trace and one.asks
        if whole or one.kind == _GENERATION:
            yield _call(one, head, whole=whole)
    yield from taken.refusals


def _stands_for(said: Exchanged, trace: Taken, generations: list[_Observed]) -> bool:
    """Whether the trace's own input and output are what was said."""
    if has_words(said.input, Role.USER):
        return True
    unasked = trace.r.get("input") is None and not any(g.asks or g.answers for g in generations)
    return unasked and has_words(said.output, Role.ASSISTANT)


def _only_root(observed: list[_Observed]) -> _Observed | None:
    found = [o for o in observed if o.parent_id is None and o.asks]
    return found[0] if len(found) == 1 else None


def _of_the_trace(
    said: Exchanged, started_at: datetime | None, head: Head, silent: bool, observed: list[_Observed]
) -> Call:
    failed = any(o.failed and (o.parent_id is None or silent) for o in observed)
    return Call(
        source=head.source,
        conversation_id=head.conversation_id,
        trace_id=head.trace_id,
        call_id=f"trace:{head.trace_id}",  # an observation of the same trace may have the id of the trace
        user_id=head.user_id,
        started_at=started_at,
        input=said.input,
        output=() if failed and said.output is None else said.output,
        status=Status.ERROR if failed else Status.OK,
        whole=True,
    )


def _completed(call: Call, observed: list[_Observed]) -> Call:
    """Give a call that stands for its trace the model and the times that only the answering generation states.

    An answer that was streamed was seen as it came; one that was not, when everything was done.
    """
    answer = _last_text(call.output)
    generations = [o for o in observed if o.kind == _GENERATION]
    generations.sort(key=lambda o: (o.started_at is not None, o.started_at and o.started_at.timestamp(), o.id))
    answering = [o for o in generations if o.answers] or generations
    same = [o for o in answering if answer is not None and _last_text(o.said.output) == answer]
    best = same[-1] if same else None
    streamed = best is not None and best.first_token_at is not None
    ends = [o.ended_at for o in observed if o.ended_at is not None]
    return msgspec.structs.replace(
        call,
        model=call.model or (best.model if best else next((o.model for o in reversed(answering) if o.model), None)),
        first_token_at=best.first_token_at if best else call.first_token_at,
        ended_at=(best.ended_at if best and streamed else call.ended_at) or max(ends, default=None),
    )


def _last_text(turns: Turns | None) -> str | None:
    return next((t.text for t in reversed(turns or ()) if t.role is Role.ASSISTANT and t.text), None)


def _observed(taken: Taken) -> _Observed | None:
    kind = taken.r.get("type")
    kind = kind.upper() if type(kind) is str else ""
    call_id = taken.id("id")
    if kind not in _ACTING or call_id is None:
        return None
    parent_id = taken.id("parentObservationId")
    speaks = kind == _GENERATION or parent_id is None  # what other steps hand to one another is nobody's words
    return _Observed(
        taken=taken,
        id=call_id,
        kind=kind,
        parent_id=parent_id,
        model=taken.text("model") or taken.text("providedModelName"),
        started_at=taken.time("startTime"),
        first_token_at=taken.time("completionStartTime"),
        ended_at=taken.time("endTime"),
        failed=taken.r.get("level") == "ERROR",
        said=_said(taken) if speaks else Exchanged(None, None),
    )


def _said(taken: Taken) -> Exchanged:
    return exchanged(taken.turns("input", Role.USER), taken.turns("output", Role.ASSISTANT))


def _call(o: _Observed, head: Head, *, whole: bool) -> Call:
    return Call(
        source=head.source,
        conversation_id=head.conversation_id,
        trace_id=head.trace_id,
        call_id=o.id,
        parent_id=o.parent_id,
        user_id=head.user_id,
        model=o.model,
        started_at=o.started_at,
        first_token_at=o.first_token_at,
        ended_at=o.ended_at,
        input=o.said.input,
        output=() if o.failed and o.said.output is None else o.said.output,
        status=Status.ERROR if o.failed else Status.OK,
        whole=whole,
    )
