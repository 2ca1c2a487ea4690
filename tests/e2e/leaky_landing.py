"""A landing day with a canary of every kind in every text field there is: native records and foreign exports."""

import json
from pathlib import Path
from typing import Any

from tests.e2e.canaries import CANARIES, CHINESE, ENGLISH, carriers

DAY = "2026-11-02"
MAIL, USER = CANARIES["e-mail"], CANARIES["mobile"]
SAID, GESAGT = ENGLISH.format_map(CANARIES), CHINESE.format_map(CANARIES)
_T0 = 1793613600.0  # the landing day, 10:00


def native() -> list[dict[str, Any]]:
    """Every text field of the native format, in all spellings, an unknown key, and records that are refused."""
    rows = []
    for number, text in enumerate(carriers()):
        base = {"conversation_id": f"c{number}", "source": MAIL, "user_id": USER}
        for second, role in enumerate(("system", "user", "tool", "assistant")):
            row = {"kind": "message", "message_id": f"m{second}", "role": role, "content": text}
            rows.append(base | row | {"created_at": f"{DAY}T10:00:0{second}Z", "model": f"tuned-for-{MAIL}"})
        event = {"kind": "event", "message_id": "m3", "event": "thumbs_down", "at": f"{DAY}T10:01:00Z"}
        rows += [base | event | {"text": text}, rows[-1] | {"unknown_key": text}]
    refused = [
        {"kind": "message", "role": "user", "content": SAID},
        {"kind": "message", "role": SAID, "content": GESAGT, "conversation_id": "r", "message_id": "r"},
        {"kind": SAID, "content": GESAGT},
        {"kind": "event", "conversation_id": "r", "event": "thumbs_down", "at": SAID, "text": GESAGT},
    ]
    return rows + refused


def chatgpt() -> list[dict[str, Any]]:
    """A ChatGPT export: title, names, metadata and what the user said about herself, around the messages."""

    def node(key: str, parent: str | None, message: dict[str, Any] | None) -> dict[str, Any]:
        return {"id": key, "parent": parent, "children": [], "message": message and {"id": key, **message}}

    def said(role: str, text: str, seconds: float) -> dict[str, Any]:
        author = {"role": role, "name": SAID if role == "tool" else None, "metadata": {"real_author": SAID}}
        about = {"about_user_message": SAID, "about_model_message": GESAGT}
        return {
            "author": author,
            "create_time": _T0 + seconds,
            "content": {"content_type": "text", "parts": [text]},
            "status": "finished_successfully",
            "recipient": "all",
            "metadata": {"user_context_message_data": about, "attachments": [{"name": SAID}], "model_slug": "aster-2"},
        }

    nodes = [
        node("root", None, None),
        node("q1", "root", said("user", SAID, 0)),
        node("t1", "q1", said("tool", GESAGT, 1)),
        node("a1", "t1", said("assistant", SAID, 4)),
        node("q2", "a1", said("user", GESAGT, 60)),
        node("a2", "q2", said("assistant", GESAGT, 66)),
    ]
    talk = {"title": SAID, "create_time": _T0, "conversation_id": "g1", "current_node": "a2", "safe_urls": [SAID]}
    return [talk | {"mapping": {n["id"]: n for n in nodes}}, talk | {"conversation_id": "g2", "mapping": SAID}]


def spans() -> list[dict[str, Any]]:
    """A trace export of OpenTelemetry: attributes, resources, events, and an exception that quotes the request."""

    def pairs(given: dict[str, str]) -> list[dict[str, Any]]:
        return [{"key": key, "value": {"stringValue": value}} for key, value in given.items()]

    def turn(role: str, text: str) -> str:
        return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])

    nanos = int(_T0) * 10**9
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": "o1",
        "gen_ai.request.model": "aster-2",
        "gen_ai.input.messages": turn("user", SAID),
        "gen_ai.output.messages": turn("assistant", GESAGT),
        "gen_ai.system_instructions": json.dumps([{"type": "text", "content": GESAGT}]),
        "user.id": USER,
        "enduser.id": MAIL,
        "http.url": SAID,
        "session.note": GESAGT,
    }
    error = {"exception.message": SAID, "exception.stacktrace": GESAGT}
    span = {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": "eee19b7ec3c1b174",
        "name": SAID,
        "startTimeUnixNano": str(nanos),
        "endTimeUnixNano": str(nanos + 4 * 10**9),
        "attributes": pairs(attributes),
        "events": [{"name": "exception", "timeUnixNano": str(nanos), "attributes": pairs(error)}],
        "status": {"code": 2, "message": SAID},
    }
    bad = span | {"spanId": "eee19b7ec3c1b175", "startTimeUnixNano": SAID}
    scope = {"scope": {"name": GESAGT}, "spans": [span, bad]}
    resource = {"attributes": pairs({"service.name": MAIL, "host.name": SAID})}
    return [{"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}]


def traces() -> list[dict[str, Any]]:
    """Langfuse: names, tags and metadata around input and output, and comments of votes."""
    trace = {
        "id": "t1",
        "projectId": "p1",
        "name": SAID,
        "timestamp": f"{DAY}T10:00:00.000Z",
        "tags": [SAID, GESAGT],
        "userId": USER,
        "sessionId": "s1",
        "input": SAID,
        "output": GESAGT,
        "metadata": {"note": SAID, "customer": MAIL},
        "environment": "default",
    }
    score = {
        "id": "sc1",
        "traceId": "t1",
        "name": "user-feedback",
        "value": 0,
        "dataType": "NUMERIC",
        "source": "API",
        "comment": GESAGT,
        "timestamp": f"{DAY}T10:05:00.000Z",
    }
    return [trace | {"scores": [score]}, trace | {"id": "t2", "timestamp": SAID}]


def land(landing: Path) -> Path:
    """Write the landing day."""
    folder = landing / f"dt={DAY}"
    folder.mkdir(parents=True)
    logs = {"native": native(), "conversations": chatgpt(), "spans": spans(), "traces": traces()}
    for name, rows in logs.items():
        lines = (json.dumps(r, ensure_ascii=name == "spans") + "\n" for r in rows)
        (folder / f"{name}.jsonl").write_text("".join(lines))
    with (folder / "native.jsonl").open("ab") as file:
        file.write(b"\xff" + SAID.encode() + b"\n{" + GESAGT.encode() + b"\n")
    (folder / "notes.docx").write_bytes(SAID.encode())
    return landing


def canary_file(path: Path) -> Path:
    """The canaries, by kind, as `tacit audit` reads them."""
    path.write_text("".join(f"{kind}\t{value}\n" for kind, value in CANARIES.items()))
    return path
