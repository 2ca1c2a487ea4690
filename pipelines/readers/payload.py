"""Finds a conversation in what tracers log as the input or output of a step, which may be anything.

A tracer writes down the arguments of a function. Among them the user's own words are to be found without taking for
them an id, a document or the arguments of a tool: what is not known to hold words of a conversation holds none.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from pipelines.readers.chat import Turns, content_of, is_part, read_message
from pipelines.readers.decode import decode_json
from pipelines.readers.fields import Record, Refused
from pipelines.readers.items import Turn
from schemas.enums import Role
from schemas.reasons import Reason

_DEEPEST = 8
_ASKED = (
    "messages",
    "contents",
    "input",
    "inputs",
    "query",
    "question",
    "user_input",
    "userInput",
    "user_query",
    "user_message",
    "userMessage",
    "user_prompt",
    "user_question",
    "human_input",
    "prompt",
    "prompts",
    "message",
    "request",
)
_ANSWERED = (
    "messages",
    "choices",
    "candidates",
    "generations",
    "output",
    "outputs",
    "output_text",
    "answer",
    "response",
    "reply",
    "result",
    "completion",
    "final_output",
    "final_answer",
    "generated_text",
    "text",
    "content",
    "message",
)
_PROMPTS = ("system", "instructions", "system_instruction", "systemInstruction", "system_prompt")
_HISTORY = ("chat_history", "history", "message_history", "conversation_history")
_ID = re.compile(r"(?=.*\d)[A-Za-z0-9_.:-]{12,}", re.ASCII)
_CUT_OFF = re.compile(r'[\[{\s]*\{\s*"(args|messages|contents|input|prompt|role|content|parts|lc|choices)"\s*:')
_REPR = re.compile(r"\{\s*'.*\}", re.ASCII | re.DOTALL)  # the arguments of a tool, as Python prints them


class Exchanged(NamedTuple):
    """The input and the output of one step, each None where it holds no words of a conversation."""

    input: Turns | None
    output: Turns | None


def read_payload(value: Any, speaker: Role = Role.USER) -> Turns | None:
    """Read a logged input or output.

    Args:
        value: Anything: text, JSON inside text (also twice), a message, a list of messages, the arguments of a
            decorated function, a model's request or response.
        speaker: Who says what names no speaker: the user in an input, the assistant in an output.

    Returns:
        The turns in their order, or None where there are none. Turns without text are among them where the model
        called a tool.

    Raises:
        Refused: It is a conversation of which a message cannot be read.
    """
    return _read(value, speaker, 0) or None


def exchanged(asked: Turns | None, told: Turns | None) -> Exchanged:
    """Divide what was read from an input and an output.

    An output that is the state of an agent repeats the conversation up to the answer. That part is no output: where it
    ends with the request of the input, it takes its place, since it knows more (earlier turns, ids).

    Args:
        asked: The turns of the input.
        told: The turns of the output.
    """
    if told is None:
        return Exchanged(asked, None)
    last = max((n for n, turn in enumerate(told) if turn.role is Role.USER), default=-1)
    history, answer = told[: last + 1], told[last + 1 :]
    if history and (asked is None or (_request(asked) == _request(history) and len(asked) <= len(history))):
        asked = history
    return Exchanged(asked, answer)


def has_words(turns: Sequence[Turn] | None, role: Role) -> bool:
    """Whether somebody says something in these turns, or sends a file."""
    return any(t.role is role and (t.has_attachment or bool(t.text and t.text.strip())) for t in turns or ())


def _request(turns: Turns) -> str | None:
    return next((t.text for t in reversed(turns) if t.role is Role.USER), None)


def _read(value: Any, speaker: Role, depth: int) -> Turns:
    if depth > _DEEPEST:
        return ()
    if type(value) is str:
        return _text(value, speaker, depth)
    if type(value) is list:
        return _list(value, speaker, depth)
    if type(value) is dict:
        return _object(value, speaker, depth)
    return ()


def _text(value: str, speaker: Role, depth: int) -> Turns:
    bare = value.strip()
    if not bare:
        return ()
    if bare[0] in '{["':
        try:
            return _read(decode_json(bare.encode("utf-8", "surrogatepass"))[0], speaker, depth + 1)
        except Refused as refused:
            if refused.field is not None or refused.reason is Reason.RECORD_TOO_DEEP:  # it is JSON, and at fault
                raise
            if _CUT_OFF.match(bare):
                raise Refused(Reason.INVALID_JSON, "") from None
            if _REPR.fullmatch(bare):
                return ()
    return (Turn(role=speaker, text=value),)


def _list(value: list[Any], speaker: Role, depth: int) -> Turns:
    alone = read_message(value)
    if alone is not None:
        return alone
    if len(value) == 1 and type(value[0]) in (str, list):  # a batch of one
        return _read(value[0], speaker, depth + 1)
    messages = [read_message(v) for v in value]
    if any(_is_call(v) for v in value):
        return (Turn(role=Role.ASSISTANT, text=None),)
    if value and all(is_part(v) for v in value):
        read = content_of(value)
        return (Turn(role=speaker, text=read.text, has_attachment=read.has_attachment),)
    if any(messages):
        return tuple(turn for turns in messages for turn in turns or ())
    return _read(value[0], speaker, depth + 1) if len(value) == 1 else ()


def _is_call(value: Any) -> bool:
    """A call of a tool as the Vercel AI SDK lists them."""
    return type(value) is dict and type(value.get("toolName")) is str and "toolCallId" in value


def _object(value: Record, speaker: Role, depth: int) -> Turns:
    message = read_message(value)
    if message is not None:
        return message
    if type(value.get("args")) is list and type(value.get("kwargs")) is dict:
        return _arguments(value["args"], value["kwargs"], depth)
    if type(value.get("kwargs")) is dict and type(value.get("id")) is list:  # LangChain: a prompt, a generation
        return _read(value["kwargs"], speaker, depth + 1)
    if type(value.get("parts")) is list:
        read = content_of(value["parts"], "parts")
        return (Turn(role=speaker, text=read.text, has_attachment=read.has_attachment),)
    for key in _ASKED if speaker is Role.USER else _ANSWERED:
        found = _under(key, value.get(key), speaker, depth)
        if found:
            return (*_prompts(value), *_earlier(value, key, depth), *found) if speaker is Role.USER else found
    return ()


def _under(key: str, held: Any, speaker: Role, depth: int) -> Turns:
    """What a model's response holds under a key; of several answers to one request the first is the one shown."""
    if key in ("choices", "candidates", "generations") and type(held) is list:
        held = held[0] if held else None
        if key == "generations" and type(held) is list:
            held = held[0] if held else None
        if type(held) is not dict:
            return ()
        inner = next((held[k] for k in ("message", "content", "text") if held.get(k) not in (None, "")), None)
        return _read(inner, speaker, depth + 1)
    return _read(held, speaker, depth + 1)


def _prompts(value: Record) -> Turns:
    texts = (value.get(key) for key in _PROMPTS)
    return tuple(Turn(role=Role.SYSTEM, text=text) for text in texts if type(text) is str and text)


def _earlier(value: Record, key: str, depth: int) -> Turns:
    """The turns before a request that stands by itself."""
    if key in ("messages", "contents"):
        return ()
    found = (_read(value[k], Role.USER, depth + 1) for k in _HISTORY if type(value.get(k)) is list)
    return next((turns for turns in found if turns), ())


def _arguments(args: list[Any], named: Record, depth: int) -> Turns:
    """What a decorated function was called with: named arguments first, else the only one that holds words."""
    found = _read(named, Role.USER, depth + 1)
    if found:
        return found
    held = [
        turns for a in args if not (type(a) is str and _ID.fullmatch(a)) and (turns := _read(a, Role.USER, depth + 1))
    ]
    return held[0] if len(held) == 1 else ()
