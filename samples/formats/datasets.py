"""Conversations as they are published or trained on."""

from collections.abc import Mapping
from typing import Any

from formats.packed import columns, document, lines
from formats.told import Talk, hexed, number

from schemas.enums import Role

Files = dict[str, bytes]


def wildchat(talks: Mapping[str, Talk]) -> Files:
    """Rows of the data set: a time with each reply, a hashed address as the user."""
    rows = []
    for key in ("f-dough", "f-reminder", "f-router"):
        talk = talks[key]
        turns: list[dict[str, Any]] = []
        for request, reply in talk.exchanges:
            shared = {"language": "English" if talk.source.lang == "en" else "Chinese", "toxic": False,
                      "redacted": False, "turn_identifier": number("wildchat", key, reply.key)}  # fmt: skip
            place = {"hashed_ip": hexed(64, "address", talk.user), "country": "Portugal", "state": "Lisbon"}
            turns.append({"content": request.text, "role": "user", "timestamp": None, **place, **shared})
            turns.append({"content": reply.text, "role": "assistant", "timestamp": reply.end, "hashed_ip": None,
                          "country": None, "state": None, **shared})  # fmt: skip
        rows.append(
            {
                "conversation_hash": hexed(32, "wildchat", key),
                "model": "gpt-4o-2024-08-06",
                "timestamp": talk.path[-1].end,
                "conversation": turns,
                "turn": len(turns) // 2,
                "language": turns[0]["language"],
                "toxic": False,
                "redacted": False,
            }
        )
    return {"wildchat/train-00000-of-00001.parquet": columns(rows)}


def lmsys(talks: Mapping[str, Talk]) -> Files:
    """Rows of LMSYS-Chat-1M, which has no times."""
    rows = [
        {
            "conversation_id": hexed(32, "lmsys", key),
            "model": "vicuna-13b",
            "conversation": [{"content": s.text, "role": str(s.role)} for s in talks[key].path],
            "turn": len(talks[key].path) // 2,
            "language": "English" if talks[key].source.lang == "en" else "Chinese",
            "openai_moderation": [{"flagged": False} for _ in talks[key].path],
            "redacted": False,
        }
        for key in ("f-cat", "f-tea", "f-limerick")
    ]
    return {"lmsys/train-00000-of-00001.parquet": columns(rows)}


def arena(talks: Mapping[str, Talk]) -> Files:
    """Battles: the same requests to two models, and which of them was judged the better one."""
    rows = []
    for key in ("f-toast", "f-tea"):
        talk = talks[key]
        sides: dict[str, list[dict[str, str]]] = {"a": [], "b": []}
        for request, _ in talk.exchanges:
            replies = talk.replies(request)
            for side, reply in (("a", replies[0]), ("b", replies[-1])):
                sides[side] += [{"content": request.text, "role": "user"}, {"content": reply.text, "role": "assistant"}]
        rows.append(
            {
                "question_id": hexed(32, "arena", key),
                "model_a": "koala-13b",
                "model_b": "alpaca-13b",
                "winner": "model_b",
                "judge": f"arena_user_{talk.user[-3:]}",
                "conversation_a": sides["a"],
                "conversation_b": sides["b"],
                "turn": len(sides["a"]) // 2,
                "anony": True,
                "language": "English" if talk.source.lang == "en" else "Chinese",
                "tstamp": talk.path[-1].end.timestamp(),
                "openai_moderation": "{}",
            }
        )
    return {"arena/battles.json": document(rows)}


def sharegpt(talks: Mapping[str, Talk]) -> Files:
    """A list of conversations of `from` and `value`."""
    names = {Role.USER: "human", Role.ASSISTANT: "gpt"}
    rows = [
        {"id": f"{hexed(7, 'sharegpt', key)}_0",
         "conversations": [{"from": names[s.role], "value": s.text} for s in talks[key].path]}
        for key in ("f-dough", "f-reminder", "f-cat", "f-tea")
    ]  # fmt: skip
    return {"sharegpt/sharegpt-part-1.json": document(rows)}


def pairs(talks: Mapping[str, Talk]) -> Files:
    """Instructions and outputs to tune a model on, with the turns before as history."""
    rows = []
    for key in ("f-dough", "f-sheet", "f-parcel"):
        *earlier, (request, reply) = talks[key].exchanges
        history = [[asked.text, answered.text] for asked, answered in earlier]
        rows.append({"instruction": request.text, "input": "", "output": reply.text, "history": history})
    return {"pairs/instructions.jsonl": lines(rows)}
