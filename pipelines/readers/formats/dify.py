"""Dify: message lists of its API, conversations of its console, and dumps of its tables. One row is one turn."""

import math
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from pipelines.readers import fields
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.formats.dify_votes import Turn, is_vote, vote_of_a_row, votes_in_a_turn
from pipelines.readers.items import Item
from pipelines.readers.parts import each, numbered
from pipelines.readers.wrapped import embedded_list, embedded_object
from schemas.enums import Role, Signal, Status
from schemas.reasons import Reason
from schemas.records import Message

_LISTS = ("data", "messages", "feedback_data")
_OF_A_TURN = {
    "inputs",
    "feedback",
    "feedbacks",
    "message_files",
    "retriever_resources",
    "agent_thoughts",
    "parent_message_id",
    "provider_response_latency",
}
_OF_A_CONVERSATION = {"introduction", "model_config", "message_count", "user_feedback_stats", "name"}
_STATUSES = {
    "normal": Status.OK,
    "succeeded": Status.OK,
    "partial-succeeded": Status.OK,
    "stopped": Status.STOPPED,
    "stop": Status.STOPPED,
    "paused": Status.PARTIAL,
    "error": Status.ERROR,
    "failed": Status.ERROR,
}
_STATES = {str(state): state for state in Status}
_NO_PARENT = "00000000-0000-0000-0000-000000000000"  # clients of the API that know of no branches send this
_LONGEST_S = 86_400.0


def _recognise(glimpse: Glimpse) -> str | None:
    for record in glimpse.records:
        for _, row in _rows(record):
            if type(row) is not dict:
                continue
            keys = row.keys()
            if keys >= {"query", "answer", "conversation_id"} and keys & _OF_A_TURN:
                return "rows hold `query`, `answer` and `conversation_id`"
            if is_vote(row) and keys & {"from_source", "from_end_user_id", "feedback_source"}:
                return "rows hold the `rating` of a `message_id` and whose it is"
            if type(record) is dict and "has_more" in record and keys >= {"introduction", "inputs"}:
                return "a list of conversations with `introduction` and `inputs`"
    return None


def _rows(record: Any) -> Iterator[tuple[str, Any]]:
    """The rows of a record and where they stand in it: of a list, a page, a conversation, or the row that it is."""
    if type(record) is list:
        yield from numbered(record)
        return
    if type(record) is dict:
        for key in _LISTS:
            if type(record.get(key)) is list:
                yield from numbered(record[key], key)
                return
        first = record.get("message")  # the console's view of a conversation holds its first message whole
        if "query" not in record and type(first) is dict and "id" in first and "query" in first:
            yield "message", first
            return
    yield "", record


def _reader(context: Context) -> Reader:
    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        inherited = _inherited(record)

        def items(row: Any) -> Iterator[Item]:
            r = _present(fields.as_object(row, "data"))
            if is_vote(r):
                yield from vote_of_a_row(r, context, flags)
            elif row.keys() & {"query", "answer"}:
                yield from _turn({**inherited, **r}, context, flags)
            elif not row.keys() & _OF_A_CONVERSATION:
                raise Refused(Reason.MISSING_KEY, "query")

        yield from each(_rows(record), items)

    return read


def _present(row: Record) -> Record:
    """What a row says. A table writes nothing as an empty string; that there is no parent says something."""
    return {k: v for k, v in row.items() if v is not None and v != ""} | {
        k: None for k in ("parent_message_id",) if k in row and row[k] in (None, "")
    }


def _inherited(record: Any) -> Record:
    """What a conversation says of all of its messages."""
    if type(record) is not dict or "query" in record or not record.keys() & {"messages", "message"}:
        return {}
    inner = record.get("conversation")
    about = inner if type(inner) is dict else record
    named = {"conversation_id": about.get("id")} | {k: about.get(k) for k in ("from_end_user_id", "from_account_id")}
    return {k: v for k, v in named.items() if v is not None and v != ""}


