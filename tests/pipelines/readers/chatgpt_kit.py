"""Builds the records of a ChatGPT export for its tests."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipelines.readers.items import Item
from schemas.records import Message
from tests.pipelines.readers.kit import items

T0 = 1793527200.5  # 2026-11-01, 10:00


def at(seconds: float) -> datetime:
    return datetime.fromtimestamp(T0 + seconds, UTC)


def said(role: str, text: Any, seconds: float | None = 0.0, **more: Any) -> dict[str, Any]:
    """A message of the export; `text` is a string, or its whole `content`."""
    content = {"content_type": "text", "parts": [text]} if isinstance(text, str) else text
    made = None if seconds is None else T0 + seconds
    message = {"author": {"role": role, "name": None, "metadata": {}}, "create_time": made, "update_time": None}
    message |= {"content": content, "status": "finished_successfully", "weight": 1.0, "recipient": "all"}
    return message | {"metadata": {}} | more


def conversation(*nodes: tuple[str, str | None, dict[str, Any] | None], **more: Any) -> dict[str, Any]:
    """A conversation of `(key, parent, message)`; `current_node` is the last key, unless it is given."""
    mapping = {k: {"id": k, "parent": p, "children": [], "message": m and {"id": k, **m}} for k, p, m in nodes}
    record = {"title": "Pruning", "create_time": T0, "conversation_id": "c1", "current_node": nodes[-1][0]}
    return record | {"mapping": mapping} | more


def read(folder: Path, *records: Any, declared: dict[str, Any] | None = None) -> list[Item]:
    return items(folder, "conversations.jsonl", list(records), declared)


def messages(found: list[Item]) -> dict[str, Message]:
    return {m.message_id: m for m in found if isinstance(m, Message)}


ROOT = ("root", None, None)
ASK = ("q", "root", said("user", "When do I prune the quince?"))


def voted(rating: Any, seconds: int = 0, **more: Any) -> dict[str, Any]:
    record = {"id": "n7", "conversation_id": "c1", "user_id": "user-1", "rating": rating, "storage_protocol": None}
    return record | {"create_time": f"2026-11-01T10:00:{seconds:02}.000000Z", "content": "{}"} | more
