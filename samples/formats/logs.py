"""Logs that applications write themselves: Tacit's own format, requests to an API, the llm tool, tables of turns."""

import gzip
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from formats.packed import database, lines, table
from formats.told import Said, Talk, hexed, iso, uuid
from timeline import landed

from schemas.enums import EventKind, Role

_SYSTEM = "You are a helpful assistant."
_BROKEN = 300
Files = dict[str, bytes]


def native(talks: Mapping[str, Talk]) -> Files:
    """Tacit's own format."""
    mine = [talks[key].source for key in ("f-dough", "f-reminder", "f-router")]
    return {"native/web-chat.jsonl": lines(record.record for talk in mine for record in landed(talk))}


def openai(talks: Mapping[str, Talk]) -> Files:
    """What a gateway logged of chat completions: each request repeats the whole conversation.

    The last line is cut off, as that of a log which is still written: it is quarantined.
    """
    written = [
        _completion(talks[key], request, reply)
        for key in ("f-reminder", "f-router", "f-tea", "f-script")
        for request, reply in talks[key].exchanges
    ]
    whole = lines(written) + lines([_completion(talks["f-cat"], *next(talks["f-cat"].exchanges))])[:_BROKEN] + b"\n"
    return {"openai/requests.jsonl.gz": gzip.compress(whole, 9, mtime=0)}


def _completion(talk: Talk, request: Said, reply: Said) -> dict[str, Any]:
    sent = [{"role": "system", "content": _SYSTEM}]
    sent += [_sent(said, talk) for said in talk.before(reply)]
    answer = {"role": "assistant", "content": reply.text}
    return {
        "request_id": uuid("openai", "request", talk.key, reply.key),
        "startTime": iso(request.start),
        "completionStartTime": iso(reply.start),
        "endTime": iso(reply.end),
        "user": talk.user,
        "metadata": {"conversation_id": uuid("openai", talk.key)},
        "request": {"model": "gpt-4o-mini", "temperature": 0.7, "stream": True, "messages": sent},
        "response": {
            "id": f"chatcmpl-{hexed(29, 'openai', talk.key, reply.key)}",
            "object": "chat.completion",
            "created": int(reply.start.timestamp()),
            "model": "gpt-4o-mini-2024-07-18",
            "choices": [{"index": 0, "message": answer, "logprobs": None, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 60, "completion_tokens": 30, "total_tokens": 90},
        },
    }


def _sent(said: Said, talk: Talk) -> dict[str, Any]:
    call = f"call_{hexed(24, 'call', talk.key)}"
    message: dict[str, Any] = {"role": str(said.role), "content": said.text}
    if said.role is Role.TOOL:
        message["tool_call_id"] = call
    elif any(child.role is Role.TOOL for child in talk.children(said)):
        run = {"name": "run_tests", "arguments": "{}"}
        message["tool_calls"] = [{"id": call, "type": "function", "function": run}]
    return message


def turns(talks: Mapping[str, Talk]) -> Files:
    """A table of turns as a company's own assistant logs them; `sources.yaml` says which column holds what."""
    rows = []
    for key in ("f-dough", "f-reminder", "f-router", "f-parcel", "f-sheet"):
        talk = talks[key]
        said = list(talk.exchanges)
        for n, (request, reply) in enumerate(said, 1):
            done = {act.kind for act in reply.acts}
            left = talk.path[2 * n].start if n < len(said) else None
            rows.append(
                {
                    "session": hexed(12, "turns", key),
                    "turn_no": n,
                    "customer": talk.user,
                    "asked": _local(request.start),
                    "first_token": _local(reply.start),
                    "last_token": _local(reply.end),
                    "question": request.text,
                    "answer": reply.text,
                    "model": talk.model,
                    "state": reply.status,
                    "stars": {True: 5, False: 1}[reply.liked] if reply.vote else "",
                    "remark": (reply.vote.text or "") if reply.vote else "",
                    "copied": int(EventKind.COPY in done),
                    "screenshots": int(request.attachment),
                    "seconds_on_screen": "" if left is None else round((left - reply.start).total_seconds(), 1),
                }
            )
    return {"support/turns.csv": table(rows)}


def _local(at: datetime) -> str:
    """A time as a spreadsheet shows it, in the zone that is declared for it."""
    return at.astimezone(ZoneInfo("Asia/Shanghai")).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def llm(talks: Mapping[str, Talk]) -> Files:
    """The database of the command line tool `llm`, in the tables that it needs to be read."""
    mine = [talks[key] for key in ("f-dough", "f-cat", "f-router")]
    rows = [
        {
            "id": f"01{hexed(24, 'llm', talk.key, reply.key)}",
            "model": "gpt-4o-mini",
            "prompt": request.text,
            "system": None,
            "prompt_json": None,
            "options_json": "{}",
            "response": reply.text,
            "response_json": None,
            "conversation_id": f"01{hexed(24, 'llm', talk.key)}",
            "duration_ms": round((reply.end - request.start).total_seconds() * 1000),
            "datetime_utc": iso(request.start, "microseconds", ""),
        }
        for talk in mine
        for request, reply in talk.exchanges
    ]
    declared = (
        "id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, prompt_json TEXT, options_json TEXT, response TEXT,"
        " response_json TEXT, conversation_id TEXT REFERENCES conversations(id), duration_ms INTEGER, datetime_utc TEXT"
    )
    named = [{"id": f"01{hexed(24, 'llm', t.key)}", "name": t.said[0].text[:24], "model": "gpt-4o-mini"} for t in mine]
    return {
        "llm/logs.db": database(
            {
                "conversations": ("id TEXT PRIMARY KEY, name TEXT, model TEXT", named),
                "responses": (declared, rows),
            }
        )
    }
