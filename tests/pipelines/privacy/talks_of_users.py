"""A small landing zone with users to be erased: two days, a shared conversation, replies that arrive late."""

import json
from pathlib import Path
from typing import Any

DAYS = ("2026-11-02", "2026-11-03")
ERASED, OTHER, THIRD = "mara.quill", "tobias-7", "ines-k"


def message(conversation: str, number: int, role: str, text: str, at: str, user: str | None = None) -> dict[str, Any]:
    row = {"kind": "message", "conversation_id": conversation, "message_id": f"{conversation}-m{number}", "role": role}
    row |= {"content": text, "created_at": f"{at}Z", "source": "web"}
    return row | ({"user_id": user} if user else {}) | ({"completed_at": f"{at}Z"} if role == "assistant" else {})


def vote(conversation: str, number: int, at: str, user: str | None = None) -> dict[str, Any]:
    row = {"kind": "event", "conversation_id": conversation, "message_id": f"{conversation}-m{number}"}
    row |= {"event": "thumbs_down", "at": f"{at}Z", "source": "web"}
    return row | ({"user_id": user} if user else {})


def talk(conversation: str, user: str, day: str, hour: int = 9) -> list[dict[str, Any]]:
    at = f"{day}T{hour:02d}:0"
    return [
        message(conversation, 1, "user", f"How do I prune the pear tree {conversation}?", f"{at}0:00", user),
        message(conversation, 2, "assistant", "Cut the dead wood first, then the crossing branches.", f"{at}0:05"),
        message(conversation, 3, "user", "That is not what I asked, this is useless.", f"{at}1:00", user),
        message(conversation, 4, "assistant", "I am sorry. In winter, with a clean saw.", f"{at}1:04"),
        vote(conversation, 2, f"{at}2:00", user),
    ]


def records() -> dict[str, list[dict[str, Any]]]:
    first, second = DAYS
    night = [
        message("late", 1, "user", "What time does the ferry leave?", f"{first}T23:59:00", ERASED),
        message("late", 2, "assistant", "At half past seven.", f"{second}T00:00:10"),
        message("late", 3, "user", "What time does the ferry leave?", f"{second}T00:01:00", ERASED),
    ]
    shared = [
        message("both", 1, "user", "Which soil for ferns?", f"{first}T12:00:00", OTHER),
        message("both", 2, "assistant", "Peat-free and damp.", f"{first}T12:00:05"),
        message("both", 3, "user", "And for roses?", f"{first}T12:01:00", ERASED),
        message("both", 4, "assistant", "Loam.", f"{first}T12:01:05"),
        message("both", 5, "user", "Thanks, both of you.", f"{first}T12:02:00", OTHER),
    ]
    return {
        first: [*talk("a", ERASED, first), *talk("b", OTHER, first), *night[:1], *shared],
        # A reply and a vote of a conversation of the first day that name nobody.
        second: [
            *night[1:],
            *talk("c", THIRD, second),
            message("a", 5, "assistant", "One more thing: seal the cuts.", f"{second}T08:00:00"),
            vote("a", 5, f"{second}T08:01:00"),
            *talk("d", OTHER, second, 10),
        ],
    }


def landing_zone(folder: Path) -> Path:
    for day, rows in records().items():
        (folder / f"dt={day}").mkdir(parents=True)
        (folder / f"dt={day}" / "web.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return folder
