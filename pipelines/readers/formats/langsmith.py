"""LangSmith: runs as its API, its SDKs and its bulk export give them, and feedback on them."""

from collections.abc import Iterator
from typing import Any

from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.formats.langsmith_feedback import is_feedback, read_feedback
from pipelines.readers.formats.langsmith_runs import read_run
from pipelines.readers.items import Item
from pipelines.readers.parts import each, numbered
from pipelines.readers.traced import blanks_dropped, rows_of, utc
from schemas.enums import Signal
from schemas.reasons import Reason

_LISTS = ("runs", "feedback", "feedbacks", "data", "items")
_OF_A_RUN = {"dotted_order", "trace_id", "parent_run_id", "session_id", "session_name", "is_root", "feedback_stats"}
_OF_FEEDBACK = {"feedback_source", "score", "value", "comment", "correction", "feedback_group_id"}


def _recognise(glimpse: Glimpse) -> str | None:
    for record in glimpse.records:
        for r in _looked_into(record):
            keys = r.keys()
            if "post" in keys and "patch" in keys and type(r["post"]) is list and type(r["patch"]) is list:
                return "batches of runs under `post` and `patch`"
            if keys >= {"id", "run_type"} and keys & {"inputs", "outputs"} and len(keys & _OF_A_RUN) > 1:
                return "runs with a `run_type`, `inputs` and a `dotted_order` or `trace_id`"
            if keys >= {"run_id", "key"} and "name" not in keys and len(keys & _OF_FEEDBACK) > 2:
                return "feedback with a `key` on a `run_id`"
    return None


def _looked_into(record: Any) -> Iterator[Record]:
    for value in record[:5] if type(record) is list else [record]:
        if type(value) is dict:
            inner = [value[k][0] for k in _LISTS if type(value.get(k)) is list and value[k]]
            yield from (v for v in inner if type(v) is dict)
            yield value


def _reader(context: Context) -> Reader:
    clock = utc(context)

    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        yield from each(rows_of(record, _LISTS), lambda row: one(row, flags))

    def one(row: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        if type(row) is not dict:
            raise Refused(Reason.NOT_AN_OBJECT)
        r = blanks_dropped(row)
        if "run_type" not in r and (type(r.get("post")) is list or type(r.get("patch")) is list):
            yield from each(_joined(r), lambda run: read_run(run, context, clock, flags))
        elif is_feedback(r):
            yield from read_feedback(r, context, clock)
        else:
            yield from each(_with_children(r), lambda run: read_run(run, context, clock, flags))

    return read


def _with_children(r: Record) -> Iterator[tuple[str, Any]]:
    """A run and those that it holds, each before those that it holds itself."""
    left: list[tuple[str, Any]] = [("", r)]
    while left:
        where, run = left.pop()
        yield where, run
        children = run.get("child_runs") if type(run) is dict else None
        if type(children) is list:
            below = numbered(children, f"{where}.child_runs".lstrip("."))
            left += reversed(list(below))


def _joined(batch: Record) -> Iterator[tuple[str, Any]]:
    """The runs of a batch, each with what its later patches in the same batch complete it by."""
    found: dict[Any, tuple[str, Any]] = {}
    for key in ("post", "patch"):
        for where, run in numbered(batch[key], key) if type(batch.get(key)) is list else ():
            run_id = run.get("id") if type(run) is dict else None
            known = found.get(run_id) if type(run_id) is str else None
            if known is None:
                found[run_id if type(run_id) is str else where] = where, run
            else:
                found[run_id] = known[0], {**known[1], **{k: v for k, v in run.items() if v not in (None, {}, [])}}
    yield from found.values()


LANGSMITH = Format(
    name="langsmith",
    title="LangSmith runs and feedback",
    seen="2024 to 2026: API and SDK JSON, batches of the SDK, bulk export",
    shapes=frozenset({Shape.DOCUMENT, Shape.LINES, Shape.ROWS, Shape.CSV}),
    recognise=_recognise,
    reader=_reader,
    user_time="sent: the start of the run",
    reply_time="first token by `first_token_time` or the first `new_token` event, last token by `end_time`",
    conversation="`session_id`, `thread_id` or `conversation_id` of the metadata, else the trace",
    finds={
        **TEXT_SIGNALS,
        Signal.DISLIKE: "feedback whose key says that it is a user's",
        Signal.SKIM: "`end_time`, `first_token_time`",
    },
    notes=(
        "A root run whose inputs and outputs hold words stands for its trace; runs of models are read as steps.",
        "Words are only taken from inputs and outputs of known shapes; other arguments of functions are passed over.",
        "`session_id` of a run is its project, not its conversation.",
        "Times without a zone are UTC, as LangSmith's own SDK reads them, unless a zone is declared.",
        "Feedback of models and evaluators is left out, and `feedback_stats`, which state no single vote.",
        "Feedback of score 0 is a thumb down; where 0 means no vote, or for stars, declare `votes`.",
        "Runs on the examples of a data set are experiments, and are left out.",
    ),
)
