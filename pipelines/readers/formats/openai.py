"""Logs of requests to the OpenAI APIs and those that imitate them, and the conversations that models are tuned on."""

from collections.abc import Iterator
from typing import Any

from pipelines.readers.dialogue import Head, dialogue, named
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.formats.openai_calls import ASKS, calls, taken_apart
from pipelines.readers.items import Item
from pipelines.readers.raw import Refusal
from schemas.enums import Signal
from schemas.reasons import Reason

_ROLES = frozenset({"user", "assistant", "system", "developer", "tool", "function"})
_OBJECTS = frozenset({"chat.completion", "chat.completion.chunk", "text_completion", "response"})
_FOREIGN = frozenset({"kind", "mapping", "run_type", "messageId", "openai_moderation", "conversation_hash"})
# What says that a record was sent to a model, rather than written to tune one.
_SENT = frozenset(
    {"model", "temperature", "stream", "max_tokens", "max_completion_tokens", "request", "response", "choices",
     "request_id", "created", "usage", "error", "status", "body", "custom_id", "timestamp", "call_type"}
)  # fmt: skip
_IDS = ("conversation_id", "conversationId", "id", "session_id", "thread_id")


def _is_chat(value: Any) -> bool:
    """Whether a value is a list of messages with roles of this API."""
    if type(value) is not list:
        return False
    spoken = [m for m in value[:50] if type(m) is dict]
    return any(type(m.get("role")) is str and m["role"] in _ROLES and "content" in m for m in spoken) and not any(
        "messageId" in m or "from" in m for m in spoken
    )


def _is_request(value: Any) -> bool:
    if type(value) is not dict:
        return False
    return _is_chat(value.get("messages")) or (type(value.get("model")) is str and bool(value.keys() & set(ASKS)))


def _is_response(value: Any) -> bool:
    if type(value) is list:
        return any(_is_response(one) for one in value[:5])
    if type(value) is not dict:
        return False
    choices = value.get("choices")
    if type(choices) is list and any(type(c) is dict and c.keys() & {"message", "delta", "text"} for c in choices):
        return True
    return type(value.get("object")) is str and value["object"] in _OBJECTS


def _is_call(record: Any) -> str | None:
    if type(record) is not dict or not record.keys().isdisjoint(_FOREIGN):
        return None
    if "request_body" in record and record.keys() & {"response_body", "request_created_at"}:
        return "records hold a `request_body` and a `response_body`"
    if type(record.get("custom_id")) is str and (type(record.get("body")) is dict or "response" in record):
        return "lines of a batch with a `custom_id`"
    parts = taken_apart(record)
    asks, tells = _is_request(parts.request), _is_response(parts.response)
    if asks and (tells or parts.response is not None):
        return "records hold the `messages` that were sent, and what came back"
    if tells or (asks and parts.request is not record):
        return "records hold a request or a response of the API"
    if _is_chat(record.get("messages")):
        return "records hold `messages` with `role` and `content`"
    return None


def _recognise(glimpse: Glimpse) -> str | None:
    for record in glimpse.records:
        for one, _ in _records(record):
            why = _is_call(one)
            if why is not None:
                return why
    return None


def _records(record: Any) -> Iterator[tuple[Any, str]]:
    """The calls of a record: itself, or those of a list or a page of an export."""
    if type(record) is list:
        yield from ((one, f"[{n}]") for n, one in enumerate(record))
    elif type(record) is dict and type(record.get("data")) is list and not record.keys() & {*ASKS, "choices"}:
        yield from ((one, f"data[{n}]") for n, one in enumerate(record["data"]))
    else:
        yield record, ""


def _reader(context: Context) -> Reader:
    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        for one, where in _records(record):
            try:
                if type(one) is not dict:
                    raise Refused(Reason.NOT_AN_OBJECT)
                for item in _conversation(one, flags, context) if _is_written(one) else calls(one, flags, context):
                    yield _inside(item, where)
            except Refused as refused:
                if not where:
                    raise
                yield refused.refusal(where)

    return read


def _inside(item: Item, where: str) -> Item:
    if where and isinstance(item, Refusal):
        return Refusal(item.reason, f"{where}.{item.field}" if item.field else where)
    return item


def _is_written(record: Record) -> bool:
    """Whether a record is a conversation as a whole: messages that end with a reply, or that nothing says were sent."""
    turns = record.get("messages")
    if type(turns) is not list:
        return False
    if record.keys().isdisjoint(_SENT):
        return True
    parts = taken_apart(record)
    last = next((m.get("role") for m in reversed(turns) if type(m) is dict), None)
    return last == "assistant" and parts.response is None and parts.request is record and not record.get("error")


def _conversation(record: Record, flags: tuple[str, ...], context: Context) -> Iterator[Item]:
    head = Head(
        context.name,
        named(record, *_IDS),
        user_id=named(record, "user", "user_id"),
        model=named(record, "model"),
        flags=flags,
    )
    yield from dialogue(record["messages"], "messages", head)


OPENAI = Format(
    name="openai",
    title="OpenAI chat completions and responses",
    seen="chat completions, completions and responses to 2026, streams, batches, LiteLLM's standard logging payload,"
    " Helicone's exports, files to tune models on",
    shapes=frozenset({Shape.LINES, Shape.DOCUMENT, Shape.ROWS}),
    recognise=_recognise,
    reader=_reader,
    user_time="sent: the time of the request where it is logged, else `created`, the second in which the answer began",
    reply_time="first and last token where a gateway logs them; `created` is neither",
    conversation="`conversation`, `conversation_id`, `session_id`, `thread_id` or `chat_id`, also in `metadata`; else"
    " the responses that `previous_response_id` chains, the trace, the user's stream, or its first request and reply",
    finds={
        **TEXT_SIGNALS,
        Signal.DISLIKE: "`feedback_rating` of Helicone's exports",
        Signal.SKIM: "`completionStartTime` and `endTime`, and their like; none from `created` alone",
    },
    notes=(
        "Calls without any id are put together by their first request and reply, and flagged `id_from_content`.",
        "Of several choices the first is on the branch.",
        "A time of the log line (`timestamp`) is taken for the request's unless `reply_time` is declared.",
        "Lines of a batch are joined by `custom_id`.",
        "A file to tune on holds a conversation a line; without an id it is made of the content.",
        "Embeddings, pictures and recordings are passed over.",
    ),
)
