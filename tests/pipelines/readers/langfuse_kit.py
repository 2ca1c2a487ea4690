"""Langfuse records with invented content, and what is read from them."""

from datetime import datetime
from pathlib import Path
from typing import Any

from pipelines.readers.calls import Assembly, assemble
from pipelines.readers.items import Call, Item, Remark
from pipelines.readers.raw import Place
from pipelines.readers.spans import merge_calls
from schemas.enums import EventKind
from tests.pipelines.readers.kit import items

ASKED, ANSWER = "Which ferry goes to Texel?", "The TESO ferry, from Den Helder."


def at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-01T{clock}+00:00")


def trace(trace_id: str = "t1", start: str = "10:00:00", **more: Any) -> dict[str, Any]:
    return {
        "id": trace_id, "projectId": "p1", "name": "chat", "timestamp": f"2026-11-01T{start}.000Z",
        "environment": "default", "tags": [], "bookmarked": False, "public": False, "release": None, "version": None,
        "userId": "u1", "sessionId": "s1", "input": ASKED, "output": ANSWER, "metadata": "{}", **more,
    }  # fmt: skip


def observation(observation_id: str, kind: str = "GENERATION", **more: Any) -> dict[str, Any]:
    return {
        "id": observation_id, "traceId": "t1", "type": kind, "name": "step", "parentObservationId": None,
        "startTime": "2026-11-01T10:00:01.000Z", "endTime": "2026-11-01T10:00:04.000Z", "completionStartTime": None,
        "level": "DEFAULT", "statusMessage": None, "model": None, "modelParameters": {}, "input": None, "output": None,
        **more,
    }  # fmt: skip


def score(**more: Any) -> dict[str, Any]:
    return {
        "id": "sc1", "traceId": "t1", "observationId": None, "sessionId": None, "name": "user-feedback", "value": 0,
        "stringValue": None, "dataType": "NUMERIC", "source": "API", "comment": None,
        "timestamp": "2026-11-01T10:05:00.000Z", "createdAt": "2026-11-01T10:05:01.000Z",
        "updatedAt": "2026-11-01T10:05:01.000Z", **more,
    }  # fmt: skip


def read(folder: Path, value: Any, declared: dict[str, Any] | None = None) -> list[Item]:
    """Items of a download or a page, or of lines."""
    name = "scores.jsonl" if isinstance(value, list) else "trace.json"
    return items(folder, name, value, declared)


def calls(found: list[Item]) -> list[Call]:
    return [i for i in found if isinstance(i, Call)]


def votes(found: list[Item]) -> list[EventKind]:
    return [i.event for i in found if isinstance(i, Remark)]


def put_together(found: list[Item]) -> Assembly:
    """The conversations that a night would make of these items."""
    place = Place("f", 1, 0, 1, "d")
    merged, _ = merge_calls([(c, place) for c in calls(found)])
    return assemble(merged, [(i, place) for i in found if isinstance(i, Remark)])


def words(call: Call) -> list[tuple[str, str | None]]:
    return [(str(t.role), t.text) for t in (*(call.input or ()), *(call.output or ()))]
