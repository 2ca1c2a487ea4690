"""What went into a logged request of the OpenAI APIs, and what came back: whole, in chunks, or as items."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from pipelines.readers.chat import content_of, read_message
from pipelines.readers.fields import Record, Refused
from pipelines.readers.formats.openai_stream import unpacked
from pipelines.readers.items import Turn
from schemas.enums import Role, Status
from schemas.flags import Flag
from schemas.reasons import Reason

Refuse = Callable[[Refused, str], None]
_REDACTED = frozenset({"redacted-by-litellm"})
_STRUCTURE = frozenset({"reasoning", "item_reference", "mcp_list_tools", "mcp_approval_request", "compaction"})
_ENDINGS = {
    "length": Status.PARTIAL,
    "content_filter": Status.PARTIAL,
    "max_tokens": Status.PARTIAL,
    "error": Status.ERROR,
    "incomplete": Status.PARTIAL,
    "in_progress": Status.PARTIAL,
    "queued": Status.PARTIAL,
    "failed": Status.ERROR,
    "failure": Status.ERROR,
    "cancelled": Status.STOPPED,
}
Said = tuple[tuple[Turn, ...] | None, Status]


def ending(name: object) -> Status:
    """How a reply ended, by a `finish_reason` or a `status`."""
    return _ENDINGS.get(name, Status.OK) if type(name) is str else Status.OK


def messages(value: Any, where: str, refuse: Refuse, speaker: Role = Role.USER) -> list[Turn]:
    """Read a list of messages or items, or a string.

    Args:
        value: As it was logged.
        where: Its key, for the refusals.
        refuse: Takes what cannot be read.
        speaker: Whose a bare string is.
    """
    if type(value) is str:
        return [_shown(Turn(role=speaker, text=value))]
    if type(value) is not list:
        refuse(Refused(Reason.WRONG_TYPE), where)
        return []
    turns: list[Turn] = []
    for n, one in enumerate(value):
        try:
            turns += _message(one, speaker)
        except Refused as refused:
            refuse(refused, f"{where}[{n}]")
    return turns


def _message(value: Any, speaker: Role) -> Iterator[Turn]:
    if type(value) is str:
        yield _shown(Turn(role=speaker, text=value))
        return
    if type(value) is not dict:
        raise Refused(Reason.WRONG_TYPE)
    found = read_message(value)
    if found is None:
        kind = value.get("type")
        if type(value.get("role")) is str:
            found = read_message({**value, "content": None})
        elif type(kind) is str and kind.endswith("_call"):
            found = (Turn(role=Role.ASSISTANT, text=None),)
        elif type(kind) is str and kind.endswith("_output"):
            found = (Turn(role=Role.TOOL, text=None),)
        elif type(kind) is str and (kind in _STRUCTURE or kind.startswith("mcp_")):
            found = ()
    if found is None:
        raise Refused(Reason.MISSING_KEY, "role")
    for turn in found:
        # The API's own id of a message is not sent again by all, so it would tell a turn from itself.
        yield _shown(msgspec.structs.replace(turn, message_id=None, text=turn.text or _otherwise(value) or turn.text))


def _otherwise(message: Record) -> str | None:
    """Words that a reply has beside its content: a refusal, or what was said aloud."""
    refusal = message.get("refusal")
    if type(refusal) is str:
        return refusal
    audio = message.get("audio")
    if type(audio) is dict and type(audio.get("transcript")) is str:
        return str(audio["transcript"])
    content = message.get("content")
    parts = content if type(content) is list else ()
    said = [p["refusal"] for p in parts if type(p) is dict and type(p.get("refusal")) is str]
    return "\n\n".join(said) or None


def _shown(turn: Turn) -> Turn:
    """The words of a turn, unless the gateway wrote in their place that it left them out."""
    return msgspec.structs.replace(turn, text=None) if turn.text in _REDACTED else turn


def asked(request: Record, where: str, refuse: Refuse) -> tuple[Turn, ...] | None:
    """The input of a request: `messages`, `input` with `instructions`, or a `prompt`; None where there is none."""
    key = next((k for k in ("messages", "input", "prompt") if request.get(k) is not None), None)
    if key is None:
        return None
    value = unpacked(request[key])
    if type(value) is dict:  # what a gateway keeps of a request of another kind
        value = value.get("messages", [value])
    if key == "prompt" and type(value) is list and len(value) == 1 and type(value[0]) is str:
        value = value[0]
    prompt = next((request[k] for k in ("instructions", "system") if type(request.get(k)) is str), None)
    first = [Turn(role=Role.SYSTEM, text=prompt)] if prompt else []
    return (*first, *messages(value, f"{where}{key}", refuse))


def told(response: Any, where: str, refuse: Refuse) -> Said:
    """The output of a response, and how it ended.

    Args:
        response: A completion, a response with items, a message, a string, or the chunks of a stream.
        where: Its key, for the refusals.
        refuse: Takes what cannot be read.

    Returns:
        The turns, None where they were not captured; further choices are flagged as off the branch.
    """
    if response is None:
        return None, Status.OK
    if type(response) is str:
        turn = _shown(Turn(role=Role.ASSISTANT, text=response))
        return ((turn,) if response else ()), Status.OK
    if type(response) is list:
        return _worded(messages(response, where, refuse, Role.ASSISTANT)), Status.OK
    if type(response) is not dict:
        refuse(Refused(Reason.WRONG_TYPE), where)
        return None, Status.OK
    if type(response.get("choices")) is list:
        return _choices(response["choices"], f"{where}.choices", refuse)
    status = ending(response.get("status"))
    for key in ("output", "output_text", "message", "content", "text", "response", "completion"):
        value = response.get(key)
        if key == "content" and type(response.get("role")) is str:
            value = [response]
        if value is not None:
            value = [value] if type(value) is dict else value
            return _worded(messages(value, f"{where}.{key}", refuse, Role.ASSISTANT)), status
    return None, status


def _worded(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Nothing, where an empty text is all that came."""
    return () if all(t.text == "" for t in turns) else tuple(turns)


