"""A logged call of the OpenAI APIs: what was sent, what came back, when and by whom, as several gateways write it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from pipelines.readers import fields
from pipelines.readers.assembly.logged import Keys
from pipelines.readers.chat import Turns
from pipelines.readers.dialogue import named
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import Context
from pipelines.readers.formats.openai_stream import streamed, unpacked
from pipelines.readers.formats.openai_times import times_of
from pipelines.readers.formats.openai_turns import asked, told
from pipelines.readers.items import Call, Item, Remark
from pipelines.readers.raw import Refusal
from pipelines.readers.votes import vote
from schemas.enums import Role, Status
from schemas.flags import Flag
from schemas.ids import content_id
from schemas.reasons import Reason

ASKS = ("messages", "input", "prompt")
_REQUESTS = ("request", "request_body", "req", "request_payload", "payload", "kwargs", "params")
_RESPONSES = (
    "response",
    "response_body",
    "res",
    "response_payload",
    "chunks",
    "stream",
    "events",
    "output",
    "completion",
)
_CONVERSATION = (
    "conversation_id", "conversationId", "conversation", "session_id", "sessionId", "litellm_session_id",
    "thread_id", "threadId", "chat_id", "chatId", "Helicone-Session-Id", "helicone-session-id",
)  # fmt: skip
_TRACE = ("trace_id", "traceId", "litellm_trace_id")
_USER = ("user", "safety_identifier", "user_id", "userId", "end_user", "request_user_id", "helicone_user")
_ELSEWHERE = ("embedding", "moderation", "image", "audio", "transcription", "speech", "rerank")
_UNIQUE = 20  # characters from which an id is not one that a server gives to everything


@dataclass(slots=True)
class _Parts:
    """A record, taken apart."""

    record: Record
    request: Record
    response: Any
    asked_at: str
    told_at: str
    refusals: list[Refusal] = field(default_factory=list)

    def refuse(self, refused: Refused, where: str) -> None:
        self.refusals.append(refused.refusal(where))

    @property
    def reply(self) -> Record:
        return self.response if type(self.response) is dict else {}

    @property
    def notes(self) -> list[Record]:
        """Where ids stand: the record, its request and response, and their metadata."""
        found: list[Any] = [self.record, self.request, self.reply]
        found += [m for r in found for k in ("metadata", "request_properties", "properties") for m in [r.get(k)]]
        return [f for f in found if type(f) is dict]


def body(value: Any) -> Any:
    """What a request or response says, out of what a gateway put around it."""
    value = unpacked(value)
    for _ in range(2):
        if type(value) is dict and value.get("body") is not None and not value.keys() & {"choices", "messages"}:
            value = unpacked(value["body"])
    return streamed(value) if type(value) is list else value


def taken_apart(record: Record) -> _Parts:
    """Find the request and the response in a record."""
    inside = record
    if type(record.get("body")) is dict and record["body"].keys() & {*ASKS, "choices"}:
        inside = {**record, **record["body"]}
    request, asked_at = inside, ""
    for key in _REQUESTS:
        found = body(record.get(key))
        if type(found) is dict and found.keys() & set(ASKS):
            request, asked_at = found, f"{key}."
            break
    if inside.get("choices") is not None or (request is not inside and type(inside.get("output")) is list):
        return _Parts(record, request, inside, asked_at, "")
    for key in _RESPONSES:
        if record.get(key) is not None and type(record[key]) is not bool:
            return _Parts(record, request, body(record[key]), asked_at, key)
    return _Parts(record, request, None, asked_at, "response")


def calls(record: Record, flags: tuple[str, ...], context: Context) -> Iterator[Item]:
    """Read one logged call.

    Args:
        record: What was logged of it.
        flags: What was mended in the record.
        context: The source and its clock.

    Yields:
        The call, feedback that stands beside it, and a refusal for each part that cannot be read.
    """
    parts = taken_apart(record)
    if _is_other(parts):
        return
    sent = asked(parts.request, parts.asked_at, parts.refuse)
    said, status = told(parts.response, parts.told_at, parts.refuse)
    if sent is None and said is None and status is Status.OK and not _failed(parts):
        raise Refused(Reason.MISSING_KEY, "messages")
    started, first, ended = times_of(parts.record, parts.request, parts.reply, context, parts.refuse)
    own = _own_id(parts)
    call = Call(
        source=context.name,
        conversation_id=_conversation(parts),
        trace_id=_first(parts, _TRACE),
        call_id=_call_id(own, parts, started),
        parent_id=named(parts.request, "previous_response_id") or named(parts.reply, "previous_response_id"),
        user_id=_first(parts, _USER),
        model=named(parts.reply, "model") or named(parts.request, "model") or named(parts.record, "model"),
        started_at=started,
        first_token_at=first,
        ended_at=ended,
        input=sent,
        output=said,
        status=Status.ERROR if _failed(parts) else status,
        output_id=_output_id(parts, own),
    )
    begun = None if call.conversation_id or call.trace_id or call.user_id or call.parent_id else _beginning(sent, said)
    if begun is not None:
        call = msgspec.structs.replace(call, conversation_id=content_id(call.source, *begun))
        flags = (*flags, Flag.ID_FROM_CONTENT.value)
    if flags:
        call = msgspec.structs.replace(call, input=_flagged(sent, flags), output=_flagged(said, flags))
    yield call
    yield from _feedback(parts, call, context)
    yield from parts.refusals


def _beginning(sent: Turns | None, said: Turns | None) -> tuple[str, str] | None:
    """The first request and the first reply, which all calls of a conversation have in common; None without both."""
    spoken = [t for t in (*(sent or ()), *(said or ())[:1]) if t.role in (Role.USER, Role.ASSISTANT) and t.text]
    asked_first = next((n for n, t in enumerate(spoken) if t.role is Role.USER), len(spoken))
    reply = next((t for t in spoken[asked_first:] if t.role is Role.ASSISTANT), None)
    keys = Keys()
    return None if reply is None else (keys.of(spoken[asked_first]), keys.of(reply))


def _flagged(turns: Turns | None, flags: tuple[str, ...]) -> Turns | None:
    return None if turns is None else tuple(msgspec.structs.replace(t, flags=(*t.flags, *flags)) for t in turns)


def _is_other(parts: _Parts) -> bool:
    """Whether the call is of no conversation: an embedding, a picture, a transcription."""
    if parts.reply.get("object") == "list" or "embedding" in parts.reply:
        return True
    named_as = [parts.record.get(k) for k in ("call_type", "url", "endpoint", "path", "request_path", "operation")]
    return any(type(n) is str and any(word in n for word in _ELSEWHERE) for n in named_as)


def _failed(parts: _Parts) -> bool:
    held = (parts.record, parts.reply)
    if any(r.get(k) for r in held for k in ("error", "error_str", "error_message", "exception")):
        return True
    if parts.record.get("status") in ("failure", "failed", "error"):
        return True
    around = parts.record.get("response")
    codes = [parts.record.get("response_status"), parts.record.get("status_code"), parts.record.get("status")]
    codes += [around.get(k) for k in ("status_code", "status")] if type(around) is dict else []
    return any(type(c) is int and c >= 400 for c in codes)


def _first(parts: _Parts, keys: tuple[str, ...]) -> str | None:
    return next((found for held in parts.notes if (found := named(held, *keys)) is not None), None)


def _conversation(parts: _Parts) -> str | None:
    for held in parts.notes:
        for key in _CONVERSATION:
            value = held.get(key)
            found = named(value, "id") if type(value) is dict else named(held, key)
            if found is not None:
                return found
    return None


def _own_id(parts: _Parts) -> str | None:
    """The id of the call: the gateway's, else that of the response; of a batch, the one that its request has too."""
    own = named(parts.record, "custom_id", "request_id", "call_id", "litellm_call_id")
    return own or named(parts.reply, "id") or named(parts.record, "id")


