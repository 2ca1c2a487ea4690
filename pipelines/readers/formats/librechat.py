"""LibreChat: exports of its collection of messages, and exported conversations, flat or as a tree."""

from collections.abc import Iterator
from typing import Any

from pipelines.readers import fields
from pipelines.readers.content import Content, read_content
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.items import Item
from pipelines.readers.parts import each, numbered
from pipelines.readers.sources import ReplyTime
from pipelines.readers.votes import vote
from pipelines.readers.wrapped import unwrapped
from schemas.enums import Role, Signal, Status
from schemas.flags import Flag
from schemas.reasons import Reason
from schemas.records import Event, Message

_NO_PARENT = "00000000-0000-0000-0000-000000000000"
_TREES = ("messagesTree", "messages", "children")
_CUT_SHORT = frozenset({"length", "max_tokens", "incomplete"})
_LONGEST_PLACE = 120
_FILE_PARTS = frozenset({"image_file", "image_url", "video_url", "input_audio"})


def _recognise(glimpse: Glimpse) -> str | None:
    for record in glimpse.records:
        for r in record[:20] if type(record) is list else [record]:
            if type(r) is not dict:
                continue
            if "messageId" in r and r.keys() & {"isCreatedByUser", "parentMessageId"}:
                return "records hold `messageId` and `parentMessageId`"
            if "conversationId" not in r:
                continue
            if r.keys() & {"messagesTree", "exportAt"}:
                return "a conversation with `conversationId`, as it is exported"
            inside = r.get("messages")
            if type(inside) is list and any(type(m) is dict and "messageId" in m for m in inside[:20]):
                return "a conversation with `conversationId` and `messages` that hold `messageId`"
    return None


def _reader(context: Context) -> Reader:
    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        found: Iterator[tuple[str, Any]]
        if type(record) is list:
            found = (part for place, element in numbered(record) for part in _messages(place, element))
        elif type(record) is dict:
            found = _messages("", record)
        else:
            raise Refused(Reason.NOT_AN_OBJECT)
        yield from each(found, lambda message: _items(message, context, flags))

    return read


def _messages(where: str, record: Any) -> Iterator[tuple[str, Any]]:
    """All messages below a record, parents first, each with its conversation and its parent where it names none.

    A tree of answers can be as deep as its conversation is long, so it is walked without recursion.
    """
    waiting: list[tuple[str, Any, Any, Any]] = [(where, record, None, None)]
    while waiting:
        where, r, conversation, parent = waiting.pop()
        if type(r) is not dict:
            if not _is_reference(r):
                yield where, r
            continue
        r = unwrapped(r)
        if _is_reference(r):
            continue
        conversation = r.get("conversationId") or conversation
        is_message = "messageId" in r and not r.keys() & {"messagesTree", "exportAt"}
        if is_message or not any(type(r.get(key)) is list for key in _TREES):
            named = {"conversationId": conversation, "parentMessageId": r.get("parentMessageId") or parent}
            yield where, {**r, **{k: v for k, v in named.items() if v is not None}}
            parent = r.get("messageId")
        inside = [
            (_below(where, place), child, conversation, parent)
            for key in _TREES
            if type(r.get(key)) is list
            for place, child in numbered(r[key], key)
        ]
        waiting += reversed(inside)


def _below(where: str, place: str) -> str:
    """The place of a part within a part; in a deep tree it is named by the part that still had a short place."""
    return place if not where else f"{where}.{place}" if len(where) < _LONGEST_PLACE else where


def _is_reference(value: Any) -> bool:
    """Whether this is the id of a message that stands in another file, as in the collection of conversations."""
    return type(value) is str or (type(value) is dict and value.keys() == {"$oid"})


def _items(r: Any, context: Context, flags: tuple[str, ...]) -> Iterator[Item]:
    fields.as_object(r, "message")
    if "messageId" not in r and r.keys() & {"endpoint", "title", "exportAt"}:
        return  # a conversation of which only its settings are there
    message = _message(r, context, flags)
    yield message
    if r.get("feedback"):
        yield from each([("feedback", r["feedback"])], lambda feedback: _vote(feedback, r, message, context))