def _choices(choices: list[Any], where: str, refuse: Refuse) -> Said:
    turns: list[Turn] = []
    status: Status | None = None
    numbered = [(c.get("index") if type(c) is dict else None, n, c) for n, c in enumerate(choices)]
    for _, n, choice in sorted(numbered, key=lambda c: (c[0] if type(c[0]) is int else c[1], c[1])):
        try:
            turn = _choice(choice)
        except Refused as refused:
            refuse(refused, f"{where}[{n}]")
            continue
        if turns:
            turn = msgspec.structs.replace(turn, flags=(*turn.flags, Flag.OFF_BRANCH.value))
        turns.append(turn)
        if status is None:
            unfinished = "finish_reason" in choice and choice["finish_reason"] is None and not choice.get("delta")
            status = Status.PARTIAL if unfinished else ending(choice.get("finish_reason"))
    if not turns:
        return (None if choices else ()), Status.OK
    # A choice without words or calls is an empty reply.
    return (() if len(turns) == 1 and turns[0].text == "" else tuple(turns)), status or Status.OK


def _choice(choice: Any) -> Turn:
    if type(choice) is not dict:
        raise Refused(Reason.WRONG_TYPE)
    held = next((choice[k] for k in ("message", "delta") if choice.get(k) is not None), None)
    if held is None:
        if "text" not in choice and "message" not in choice:
            raise Refused(Reason.MISSING_KEY, "message")
        held = choice.get("text")
    if type(held) is dict:
        found = list(_message({"role": "assistant", "content": None, **held}, Role.ASSISTANT))
        calls = any(held.get(k) for k in ("tool_calls", "function_call"))
        turn = found[0] if found else Turn(role=Role.ASSISTANT, text=None)
    else:
        turn, calls = _shown(Turn(role=Role.ASSISTANT, text=content_of(held, "text").text)), False
    hidden = held.get("content") if type(held) is dict else held
    redacted = type(hidden) is str and hidden in _REDACTED
    empty = not turn.text and not calls and not turn.has_attachment and not redacted
    return msgspec.structs.replace(turn, role=Role.ASSISTANT, text="" if empty else turn.text)
