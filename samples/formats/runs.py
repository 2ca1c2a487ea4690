"""What platforms that watch assistants export: traces and scores of Langfuse, runs and feedback of LangSmith."""

from collections.abc import Mapping
from typing import Any

from formats.packed import document, lines
from formats.told import Said, Talk, iso, uuid
from formats.traces import ids

from schemas.enums import Role

Files = dict[str, bytes]


def langfuse(talks: Mapping[str, Talk]) -> Files:
    """A trace as its page downloads it, traces of the API, and scores of the blob storage export."""
    mine = [(talks[key], *e) for key in ("f-dough", "f-reminder", "f-sheet") for e in talks[key].exchanges]
    first, *others = mine
    download = {"trace": _langfuse_trace(*first), "observations": [_langfuse_step(*first)]}
    page = {"data": [_langfuse_trace(*m) | {"observations": [_langfuse_step(*m)]} for m in others],
            "meta": {"page": 1, "limit": 50, "totalItems": len(others), "totalPages": 1}}  # fmt: skip
    scores = [_langfuse_score(talk, reply) for talk, _, reply in mine if reply.vote is not None]
    judged = {**scores[0], "id": uuid("judge"), "name": "helpfulness", "source": "EVAL", "value": 0.4, "comment": None}
    return {
        f"langfuse/trace-{ids(first[0], first[2])[0]}.json": document(download),
        "langfuse/traces.json": document(page),
        "langfuse/scores.jsonl": lines([*scores, judged]),
    }


def _langfuse_trace(talk: Talk, request: Said, reply: Said) -> dict[str, Any]:
    return {"id": ids(talk, reply)[0], "projectId": "harbour", "name": "chat", "timestamp": iso(request.start),
            "environment": "production", "tags": [], "bookmarked": False, "public": False, "release": None,
            "version": None, "userId": talk.user, "sessionId": uuid("langfuse", talk.key),
            "input": {"messages": [{"role": str(s.role), "content": s.text} for s in talk.before(reply)]},
            "output": {"role": "assistant", "content": reply.text}, "metadata": {}}  # fmt: skip


def _langfuse_step(talk: Talk, request: Said, reply: Said) -> dict[str, Any]:
    trace, span = ids(talk, reply)
    whole = _langfuse_trace(talk, request, reply)
    return {"id": span, "traceId": trace, "type": "GENERATION", "name": "answer", "parentObservationId": None,
            "startTime": iso(request.start), "endTime": iso(reply.end), "completionStartTime": iso(reply.start),
            "level": "DEFAULT", "statusMessage": None, "model": "gpt-4o-mini", "modelParameters": {},
            "input": whole["input"], "output": whole["output"], "metadata": {}}  # fmt: skip


def _langfuse_score(talk: Talk, reply: Said) -> dict[str, Any]:
    assert reply.vote is not None  # noqa: S101 - the caller asked
    at = iso(reply.vote.at)
    return {"id": uuid("score", talk.key, reply.key), "traceId": ids(talk, reply)[0], "observationId": None,
            "sessionId": None, "name": "user-feedback", "value": int(reply.liked), "stringValue": str(reply.liked),
            "dataType": "BOOLEAN", "source": "API", "comment": reply.vote.text, "timestamp": at, "createdAt": at,
            "updatedAt": at}  # fmt: skip


def langsmith(talks: Mapping[str, Talk]) -> Files:
    """Runs as the SDK lists them, and feedback on them."""
    mine = [(talks[key], *e) for key in ("f-dough", "f-tea", "f-cat") for e in talks[key].exchanges]
    return {
        "langsmith/runs.jsonl": lines(_langsmith_run(*m) for m in mine),
        "langsmith/feedback.json": document([_langsmith_vote(t, reply) for t, _, reply in mine if reply.vote]),
    }


def _langsmith_run(talk: Talk, request: Said, reply: Said) -> dict[str, Any]:
    kinds = {Role.USER: "human", Role.ASSISTANT: "ai"}
    run, start = uuid("langsmith", talk.key, reply.key), iso(request.start, "microseconds", "")
    order = f"{request.start:%Y%m%dT%H%M%S%f}Z{run}"
    return {"id": run, "trace_id": run, "parent_run_id": None, "name": "chat", "run_type": "chain",
            "dotted_order": order, "session_id": uuid("langsmith", "project"), "start_time": start,
            "end_time": iso(reply.end, "microseconds", ""), "first_token_time": iso(reply.start, "microseconds", ""),
            "inputs": {"messages": [{"type": kinds[s.role], "content": s.text} for s in talk.before(reply)]},
            "outputs": {"output": {"type": "ai", "content": reply.text}}, "error": None, "status": "success",
            "extra": {"metadata": {"thread_id": uuid("langsmith", talk.key), "user_id": talk.user}}, "events": [],
            "tags": [], "feedback_stats": {}}  # fmt: skip


def _langsmith_vote(talk: Talk, reply: Said) -> dict[str, Any]:
    assert reply.vote is not None  # noqa: S101 - the caller asked
    run, at = uuid("langsmith", talk.key, reply.key), iso(reply.vote.at, "microseconds", "")
    return {"id": uuid("feedback", run), "run_id": run, "trace_id": run, "key": "user_score",
            "score": int(reply.liked), "value": None, "comment": reply.vote.text, "correction": None,
            "feedback_source": {"type": "api", "metadata": {}}, "created_at": at, "modified_at": at}  # fmt: skip