def _turn(r: Record, context: Context, flags: tuple[str, ...]) -> Iterator[Item]:
    asked = fields.time(r, "created_at", context.clock)
    usage = fields.optional_object(_metadata(r), "usage")
    ended = _after(asked, r.get("provider_response_latency")) or _after(asked, usage.get("latency"))
    first = _after(asked, usage.get("time_to_first_token"))
    user = fields.optional_any_id(r, "from_end_user_id") or fields.optional_any_id(r, "from_account_id")
    of = Turn(fields.need_id(r, "conversation_id"), fields.any_id(r, "id"), user, asked, ended)
    # Rows of clients that know of no branches follow one another; where branches are known, null is the root.
    linked = r.get("parent_message_id", _NO_PARENT) != _NO_PARENT
    parent = fields.optional_id(r, "parent_message_id") if linked else None
    files = [f for f in embedded_list(r, "message_files") if type(f) is dict]
    replied = any(f.get("belongs_to") == "assistant" for f in files)
    query, answer = _query(r), fields.text(r, "answer") or ""
    yield Message(
        source=context.name,
        conversation_id=of.conversation,
        message_id=f"{of.id}:query",
        parent_id=parent,
        role=Role.USER,
        content=query,
        created_at=of.asked,
        user_id=of.user,
        has_attachment=any(f.get("belongs_to") != "assistant" for f in files),
        flags=flags,
    )
    try:
        status = _status(r, context)
    except Refused as refused:
        yield refused.refusal()
    else:
        yield Message(
            source=context.name,
            conversation_id=of.conversation,
            message_id=of.id,
            parent_id=f"{of.id}:query" if linked or asked is None else None,
            role=Role.ASSISTANT,
            content=answer,
            created_at=asked if first is None or (ended is not None and ended < first) else first,
            completed_at=of.ended,
            status=Status.PARTIAL if status is Status.OK and not answer and not replied else status,
            user_id=of.user,
            model=fields.optional_id(r, "model_id"),
            has_attachment=replied,
            flags=flags,
        )
    yield from votes_in_a_turn(r, of, context, flags)


def _query(r: Record) -> str | None:
    """What the user wrote. An application without a chat keeps it among its inputs, or asks for nothing in words."""
    query = fields.text(r, "query")
    return query if query is not None else fields.text(embedded_object(r, "inputs"), "query")


def _metadata(r: Record) -> Record:
    return embedded_object(r, "metadata" if "metadata" in r else "message_metadata")


def _after(start: datetime | None, seconds: Any) -> datetime | None:
    """A time so many seconds later. Zero is what the table holds before it is known, and means nothing."""
    if type(seconds) is str:
        try:
            seconds = float(seconds[:40])
        except ValueError:
            return None
    if start is None or type(seconds) not in (int, float) or not 0 < seconds < _LONGEST_S or not math.isfinite(seconds):
        return None
    return start + timedelta(seconds=seconds)


def _status(r: Record, context: Context) -> Status:
    if r.get("error"):
        return Status.ERROR
    if "status" not in r:
        return Status.OK
    declared = {k: _STATES[v] for k, v in context.source.statuses.items() if v in _STATES}
    return fields.member(r, "status", {**_STATUSES, **declared})


DIFY = Format(
    name="dify",
    title="Dify",
    seen="0.3 to 1.9: API and console message lists, feedback export, tables `messages` and `message_feedbacks`",
    shapes=frozenset({Shape.DOCUMENT, Shape.LINES, Shape.ROWS, Shape.CSV}),
    recognise=_recognise,
    reader=_reader,
    user_time="sent: `created_at`, when the row was made, before the answer was asked for",
    reply_time="begun: `created_at`, or the first token where usage tells it; last token: `provider_response_latency`",
    conversation="`conversation_id`",
    finds={
        **TEXT_SIGNALS,
        Signal.DISMISS: "text, `status` where it tells a stopped answer",
        Signal.DISLIKE: "`feedback.rating`, `feedbacks` of users, rows of `message_feedbacks`",
        Signal.SKIM: "`created_at`, `provider_response_latency`",
    },
    notes=(
        "A row is a request and a reply: the reply keeps the id of the row, the request has `:query` after it.",
        "A reply begins when its row does, before its first token; a latency of zero leaves its end unknown.",
        "A vote without a time is placed at the end of its reply, the earliest that it can be: flag `time_inferred`.",
        "Votes of the operator's own staff are left out.",
        "An answer that the user stopped is kept as a normal one by most versions.",
        "The feedback export repeats questions and answers cut short: only its votes are taken.",
    ),
)