def _call_id(own: str | None, parts: _Parts, started: datetime | None) -> str:
    if own is not None and (len(own) >= _UNIQUE or "custom_id" in parts.record):
        return own
    at = None if started is None else started.isoformat()
    sent = [parts.request.get(k) for k in (*ASKS, "instructions")]
    return content_id(own, at, _json(sent), None if own else _json(parts.response))


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _output_id(parts: _Parts, own: str | None) -> str | None:
    """Another id of the reply: of the response, or of the message in it."""
    items = parts.reply.get("output")
    inside = (
        [named(i, "id") for i in items if type(i) is dict and i.get("type") == "message"] if type(items) is list else []
    )
    response = named(parts.reply, "id") or named(parts.record, "id", "response_id")
    return next((i for i in (response, *inside, own) if i is not None and (i != own or len(own) < _UNIQUE)), None)


def _feedback(parts: _Parts, call: Call, context: Context) -> Iterator[Item]:
    """A vote that the gateway exports with the request."""
    rating = parts.record.get("feedback_rating")
    try:
        event = vote(rating, context.source.votes, "feedback_rating")
        if event is None:
            return
        at = fields.need_time(parts.record, "feedback_created_at", context.clock)
    except Refused as refused:
        yield refused.refusal()
        return
    yield Remark(
        source=call.source,
        conversation_id=call.conversation_id,
        trace_id=call.trace_id,
        call_id=call.call_id,
        event=event,
        at=at,
        user_id=call.user_id,
    )