def _message(r: Record, context: Context, flags: tuple[str, ...]) -> Message:
    role = _role(r)
    content, failed = _content(r)
    stored = fields.time(r, "createdAt", context.clock) or fields.time(r, "updatedAt", context.clock)
    begins = role is Role.USER or context.source.reply_time is ReplyTime.FIRST_TOKEN
    parent = fields.optional_id(r, "parentMessageId")
    return Message(
        source=context.name,
        conversation_id=fields.need_id(r, "conversationId"),
        message_id=fields.need_id(r, "messageId"),
        parent_id=None if parent == _NO_PARENT else parent,
        role=role,
        content=content.text,
        created_at=stored if begins else None,
        completed_at=None if begins else stored,
        status=_status(r, failed) if role is Role.ASSISTANT else Status.OK,
        user_id=fields.optional_any_id(r, "user"),
        model=fields.optional_id(r, "model") if role is Role.ASSISTANT else None,
        has_attachment=content.has_attachment or any(fields.optional_list(r, k) for k in ("files", "attachments")),
        flags=flags,
    )


def _role(r: Record) -> Role:
    if r.get("isCreatedByUser") is None:
        sender = fields.text(r, "sender")
        if sender is None:
            raise Refused(Reason.MISSING_KEY, "isCreatedByUser")
        return Role.USER if sender.casefold() == "user" else Role.ASSISTANT
    return Role.USER if fields.boolean(r, "isCreatedByUser") else Role.ASSISTANT


def _content(r: Record) -> tuple[Content, bool]:
    """What a message holds, and whether a part of it says that answering failed."""
    parts = r.get("content")
    if type(parts) is not list or not parts:
        return read_content(r.get("text"), "text"), False
    kinds = [part.get("type") for part in parts if type(part) is dict]
    content = read_content(parts)
    files = content.has_attachment or any(type(kind) is str and kind in _FILE_PARTS for kind in kinds)
    text = content.text or fields.text(r, "text") or content.text
    return Content(text, files, content.other_parts), "error" in kinds


def _status(r: Record, failed: bool) -> Status:
    if failed or r.get("error"):
        return Status.ERROR
    if r.get("unfinished"):
        return Status.STOPPED
    ending = r.get("finish_reason")
    return Status.PARTIAL if type(ending) is str and ending in _CUT_SHORT else Status.OK


def _vote(given: Any, r: Record, message: Message, context: Context) -> Iterator[Item]:
    feedback = {"rating": given} if type(given) is str else fields.as_object(given, "")
    kind = vote(feedback.get("rating"), context.source.votes)
    if kind is None:
        return
    # A vote is kept inside its message: the message's last change is that of the vote, or a later one.
    changed = fields.time(r, "updatedAt", context.clock)
    at = changed or message.created_at or message.completed_at
    if at is None:
        raise Refused(Reason.MISSING_KEY, "updatedAt")
    yield Event(
        source=context.name,
        conversation_id=message.conversation_id,
        message_id=message.message_id,
        event=kind,
        at=at,
        user_id=message.user_id,
        text=fields.text(feedback, "text") or None,
        flags=message.flags if changed else (*message.flags, Flag.TIME_INFERRED.value),
    )


LIBRECHAT = Format(
    name="librechat",
    title="LibreChat",
    seen="0.5 to 0.8: collection `messages` (array, lines, mongoexport), exported conversations (flat and recursive)",
    shapes=frozenset({Shape.DOCUMENT, Shape.LINES}),
    recognise=_recognise,
    reader=_reader,
    user_time="sent: `createdAt`, when it was stored, which is when it arrived",
    reply_time="stored: `createdAt`, once the reply was whole",
    conversation="`conversationId`",
    finds={
        **TEXT_SIGNALS,
        Signal.DISMISS: "text, `unfinished`",
        Signal.DISLIKE: "`feedback.rating`",
    },
    notes=(
        "`unfinished` is read as stopped by the user; a lost connection leaves the same mark.",
        "A vote has no time of its own: it is placed at `updatedAt`, the last change of its message.",
        "A reply has one time, so what was skimmed cannot be measured.",
        "No file says which branch was shown last, so the newest is taken for it.",
        "An export as CSV names no conversation and is not read.",
    ),
)
