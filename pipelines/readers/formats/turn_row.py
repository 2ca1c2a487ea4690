"""One row of a table of turns, taken out of its cells."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pipelines.readers import cells
from pipelines.readers.columns import Columns
from pipelines.readers.content import Content, read_content
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import Context
from schemas.enums import EventKind, Status
from schemas.flags import Flag
from schemas.ids import content_id
from schemas.reasons import Reason

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STATUSES = {
    **dict.fromkeys(("ok", "success", "succeeded", "complete", "completed", "finished", "done"), Status.OK),
    **dict.fromkeys(("stopped", "aborted", "cancelled", "canceled", "interrupted"), Status.STOPPED),
    **dict.fromkeys(("partial", "incomplete", "truncated"), Status.PARTIAL),
    **dict.fromkeys(("error", "failed", "failure", "timeout"), Status.ERROR),
}


@dataclass(frozen=True, slots=True)
class Turn:
    """A query and its answer.

    Attributes:
        source: Product or application.
        conversation_id: None where the source knows only its users.
        base: What the ids of its messages begin with.
        turn: The source's id of the turn.
        seq: Order of the query; its answer follows. None where neither a number nor a time says it.
        user_id: Whose it is.
        model: Which model answered.
        query: What was asked.
        answer: What was answered.
        attached: A file came with the query.
        asked_at: When the query was sent.
        answered_at: First token of the answer.
        finished_at: Last token of the answer.
        status: How the answer ended; None where nothing says it.
        flags: What was mended or inferred.
    """

    source: str
    conversation_id: str | None
    base: str
    turn: str | None
    seq: int | None
    user_id: str | None
    model: str | None
    query: Content
    answer: Content
    attached: bool
    asked_at: datetime | None
    answered_at: datetime | None
    finished_at: datetime | None
    status: Status | None
    flags: tuple[str, ...]

    @property
    def request_id(self) -> str:
        """Id of the query. It sorts before that of the answer, for logs that say nothing of order."""
        return f"{self.base}-query"

    @property
    def reply_id(self) -> str:
        """Id of the answer."""
        return f"{self.base}-reply"


def read_turn(record: Record, columns: Columns, context: Context, flags: tuple[str, ...]) -> Turn:
    """Take a row apart.

    Args:
        record: Column name to value.
        columns: Which column holds what.
        context: Clock, spellings and name of the source.
        flags: What was mended in the record.

    Raises:
        Refused: A cell does not hold what it is declared to hold. The places in `columns` are the names of the fields.
    """
    if columns.query not in record:
        raise Refused(Reason.MISSING_KEY, "query")

    def cell(place: str) -> Any:
        column = getattr(columns, place)
        return None if column is None else record.get(column)

    asked_at, answered_at, finished_at = (
        cells.instant(cell(place), place, context.clock) for place in ("asked_at", "answered_at", "finished_at")
    )
    first = asked_at or answered_at or finished_at
    conversation, turn, user, model = (
        cells.identifier(cell(place), place) for place in ("conversation", "turn", "user", "model")
    )
    order = cells.whole(cell("order"), "order")
    # An empty cell is a text that was not captured: nobody asks nothing.
    query, answer = (read_content(None if cell(p) == "" else cell(p), p) for p in ("query", "answer"))
    base = turn
    if base is None and order is not None:
        base = f"turn-{order}"
    if base is None:
        said = (query.text, None if first else answer.text)
        base = content_id(conversation, user, first.isoformat() if first else None, *said)
    alone = conversation is None and (user is None or first is None)
    if alone:  # a stream of a user is divided by silence, which only times show
        conversation, flags = content_id("turn", user, base, query.text), (*flags, Flag.SESSION_INFERRED.value)
    return Turn(
        source=context.name,
        conversation_id=conversation,
        base=base,
        turn=turn,
        seq=_seq(order, first, alone=alone),
        user_id=user,
        model=model,
        query=query,
        answer=answer,
        attached=bool(cells.happened(cell("attachment"), "attachment")),
        asked_at=asked_at,
        answered_at=answered_at,
        finished_at=finished_at,
        status=_status(cell("status"), record, columns, context),
        flags=flags,
    )


def _seq(order: int | None, first: datetime | None, *, alone: bool) -> int | None:
    """Twice the number of the turn, so that the answer fits in between; without numbers the microsecond serves."""
    if order is not None:
        return 2 * order
    if first is not None:
        past = first - _EPOCH
        return 2 * ((past.days * 86400 + past.seconds) * 10**6 + past.microseconds)
    return 0 if alone else None


def _status(value: Any, record: Record, columns: Columns, context: Context) -> Status | None:
    status: Status | None = None
    value = cells.filled(value)
    if value is not None:
        if type(value) not in (str, int, bool):
            raise Refused(Reason.WRONG_TYPE, "status")
        spelled = str(value).lower() if type(value) is bool else str(value)
        status = context.source.statuses.get(spelled) or _STATUSES.get(spelled.casefold())
        if status is None:
            raise Refused(Reason.UNKNOWN_VALUE, "status")
    stopped = _cell_says(record, columns, EventKind.STOP)
    return Status.STOPPED if stopped and status in (None, Status.OK) else status


def _cell_says(record: Record, columns: Columns, kind: EventKind) -> bool:
    """Whether a counter or a time of an act is filled; what is wrong in it is refused where acts are read."""
    counter, time = columns.counters.get(kind), columns.times.get(kind)
    try:
        counted = cells.happened(record.get(counter), str(kind)) if counter else None
    except Refused:
        counted = None
    return bool(counted) or (counted is None and time is not None and cells.filled(record.get(time)) is not None)
