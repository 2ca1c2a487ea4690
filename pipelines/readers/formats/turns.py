"""A table of turns, one row a query and its answer, with the columns that an operator declares."""

from collections.abc import Iterator
from typing import Any

from pipelines.readers import cells
from pipelines.readers.columns import Columns
from pipelines.readers.fields import Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.formats.turn_acts import acts
from pipelines.readers.formats.turn_row import Turn, read_turn
from pipelines.readers.items import Item
from schemas.enums import Role, Signal, Status
from schemas.errors import ConfigError
from schemas.reasons import Reason
from schemas.records import Event, Message


def _recognise(_: Glimpse) -> str | None:
    return None


def _columns(context: Context) -> Columns:
    columns = context.source.columns
    if columns is None:
        raise ConfigError(
            "A table of turns is declared without its columns.",
            state="Nothing was started.",
            then="Add `columns` to its source, with `query` at least; docs/formats.md lists what else they may name.",
        )
    return columns


def _check(context: Context, glimpse: Glimpse) -> None:
    """Compare the declared columns with those that a table has. Lines may leave keys out, and are not asked."""
    if not glimpse.columns:
        return
    missing = [f"{place} ({name})" for place, name in _columns(context).declared() if name not in glimpse.columns]
    if missing:
        raise ConfigError(
            f"The table {glimpse.name} has no such columns as are declared: {', '.join(missing)}.",
            state="Nothing was started.",
            then=f"Mend `columns` of its source. The table has: {', '.join(glimpse.columns)}.",
        )


def _reader(context: Context) -> Reader:
    columns = _columns(context)
    known = frozenset(name for _, name in columns.declared())

    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        if type(record) is not dict:
            raise Refused(Reason.NOT_AN_OBJECT)
        context.unknown_keys += len(record.keys() - known)
        if columns.query in record and all(cells.blank(record.get(name)) for name in known):
            return  # a blank row
        turn = read_turn(record, columns, context, flags)
        yield _request(turn)
        done = list(acts(record, columns, turn, context))
        if _answered(turn, columns, done):
            yield _reply(turn)
        yield from done

    return read


def _answered(turn: Turn, columns: Columns, done: list[Item]) -> bool:
    """Whether there was an answer, though its text may not have been captured."""
    known = (turn.answer.text, turn.status, turn.answered_at, turn.finished_at)
    acted = any(not isinstance(i, Event) or i.message_id == turn.reply_id for i in done)
    return columns.answer is None or acted or turn.answer.has_attachment or any(v is not None for v in known)


def _request(turn: Turn) -> Message:
    return Message(
        source=turn.source,
        conversation_id=turn.conversation_id,
        message_id=turn.request_id,
        seq=turn.seq,
        role=Role.USER,
        content=turn.query.text,
        created_at=turn.asked_at,
        user_id=turn.user_id,
        has_attachment=turn.attached or turn.query.has_attachment,
        flags=turn.flags,
    )


def _reply(turn: Turn) -> Message:
    return Message(
        source=turn.source,
        conversation_id=turn.conversation_id,
        message_id=turn.reply_id,
        seq=None if turn.seq is None else turn.seq + 1,
        role=Role.ASSISTANT,
        content=turn.answer.text,
        created_at=turn.answered_at,
        completed_at=turn.finished_at,
        status=turn.status or Status.OK,
        user_id=turn.user_id,
        model=turn.model,
        has_attachment=turn.answer.has_attachment,
        aliases=() if turn.turn is None else (turn.turn,),
        flags=turn.flags,
    )


TURNS = Format(
    name="turns",
    title="Table of turns",
    seen="any CSV, Parquet or JSON Lines with one row a turn, whose columns are declared",
    shapes=frozenset({Shape.LINES, Shape.DOCUMENT, Shape.ROWS, Shape.CSV}),
    recognise=_recognise,
    reader=_reader,
    check=_check,
    user_time="sent: `asked_at`",
    reply_time="both: `answered_at`, `finished_at`",
    conversation="`conversation`; without it a user's stream, divided by silence; without a user or times, the row",
    finds={
        **TEXT_SIGNALS,
        Signal.DISMISS: "text, `counters.stop`, `times.close`",
        Signal.DISLIKE: "`vote`, `counters.thumbs_down`",
        Signal.SKIM: "`asked_at`, `answered_at` and `finished_at`; `visible_s`",
    },
    notes=(
        "Never recognised by itself: it is read where `format: turns` and `columns` are declared.",
        "Rows are ordered by `order`, else by their times.",
        "A counter above zero is an act, dated by its column under `times`, else to the end of the answer.",
        "A close is dated by its column or the time until which the answer was visible; without either it is refused.",
        "An empty metric is none, never zero. A vote of 0 is refused unless `votes` says what it means.",
    ),
)
