"""Exports of platforms on which teams build or host assistants: Dify, LibreChat and Open WebUI."""

from collections.abc import Mapping
from typing import Any

from formats.packed import document, lines, table
from formats.told import Said, Talk, hexed, iso, uuid

from schemas.enums import Role

_NO_PARENT = "00000000-0000-0000-0000-000000000000"
Files = dict[str, bytes]


def dify(talks: Mapping[str, Talk]) -> Files:
    """A page of the API, and dumps of the tables `messages` and `message_feedbacks` of another application."""
    page = {"limit": 100, "has_more": False, "data": []}
    for key in ("f-dough", "f-router"):
        for request, reply in talks[key].exchanges:
            page["data"].append(_dify_turn(talks[key], request, reply))
    rows, votes = [], []
    for key in ("f-reminder", "f-sheet", "f-cat"):
        for request, reply in talks[key].exchanges:
            rows.append(_dify_row(talks[key], request, reply))
            if reply.vote is not None:
                votes.append(_dify_vote(talks[key], reply))
    return {
        "dify/messages-page.json": document(page),
        "dify/tables/messages.csv": table(rows),
        "dify/tables/message_feedbacks.csv": table(votes),
    }


def _dify_turn(talk: Talk, request: Said, reply: Said) -> dict[str, Any]:
    vote = {"rating": "like" if reply.liked else "dislike"} if reply.vote is not None else None
    return {
        "id": uuid("dify", talk.key, reply.key),
        "conversation_id": uuid("dify", talk.key),
        "parent_message_id": _NO_PARENT,
        "inputs": {},
        "query": request.text,
        "answer": reply.text,
        "message_files": [],
        "feedback": vote,
        "retriever_resources": [],
        "created_at": int(request.start.timestamp()),
        "agent_thoughts": [],
        "status": "normal",
        "error": None,
        "metadata": {"usage": {"total_tokens": 90, "latency": round((reply.end - request.start).total_seconds(), 3)}},
    }


def _dify_row(talk: Talk, request: Said, reply: Said) -> dict[str, Any]:
    return {
        "id": uuid("dify", talk.key, reply.key),
        "app_id": uuid("dify", "app"),
        "model_provider": "langgenius/openai/openai",
        "model_id": "gpt-4o-mini",
        "conversation_id": uuid("dify", talk.key),
        "inputs": "{}",
        "query": request.text,
        "answer": reply.text,
        "provider_response_latency": round((reply.end - request.start).total_seconds(), 3),
        "status": "normal",
        "error": "",
        "message_metadata": "{}",
        "from_source": "api",
        "from_end_user_id": uuid("dify", talk.user),
        "created_at": iso(request.start, "microseconds", "+00:00").replace("T", " "),
        "parent_message_id": uuid("dify", talk.key, request.parent) if request.parent is not None else "",
    }


def _dify_vote(talk: Talk, reply: Said) -> dict[str, Any]:
    assert reply.vote is not None  # noqa: S101 - the caller asked
    return {
        "id": uuid("dify", "vote", talk.key, reply.key),
        "app_id": uuid("dify", "app"),
        "conversation_id": uuid("dify", talk.key),
        "message_id": uuid("dify", talk.key, reply.key),
        "rating": "like" if reply.liked else "dislike",
        "content": reply.vote.text or "",
        "from_source": "user",
        "from_end_user_id": uuid("dify", talk.user),
        "from_account_id": "",
        "created_at": iso(reply.vote.at, "microseconds", "+00:00").replace("T", " "),
        "updated_at": iso(reply.vote.at, "microseconds", "+00:00").replace("T", " "),
    }


def librechat(talks: Mapping[str, Talk]) -> Files:
    """The collection `messages`, as mongoexport writes it."""
    mine = [talks[key] for key in ("f-dough", "f-toast", "f-tea", "f-router", "f-sheet")]
    return {"librechat/messages.jsonl": lines(_librechat(talk, said) for talk in mine for said in talk.said)}


