"""Reads one chat message, as the libraries of model providers and of agents write it, into turns."""

from typing import Any

from pipelines.readers import fields
from pipelines.readers.content import Content, read_content
from pipelines.readers.fields import Record, Refused
from pipelines.readers.items import Turn
from schemas.enums import Role

Turns = tuple[Turn, ...]

_SPELLED = {
    Role.USER: "user human humanmessage humanmessagechunk",
    Role.ASSISTANT: "assistant ai model bot chatbot aimessage aimessagechunk",
    Role.SYSTEM: "system developer systemmessage systemmessagechunk",
    Role.TOOL: "tool function ipython toolmessage toolmessagechunk functionmessage functionmessagechunk",
}
_ROLES = {word: role for role, words in _SPELLED.items() for word in words.split()}
_CONTENT = ("content", "parts", "blocks", "text", "message")
_CALLS = ("tool_calls", "toolCalls", "tool_invocations", "toolInvocations", "function_call")
_ASKED = frozenset({"function_call", "custom_tool_call", "tool_call", "tool-call", "tool_use", "mcp_call"})
_GIVEN = frozenset(
    {
        "function_call_output",
        "custom_tool_call_output",
        "function_response",
        "tool_call_response",
        "tool_result",
        "tool-result",
        "tool_response",
    }
)
_GIVEN_KEYS = frozenset({"functionResponse", "function_response", "toolResult", "tool_result"})
_FILE_KEYS = frozenset(
    {"inlineData", "inline_data", "fileData", "file_data", "image", "image_url", "document", "video"}
)
_FILE_TYPES = frozenset({"media", "image-url", "document-url", "audio-url", "video-url", "binary", "image_file"})
_PART_TYPES = ("text", "input_text", "output_text", "image_url", "tool_use", "thinking")
_PYDANTIC = {"user-prompt": Role.USER, "system-prompt": Role.SYSTEM, "tool-return": Role.TOOL, "text": Role.ASSISTANT}


def role_of(name: object) -> Role | None:
    """Whose message it is, by any library's word for it; None for a word that is none of these."""
    return _ROLES.get(name.lower()) if type(name) is str else None


def read_message(value: Any) -> Turns | None:
    """Read what may be a chat message.

    Known are the messages of OpenAI (chat completions and responses), Anthropic, Gemini, Bedrock, the Vercel AI SDK,
    OpenTelemetry, LangChain (as objects, serialised, as `["human", "hi"]`) and Pydantic AI.

    Args:
        value: A decoded JSON value.

    Returns:
        Its turns: mostly one; several for a request of Pydantic AI; none for what is no message but stands among
        messages, such as the definition of a tool. None if it is not a message at all.

    Raises:
        Refused: It is a message of a user or an assistant, and its content is not.
    """
    if type(value) is list:
        pair = len(value) == 2 and type(value[1]) in (str, list)
        return _turn(role, {"content": value[1]}) if pair and (role := role_of(value[0])) is not None else None
    if type(value) is not dict:
        return None
    if type(value.get("kwargs")) is dict and type(value.get("id")) is list:
        return _serialised(value["id"], value["kwargs"])
    if value.get("kind") in ("request", "response") and type(value.get("parts")) is list:
        return _pydantic(value["parts"], value["kind"] == "response")
    if type(value.get("role")) is str and any(key in value for key in (*_CONTENT, *_CALLS)):
        # A role that nobody knows is not the user's, nor the assistant's.
        return _turn(role_of(value["role"]) or Role.SYSTEM, value)
    return _typed(value)


def _serialised(path: list[Any], held: Record) -> Turns | None:
    role = role_of(path[-1] if path else None) or role_of(held.get("type")) or role_of(held.get("role"))
    return None if role is None else _turn(role, held)


def _typed(value: Record) -> Turns | None:
    """A message of LangChain, or an item of the Responses API that is no message but stands among them."""
    kind = value.get("type")
    role = role_of(kind)
    if role is not None:
        held = value["data"] if type(value.get("data")) is dict else value
        return _turn(role, held) if "content" in held else None
    if type(kind) is not str:
        return None
    if kind in _ASKED:
        return (Turn(role=Role.ASSISTANT, text=None),)
    if kind in _GIVEN:
        return (Turn(role=Role.TOOL, text=None),)
    return () if kind in ("reasoning", "item_reference") else None


def is_part(value: Any) -> bool:
    """Whether a value is a part of a message's content rather than a message: text, a file, a call of a tool."""
    return type(value) is dict and (
        type(value.get("text")) is str
        or value.get("type") in ("text", "output_text", "image_url", "tool_use", "thinking")
    )


def content_of(parts: Any, field: str = "content") -> Content:
    """Read content that may hold files as Gemini, Bedrock, LangChain and Pydantic AI write them."""
    if type(parts) is list:
        parts = [{"type": "file"} if _is_file(part) else part for part in parts]
    return read_content(parts, field)


def _is_file(part: Any) -> bool:
    if type(part) is not dict or type(part.get("text")) is str:
        return False
    kind = part.get("type") or part.get("kind")
    return (type(kind) is str and kind in _FILE_TYPES) or (kind is None and any(key in part for key in _FILE_KEYS))


def _turn(role: Role, held: Record) -> Turns:
    content = held.get("content")
    if type(content) is dict and content.get("type") == "function" and "function" in content:
        return ()  # some integrations log the definition of a tool as if the tool had said it
    field = next((key for key in _CONTENT if held.get(key) not in (None, "", [])), "content")
    content = held.get(field)
    if role is Role.USER and type(content) is list and content and all(_is_given(part) for part in content):
        role = Role.TOOL
    try:
        read = content_of(content, field)
    except Refused:
        if role in (Role.USER, Role.ASSISTANT):
            raise
        read = Content(None)
    text = read.text
    if not text and role is Role.ASSISTANT and (read.other_parts or _calls_tools(held)):
        text = None  # nothing was said beside the call
    return (Turn(role=role, text=text, message_id=_id(held), has_attachment=read.has_attachment),)


def _calls_tools(held: Record) -> bool:
    more = held.get("additional_kwargs")
    return any(of.get(key) for of in (held, more) if type(of) is dict for key in _CALLS)


def _is_given(part: Any) -> bool:
    """Whether a part is what a tool gave back, which providers send in the user's role."""
    if type(part) is not dict:
        return False
    kind = part.get("type")
    return (type(kind) is str and kind in _GIVEN) or (kind is None and any(key in part for key in _GIVEN_KEYS))


def _id(held: Record) -> str | None:
    try:
        return fields.optional_id(held, "id")
    except Refused:
        return None


def _pydantic(parts: list[Any], is_response: bool) -> Turns:
    turns: list[Turn] = []
    said: list[str] = []
    for part in parts:
        if type(part) is not dict:
            continue
        kind = part.get("part_kind") or part.get("kind")
        role = _PYDANTIC.get(kind) if type(kind) is str else None
        if is_response:
            said += [part["content"]] if role is Role.ASSISTANT and type(part.get("content")) is str else []
        elif role is not None:
            turns += _turn(role, {"content": part.get("content")})
        elif kind == "retry-prompt":  # written by the framework
            turns.append(Turn(role=Role.TOOL if part.get("tool_name") else Role.SYSTEM, text=None))
    if is_response:
        turns.append(Turn(role=Role.ASSISTANT, text="\n\n".join(said) if said else None))
    return tuple(turns)
