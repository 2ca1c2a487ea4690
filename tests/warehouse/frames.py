"""Small valid frames of every table, for tests to bend."""

from datetime import UTC, date, datetime, timedelta

import polars as pl

from schemas import contract

DAY = date(2026, 11, 29)


def at(day: date, second: int) -> datetime:
    return datetime(day.year, day.month, day.day, 9, tzinfo=UTC) + timedelta(seconds=second)


def messages(day: date = DAY, turns: int = 3, text: str = "hello there", **replace: object) -> pl.DataFrame:
    rows = []
    for turn in range(turns):
        for place, role in enumerate(("user", "assistant")):
            second = turn * 60 + place * 5
            rows.append(
                {
                    "source": "app",
                    "conversation_id": f"c{turn % 2}",
                    "message_id": f"{day}-m{turn}-{role}",
                    "parent_id": None,
                    "seq": None,
                    "role": role,
                    "text": text,
                    "n_chars": len(text),
                    "script": "latin",
                    "created_at": at(day, second),
                    "completed_at": at(day, second + 4) if place else None,
                    "status": "ok",
                    "user_key": "u1",
                    "model": "model-a" if place else None,
                    "has_attachment": False,
                    "entity_counts": [{"entity": "PERSON", "n": 1}],
                    "flags": [],
                    "aliases": None,
                    "digest": f"d{turn}{place}",
                    "arrival_dt": day,
                    **replace,
                }
            )
    return _typed("messages", rows)


def events(day: date = DAY) -> pl.DataFrame:
    row = {
        "event_id": f"{day}-e",
        "source": "app",
        "conversation_id": "c0",
        "message_id": f"{day}-m0-assistant",
        "event": "thumbs_down",
        "at": at(day, 9),
        "user_key": "u1",
        "text": None,
        "entity_counts": [],
        "arrival_dt": day,
    }
    return _typed("events", [row])


def exchanges(day: date = DAY, turns: int = 3, **replace: object) -> pl.DataFrame:
    rows = []
    for turn in range(turns):
        after = turn + 2  # turns alternate between two conversations
        rows.append(
            {
                "exchange_id": f"{day}-x{turn}",
                "source": "app",
                "conversation_id": f"c{turn % 2}",
                "session_id": f"s{turn % 2}",
                "position": turn // 2,
                "on_active_branch": True,
                "user_key": "u1",
                "model": "model-a",
                "script": "latin",
                "request_id": f"{day}-m{turn}-user",
                "reply_id": f"{day}-m{turn}-assistant",
                "reply_status": "ok",
                "reply_chars": 11,
                "replied_at": at(day, turn * 60 + 5),
                "next_user_id": f"{day}-m{after}-user" if after < turns else None,
                "follow_up": "message" if after < turns else None,
                "gap_s": 111.0 if after < turns else None,
                "visible_s": None,
                "reading_s": 2.0,
                "clock_quality": "full",
                "outcome": "followed" if after < turns else "left",
                "dislike": turn == 0,
                "complain": False,
                "dismiss": False,
                "repeat": turn == 0,
                "rephrase": False,
                "skim": None,
                "p_dislike": float(turn == 0),
                "p_complain": 0.1,
                "p_dismiss": 0.1,
                "p_repeat": 0.9 if turn == 0 else 0.1,
                "p_rephrase": 0.2,
                "p_skim": None,
                **replace,
            }
        )
    return _typed("exchanges", rows)


def signals(day: date = DAY, **replace: object) -> pl.DataFrame:
    rows = [
        {
            "signal_id": f"{day}-s-{kind}",
            "signal": kind,
            "exchange_id": f"{day}-x0",
            "source": "app",
            "conversation_id": "c0",
            "message_id": f"{day}-m0-assistant",
            "trigger_message_id": f"{day}-m2-user" if kind == "repeat" else None,
            "trigger": "text" if kind == "repeat" else "event",
            "occurred_at": at(day, 120),
            "score": 0.9,
            "threshold": 0.5,
            "rule": "near_copy",
            "rule_version": "1",
            "evidence": {f.name: None for f in contract.table("signals").column("evidence").fields},
            "primary": kind == "dislike",
            **replace,
        }
        for kind in ("dislike", "repeat")
    ]
    return _typed("signals", rows)


def quarantine(lines: int = 1) -> pl.DataFrame:
    rows = [
        {
            "file": "log.jsonl",
            "line": n + 1,
            "byte_offset": n * 10,
            "bytes": 10,
            "sha256": "00",
            "reason": "invalid_json",
            "field": None,
        }
        for n in range(lines)
    ]
    return _typed("quarantine", rows)


def runs(day: date = DAY, run_id: str = "r1") -> pl.DataFrame:
    row = {
        "run_id": run_id,
        "started_at": at(day, 0),
        "finished_at": at(day, 60),
        "peak_memory_mb": 1.0,
        "code_version": "0",
        "config_digest": "c",
        "key_id": "k",
        "inputs": [],
        "counts": [],
        "seconds": [],
        "partitions": [],
    }
    return _typed("runs", [row])


def _typed(table: str, rows: list[dict[str, object]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=contract.table(table).polars)
