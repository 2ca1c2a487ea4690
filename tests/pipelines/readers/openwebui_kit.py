"""Chats and feedback as Open WebUI exports them, and what is read of them."""

from datetime import UTC, datetime

from schemas.records import Event, Message
from tests.pipelines.readers.kit import items

START = 1_793_610_000  # 2026-11-02 09:00:00 UTC


def at(second):
    return datetime.fromtimestamp(START + second, UTC)


def node(name, parent, role, second, *children, content=None, **changed):
    return {
        "id": name,
        "parentId": parent,
        "childrenIds": list(children),
        "role": role,
        "content": content or f"Text of {name}",
        "timestamp": START + second,
        **({"done": True, "model": "small-1"} if role == "assistant" else {"models": ["small-1"]}),
        **changed,
    }


def tree():
    """A request with an answer that was made anew, and a request after it."""
    return {
        "q1": node("q1", None, "user", 0, "a1", "a2"),
        "a1": node("a1", "q1", "assistant", 1),
        "a2": node("a2", "q1", "assistant", 30, "q2"),
        "q2": node("q2", "a2", "user", 60, "a3"),
        "a3": node("a3", "q2", "assistant", 61),
    }


def exported(nodes=None, current="a3", **changed):
    nodes = tree() if nodes is None else nodes
    return {
        "id": "c1",
        "user_id": "u1",
        "title": None,
        "chat": {
            "id": "",
            "title": "Trip",
            "models": ["small-1"],
            "history": {"messages": nodes, "currentId": current},
            "messages": [n for key, n in nodes.items() if key != "a1"],
            "timestamp": START * 1000,
        },
        "created_at": START,
        "updated_at": START + 100,
        "archived": False,
        **changed,
    }


def voted(**changed):
    return {
        "id": "f1",
        "user_id": "u1",
        "version": 0,
        "type": "rating",
        "data": {"rating": -1, "model_id": "small-1", "reason": "not_helpful", "comment": "", "details": {"rating": 2}},
        "meta": {"model_id": "small-1", "message_id": "a3", "message_index": 4, "chat_id": "c1"},
        "snapshot": None,
        "created_at": START + 70,
        "updated_at": START + 75,
        **changed,
    }


def read(tmp_path, *records, **declared):
    return items(tmp_path, "openwebui.jsonl", list(records), declared or None)


def messages(found):
    return {i.message_id: i for i in found if isinstance(i, Message)}


def events(found):
    return [i for i in found if isinstance(i, Event)]
