"""One question and its answer as the GenAI conventions write them, and what the reader makes of a file of spans."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipelines.readers.items import Item
from tests.pipelines.readers.kit import items

START = datetime(2026, 11, 2, 9, tzinfo=UTC)
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "small-1", "gen_ai.response.model": "small-1-0613"}
ASKED = [{"role": "user", "parts": [{"type": "text", "content": "Where is my parcel?"}]}]
ANSWERED = [{"role": "assistant", "parts": [{"type": "text", "content": "It is in Lyon."}], "finish_reason": "stop"}]
CONTENT = CHAT | {"gen_ai.input.messages": ASKED, "gen_ai.output.messages": ANSWERED}
QUESTION, ANSWER = [("user", "Where is my parcel?")], [("assistant", "It is in Lyon.")]


def read(tmp_path: Path, *records: Any, **declared: Any) -> list[Item]:
    """The items of these records, each a line, read as spans of the conventions."""
    return items(tmp_path, "traces.jsonl", list(records), {"format": "otel-genai", **declared})
