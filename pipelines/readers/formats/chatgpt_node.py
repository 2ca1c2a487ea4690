"""One node of a ChatGPT conversation: whose message it is, what the user saw of it, and how it ended."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pipelines.readers import fields
from pipelines.readers.content import Content, read_content
from pipelines.readers.fields import Record, Refused
from pipelines.readers.raw import Refusal
from pipelines.readers.times import Clock
from schemas.enums import Role, Status
from schemas.reasons import Reason

_ROLES = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
_REASONING = frozenset({"thoughts", "reasoning_recap"})
_INJECTED = frozenset({"user_editable_context", "model_editable_context"})
_TEXT_KEYS = {
    "code": ("text",),
    "execution_output": ("text",),
    "system_error": ("text",),
    "tether_quote": ("text",),
    "tether_browsing_display": ("result", "summary"),
    "user_editable_context": ("user_profile", "user_instructions"),
    "model_editable_context": ("model_set_context",),
}
_FAILED = frozenset({"failed", "error", "errored", "finished_error", "finished_with_error"})
_INTERRUPTED = frozenset({"interrupted", "user_interrupted", "client_stopped", "cancelled", "canceled"})
_CUT = frozenset({"max_tokens", "max_length", "length", "content_filter"})
_CUT_STATUS = frozenset({"finished_partial_completion", "incomplete"})
_LONGEST_WORD = 64


@dataclass(slots=True)
class Piece:
    """What one node came to.

    Attributes:
        message_id: Its id.
        role: Whose message it is, as the user saw it: injected text is `system`, what was said to a tool is `tool`.
        text: Its text.
        has_attachment: An image, a file or a recording came with it.
        at: When it was made.
        status: How it ended, as far as the node itself says.
        unfinished: It says that it is still being written, which an export says of a broken off reply for good.
        model: Which model made it.
        kept: It is a message, and not a placeholder or a thought.
        spoken_by_model: It is the assistant's, shown or not.
        faults: Parts of it that could not be taken.
        flags: What is to be known about it.
    """

    message_id: str
    role: Role
    text: str | None
    has_attachment: bool
    at: datetime | None
    status: Status
    unfinished: bool
    model: str | None
    kept: bool
    spoken_by_model: bool
    faults: list[Refusal] = field(default_factory=list)
    flags: tuple[str, ...] = ()

    @property
    def shown(self) -> bool:
        """Whether the user saw it as a turn of the conversation."""
        return self.kept and self.role in (Role.USER, Role.ASSISTANT)


def read_node(key: str, message: Record, clock: Clock) -> Piece | None:
    """Read the message of a node.

    Args:
        key: The key of the node, which stands for the id where the message has none.
        message: The message.
        clock: Reads the times of this source.

    Returns:
        The message; None where it is a placeholder of a role that says nothing.

    Raises:
        Refused: Its author, its id or its content cannot be taken.
    """
    faults: list[Refusal] = []
    metadata = _object(message, "metadata", faults)
    kind, content = _content(message)
    author = _role(message)
    if author is None:
        if content.text is None or not content.text.strip():
            return None
        raise Refused(Reason.UNKNOWN_VALUE, "author.role")
    hidden = _hidden(message, metadata, kind)
    role = author
    if author is Role.USER and hidden:
        role = Role.SYSTEM
    elif author is Role.ASSISTANT and (hidden or kind in _REASONING or message.get("recipient") not in (None, "all")):
        role = Role.TOOL
    elif author is Role.TOOL and not hidden and _drew(message):
        role = Role.ASSISTANT  # a picture that a tool drew is the reply
    worded = content.text is not None and bool(content.text.strip())
    status, unfinished = _status(message, metadata, kind)
    return Piece(
        message_id=_id(key, message),
        role=role,
        text=content.text,
        has_attachment=content.has_attachment or bool(_list(metadata, "attachments")),
        at=_time(message, clock, faults),
        status=status if author is not Role.USER else Status.OK,
        unfinished=unfinished and author is Role.ASSISTANT,
        model=_word(metadata, "model_slug") if author is not Role.USER else None,
        kept=kind not in _REASONING and (role in (Role.USER, Role.ASSISTANT) or worded or content.has_attachment),
        spoken_by_model=author is Role.ASSISTANT or role is Role.ASSISTANT,
        faults=faults,
        flags=("code",) if kind == "code" else (),
    )


def _role(message: Record) -> Role | None:
    author = message.get("author")
    if type(author) is dict and author.get("role") is not None:
        value, where = author["role"], "author.role"
    elif author is not None and type(author) is not dict:
        value, where = author, "author"
    else:
        value, where = message.get("role"), "author"
    if value is None:
        raise Refused(Reason.MISSING_KEY, where)
    if type(value) is not str:
        raise Refused(Reason.WRONG_TYPE, where)
    return _ROLES.get(value.lower())


def _id(key: str, message: Record) -> str:
    try:
        return fields.need_id(message, "id")
    except Refused:
        return fields.need_id({"id": key}, "id")


def _content(message: Record) -> tuple[str, Content]:
    """Kind and content. Parts that are there and empty are an empty text; parts that are not there are none."""
    content = message.get("content")
    if type(content) is not dict:
        return "text", read_content(content)
    kind = content.get("content_type")
    kind = kind if type(kind) is str else "text"
    if kind in _REASONING:
        return kind, Content(None, other_parts=1)
    if kind in _TEXT_KEYS:
        texts = [value for key in _TEXT_KEYS[kind] if type(value := content.get(key)) is str]
        if texts:
            return kind, Content("\n\n".join(t for t in texts if t))
    parts = content.get("parts")
    if parts is None:
        value = content.get("text")
        return kind, Content(value) if type(value) is str else Content(None)
    read = read_content(parts, "content.parts")
    return kind, Content("") if parts == [] else read


def _hidden(message: Record, metadata: Record, kind: str) -> bool:
    weight = message.get("weight")
    return (
        kind in _INJECTED
        or metadata.get("is_visually_hidden_from_conversation") is True
        or metadata.get("is_user_system_message") is True
        or (type(weight) in (int, float) and weight == 0)
        or message.get("channel") == "analysis"
    )


def _drew(message: Record) -> bool:
    content = message.get("content")
    for part in _list(content, "parts") if type(content) is dict else ():
        if type(part) is dict and part.get("content_type") == "image_asset_pointer":
            made = part.get("metadata")
            if type(made) is dict and (made.get("dalle") is not None or made.get("generation") is not None):
                return True
    return False


def _status(message: Record, metadata: Record, kind: str) -> tuple[Status, bool]:
    """How it ended, and whether it says that it has not ended."""
    details = metadata.get("finish_details")
    ended = (_word(details, "type") if type(details) is dict else _word(metadata, "finish_details")) or ""
    status = _word(message, "status") or ""
    if status in _FAILED or kind == "system_error" or metadata.get("is_error") is True:
        return Status.ERROR, False
    if ended in _INTERRUPTED:
        return Status.STOPPED, False
    if ended in _CUT or status in _CUT_STATUS:
        return Status.PARTIAL, False
    if status == "in_progress" and not ended:
        # A task that works in the background goes on without the user, who has stopped nothing.
        away = any(type(key) is str and key.startswith("async_task") for key in metadata)
        return (Status.PARTIAL, False) if away else (Status.OK, True)
    return Status.OK, False


def _time(message: Record, clock: Clock, faults: list[Refusal]) -> datetime | None:
    try:
        return fields.time(message, "create_time", clock)
    except Refused as refused:
        faults.append(refused.refusal())
        return None


def _object(r: Record, key: str, faults: list[Refusal]) -> Record:
    try:
        return fields.optional_object(r, key)
    except Refused as refused:
        faults.append(refused.refusal())
        return {}


def _list(r: Record, key: str) -> list[Any]:
    value = r.get(key)
    return value if type(value) is list else []


def _word(r: Record, key: str) -> str | None:
    try:
        value = fields.optional_id(r, key)
    except Refused:
        return None
    return value if value is not None and len(value) <= _LONGEST_WORD else None
