"""Messages as instrumentations write them into attributes, events and log records, brought to turns."""

from typing import Any

import msgspec

from pipelines.readers.chat import Turns, is_part, read_message
from pipelines.readers.fields import Refused
from pipelines.readers.items import Turn
from pipelines.readers.payload import read_payload
from pipelines.readers.raw import Refusal
from pipelines.readers.tracing.attributes import Attributes, decoded, flat, listed
from schemas.enums import Role
from schemas.reasons import Reason

_REDACTED = "__REDACTED__"  # what OpenInference writes in place of a text that it was told to hide


def read_turns(messages: list[Any], where: str, refused: list[Refusal], role: Role | None = None) -> Turns:
    """Read the messages of a history. One that cannot be read is refused, and the others stay.

    Args:
        messages: They, with plain or with dotted names.
        where: Where they stand, for the refusals.
        refused: Takes the refusals.
        role: The role of those that state none.

    Returns:
        The turns, in their order.
    """
    found: list[Turn] = []
    for n, message in enumerate(messages):
        if message is None:
            continue
        try:
            turns = read_message(_usual(message, role))
            if turns is None:
                raise Refused(Reason.WRONG_TYPE)
            found += map(unmasked, turns)
        except Refused as fault:
            refused.append(fault.refusal(f"{where}[{n}]"))
    return tuple(found)


def read_words(value: Any, mime: Any, role: Role, where: str, refused: list[Refusal]) -> Turns | None:
    """Read an input or output that may be anything.

    Args:
        value: It.
        mime: Its media type, where it is stated: text is not looked into.
        role: Who says what names no speaker.
        where: Where it stands, for a refusal.
        refused: Takes the refusal.

    Returns:
        The turns; None where it holds no words of a conversation, or was hidden.
    """
    if value == _REDACTED:
        return None
    if type(value) is str and type(mime) is str and mime.startswith("text/"):
        return (Turn(role=role, text=value),)
    try:
        turns = read_payload(value, role)
    except Refused as fault:
        refused.append(fault.refusal(where))
        return None
    return None if turns is None else tuple(map(unmasked, turns))


def after_request(turns: Turns) -> Turns:
    """The turns after the last of the user's: what a state that holds the whole conversation says came back."""
    last = max((n for n, t in enumerate(turns) if t.role is Role.USER), default=-1)
    return turns[last + 1 :]


def unmasked(turn: Turn) -> Turn:
    """The turn, without the mark that stands for a text that was hidden."""
    return msgspec.structs.replace(turn, text=None) if turn.text == _REDACTED else turn


def _usual(message: Any, role: Role | None) -> Any:
    """A message under the usual names: `role`, `content`, `tool_calls`."""
    if type(message) is str and role is not None:
        return {"role": role.value, "content": message}
    if type(message) is not dict:
        return message
    held = flat(message)
    inner = decoded(held.get("message"))  # of a choice
    if type(inner) is dict:
        held |= flat(inner, "message.")
    elif inner is not None and "content" not in held:
        held["content"] = inner
    usual = held | _openinference(held)
    if role is not None and type(usual.get("role")) is not str and not _is_serialised(usual):
        usual["role"] = role.value
    if type(usual.get("role")) is str:
        usual["content"] = _unwrapped(usual.get("content"))
    if "tool_calls" not in usual and any(k.startswith("tool_calls.") for k in usual):
        usual["tool_calls"] = True
    return usual


def _is_serialised(message: Attributes) -> bool:
    return "kwargs" in message or (type(message.get("type")) is str and "data" in message)


def _openinference(held: Attributes) -> dict[str, Any]:
    """The names without `message.`, the parts of the content as everybody else writes them."""
    found = {k.removeprefix("message."): v for k, v in held.items() if k.startswith("message.")}
    parts = listed(held, "message.contents")
    if parts is not None and found.get("content") in (None, ""):
        found["content"] = [_part(p) for p in parts]
    return found


def _part(part: Any) -> Any:
    if type(part) is not dict or "message_content.type" not in part:
        return part
    return {"type": part["message_content.type"], "text": part.get("message_content.text")}


def _unwrapped(content: Any) -> Any:
    """The parts, where they were written as JSON into a string; any other string is the text itself."""
    parts = decoded(content) if type(content) is str else None
    if type(parts) is list and parts and all(is_part(p) or _is_bedrock(p) for p in parts):
        return parts
    return content


def _is_bedrock(part: Any) -> bool:
    return type(part) is dict and len(part) == 1 and not part.keys().isdisjoint(("text", "toolUse", "toolResult"))
