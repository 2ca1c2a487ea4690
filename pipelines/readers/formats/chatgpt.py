"""The data export of ChatGPT: conversations as trees, and the votes on their messages in a file of their own."""

from collections.abc import Iterator
from typing import Any

from pipelines.readers import fields
from pipelines.readers.decode import decode_json
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.formats.chatgpt_tree import conversation_items
from pipelines.readers.items import Item
from pipelines.readers.votes import vote
from schemas.enums import EventKind, Signal
from schemas.reasons import Reason
from schemas.records import Event

_VOTE_KEYS = frozenset(
    [
        "id",
        "conversation_id",
        "message_id",
        "user_id",
        "workspace_id",
        "rating",
        "create_time",
        "update_time",
        "content",
        "text",
        "tags",
        "comment",
        "storage_protocol",
        "evaluation_name",
        "evaluation_treatment",
    ]
)
_FILES = ("conversations.json", "message_feedback.json", "shared_conversations.json")


def _recognise(glimpse: Glimpse) -> str | None:
    records = [r for r in glimpse.records if type(r) is dict]
    if any(_is_conversation(r) for r in records):
        return "records hold a `mapping` of messages with parents"
    if any(_is_vote(r) for r in records):
        return "records hold a `rating` of a message in a `conversation_id`"
    if any(_is_share(r) for r in records):
        return "records say which `conversation_id` was shared, `is_anonymous` or not"
    if not glimpse.records and glimpse.name in _FILES:
        return "an empty file of the name that the export gives it"
    return None


def _is_conversation(r: Record) -> bool:
    mapping = r.get("mapping")
    nodes = mapping.values() if type(mapping) is dict else mapping if type(mapping) is list else ()
    if any(type(n) is dict and ("message" in n or "children" in n) for n in nodes):
        return True
    return not nodes and "mapping" in r and ("current_node" in r or "default_model_slug" in r)


def _is_vote(r: Record) -> bool:
    if "rating" not in r or "conversation_id" not in r or "id" not in r:
        return False
    return "storage_protocol" in r or r.keys() <= _VOTE_KEYS  # a row of some other table of messages holds more


def _is_share(r: Record) -> bool:
    return "is_anonymous" in r and "conversation_id" in r


def _reader(context: Context) -> Reader:
    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        if type(record) is not dict:
            raise Refused(Reason.NOT_AN_OBJECT)
        if "mapping" in record:
            yield from conversation_items(record, flags, context)
        elif "rating" in record:
            yield from _votes(record, flags, context)
        elif _is_share(record):
            yield from _shares(record, flags, context)
        else:
            raise Refused(Reason.MISSING_KEY, "mapping")

    return read


def _votes(r: Record, flags: tuple[str, ...], context: Context) -> Iterator[Item]:
    kind = vote(r["rating"], context.source.votes)
    if kind is None:
        return
    conversation = fields.optional_id(r, "conversation_id")
    # The export names the message by the id of the vote; some copies of it say `message_id` beside that.
    message = fields.optional_id(r, "message_id") or fields.optional_id(r, "id")
    if conversation is None and message is None:
        raise Refused(Reason.MISSING_KEY, "conversation_id")
    text, mended = _comment(r)
    yield Event(
        source=context.name,
        conversation_id=conversation,
        message_id=message,
        event=kind,
        at=fields.need_time(r, "create_time", context.clock),
        user_id=fields.text(r, "user_id"),
        text=text,
        flags=tuple(dict.fromkeys(flags + mended)),
    )


def _comment(r: Record) -> tuple[str | None, tuple[str, ...]]:
    """What the user wrote beside the vote. It is JSON in a string; what is not is the comment itself."""
    content = r.get("content")
    flags: tuple[str, ...] = ()
    if type(content) is str:
        try:
            decoded, flags = decode_json(content.encode("utf-8", "replace"))
        except Refused:
            return content or None, ()
        content = decoded if type(decoded) is dict else content
    if type(content) is str:
        return content or None, ()
    found: list[str] = []
    for holder in (content if type(content) is dict else {}, r):
        found += [value for key in ("text", "comment") if type(value := holder.get(key)) is str and value.strip()]
        tags = holder.get("tags")
        found += [", ".join(t for t in tags if type(t) is str and t.strip())] if type(tags) is list else []
    return "\n\n".join(part for part in found if part) or None, flags


def _shares(r: Record, flags: tuple[str, ...], context: Context) -> Iterator[Item]:
    at = fields.time(r, "create_time", context.clock)
    if at is None:  # without a time it cannot be told which reply was shared
        return
    yield Event(
        source=context.name,
        conversation_id=fields.need_id(r, "conversation_id"),
        event=EventKind.SHARE,
        at=at,
        flags=flags,
    )


CHATGPT = Format(
    name="chatgpt",
    title="ChatGPT data export",
    seen="2023 to 2026, in one file or in numbered ones",
    shapes=frozenset({Shape.DOCUMENT, Shape.LINES}),
    recognise=_recognise,
    reader=_reader,
    user_time="sent",
    reply_time="first token",
    conversation="`conversation_id`, or `id`; where an old export has neither, made from its first message",
    finds={
        **TEXT_SIGNALS,
        Signal.REPEAT: "text; edits and regenerations are told apart by the tree",
        Signal.DISMISS: "text; that a reply was stopped, without its time",
        Signal.DISLIKE: "`message_feedback.json`",
    },
    notes=(
        (
            "Tool calls, tool outputs and hidden or injected messages are kept as `tool` and `system`; thoughts and"
            " empty placeholders are left out."
        ),
        (
            "A message answers the nearest message above it that was shown, so that regenerated replies are siblings"
            " whatever was thought or looked up in between."
        ),
        (
            "Where `current_node` is missing, the newest leaf is the active one, and the messages are flagged"
            " `path_inferred`."
        ),
        "A reply that is for ever `in_progress` was stopped, unless the turn went on or a background task writes it.",
        "A reply has one time, so what was skimmed cannot be measured.",
        "Two replies that were offered side by side look like a regenerated one.",
        "A picture that a tool drew is the reply, without text.",
        "Feedback names its message by its own `id`; a vote of null is none.",
        "A message whose time is impossible is kept without it, and the time is refused.",
    ),
    companions=frozenset(
        {
            "user.json",
            "user_settings.json",
            "model_comparisons.json",
            "export_manifest.json",
            "library_files.json",
            "conversation_asset_file_names.json",
            "assets.json",
            "group_chats.json",
            "shopping.json",
            "sora.json",
            "tasks.json",
            "chat.html",
        }
    ),
)
