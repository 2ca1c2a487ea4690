"""Open WebUI: exports of chats and of feedback, and the tables that they are made from."""

from collections.abc import Iterator
from typing import Any

from pipelines.readers import fields
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.formats.openwebui_chat import Chat, items_of_chat
from pipelines.readers.items import Item
from pipelines.readers.parts import each, numbered
from pipelines.readers.votes import vote
from pipelines.readers.wrapped import embedded_object
from schemas.enums import EventKind, Signal
from schemas.reasons import Reason
from schemas.records import Event


def _recognise(glimpse: Glimpse) -> str | None:
    if {"chat.chat", "chat.user_id", "chat.title"} <= set(glimpse.columns):
        return "a table `chat` with `chat`, `user_id` and `title`"
    for record in glimpse.records:
        for r in record[:20] if type(record) is list else [record]:
            if type(r) is not dict:
                continue
            if _is_feedback(r) and r.keys() & {"snapshot", "data"}:
                return "records hold a `meta` with `chat_id` or `message_id`, and `data` or a `snapshot`"
            if _is_history(r) or _is_history(r.get("chat")):
                return "records hold a `history` with `messages` and `currentId`"
            if "chat" in r and r.keys() >= {"user_id", "title", "updated_at"}:
                return "records hold a `chat` with its `user_id` and `title`"
    return None


def _is_history(chat: Any) -> bool:
    history = chat.get("history") if type(chat) is dict else None
    return type(history) is dict and type(history.get("messages")) is dict


def _is_feedback(r: Record) -> bool:
    try:
        meta = embedded_object(r, "meta")
    except Refused:
        return False
    return r.get("type") is not None and "chat" not in r and bool(meta.keys() & {"chat_id", "message_id"})


def _reader(context: Context) -> Reader:
    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        def items(r: Any) -> Iterator[Item]:
            fields.as_object(r, "chat")
            if _is_feedback(r):
                yield from _feedback(r, context, flags)
            else:
                yield from items_of_chat(_chat(r), context, flags)

        yield from each(numbered(record) if type(record) is list else [("", record)], items)

    return read


def _chat(r: Record) -> Chat:
    """A chat as it is exported: a row of the table with the chat inside it, or the chat alone."""
    inside = embedded_object(r, "chat") if "chat" in r else r
    return Chat(
        id=fields.any_id(r if r.get("id") is not None else inside, "id"),
        user=fields.optional_any_id(r, "user_id"),
        body=inside,
        times=(r.get("updated_at"), r.get("created_at"), inside.get("timestamp")),
        place="chat" if "chat" in r else "",
    )


def _feedback(r: Record, context: Context, flags: tuple[str, ...]) -> Iterator[Item]:
    """One user's vote on one reply, and the chat as it was when the vote was cast."""
    meta = embedded_object(r, "meta")
    chat, message = fields.optional_any_id(meta, "chat_id"), fields.optional_any_id(meta, "message_id")
    try:
        yield from _vote(r, chat, message, context, flags)
    except Refused as refused:
        yield refused.refusal()
    yield from each([("snapshot", r)], lambda _: _snapshot(r, chat, message, context, flags))


def _vote(r: Record, chat: str | None, message: str | None, context: Context, flags: tuple[str, ...]) -> Iterator[Item]:
    data = embedded_object(r, "data")
    # The scale of `details.rating` is 1 to 10 and asked for beside the vote: it is not the vote.
    kind = vote(data.get("rating"), context.source.votes, "data.rating", zero=EventKind.THUMBS_CLEAR)
    if kind is None:
        return
    if chat is None and message is None:
        raise Refused(Reason.MISSING_KEY, "meta.message_id")
    yield Event(
        source=context.name,
        conversation_id=chat,
        message_id=message,
        event=kind,
        at=fields.time(r, "updated_at", context.clock) or fields.need_time(r, "created_at", context.clock),
        user_id=fields.optional_any_id(r, "user_id"),
        text=_comment(data),
        flags=flags,
    )


def _comment(data: Record) -> str | None:
    comment = data.get("comment")
    return comment if type(comment) is str and comment else None


def _snapshot(
    r: Record, chat: str | None, message: str | None, context: Context, flags: tuple[str, ...]
) -> Iterator[Item]:
    snapshot = body = embedded_object(r, "snapshot")
    for _ in range(2):  # versions differ in how often they wrap the chat
        inside = body.get("chat")
        if type(inside) is dict and not _is_history(body):
            body = inside
    if not _is_history(body):
        return
    outer = snapshot.get("chat")
    owner: Record = outer if type(outer) is dict else {}
    named = chat or fields.any_id(owner if owner.get("id") is not None else body, "id")
    user = fields.optional_any_id(owner, "user_id") or fields.optional_any_id(r, "user_id")
    # What this record says of its message is the newer word than the snapshot's own.
    times = (r.get("created_at"), owner.get("updated_at"))
    yield from items_of_chat(Chat(named, user, body, times, "chat", voted=message), context, flags)


OPENWEBUI = Format(
    name="openwebui",
    title="Open WebUI",
    seen="0.1 to 0.6: exports of chats (one user's or all) and of feedback, rows of the tables `chat` and `feedback`",
    shapes=frozenset({Shape.DOCUMENT, Shape.LINES, Shape.ROWS, Shape.CSV, Shape.DATABASE}),
    queries={name: f"SELECT * FROM {name} ORDER BY id" for name in ("chat", "feedback")},  # noqa: S608 - constants
    recognise=_recognise,
    reader=_reader,
    user_time="sent: `timestamp`",
    reply_time="asked for: `timestamp`, shortly before the first token; last token where its usage tells the duration",
    conversation="`id` of the chat",
    finds={
        **TEXT_SIGNALS,
        Signal.DISMISS: "text",
        Signal.DISLIKE: "`data.rating` of feedback, `annotation.rating` of messages",
        Signal.SKIM: "`timestamp` and `total_duration`",
    },
    notes=(
        "`history.currentId` names the branch that was on screen; messages on others are marked `off_branch`.",
        "A feedback record repeats the chat that it is about; its messages have the same ids, so each counts once.",
        "An annotation has no time of its own: it is placed at its message, and is marked `time_inferred`.",
        "`details.rating` is a scale of 1 to 10 beside the vote, and is not read as one.",
        "An answer that the user stopped is kept like one that ended; `done: false` is one of which the end was lost.",
        "Reasoning and tool calls that stand inside the text of a reply as folded details are left out.",
    ),
)
