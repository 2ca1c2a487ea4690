"""What a row of a table of turns says that the user did with the answer, as events."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from pipelines.readers import cells
from pipelines.readers.columns import Columns
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import Context
from pipelines.readers.formats.turn_row import Turn
from pipelines.readers.items import Item
from pipelines.readers.votes import vote
from schemas.enums import EventKind
from schemas.reasons import Reason
from schemas.records import Event

_LONGEST_S = 86400.0 * 31


@dataclass(frozen=True, slots=True)
class _Row:
    """A row whose turn is known already."""

    record: Record
    columns: Columns
    turn: Turn
    context: Context

    def event(self, kind: EventKind, at: datetime, text: str | None = None) -> Event:
        turn = self.turn
        return Event(
            source=turn.source,
            conversation_id=turn.conversation_id,
            message_id=turn.request_id if kind is EventKind.VISIBLE else turn.reply_id,
            event=kind,
            at=at,
            user_id=turn.user_id,
            text=text,
            flags=turn.flags,
        )

    def time(self, column: str | None, place: str) -> datetime | None:
        return None if column is None else cells.instant(self.record.get(column), place, self.context.clock)

    @property
    def ended(self) -> datetime | None:
        """The best that is known of when an act of no consequence for time took place: not before the answer ended."""
        return self.turn.finished_at or self.turn.answered_at or self.turn.asked_at

    @property
    def shown(self) -> datetime | None:
        return self.turn.answered_at or self.turn.finished_at


def acts(record: Record, columns: Columns, turn: Turn, context: Context) -> Iterator[Item]:
    """Read counters, times of acts, the vote and the time on screen.

    An act is dated by its own column, else to the end of the answer. Where the instant decides something, it is not
    put there: a close without a time would be one with nothing read.

    Args:
        record: Column name to value.
        columns: Which column holds what.
        turn: What the row says otherwise.
        context: Clock and spellings of the source.

    Yields:
        Events, and a refusal for each act of which it cannot be said what or when it was.
    """
    row = _Row(record, columns, turn, context)
    left: datetime | None = None
    try:
        left = _left(row)
        yield from _visibility(row, left)
    except Refused as refused:
        yield refused.refusal()
    for kind in EventKind:
        if kind in columns.counters or kind in columns.times:
            try:
                at = _when(row, kind, left)
            except Refused as refused:
                yield refused.refusal()
                continue
            if at is not None:
                yield row.event(kind, at)
    try:
        yield from _vote(row)
    except Refused as refused:
        yield refused.refusal()


def _when(row: _Row, kind: EventKind, left: datetime | None) -> datetime | None:
    """When an act took place; None where it did not.

    Raises:
        Refused: It did, and nothing says when.
    """
    own = row.time(row.columns.times.get(kind), f"times.{kind}")
    counter = row.columns.counters.get(kind)
    counted = None if counter is None else cells.happened(row.record.get(counter), f"counters.{kind}")
    if counted is False or (not counted and own is None):
        return None
    if own is not None:
        return own
    turn = row.turn
    if kind is EventKind.CLOSE:
        at = left
    elif kind is EventKind.REGENERATE:
        # Dated to the end of the answer, it would say that nothing was read of it; before its beginning, no span is
        # measured at all.
        at = left or turn.asked_at or turn.answered_at or turn.finished_at
    elif kind is EventKind.STOP:
        if turn.finished_at is None:
            return None  # the status of the answer says so
        at = turn.finished_at
    else:
        at = row.ended
    if at is None:
        raise Refused(Reason.MISSING_KEY, f"times.{kind}")
    return at


def _vote(row: _Row) -> Iterator[Event]:
    columns, record = row.columns, row.record
    given = None if columns.vote is None else cells.filled(record.get(columns.vote))
    comment = None if columns.comment is None else cells.filled(record.get(columns.comment))
    if comment is not None and type(comment) is not str:
        raise Refused(Reason.WRONG_TYPE, "comment")
    declared = row.context.source.votes
    kind = vote(given, declared, "vote", zero=EventKind.THUMBS_DOWN)
    if kind is not vote(given, declared, "vote", zero=None):
        raise Refused(Reason.UNKNOWN_VALUE, "vote")  # a 0 is no vote on one scale and the worst on another: declare it
    if kind is None:
        if comment is not None:
            raise Refused(Reason.MISSING_KEY, "vote")
        return
    at = row.time(columns.voted_at, "voted_at") or row.ended
    if at is None:
        raise Refused(Reason.MISSING_KEY, "voted_at")
    yield row.event(kind, at, comment)


def _left(row: _Row) -> datetime | None:
    """When the answer went off the screen, from the time that it was on it; None where that was not measured."""
    columns = row.columns
    column, place, unit = (
        (columns.visible_ms, "visible_ms", 1e3) if columns.visible_ms else (columns.visible_s, "visible_s", 1.0)
    )
    measured = None if column is None else cells.number(row.record.get(column), place)
    if measured is None:
        return None
    if not 0 <= measured / unit <= _LONGEST_S:
        raise Refused(Reason.UNKNOWN_VALUE, place)
    if row.shown is None:
        raise Refused(Reason.MISSING_KEY, "answered_at")
    return row.shown + timedelta(seconds=measured / unit)


def _visibility(row: _Row, left: datetime | None) -> Iterator[Event]:
    """The page was in front when the query was sent, and in the back once the answer had had its time on screen.

    A row without a measured time says only the former, so that what an earlier row measured ends there.
    """
    if row.columns.visible_s is None and row.columns.visible_ms is None:
        return
    front = row.turn.asked_at or row.shown
    if front is not None:
        yield row.event(EventKind.VISIBLE, front)
    if left is not None:
        yield row.event(EventKind.HIDDEN, left)
