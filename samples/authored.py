"""Reads the authored conversations and says what is wrong with them, before anything is built from them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from schemas.enums import EventKind, Role, Signal, Status

DAYS = ("2026-11-02", "2026-11-03", "2026-11-04")
SOURCES = ("web-chat", "mobile-app", "code-assistant", "import")
MODELS = ("aster-2", "aster-2-mini", "borealis-1")
CLOCKS = ("full", "no_end", "none")
SIGNALS = (*(str(signal) for signal in Signal), "failure_report")

_CONVERSATION = {
    "id", "about", "lang", "source", "user", "model", "start", "clocks", "arrives", "messages", "events", "labels",
}  # fmt: skip
_MESSAGE = {"id", "after", "took", "status", "parent", "model", "attachment", "arrives", "events"}
_EVENT = {"event", "at", "text", "arrives"}
_LABEL = {"message", "signal", "about", "sure", "measurable"}


@dataclass(frozen=True)
class Act:
    """An interface event; `at` counts seconds from the end of what it is about."""

    event: str
    at: float
    text: str | None
    arrives: str | None


@dataclass(frozen=True)
class Turn:
    """A message as authored; times are seconds."""

    id: str
    role: Role
    text: str | None
    after: float
    took: float
    status: str
    parent: str | None
    model: str | None
    attachment: bool
    arrives: str | None
    acts: tuple[Act, ...]


@dataclass(frozen=True)
class Conversation:
    """A conversation as authored."""

    id: str
    lang: str
    source: str
    user: str | None
    model: str | None
    start: datetime
    clocks: str
    arrives: str | None
    turns: tuple[Turn, ...]
    acts: tuple[Act, ...]
    labels: tuple[Mapping[str, Any], ...]


def read(folder: Path) -> tuple[list[Conversation], list[str]]:
    """Read every YAML file of a folder.

    Args:
        folder: Where `en_*.yaml` and `zh_*.yaml` lie.

    Returns:
        The conversations, by file name and then as authored, and the faults found, each with its place.
    """
    conversations: list[Conversation] = []
    faults: list[str] = []
    seen: dict[str, str] = {}
    for path in sorted(folder.glob("*.yaml")):
        try:
            listed = yaml.safe_load(path.read_text(encoding="utf-8")) or []
        except yaml.MarkedYAMLError as error:
            faults.append(f"{path.name}: {error.problem}{error.problem_mark}")
            continue
        for number, raw in enumerate(listed, 1):
            where = f"{path.name}: {raw.get('id', f'conversation {number}')}"
            found = list(check(raw))
            faults += [f"{where}: {fault}" for fault in found]
            if raw.get("id") in seen:
                faults.append(f"{where}: the id is also in {seen[raw['id']]}")
            seen[raw.get("id", "")] = path.name
            if not found:
                conversations.append(parse(raw))
    return conversations, faults


def check(raw: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with one authored conversation, its form only."""
    yield from _unknown(raw, _CONVERSATION, "the conversation")
    for key in ("id", "about", "lang", "source", "start", "messages"):
        if key not in raw:
            yield f"`{key}` is missing"
            return
    yield from _choice(raw["lang"], ("en", "zh", "mixed"), "lang")
    yield from _choice(raw["source"], SOURCES, "source")
    yield from _choice(raw.get("model", MODELS[0]), MODELS, "model")
    yield from _choice(raw.get("clocks", "full"), CLOCKS, "clocks")
    yield from _choice(str(raw.get("arrives", DAYS[0])), DAYS, "arrives")
    if datetime.fromisoformat(str(raw["start"])).tzinfo is None:
        yield "`start` needs a zone"
    timed = _clocks(raw) != "none"
    ids: dict[str, str] = {}
    for number, message in enumerate(raw["messages"], 1):
        yield from _check_message(message, f"message {number}", ids, first=number == 1, timed=timed)
    yield from _check_events(raw.get("events", []), "the conversation", timed=timed)
    for label in raw.get("labels", []):
        yield from _check_label(label, ids)


