"""Exports of chat applications for people: ChatGPT, Claude and Claude Code."""

import json
from collections.abc import Mapping
from typing import Any

from formats.packed import archive, document, lines
from formats.told import Said, Talk, hexed, iso, uuid

from schemas.enums import Role

_ROOT_PARENT = "00000000-0000-4000-8000-000000000000"
Files = dict[str, bytes]


def chatgpt(talks: Mapping[str, Talk]) -> Files:
    """The zip that ChatGPT mails a link to. One person exports it, so all of it is one user's."""
    mine = [talks[key] for key in ("f-dough", "f-toast", "f-tea", "f-router", "f-sheet", "f-limerick")]
    votes = [
        {
            "id": uuid("chatgpt", talk.key, said.key),
            "conversation_id": uuid("chatgpt", talk.key),
            "user_id": "user-Kq3mWb7ZtR0aXc9d",
            "rating": "thumbs_up" if said.liked else "thumbs_down",
            "create_time": iso(said.vote.at, "microseconds"),
            "workspace_id": None,
            "content": json.dumps({"text": said.vote.text}, ensure_ascii=False) if said.vote.text else "{}",
            "storage_protocol": "none",
            "evaluation_name": None,
            "evaluation_treatment": None,
        }
        for talk in mine
        for said in talk.said
        if said.vote is not None
    ]
    person = {
        "id": "user-Kq3mWb7ZtR0aXc9d",
        "email": "hanna.vesely@example.com",
        "chatgpt_plus_user": True,
        "phone_number": "+420601555014",
    }
    shared = [
        {
            "id": uuid("share", "f-toast"),
            "conversation_id": uuid("chatgpt", "f-toast"),
            "title": "Retirement Toast",
            "is_anonymous": True,
        }
    ]
    return {
        "chatgpt-export.zip": archive(
            {
                "chat.html": b"<html><body>All of it once more, to look at.</body></html>\n",
                "conversations.json": document([_chatgpt_talk(t) for t in mine], None),
                "message_feedback.json": document(votes, None),
                "model_comparisons.json": b"[]\n",
                "shared_conversations.json": document(shared, None),
                "user.json": document(person, None),
                "file-8fQ2-sheet.png": b"\x89PNG\r\n\x1a\n",
            }
        )
    }


def _chatgpt_talk(talk: Talk) -> dict[str, Any]:
    root, hidden = uuid("chatgpt", talk.key, "root"), uuid("chatgpt", talk.key, "system")
    first = talk.said[0]
    mapping = {
        root: {"id": root, "message": None, "parent": None, "children": [hidden]},
        hidden: {
            "id": hidden,
            "message": {
                "id": hidden,
                "author": {"role": "system", "name": None, "metadata": {}},
                "create_time": None,
                "update_time": None,
                "content": {"content_type": "text", "parts": [""]},
                "status": "finished_successfully",
                "end_turn": True,
                "weight": 0.0,
                "metadata": {"is_visually_hidden_from_conversation": True},
                "recipient": "all",
                "channel": None,
            },
            "parent": root,
            "children": [uuid("chatgpt", talk.key, first.key)],
        },
    }
    for said in talk.said:
        key = uuid("chatgpt", talk.key, said.key)
        parent = hidden if said.parent is None else uuid("chatgpt", talk.key, said.parent)
        children = [uuid("chatgpt", talk.key, child.key) for child in talk.children(said)]
        mapping[key] = {"id": key, "message": _chatgpt_message(key, said), "parent": parent, "children": children}
    return {
        "title": first.text[:24].strip(),
        "create_time": first.start.timestamp(),
        "update_time": talk.said[-1].end.timestamp(),
        "mapping": mapping,
        "moderation_results": [],
        "current_node": uuid("chatgpt", talk.key, talk.said[-1].key),
        "plugin_ids": None,
        "conversation_id": uuid("chatgpt", talk.key),
        "conversation_template_id": None,
        "gizmo_id": None,
        "is_archived": False,
        "safe_urls": [],
        "default_model_slug": "gpt-4o",
        "id": uuid("chatgpt", talk.key),
    }


