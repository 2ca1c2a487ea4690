"""One chat of Open WebUI: a tree of messages, the branch that was on screen, and votes inside the messages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pipelines.readers import fields
from pipelines.readers.content import read_content
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import Context
from pipelines.readers.items import Item
from pipelines.readers.parts import each, numbered
from pipelines.readers.sources import ReplyTime
from pipelines.readers.votes import vote
from schemas.enums import EventKind, Role, Status
from schemas.flags import Flag
from schemas.ids import content_id
from schemas.reasons import Reason
from schemas.records import Event, Message

_ROLES = {str(role): role for role in Role}
_FOLD = re.compile(r'<details (?:[^<>]{0,300} )?type="(?:reasoning|tool_calls|code_interpreter)"')
_UNFOLD = "</details>"
_LONGEST_NS = 86_400 * 10**9


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat, whatever it was wrapped in.

    Attributes:
        id: Its id.
        user: Whose it is.
        body: The object that holds `history` or `messages`.
        times: Times of the chat as a whole, the best one first, for votes inside messages that state none.
        place: Where `body` stands in the record.
        voted: A message whose vote is known from elsewhere, and newer.
    """

    id: str
    user: str | None
    body: Record
    times: tuple[Any, ...]
    place: str = ""
    voted: str | None = None


def items_of_chat(chat: Chat, context: Context, flags: tuple[str, ...]) -> Iterator[Item]:
    """The messages of a chat in the order of its export, and the votes inside them."""
    history = fields.optional_object(chat.body, "history")
    held = fields.optional_object(history, "messages")
    places = "history.messages"
    nodes = {key: node for key, node in held.items() if node is not None}
    found: list[tuple[str, str | None, Any]] = [(places, key, node) for key, node in nodes.items()]
    listed = fields.optional_list(chat.body, "messages")
    if not nodes:
        found = [(place, None, node) for place, node in _chained(chat, listed)]
    else:
        found += [(p, None, m) for p, m in numbered(listed, "messages") if _is_left_out(m, nodes)]
    active = _path(history.get("currentId"), nodes)
    looped = _loops(nodes)

    def items(part: tuple[str | None, Any]) -> Iterator[Item]:
        key, node = part
        if key in looped:
            raise Refused(Reason.BAD_ID, "parentId")
        r = fields.as_object(node, "")
        r = r if key is None else {**r, "id": key}
        branch: tuple[str, ...] = ()
        if nodes:
            branch = (Flag.PATH_INFERRED.value,) if not active else () if key in active else (Flag.OFF_BRANCH.value,)
        message = _message(r, chat, context, (*flags, *branch))
        yield message
        if r.get("annotation") and message.message_id != chat.voted:
            yield from each([("annotation", r["annotation"])], lambda a: _vote(a, chat, message, context, flags))

    prefix = f"{chat.place}." if chat.place else ""
    yield from each(((prefix + place, (key, node)) for place, key, node in found), items)


def _is_left_out(message: Any, nodes: Record) -> bool:
    """Whether the list of the path holds a message that the tree lacks."""
    named = message.get("id") if type(message) is dict else None
    return type(named) is str and named not in nodes


def _chained(chat: Chat, listed: list[Any]) -> Iterator[tuple[str, Any]]:
    """Messages of a chat that is a plain list. What has no id is named by what it says, and by how often before."""
    before: str | None = None
    seen: dict[str, int] = {}
    for n, (place, message) in enumerate(numbered(listed, "messages")):
        if type(message) is not dict:
            yield place, message
            continue
        named = message.get("id")
        if type(named) is not str:
            said = [message.get(key) for key in ("role", "content", "timestamp")]
            named = content_id(chat.id, *(str(s) if type(s) in (str, int, float) else None for s in said))
            seen[named] = seen.get(named, 0) + 1
            named = named if seen[named] == 1 else content_id(named, str(seen[named]))
        timeless = {} if message.get("timestamp") is not None else {"seq": n}
        yield place, {**message, "id": named, "parentId": message.get("parentId") or before, **timeless}
        before = named


