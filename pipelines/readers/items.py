"""What readers make of a record: native records, or the pieces that a conversation is put together from later.

All of it is raw text, and stays in the readers until it has passed the door.
"""

from datetime import datetime

import msgspec

from pipelines.readers.raw import Refusal
from schemas.enums import EventKind, Role, Status
from schemas.records import Event, Message


class Turn(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One message in the input or output of a logged model call.

    Attributes:
        role: Whose it is; text that an application injects is `system`.
        text: None where it was not captured, or where the turn holds no text (a tool call, an image).
        message_id: The source's own id, where it has one.
        has_attachment: An image or a file came with it.
        flags: What was mended in it.
    """

    role: Role
    text: str | None
    message_id: str | None = None
    has_attachment: bool = False
    flags: tuple[str, ...] = ()


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One logged call of a model or an application: what went in, what came out. A conversation is made of several.

    Attributes:
        source: Product or application.
        conversation_id: The conversation, session or thread that it names; None where only others of its trace do.
        trace_id: What groups the calls that one request of a user set off; None where the source has no such id.
        call_id: Id of the call (span, run, request), unique within the source.
        parent_id: The call inside which this one was made; None at the root.
        user_id: Whose it is.
        model: Which model answered.
        started_at: When the input went in.
        first_token_at: When the first token came out.
        ended_at: When the last token came out.
        input: The history that was sent, the request last. None where it was not captured.
        output: What came back. None where it was not captured; empty where nothing came.
        status: How it ended.
        whole: Whether this call stands for the trace as a whole (a root span, a trace's own input and output), so that
            the calls inside it are steps towards its output.
        output_id: The source's own id of the reply, where it has one.
    """

    source: str
    conversation_id: str | None
    trace_id: str | None
    call_id: str
    parent_id: str | None = None
    user_id: str | None = None
    model: str | None = None
    started_at: datetime | None = None
    first_token_at: datetime | None = None
    ended_at: datetime | None = None
    input: tuple[Turn, ...] | None
    output: tuple[Turn, ...] | None
    status: Status = Status.OK
    whole: bool = False
    output_id: str | None = None


class Remark(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Feedback about a call or a trace, which may stand in another file, or arrive on another day, than the call.

    Attributes:
        source: Product or application.
        conversation_id: Where it names one.
        trace_id: The trace that it is about.
        call_id: The call that it is about; None: the trace's reply.
        event: Vote or act.
        at: When.
        user_id: Whose.
        text: A comment.
    """

    source: str
    conversation_id: str | None = None
    trace_id: str | None = None
    call_id: str | None = None
    event: EventKind
    at: datetime
    user_id: str | None = None
    text: str | None = None


Item = Message | Event | Call | Remark | Refusal


def keys_of(item: Message | Event | Call | Remark) -> tuple[bytes, ...]:
    """What must not be divided: items that share a key are worked on together.

    Conversations are keyed without their source, as in the native format; a key of a trace or a call is prefixed with
    a control character, which no id holds.
    """
    keys = []
    if item.conversation_id is not None:
        keys.append(item.conversation_id.encode())
    if isinstance(item, Call | Remark):
        keys += [b"\x1ft" + item.trace_id.encode()] if item.trace_id is not None else []
        keys += [b"\x1fc" + item.call_id.encode()] if item.call_id is not None else []
    if isinstance(item, Call) and item.trace_id is None:
        keys += [b"\x1fc" + item.parent_id.encode()] if item.parent_id is not None else []
        if item.conversation_id is None and item.user_id is not None:
            keys.append(b"\x1fu" + item.user_id.encode())
    elif isinstance(item, Event) and not keys and item.message_id is not None:
        keys.append(b"\x1fm" + item.message_id.encode())
    elif isinstance(item, Message) and not keys and item.user_id is not None:
        keys.append(b"\x1fu" + item.user_id.encode())
    return tuple(keys)
