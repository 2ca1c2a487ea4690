"""What tests of the assembly of calls share: calls written short, and what they come to."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from pipelines.readers.calls import Assembly, assemble
from pipelines.readers.items import Call, Remark, Turn
from pipelines.readers.raw import Place
from schemas.enums import EventKind, Role
from schemas.records import Message

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
ROLES = {"u": Role.USER, "a": Role.ASSISTANT, "s": Role.SYSTEM, "t": Role.TOOL}


def at(seconds: float | None) -> datetime | None:
    return None if seconds is None else START + timedelta(seconds=seconds)


def turns(text: str | None) -> tuple[Turn, ...] | None:
    """`u:hi | a:hello` as turns; `a:-` holds no text; None was not captured."""
    if text is None:
        return None
    parts = [p.strip().partition(":") for p in text.split("|") if p.strip()]
    return tuple(Turn(role=ROLES[role], text=None if said == "-" else said) for role, _, said in parts)


def call(n: int, sent: str | None, said: str | None, when: float | None = 0.0, **more: object) -> Call:
    """Call n, logged from `when` to 5 s later."""
    values: dict[str, object] = {
        "source": "app",
        "conversation_id": "c1",
        "trace_id": None,
        "call_id": f"call-{n}",
        "started_at": at(when),
        "ended_at": at(None if when is None else when + 5),
        "input": turns(sent),
        "output": turns(said),
    }
    return Call(**(values | more))  # type: ignore[arg-type]


def put(calls: Sequence[Call], *remarks: Remark) -> Assembly:
    """Assemble, and hold the result to what is promised of every one."""
    placed = [(c, Place("f.jsonl", n + 1, 0, 1, "00")) for n, c in enumerate(calls)]
    noted = [(r, Place("v.jsonl", n + 1, 0, 1, "00")) for n, r in enumerate(remarks)]
    made = assemble(placed, noted)
    assert made.turns == len(made.messages) + made.duplicates + made.set_aside
    shuffled = random.Random(7).sample(placed, len(placed))
    assert [m for m, _ in assemble(shuffled, noted[::-1]).messages] == [m for m, _ in made.messages]
    ids = [(m.conversation_id, m.message_id) for m, _ in made.messages]
    assert len(set(ids)) == len(ids)
    named = set(ids)
    assert all(m.parent_id is None or (m.conversation_id, m.parent_id) in named for m, _ in made.messages)
    return made


def said(made: Assembly) -> list[str]:
    return [f"{m.role[0]}:{'-' if m.content is None else m.content}" for m, _ in made.messages]


def one(made: Assembly, content: str) -> Message:
    (found,) = [m for m, _ in made.messages if m.content == content]
    return found


def above(made: Assembly, content: str) -> str | None:
    """What stands before a turn."""
    parent = one(made, content).parent_id
    return None if parent is None else next(m.content for m, _ in made.messages if m.message_id == parent)


def remark(**more: object) -> Remark:
    values: dict[str, object] = {"source": "app", "event": EventKind.THUMBS_DOWN, "at": at(99)}
    return Remark(**(values | more))  # type: ignore[arg-type]


THREE = [
    call(1, "s:Be kind. | u:hi", "a:Hello!", 0),
    call(2, "s:Be kind. | u:hi | a:Hello! | u:how are you?", "a:Fine, thanks.", 10),
    call(3, "s:Be kind. | u:hi | a:Hello! | u:how are you? | a:Fine, thanks. | u:hi", "a:Hi again.", 20),
]
