"""Conversations written as a plain list of turns, each a role and a text, as data sets and tuning files hold them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pipelines.readers import fields
from pipelines.readers.content import Content, read_content
from pipelines.readers.fields import Record, Refused
from pipelines.readers.items import Item
from pipelines.readers.raw import Refusal
from schemas.enums import Role
from schemas.flags import Flag
from schemas.ids import content_id
from schemas.reasons import Reason
from schemas.records import Message

TEXT_KEYS = ("value", "content", "text", "markdown")
_ROLES = {
    **dict.fromkeys(("user", "human", "prompter", "customer"), Role.USER),
    **dict.fromkeys(("assistant", "gpt", "model", "bot", "ai", "agent", "llm"), Role.ASSISTANT),
    **dict.fromkeys(("system", "developer"), Role.SYSTEM),
    # A call that the model writes for a machine is no reply that the user was shown.
    **dict.fromkeys(("tool", "observation", "ipython", "environment"), Role.TOOL),
    **dict.fromkeys(("function", "function_call", "function_response", "function_result"), Role.TOOL),
    **dict.fromkeys(("tool_call", "tool_calls", "tool_response", "tool_result"), Role.TOOL),
}
_PRODUCTS = ("chatgpt", "gpt_", "bard", "bing", "claude", "gemini")
_PLACEHOLDERS = ("<image>", "<video>", "<audio>")


@dataclass(frozen=True, slots=True)
class Head:
    """What all messages of one conversation share.

    Attributes:
        source: Product or application.
        conversation_id: Its id; None: it is made of the content.
        user_id: Whose it is.
        model: Which model answered.
        flags: What was mended in the record.
        media: Whether the record holds files, so that a placeholder such as `<image>` in a text stands for one.
    """

    source: str
    conversation_id: str | None
    user_id: str | None = None
    model: str | None = None
    flags: tuple[str, ...] = ()
    media: bool = False


def is_turn(value: Any) -> bool:
    """Whether a value has the shape of a turn: a role under `from` or `role`, and a place for a text."""
    return type(value) is dict and bool(value.keys() & {"from", "role"}) and not value.keys().isdisjoint(TEXT_KEYS)


def speech(turn: Any) -> tuple[Role, Content]:
    """Whose turn it is and what it holds.

    Args:
        turn: `{"from", "value"}` or `{"role", "content"}`, in any mixture.

    Raises:
        Refused: It is no object, names no role that is known, or holds neither text nor null.
    """
    if type(turn) is not dict:
        raise Refused(Reason.WRONG_TYPE)
    key = "from" if turn.get("from") is not None else "role"
    given = turn.get(key)
    if given is None:
        raise Refused(Reason.MISSING_KEY, key)
    if type(given) is not str:
        raise Refused(Reason.WRONG_TYPE, key)
    name = given.strip().casefold().replace("-", "_").replace(" ", "_")
    role = Role.ASSISTANT if name.startswith(_PRODUCTS) else _ROLES.get(name)
    if role is None:
        raise Refused(Reason.UNKNOWN_VALUE, key)
    there = [k for k in TEXT_KEYS if k in turn]
    if not there:
        raise Refused(Reason.MISSING_KEY, "value" if key == "from" else "content")
    field = next((k for k in there if turn[k] is not None), there[0])
    return role, read_content(turn[field], field)


def dialogue(turns: list[Any], inside: str, head: Head, prompt: str | None = None) -> Iterator[Item]:
    """Read a list of turns in their order.

    A message's id is made of what was said up to it, so that a conversation seen again, or grown, gives each turn once,
    the same words said twice are two messages, and continuations that differ are branches.

    Args:
        turns: The list as it was logged.
        inside: Its key, for the refusals.
        head: What its messages share.
        prompt: A system prompt that stands beside the list.

    Yields:
        A message or a refusal for each element.
    """
    said: list[tuple[Role, Content] | Refusal] = [(Role.SYSTEM, Content(prompt))] if prompt else []
    for n, turn in enumerate(turns):
        try:
            said.append(speech(turn))
        except Refused as refused:
            said.append(refused.refusal(f"{inside}[{n}]"))
    taken = [part for part in said if not isinstance(part, Refusal)]
    conversation, flags = head.conversation_id, head.flags
    if conversation is None:
        conversation = content_id(head.source, *(p for role, content in taken for p in (str(role), content.text)))
        flags = (*flags, Flag.ID_FROM_CONTENT.value)
    parent: str | None = None
    for n, part in enumerate(said):
        if isinstance(part, Refusal):
            yield part
            continue
        role, content = part
        text = content.text
        message_id = content_id(parent or conversation, role, text)
        yield Message(
            source=head.source,
            conversation_id=conversation,
            message_id=message_id,
            parent_id=parent,
            seq=n,
            role=role,
            content=text,
            user_id=head.user_id,
            model=head.model if role is Role.ASSISTANT else None,
            has_attachment=content.has_attachment
            or (head.media and text is not None and any(p in text for p in _PLACEHOLDERS)),
            flags=flags,
        )
        parent = message_id


def named(record: Record, *keys: str) -> str | None:
    """The first of these keys that holds an id; None where none does, since a content id can stand for a bad one."""
    for key in keys:
        try:
            found = fields.optional_any_id(record, key)
        except Refused:
            continue
        if found is not None:
            return found
    return None