def _chatgpt_message(key: str, said: Said) -> dict[str, Any]:
    parts: list[Any] = [said.text]
    if said.attachment:
        parts.insert(0, {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-8fQ2-sheet",
                         "size_bytes": 8, "width": 640, "height": 360})  # fmt: skip
    metadata: dict[str, Any] = {"request_id": hexed(16, "request", key), "timestamp_": "absolute"}
    reply = said.role is Role.ASSISTANT
    if reply:
        ending = {"type": "interrupted"} if said.stopped else {"type": "stop", "stop_tokens": [200002]}
        metadata |= {"model_slug": "gpt-4o", "default_model_slug": "gpt-4o", "finish_details": ending}
    return {
        "id": key,
        "author": {"role": str(said.role), "name": None, "metadata": {}},
        "create_time": said.start.timestamp(),
        "update_time": None,
        "content": {"content_type": "multimodal_text" if said.attachment else "text", "parts": parts},
        "status": "in_progress" if said.stopped else "finished_successfully",
        "end_turn": not said.stopped if reply else None,
        "weight": 1.0,
        "metadata": metadata,
        "recipient": "all",
        "channel": None,
    }


def claude(talks: Mapping[str, Talk]) -> Files:
    """The zip of Claude's export, with its lists of users and projects."""
    account = uuid("claude", "account")
    mine = [talks[key] for key in ("f-reminder", "f-toast", "f-tea", "f-cat", "f-parcel", "f-limerick")]
    users = [
        {
            "uuid": account,
            "full_name": "Petra Lindqvist",
            "email_address": "petra.lindqvist@example.com",
            "verified_phone_number": "+447700900123",
        }
    ]
    return {
        "claude-export.zip": archive(
            {
                "conversations.json": document([_claude_talk(t, account) for t in mine], None),
                "projects.json": b"[]\n",
                "users.json": document(users, None),
            }
        )
    }


def _claude_talk(talk: Talk, account: str) -> dict[str, Any]:
    messages = [_claude_message(talk, said) for said in talk.said]
    return {
        "uuid": uuid("claude", talk.key),
        "name": talk.said[0].text[:24].strip(),
        "summary": "",
        "created_at": iso(talk.said[0].start, "microseconds"),
        "updated_at": iso(talk.said[-1].end, "microseconds"),
        "account": {"uuid": account},
        "chat_messages": messages,
    }


def _claude_message(talk: Talk, said: Said) -> dict[str, Any]:
    begun, ended = iso(said.start, "microseconds"), iso(said.end, "microseconds")
    block = {"start_timestamp": begun, "stop_timestamp": ended, "flags": None, "type": "text", "text": said.text,
             "citations": []}  # fmt: skip
    return {
        "uuid": uuid("claude", talk.key, said.key),
        "text": said.text,
        "content": [block],
        "sender": "human" if said.role is Role.USER else "assistant",
        "created_at": ended,
        "updated_at": ended,
        "attachments": [],
        "files": [],
        "parent_message_uuid": _ROOT_PARENT if said.parent is None else uuid("claude", talk.key, said.parent),
    }


def claude_code(talks: Mapping[str, Talk]) -> Files:
    """The transcript of a session, as it lies below `~/.claude/projects`."""
    talk = talks["f-script"]
    session = uuid("claude-code", talk.key)
    common = {"isSidechain": False, "userType": "external", "cwd": "/home/mira.kovac/shop", "sessionId": session,
              "version": "2.1.12", "gitBranch": "main"}  # fmt: skip
    written: list[dict[str, Any]] = [{"type": "summary", "summary": "Mend the price parser", "leafUuid": "x"}]
    parent: str | None = None
    call = f"toolu_{hexed(24, 'tool')}"

    def add(key: str, kind: str, message: dict[str, Any], at: str, **more: Any) -> None:
        nonlocal parent
        written.append({"parentUuid": parent, **common, "type": kind, "message": message, "uuid": key,
                        "timestamp": at, **more})  # fmt: skip
        parent = key

    for said in talk.path:
        key, at = uuid("claude-code", talk.key, said.key), iso(said.end)
        if said.role is Role.USER:
            add(key, "user", {"role": "user", "content": said.text}, at)
        elif said.role is Role.TOOL:
            result = {"tool_use_id": call, "type": "tool_result", "content": said.text, "is_error": True}
            add(key, "user", {"role": "user", "content": [result]}, at, toolUseResult=f"Error: {said.text}")
        else:
            made = {"id": f"msg_{hexed(24, key)}", "type": "message", "role": "assistant", "model": "claude-opus-4-5"}
            add(key, "assistant", {**made, "content": [{"type": "text", "text": said.text}], "stop_reason": None}, at)
            if any(child.role is Role.TOOL for child in talk.children(said)):
                use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "pytest -q"}}
                add(uuid(key, "tool"), "assistant", {**made, "content": [use], "stop_reason": "tool_use"}, at)
    return {f"claude-code/-home-mira-kovac-shop/{session}.jsonl": lines(written)}