def _librechat(talk: Talk, said: Said) -> dict[str, Any]:
    user = said.role is Role.USER
    changed = said.vote.at if said.vote is not None else said.end
    more: dict[str, Any] = {}
    if said.vote is not None:
        rating = "thumbsUp" if said.liked else "thumbsDown"
        more["feedback"] = {"rating": rating, "tag": "inaccurate", "text": said.vote.text or ""}
    if said.attachment:
        more["files"] = [{"file_id": uuid("file", talk.key), "type": "image/png", "filename": "sheet.png"}]
    return {
        "_id": {"$oid": hexed(24, "librechat", talk.key, said.key)},
        "messageId": uuid("librechat", talk.key, said.key),
        "user": hexed(24, "librechat", talk.user),
        "__v": 0,
        "conversationId": uuid("librechat", talk.key),
        "parentMessageId": _NO_PARENT if said.parent is None else uuid("librechat", talk.key, said.parent),
        "sender": "User" if user else "GPT-4o",
        "text": said.text,
        "isCreatedByUser": user,
        "endpoint": "openAI",
        "model": None if user else "gpt-4o",
        "unfinished": said.stopped,
        "error": False,
        **more,
        "createdAt": {"$date": iso(said.end)},
        "updatedAt": {"$date": iso(changed)},
    }


def openwebui(talks: Mapping[str, Talk]) -> Files:
    """All chats of an instance, and its history of feedback, which repeats the chats that it is about."""
    mine = [talks[key] for key in ("f-toast", "f-tea", "f-parcel", "f-sheet", "f-limerick")]
    voted = [(talk, said) for talk in mine for said in talk.path if said.vote is not None]
    return {
        "open-webui/all-chats-export.json": document([_webui_chat(talk) for talk in mine], None),
        "open-webui/feedback-history-export.json": document([_webui_vote(*v) for v in voted], None),
    }


def _webui_chat(talk: Talk) -> dict[str, Any]:
    begun, ended = int(talk.said[0].start.timestamp()), int(talk.said[-1].end.timestamp())
    return {
        "id": uuid("webui", talk.key),
        "user_id": uuid("webui", talk.user),
        "title": talk.said[0].text[:20],
        "chat": {
            "id": "",
            "title": talk.said[0].text[:20],
            "models": ["llama3.1:8b"],
            "history": _webui_history(talk),
            "messages": [_webui_message(talk, said) for said in talk.path],
            "tags": [],
            "timestamp": begun * 1000,
        },
        "updated_at": ended,
        "created_at": begun,
        "share_id": None,
        "archived": False,
        "pinned": False,
        "meta": {"tags": []},
        "folder_id": None,
    }


def _webui_history(talk: Talk) -> dict[str, Any]:
    nodes = {uuid("webui", talk.key, s.key): _webui_message(talk, s) for s in talk.said}
    return {"messages": nodes, "currentId": uuid("webui", talk.key, talk.said[-1].key)}


def _webui_message(talk: Talk, said: Said) -> dict[str, Any]:
    message: dict[str, Any] = {
        "id": uuid("webui", talk.key, said.key),
        "parentId": None if said.parent is None else uuid("webui", talk.key, said.parent),
        "childrenIds": [uuid("webui", talk.key, child.key) for child in talk.children(said)],
        "role": str(said.role),
        "content": said.text,
        "timestamp": int(said.start.timestamp()),
        "models": ["llama3.1:8b"],
    }
    if said.attachment:
        message["files"] = [{"type": "image", "url": f"/api/v1/files/{uuid('file', talk.key)}/content"}]
    if said.role is Role.ASSISTANT:
        lasted = round((said.end - said.start).total_seconds() * 10**9)
        message |= {"model": "llama3.1:8b", "modelName": "Llama 3.1", "done": True, "usage": {"total_duration": lasted}}
    if said.vote is not None:
        message["annotation"] = {"rating": 1 if said.liked else -1, "comment": said.vote.text or "", "tags": []}
    return message


def _webui_vote(talk: Talk, said: Said) -> dict[str, Any]:
    assert said.vote is not None  # noqa: S101 - the caller asked
    at = int(said.vote.at.timestamp())
    chat = {"id": uuid("webui", talk.key), "user_id": uuid("webui", talk.user), "title": talk.said[0].text[:20]}
    return {
        "id": uuid("webui", "vote", talk.key, said.key),
        "user_id": uuid("webui", talk.user),
        "version": 0,
        "type": "rating",
        "data": {
            "rating": 1 if said.liked else -1,
            "model_id": "llama3.1:8b",
            "sibling_model_ids": None,
            "reason": None if said.liked else "inaccurate",
            "comment": said.vote.text or "",
            "tags": [],
            "details": {"rating": 9 if said.liked else 2},
        },
        "meta": {
            "arena": False,
            "model_id": "llama3.1:8b",
            "message_id": uuid("webui", talk.key, said.key),
            "message_index": talk.path.index(said) + 1,
            "chat_id": uuid("webui", talk.key),
        },
        "snapshot": {"chat": {**chat, "chat": {**_webui_chat(talk)["chat"], "id": chat["id"]}}},
        "created_at": at,
        "updated_at": at,
    }
