"""What tests of the logs of the OpenAI APIs share: a call in several shapes, and readers of a file of such."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipelines.readers.items import Call, Turn
from pipelines.readers.raw import RawRecord
from tests.pipelines.readers.kit import items, opened

SENT = 1793610000  # 2026-11-02T09:00:00Z
AT = datetime.fromtimestamp(SENT, UTC)
ASKED = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Where is the key?"}]
TOLD = {
    "id": "chatcmpl-0123456789abcdef", "object": "chat.completion", "created": SENT, "model": "m-1",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Under the mat."}, "finish_reason": "stop"}],
}  # fmt: skip
LOGGED = {"request": {"model": "m", "messages": ASKED, "user": "ann", "metadata": {"chat_id": "c1"}}, "response": TOLD}


def read(folder: Path, *records: Any, declared: dict[str, Any] | None = None) -> list[Any]:
    found = items(folder, "log.jsonl", list(records), declared)
    log = opened(folder / "log.jsonl", declared)
    assert not isinstance(log, RawRecord)
    assert log.format.name == "openai"
    return found


def call(folder: Path, record: Any, declared: dict[str, Any] | None = None) -> Call:
    (found,) = read(folder, record, declared=declared)
    assert isinstance(found, Call)
    return found


def spoken(turns: tuple[Turn, ...] | None) -> list[tuple[str, str | None]] | None:
    return None if turns is None else [(str(t.role), t.text) for t in turns]


INPUT = [("system", "Be kind."), ("user", "Where is the key?")]
OUTPUT = [("assistant", "Under the mat.")]
CHUNKS = [
    {"id": "chatcmpl-0123456789abcdef", "object": "chat.completion.chunk", "created": SENT, "model": "m-1",
     "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]},
    {"id": "x", "choices": [{"index": 0, "delta": {"content": "Under "}, "finish_reason": None}]},
    {"id": "x", "choices": [{"index": 0, "delta": {"content": "the mat."}, "finish_reason": None}]},
    {"id": "x", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {"id": "x", "choices": [], "usage": {"total_tokens": 9}},
]  # fmt: skip
EVENTS = "".join(f"data: {json.dumps(c)}\n\n" for c in CHUNKS) + "data: [DONE]"
ITEMS = {
    "id": "resp_0123456789abcdef01", "object": "response", "created_at": SENT, "status": "completed", "model": "m-1",
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
         "content": [{"type": "output_text", "text": "Under the mat.", "annotations": []}]},
    ],
}  # fmt: skip
WHOLE = {"type": "response.completed", "response": ITEMS}
STREAM = [
    {"type": "response.created", "response": {"id": "resp_0123456789abcdef01", "status": "in_progress", "output": []}},
    {"type": "response.output_text.delta", "delta": "Under "},
    {"type": "response.output_text.delta", "delta": "the mat."},
]
LITELLM = {
    "id": "chatcmpl-0123456789abcdef", "trace_id": "s1", "call_type": "acompletion", "status": "success", "model": "m",
    "startTime": SENT + 0.5, "endTime": SENT + 4.25, "completionStartTime": SENT + 1.5, "end_user": "ann",
    "messages": ASKED, "response": {k: v for k, v in TOLD.items() if k != "created"}, "metadata": {}, "error_str": None,
}  # fmt: skip
HELICONE = {
    "request_id": "0a1b2c3d-0000-4000-8000-000000000001", "request_created_at": "2026-11-02T09:00:00Z",
    "response_created_at": "2026-11-02T09:00:04Z", "request_body": {"model": "m", "messages": ASKED},
    "response_body": TOLD, "response_status": 200, "request_path": "/v1/chat/completions", "request_user_id": "ann",
    "request_properties": {"Helicone-Session-Id": "s1"}, "delay_ms": 4000, "time_to_first_token": 700,
    "feedback_rating": False, "feedback_created_at": "2026-11-02T09:01:00Z", "response_id": "r1",
}  # fmt: skip
