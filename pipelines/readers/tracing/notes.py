"""Messages that were noted as they passed: events of a span, and log records that stand apart from it."""

from typing import Any

from pipelines.readers.chat import Turns
from pipelines.readers.raw import Refusal
from pipelines.readers.tracing.attributes import decoded, listed
from pipelines.readers.tracing.span import Mark
from pipelines.readers.tracing.turns import read_turns, read_words
from schemas.enums import Role

DETAILS = "gen_ai.client.inference.operation.details"
_ASKED = {
    "gen_ai.system.message": Role.SYSTEM,
    "gen_ai.user.message": Role.USER,
    "gen_ai.assistant.message": Role.ASSISTANT,
    "gen_ai.tool.message": Role.TOOL,
}
_PROMPT, _COMPLETION, _CHOICE = "gen_ai.content.prompt", "gen_ai.content.completion", "gen_ai.choice"
_MESSAGE_KEYS = ("role", "content", "message", "parts", "tool_calls")


def is_request(mark: Mark) -> bool:
    """Whether it holds a message that went in."""
    return mark.name in _ASKED or mark.name == _PROMPT


def is_answer(mark: Mark) -> bool:
    """Whether it holds what came back."""
    return mark.name in (_CHOICE, _COMPLETION)


def note_turns(marks: tuple[Mark, ...], refused: list[Refusal]) -> Turns | None:
    """The turns of notes, in their order; None where none of them is any.

    A message whose content was not captured is a turn without text.
    """
    told = [turns for mark in marks if (turns := _turns(mark, refused)) is not None]
    return tuple(t for turns in told for t in turns) if told else None


def _turns(mark: Mark, refused: list[Refusal]) -> Turns | None:
    a = mark.attributes
    if mark.name == _PROMPT:
        return _texts(a, "gen_ai.prompt", Role.USER, refused)
    if mark.name == _COMPLETION:
        return _texts(a, "gen_ai.completion", Role.ASSISTANT, refused)
    role = Role.ASSISTANT if mark.name == _CHOICE else _ASKED.get(mark.name)
    return None if role is None else read_turns([_message(mark)], mark.name, refused, role)


def _texts(a: dict[str, Any], name: str, role: Role, refused: list[Refusal]) -> Turns | None:
    messages = listed(a, name)
    if messages is not None:
        return read_turns(messages, name, refused, role)
    return read_words(a.get(name, a.get("gen_ai.event.content")), None, role, name, refused)


def _message(mark: Mark) -> dict[str, Any]:
    """The message, from the body of a log record, from one attribute that holds it as JSON, or from several."""
    held = mark.body if mark.body not in (None, "") else decoded(mark.attributes.get("gen_ai.event.content"))
    if held is None:
        held = {k: mark.attributes[k] for k in _MESSAGE_KEYS if k in mark.attributes}
        if type(decoded(held.get("message"))) is list:
            held["content"] = held.pop("message")
    return held if type(held) is dict else {"content": held}
