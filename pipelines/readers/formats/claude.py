"""The data export of Claude: conversations with their messages in a list, linked by parents in newer exports."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pipelines.readers import fields
from pipelines.readers.content import Content, read_content
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.items import Item
from pipelines.readers.raw import Refusal
from pipelines.readers.sources import ReplyTime
from pipelines.readers.trees import newest_leaf, numbered, reachable, upwards
from schemas.enums import Role, Signal, Status
from schemas.flags import Flag
from schemas.reasons import Reason
from schemas.records import Message

_ROLES = {"human": Role.USER, "user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
_NO_PARENT = frozenset({"00000000-0000-4000-8000-000000000000", "00000000-0000-0000-0000-000000000000"})
_ENDS = {
    "user_canceled": Status.STOPPED,
    "user_cancelled": Status.STOPPED,
    "cancelled": Status.STOPPED,
    "interrupted": Status.STOPPED,
    "max_tokens": Status.PARTIAL,
    "message_limit": Status.PARTIAL,
    "model_context_window_exceeded": Status.PARTIAL,
    "error": Status.ERROR,
}
# Blocks that hold nothing of what was said. Where a message has only such, its `text` is a stand-in for them.
_UNSAID = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "token_budget", "flag", "knowledge"})


@dataclass(slots=True)
class _Turn:
    message_id: str
    role: Role
    content: Content
    parent: str | None
    created_at: datetime | None
    completed_at: datetime | None
    status: Status
    has_attachment: bool

    @property
    def at(self) -> datetime | None:
        return self.completed_at or self.created_at


def _recognise(glimpse: Glimpse) -> str | None:
    if any(type(r) is dict and type(r.get("chat_messages")) is list for r in glimpse.records):
        return "records hold `chat_messages`"
    return None


def _reader(context: Context) -> Reader:
    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        if type(record) is not dict:
            raise Refused(Reason.NOT_AN_OBJECT)
        yield from _conversation(record, flags, context)

    return read


def _conversation(record: Record, flags: tuple[str, ...], context: Context) -> Iterator[Item]:
    conversation = fields.need_id(record, "uuid")
    found: list[_Turn | Refusal] = []
    for place, message in enumerate(fields.need_list(record, "chat_messages")):
        inside = f"chat_messages[{place}]"
        try:
            faults: list[Refusal] = []
            found.append(_turn(fields.as_object(message, ""), context, faults))
            found += [Refusal(f.reason, f"{inside}.{f.field}") for f in faults]
        except Refused as refused:
            found.append(refused.refusal(inside))
    turns = {t.message_id: t for t in found if isinstance(t, _Turn)}
    parents = _parents(turns)
    tree = reachable(parents)
    leaf, inferred = _leaf(record, tree, turns)
    linear = all(parent is None for parent in tree.values())
    active = set(tree) if linear else set(upwards(tree, leaf))
    numbers = {key: n for n, key in enumerate(turns)} if linear else numbered(tree, active)
    timed = all(turn.created_at is not None for turn in turns.values())
    user = _account(record)
    for place, item in enumerate(found):
        if isinstance(item, Refusal):
            yield item
        elif item.message_id not in tree:
            yield Refusal(Reason.BROKEN_TREE, f"chat_messages[{place}].parent_message_uuid")
        else:
            off = () if item.message_id in active else (Flag.OFF_BRANCH.value,)
            yield Message(
                source=context.name,
                conversation_id=conversation,
                message_id=item.message_id,
                parent_id=tree[item.message_id],
                seq=None if timed else numbers[item.message_id],
                role=item.role,
                content=item.content.text,
                created_at=item.created_at,
                completed_at=item.completed_at,
                status=item.status,
                user_id=user,
                model=_model(record) if item.role is Role.ASSISTANT else None,
                has_attachment=item.has_attachment,
                flags=flags + off + ((Flag.PATH_INFERRED.value,) if inferred else ()),
            )


def _turn(r: Record, context: Context, faults: list[Refusal]) -> _Turn:
    role = fields.member(r, "sender", _ROLES)
    content = _content(r, faults)
    created = _time(r, "created_at", context, faults)
    completed = None
    if role is Role.ASSISTANT:
        first, last = _streamed(r, context)
        if context.source.reply_time is ReplyTime.FIRST_TOKEN:
            created, completed = created or first, last
        else:
            created, completed = first, last or created
    ended = r.get("stop_reason")
    return _Turn(
        message_id=fields.need_id(r, "uuid"),
        role=role,
        content=content,
        parent=_parent(r),
        created_at=created,
        completed_at=completed,
        status=_ENDS.get(ended, Status.OK) if type(ended) is str and role is Role.ASSISTANT else Status.OK,
        has_attachment=content.has_attachment or any(_list(r, k) for k in ("attachments", "files", "files_v2")),
    )


def _content(r: Record, faults: list[Refusal]) -> Content:
    """The text of the blocks; of `text` where there are none that can be read, or where their kinds are not known."""
    blocks, text = r.get("content"), r.get("text")
    if type(blocks) is not list or not blocks:
        return read_content("" if text is None and blocks == [] else text, "text")
    try:
        read = read_content(blocks)
    except Refused as refused:
        if type(text) is not str:
            raise
        faults.append(refused.refusal())
        return Content(text)
    kinds = [block.get("type") if type(block) is dict else None for block in blocks]
    said = any(type(kind) is not str or kind not in _UNSAID for kind in kinds)
    if not read.text and type(text) is str and text and said:
        return Content(text, read.has_attachment, read.other_parts)
    return read


def _streamed(r: Record, context: Context) -> tuple[datetime | None, datetime | None]:
    """When the first and the last word of a reply came, where its blocks say so. What they say wrongly is no loss."""
    starts: list[datetime] = []
    stops: list[datetime] = []
    for block in _list(r, "content"):
        if type(block) is dict and block.get("type") == "text" and block.get("text"):
            for key, times in (("start_timestamp", starts), ("stop_timestamp", stops)):
                value = block.get(key)
                read = None if value is None else context.clock.read(value)
                times += [read] if isinstance(read, datetime) else []
    first, last = min(starts, default=None), max(stops, default=None)
    return (None, last) if first is not None and last is not None and first > last else (first, last)


def _parent(r: Record) -> str | None:
    value = r.get("parent_message_uuid")
    return value if type(value) is str and value not in _NO_PARENT else None


def _parents(turns: dict[str, _Turn]) -> dict[str, str | None]:
    """The parent of each message. Where none is a root, the one parent that all else hangs on is not in the export."""
    parents = {key: turn.parent for key, turn in turns.items()}
    absent = {parent for parent in parents.values() if parent not in turns}
    if None not in absent and len(absent) == 1:
        return {key: None if parent in absent else parent for key, parent in parents.items()}
    return parents


def _leaf(record: Record, tree: dict[str, str | None], turns: dict[str, _Turn]) -> tuple[str | None, bool]:
    """The end of the active path, and whether it had to be inferred: the export itself states none."""
    stated = record.get("current_leaf_message_uuid")
    if type(stated) is str and stated in tree:
        return stated, False
    parents = list(tree.values())
    branched = len(set(parents)) < len(parents) and any(parent is not None for parent in parents)
    return newest_leaf(tree, {key: turn.at for key, turn in turns.items() if key in tree}), branched


def _account(record: Record) -> str | None:
    account = record.get("account")
    try:
        return fields.optional_any_id(account, "uuid") if type(account) is dict else None
    except Refused:
        return None


def _model(record: Record) -> str | None:
    try:
        return fields.optional_id(record, "model")
    except Refused:
        return None


def _time(r: Record, key: str, context: Context, faults: list[Refusal]) -> datetime | None:
    try:
        return fields.time(r, key, context.clock)
    except Refused as refused:
        faults.append(refused.refusal())
        return None


def _list(r: Record, key: str) -> list[Any]:
    value = r.get(key)
    return value if type(value) is list else []


CLAUDE = Format(
    name="claude",
    title="Claude data export",
    seen="2024 to 2026",
    shapes=frozenset({Shape.DOCUMENT, Shape.LINES}),
    recognise=_recognise,
    reader=_reader,
    user_time="sent",
    reply_time="stored; first and last token where the text blocks say when they were streamed",
    conversation="`uuid`",
    finds={
        **TEXT_SIGNALS,
        Signal.REPEAT: "text; edits and regenerations are told apart by `parent_message_uuid`",
        Signal.DISMISS: "text; `stop_reason` where it is there, which the export leaves out",
        Signal.SKIM: "`start_timestamp` and `stop_timestamp` of the text blocks",
    },
    notes=(
        "The export holds no votes.",
        "Thoughts, tool calls and tool results in a reply are left out, and so is the text that stands in for them.",
        "The active path ends at the newest leaf; where there are branches, messages are flagged `path_inferred`.",
        "A message whose time is impossible is kept without it, and the time is refused.",
    ),
    companions=frozenset({"users.json", "projects.json", "memories.json", "manifest.json"}),
)