def _check_message(
    message: Mapping[str, Any], where: str, ids: dict[str, str], *, first: bool, timed: bool
) -> Iterator[str]:
    roles = [role for role in Role if str(role) in message]
    if len(roles) != 1:
        yield f"{where} needs exactly one of user, assistant, system, tool"
        return
    role, text = roles[0], message[roles[0]]
    yield from _unknown(message, _MESSAGE | {str(role)}, where)
    if text is not None and (not isinstance(text, str) or not text.strip()):
        yield f"{where} holds neither text nor null"
    yield from _choice(message.get("status", "ok"), tuple(Status), f"{where}: status")
    yield from _choice(message.get("model", MODELS[0]), MODELS, f"{where}: model")
    yield from _choice(str(message.get("arrives", DAYS[0])), DAYS, f"{where}: arrives")
    if role is Role.USER and timed and not first and "after" not in message:
        yield f"{where}: `after` must be given for a user's message"
    parent = message.get("parent")
    if parent is not None and parent not in ids:
        yield f"{where}: the parent is not an earlier message"
    name = message.get("id") or _default_id(role, ids)
    if name in ids:
        yield f"{where}: the message id comes twice"
    ids[name] = str(role)
    yield from _check_events(message.get("events", []), where, timed=timed)


def _check_events(events: list[Mapping[str, Any]], where: str, *, timed: bool) -> Iterator[str]:
    for event in events:
        yield from _unknown(event, _EVENT, f"{where}: an event")
        yield from _choice(event.get("event"), tuple(EventKind), f"{where}: event")
        yield from _choice(str(event.get("arrives", DAYS[0])), DAYS, f"{where}: arrives of an event")
        if not isinstance(event.get("at"), int | float):
            yield f"{where}: an event needs `at` in seconds"
        if not timed:
            yield f"{where}: events need a clock, which this conversation has not"


def _check_label(label: Mapping[str, Any], ids: Mapping[str, str]) -> Iterator[str]:
    yield from _unknown(label, _LABEL, "a label")
    yield from _choice(label.get("signal"), SIGNALS, "signal of a label")
    if label.get("message") not in ids:
        yield f"a label names the absent message {label.get('message')}"
    about = label.get("about", "")
    if about is not None and ids.get(about) != "assistant":
        yield f"a label is about {about or 'nothing'}, which is no reply of the assistant"


def parse(raw: Mapping[str, Any]) -> Conversation:
    """Turn one checked conversation into typed values, defaults filled in."""
    turns: list[Turn] = []
    ids: dict[str, str] = {}
    for message in raw["messages"]:
        role = next(role for role in Role if str(role) in message)
        text = message[role].rstrip("\n") if message[role] is not None else None
        name = message.get("id") or _default_id(role, ids)
        ids[name] = str(role)
        previous = turns[-1].id if turns else None
        turns.append(
            Turn(
                id=name,
                role=role,
                text=text,
                after=float(message.get("after", {"assistant": 1.2, "tool": 0.8}.get(role, 0.0))),
                took=float(message.get("took", _streaming_seconds(text))) if role is Role.ASSISTANT else 0.0,
                status=message.get("status", "ok"),
                parent=message.get("parent", previous),
                model=message.get("model"),
                attachment=bool(message.get("attachment", False)),
                arrives=_day(message),
                acts=_acts(message),
            )
        )
    return Conversation(
        id=raw["id"],
        lang=raw["lang"],
        source=raw["source"],
        user=raw.get("user"),
        model=raw.get("model"),
        start=datetime.fromisoformat(str(raw["start"])),
        clocks=_clocks(raw),
        arrives=_day(raw),
        turns=tuple(turns),
        acts=_acts(raw),
        labels=tuple(raw.get("labels", [])),
    )


def han(text: str) -> int:
    """Count the Chinese characters of a text."""
    return sum("\u3400" <= char <= "\u9fff" for char in text)


def _streaming_seconds(text: str | None) -> float:
    if text is None:
        return 2.0
    chinese = han(text)
    return round(max(0.4, chinese / 25 + (len(text) - chinese) / 60), 1)


def _acts(raw: Mapping[str, Any]) -> tuple[Act, ...]:
    return tuple(Act(e["event"], float(e["at"]), e.get("text"), _day(e)) for e in raw.get("events", []))


def _day(raw: Mapping[str, Any]) -> str | None:
    return str(raw["arrives"]) if "arrives" in raw else None


def _clocks(raw: Mapping[str, Any]) -> str:
    return "none" if raw["source"] == "import" else str(raw.get("clocks", "full"))


def _default_id(role: Role, ids: Mapping[str, str]) -> str:
    return f"{role[0]}{sum(other == role for other in ids.values()) + 1}"


def _unknown(raw: Mapping[str, Any], known: set[str], where: str) -> Iterator[str]:
    for key in sorted(set(raw) - known):
        yield f"{where} has the unknown key `{key}`"


def _choice(value: object, allowed: tuple[str, ...], where: str) -> Iterator[str]:
    if value not in allowed:
        yield f"{where}: {value!r} is none of {', '.join(allowed)}"