def _path(current: Any, nodes: Record) -> set[str]:
    """The ids from the node on screen up to the root; empty where that node is not there, or is its own ancestor."""
    path: set[str] = set()
    while type(current) is str and current in nodes:
        if current in path:
            return set()
        path.add(current)
        current = _parent(nodes[current])
    return path


def _loops(nodes: Record) -> set[str]:
    """The ids of messages that are their own ancestors."""
    state: dict[str, str] = {}
    looped: set[str] = set()
    for start in nodes:
        walked, at = [], start
        while at in nodes and at not in state:
            state[at] = start
            walked.append(at)
            at = _parent(nodes[at]) or ""
        if at in nodes and state[at] == start:
            looped.update(walked[walked.index(at) :])
    return looped


def _parent(node: Any) -> str | None:
    parent = node.get("parentId") if type(node) is dict else None
    return parent if type(parent) is str else None


def _message(r: Record, chat: Chat, context: Context, flags: tuple[str, ...]) -> Message:
    role = fields.member(r, "role", _ROLES)
    content = read_content(r.get("content"))
    time = fields.time(r, "timestamp", context.clock)
    reply = role is Role.ASSISTANT
    ends = reply and context.source.reply_time in (ReplyTime.LAST_TOKEN, ReplyTime.STORED)
    return Message(
        source=context.name,
        conversation_id=chat.id,
        message_id=fields.any_id(r, "id"),
        parent_id=fields.optional_any_id(r, "parentId"),
        seq=r.get("seq") if time is None and type(r.get("seq")) is int else None,
        role=role,
        content=_spoken(content.text) if reply and content.text else content.text,
        created_at=None if ends else time,
        completed_at=time if ends else _end(r, time) if reply else None,
        status=_status(r) if reply else Status.OK,
        user_id=chat.user,
        model=fields.optional_id(r, "model") if reply else None,
        has_attachment=content.has_attachment or bool(fields.optional_list(r, "files")),
        flags=flags,
    )


def _status(r: Record) -> Status:
    if r.get("error"):
        return Status.ERROR
    return Status.PARTIAL if r.get("done") is False else Status.OK


def _end(r: Record, start: datetime | None) -> datetime | None:
    """When the reply was whole, from the duration in nanoseconds that some models report."""
    for key in ("info", "usage"):
        usage = r.get(key)
        lasted = usage.get("total_duration") if type(usage) is dict else None
        if start is not None and type(lasted) is int and 0 < lasted < _LONGEST_NS:
            return start + timedelta(microseconds=lasted // 1000)
    return None


def _spoken(text: str) -> str:
    """A reply without the reasoning and the tool calls that stand folded inside it."""
    kept, at = [], 0
    while fold := _FOLD.search(text, at):
        end = text.find(_UNFOLD, fold.end())
        if end < 0:
            break
        kept.append(text[at : fold.start()])
        at = end + len(_UNFOLD)
    return "".join([*kept, text[at:]]).strip() if at else text


def _vote(given: Any, chat: Chat, message: Message, context: Context, flags: tuple[str, ...]) -> Iterator[Item]:
    annotation = fields.as_object(given, "")
    kind = vote(annotation.get("rating"), context.source.votes, zero=EventKind.THUMBS_CLEAR)
    if kind is None:
        return
    at = message.completed_at or message.created_at
    if at is None:
        read = (context.clock.read(time) for time in chat.times if time is not None)
        at = next((time for time in read if isinstance(time, datetime)), None)
    if at is None:
        raise Refused(Reason.MISSING_KEY, "timestamp")
    yield Event(
        source=context.name,
        conversation_id=chat.id,
        message_id=message.message_id,
        event=kind,
        at=at,
        user_id=chat.user,
        text=fields.text(annotation, "comment") or None,
        flags=(*flags, Flag.TIME_INFERRED.value),
    )
