"""Runs of LangSmith as logged calls."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pipelines.readers import fields
from pipelines.readers.fields import Record, Refused, as_object
from pipelines.readers.format import Context
from pipelines.readers.items import Call, Item
from pipelines.readers.payload import exchanged, has_words
from pipelines.readers.times import Clock
from pipelines.readers.traced import Taken, blanks_dropped, thread_of
from pipelines.readers.wrapped import embedded_list
from schemas.enums import Role, Status

_MODEL_TYPES = frozenset({"llm", "chat_model"})
_STEPS = frozenset({"tool", "retriever", "embedding", "prompt", "parser"})
_CUT_SHORT = re.compile(r"\W*(\w+\.)*(Cancelled|CancelledError|GeneratorExit|KeyboardInterrupt|Abort(Error)?)\b")
_LOOKED_AT = 80


def read_run(value: Any, context: Context, clock: Clock, flags: tuple[str, ...]) -> Iterator[Item]:
    """Read a run, or the part of one that its beginning or its end tells.

    A run of a model is a call. A root run stands for its trace where what it was given and what it returned hold words.
    Other runs are steps, and give nothing.

    Args:
        value: The run.
        context: What is declared about the source.
        clock: Reads its times.
        flags: What was mended in the record.

    Raises:
        Refused: It has no id, or is no object.
    """
    r = blanks_dropped(as_object(value, "run"))
    run_id = fields.any_id(r, "id")
    taken = Taken(r, clock, flags)
    kind = r.get("run_type")
    kind = kind.lower() if type(kind) is str else None
    metadata = _metadata(taken)
    is_root = _is_root(r)
    is_model = kind in _MODEL_TYPES or (kind is None and metadata.get("ls_model_type") in ("chat", "llm"))
    if kind in _STEPS or not (is_root or is_model) or r.get("reference_example_id") is not None:
        return
    said = exchanged(taken.turns("inputs", Role.USER), taken.turns("outputs", Role.ASSISTANT))
    asks, answers = has_words(said.input, Role.USER), has_words(said.output, Role.ASSISTANT)
    # The beginning and the end of a run may be logged apart: what is not there was not captured, which is no fault.
    partial = not r.get("inputs")
    failed = r.get("error") is not None or r.get("status") == "error"
    if is_model or asks or (partial and (answers or failed)):
        status = _status(r, failed)
        yield Call(
            source=context.name,
            conversation_id=_conversation(taken, metadata),
            trace_id=taken.id("trace_id") or (run_id if is_root else None),
            call_id=run_id,
            parent_id=taken.id("parent_run_id"),
            user_id=_user(metadata),
            model=_model(taken, metadata),
            started_at=taken.time("start_time"),
            first_token_at=_first_token(taken, clock),
            ended_at=taken.time("end_time"),
            input=said.input,
            output=() if status is Status.ERROR and said.output is None else said.output,
            status=status,
            whole=is_root,
        )
    yield from taken.refusals


def _is_root(r: Record) -> bool:
    if "parent_run_id" in r or "is_root" in r:
        return r.get("parent_run_id") is None and r.get("is_root") is not False
    order = r.get("dotted_order")
    if type(order) is str:
        return "." not in order
    return r.get("trace_id") is None or r["trace_id"] == r.get("id")


def _metadata(taken: Taken) -> Record:
    """Metadata as they stand in `extra`, or in a column of their own."""
    inside = taken.object("extra").get("metadata")
    return {**taken.object("metadata"), **(inside if type(inside) is dict else {})}


def _conversation(taken: Taken, metadata: Record) -> str | None:
    return thread_of(metadata) or taken.id("thread_id")


def _user(metadata: Record) -> str | None:
    for key in ("user_id", "userId", "ls_user_id"):
        try:
            if (found := fields.optional_any_id(metadata, key)) is not None:
                return found
        except Refused:
            continue
    return None


def _model(taken: Taken, metadata: Record) -> str | None:
    parameters = taken.object("extra").get("invocation_params")
    places = [metadata.get("ls_model_name")]
    if type(parameters) is dict:
        places += [parameters.get("model"), parameters.get("model_name")]
    return next((name for name in places if type(name) is str and name), None)


def _status(r: Record, failed: bool) -> Status:
    error = r.get("error")
    if type(error) is str and _CUT_SHORT.match(error[:_LOOKED_AT]):
        return Status.PARTIAL  # the stream was closed: by the user, or by a lost connection
    if failed:
        return Status.ERROR
    return Status.PARTIAL if r.get("status") == "pending" else Status.OK


def _first_token(taken: Taken, clock: Clock) -> datetime | None:
    stated = taken.time("first_token_time")
    if stated is not None:
        return stated
    try:
        events = embedded_list(taken.r, "events")
    except Refused:
        return None
    for event in events:
        if type(event) is dict and event.get("name") == "new_token":
            read = clock.read(event.get("time"))
            return read if isinstance(read, datetime) else None
    return None
