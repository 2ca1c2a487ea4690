"""Chatwoot: bodies of webhooks, and lists of messages and conversations of its API."""

from collections.abc import Iterator
from typing import Any

from pipelines.readers import fields
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.items import Item
from pipelines.readers.parts import each, numbered
from schemas.enums import Role, Status
from schemas.reasons import Reason
from schemas.records import Message

_KINDS = {"incoming": Role.USER, "outgoing": Role.ASSISTANT, "activity": Role.SYSTEM, "template": Role.SYSTEM}
_NUMBERED = dict(enumerate(_KINDS.values()))
_OF_A_MESSAGE = {"content_type", "private", "content_attributes", "sender", "conversation", "inbox_id"}
_OF_A_CONVERSATION = {"inbox_id", "contact_inbox", "can_reply", "additional_attributes"}


def _recognise(glimpse: Glimpse) -> str | None:
    for record in glimpse.records:
        for r in _glimpsed(record):
            if _is_message(r) and r.keys() & _OF_A_MESSAGE:
                return "records hold `message_type` and `content` as webhooks do"
            inside = r.get("messages")
            if type(inside) is list and r.keys() & _OF_A_CONVERSATION and any(_is_message(m) for m in inside[:20]):
                return "a conversation with `messages` that hold `message_type`"
    return None


def _glimpsed(record: Any) -> list[Record]:
    found = [part for _, part in _rows(record)][:20]
    return [r for r in found if type(r) is dict]


def _is_message(r: Any) -> bool:
    if type(r) is not dict or not r.keys() >= {"id", "content", "message_type"}:
        return False
    kind = r["message_type"]
    return (type(kind) is str and kind in _KINDS) or (type(kind) is int and kind in _NUMBERED)


def _rows(record: Any) -> Iterator[tuple[str, Any]]:
    """The parts of a record: of a list, of a page of the API, or the one body that it is."""
    if type(record) is list:
        yield from numbered(record)
        return
    for outer in ("data", ""):
        page = record.get(outer) if type(record) is dict and outer else record
        if type(page) is dict and type(page.get("payload")) is list:
            yield from numbered(page["payload"], f"{outer}.payload".lstrip("."))
            return
    yield "", record


def _reader(context: Context) -> Reader:
    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        def items(part: Any) -> Iterator[Item]:
            r = fields.as_object(part, "payload")
            if "message_type" in r:
                yield from _messages(r, {}, context, flags)
            elif type(r.get("messages")) is list:
                about = {"conversation": r, "account": r.get("account"), "account_id": r.get("account_id")}
                yield from each(numbered(r["messages"], "messages"), lambda m: _messages(m, about, context, flags))
            elif "event" not in r and not r.keys() & _OF_A_CONVERSATION:
                raise Refused(Reason.MISSING_KEY, "message_type")

        yield from each(_rows(record), items)

    return read


def _messages(given: Any, about: Record, context: Context, flags: tuple[str, ...]) -> Iterator[Item]:
    r = {**about, **{k: v for k, v in fields.as_object(given, "").items() if v is not None}}
    if r.get("private") is True:
        return  # a note among the staff, which the user never saw
    role = _role(r)
    sent = fields.time(r, "created_at", context.clock)
    attributes = r.get("content_attributes")
    deleted = type(attributes) is dict and attributes.get("deleted") is True
    reply = role is Role.ASSISTANT
    yield Message(
        source=context.name,
        conversation_id=_conversation(r),
        message_id=fields.any_id(r, "id"),
        role=role,
        content=None if deleted else fields.text(r, "content"),
        created_at=sent,
        completed_at=sent if reply else None,
        status=Status.ERROR if reply and r.get("status") in ("failed", 3) else Status.OK,
        user_id=_contact(r, role),
        has_attachment=bool(fields.optional_list(r, "attachments")),
        flags=flags,
    )


def _role(r: Record) -> Role:
    kind = r.get("message_type")
    if type(kind) is int:
        if kind not in _NUMBERED:
            raise Refused(Reason.UNKNOWN_VALUE, "message_type")
        return _NUMBERED[kind]
    return fields.member(r, "message_type", _KINDS)


def _conversation(r: Record) -> str:
    """The number that an account knows a conversation by, with the account's, since each counts from one."""
    conversation = r.get("conversation")
    inside: Record = conversation if type(conversation) is dict else {}
    shown = next((key for key in ("display_id", "id") if inside.get(key) is not None), None)
    number = fields.any_id(r, "conversation_id") if shown is None else fields.any_id(inside, shown)
    account = r.get("account")
    if type(account) is dict and account.get("id") is not None:
        return f"{fields.any_id(account, 'id')}:{number}"
    of = fields.optional_any_id(r, "account_id") or fields.optional_any_id(inside, "account_id")
    return number if of is None else f"{of}:{number}"


def _contact(r: Record, role: Role) -> str | None:
    """Whose conversation it is, wherever the version keeps it."""
    conversation = r.get("conversation")
    inside: Record = conversation if type(conversation) is dict else {}
    for holder, keys, name in (
        (r, ("contact",), "id"),
        (inside, ("contact_inbox",), "contact_id"),
        (inside, ("meta", "sender"), "id"),
        (r, ("sender",) if role is Role.USER else ("",), "id"),
    ):
        at: Any = holder
        for key in keys:
            at = at.get(key) if type(at) is dict else None
        if type(at) is dict and at.get(name) is not None:
            return fields.any_id(at, name)
    return None


CHATWOOT = Format(
    name="chatwoot",
    title="Chatwoot",
    seen="1.x to 4.x: webhook bodies (`message_created`, `message_updated`, conversations), lists of the API",
    shapes=frozenset({Shape.DOCUMENT, Shape.LINES}),
    recognise=_recognise,
    reader=_reader,
    user_time="sent: `created_at`",
    reply_time="both: `created_at`, since a message is shown whole",
    conversation="`account.id` and `conversation.id`",
    finds=TEXT_SIGNALS,
    notes=(
        "A message has one time, so what was skimmed cannot be measured.",
        "Replies of people and of bots are both the assistant's side.",
        "Greetings that are sent by template, and notes of what was done to a conversation, are kept as `system`.",
        "Private notes among the staff are left out.",
        "Satisfaction surveys are about a conversation and on a scale of 1 to 5, and are not read as votes.",
    ),
)
