"""When a logged call began and ended, by the words that gateways have for it."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from pipelines.readers import fields
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import Context
from pipelines.readers.sources import ReplyTime

Refuse = Callable[[Refused, str], None]
Times = tuple[datetime | None, datetime | None, datetime | None]
_STARTED = (
    "startTime", "start_time", "started_at", "request_time", "requested_at", "request_created_at",
    "request_timestamp", "sent_at",
)  # fmt: skip
_ENDED = ("endTime", "end_time", "ended_at", "finished_at", "completed_at", "response_created_at", "response_timestamp")
_FIRST = ("completionStartTime", "completion_start_time", "first_token_at", "first_token_time")
_WRITTEN = ("timestamp", "created_at", "createdAt", "time", "datetime", "date")
_LASTED = ("duration_ms", "latency_ms", "delay_ms", "elapsed_ms")


def times_of(record: Record, request: Record, reply: Record, context: Context, refuse: Refuse) -> Times:
    """When a request was sent, and the first and the last token came.

    Args:
        record: The record of the log.
        request: The request in it.
        reply: The response in it.
        context: The clock, and what a time of the log line is declared to mean.
        refuse: Takes times that are none.
    """
    held = [("", record)] if record is request else [("", record), ("request", request)]
    answered = [("response", reply)] if reply is not record else []

    clock = partial(_time, context=context, refuse=refuse)
    started = clock(held[:1], _STARTED)
    first = clock(held[:1], _FIRST)
    ended = clock([*held[:1], *answered], _ENDED)
    if started is None:
        started = clock([*answered, *held[:1]], ("created",)) or clock(answered, ("created_at",))
    if started is None:
        written = clock(held, _WRITTEN)
        if context.source.reply_time in (ReplyTime.LAST_TOKEN, ReplyTime.STORED):
            ended = ended or written
        elif context.source.reply_time is ReplyTime.FIRST_TOKEN:
            first = first or written
        else:
            started = written
    if started is not None:
        first = first or _after(started, record.get("time_to_first_token"))
        ended = ended or next((t for k in _LASTED if (t := _after(started, record.get(k))) is not None), None)
    return started, first, ended


def _time(
    held: Sequence[tuple[str, Record]], keys: tuple[str, ...], context: Context, refuse: Refuse
) -> datetime | None:
    for where, one in held:
        for key in keys:
            try:
                found = fields.time(one, key, context.clock)
            except Refused as refused:
                refuse(refused, where)
                continue
            if found is not None:
                return found
    return None


def _after(started: datetime, milliseconds: Any) -> datetime | None:
    if type(milliseconds) not in (int, float) or not 0 < milliseconds < 86_400_000:
        return None
    return started + timedelta(milliseconds=milliseconds)
