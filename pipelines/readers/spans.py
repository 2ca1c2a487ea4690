"""Makes one call of its parts: a span and the log records that hold its content, or a span that was exported twice."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from pipelines.readers.items import Call, Turn
from pipelines.readers.raw import Place
from schemas.enums import Status

_GRAVEST = (Status.ERROR, Status.STOPPED, Status.PARTIAL, Status.OK)
_encode = msgspec.json.encode


def merge_calls(calls: Sequence[tuple[Call, Place]]) -> tuple[list[tuple[Call, Place]], int]:
    """Merge the calls that have one source and one id.

    Of two that know the same thing, the one that knows when it began and when it ended is believed, and of those the
    one that ended last, then the one that holds more. A call that says nothing of its end and nothing of what came back
    holds a part of what went in: where no call holds the whole, the parts are put together in the order of their times,
    each part once. Neither the order of the calls nor their places decide anything.

    Args:
        calls: Calls and the places of their records.

    Returns:
        One call for each id, at the place of the part that was believed first, ordered by source and id; and how many
        calls were merged into another.
    """
    by_id: dict[tuple[str, str], list[tuple[Call, Place]]] = {}
    for call, place in calls:
        by_id.setdefault((call.source, call.call_id), []).append((call, place))
    merged = [_merged(by_id[key]) for key in sorted(by_id)]
    return merged, len(calls) - len(merged)


def _merged(parts: list[tuple[Call, Place]]) -> tuple[Call, Place]:
    if len(parts) == 1:
        return parts[0]
    parts = sorted(parts, key=_rank)
    calls = [call for call, _ in parts]
    first = calls[0]
    spans = [c for c in calls if c.started_at is not None and c.ended_at is not None]
    started = [c.started_at for c in spans or calls if c.started_at is not None]
    ended = [c.ended_at for c in spans or calls if c.ended_at is not None]
    whole = msgspec.structs.replace(
        first,
        conversation_id=_known([c.conversation_id for c in calls]),
        trace_id=_known([c.trace_id for c in calls]),
        parent_id=_known([c.parent_id for c in calls]),
        user_id=_known([c.user_id for c in calls]),
        model=_known([c.model for c in calls]),
        output_id=_known([c.output_id for c in calls]),
        started_at=min(started, default=None),
        first_token_at=next((c.first_token_at for c in calls if c.first_token_at is not None), None),
        ended_at=max(ended, default=None),
        input=_input(calls),
        output=next((c.output for c in calls if c.output is not None), None),
        status=min((c.status for c in calls), key=_GRAVEST.index),
        whole=any(c.whole for c in calls),
    )
    return whole, parts[0][1]


def _known(values: list[str | None]) -> str | None:
    return next((v for v in values if v is not None), None)


def _rank(part: tuple[Call, Place]) -> tuple[object, ...]:
    call, place = part
    turns = len(call.input or ()) + len(call.output or ())
    ended = -(call.ended_at or datetime.min.replace(tzinfo=None)).timestamp() if call.ended_at else 0.0
    both = call.started_at is None or call.ended_at is None
    return both, ended, -turns, _encode(call), place.file, place.line, place.byte_offset or 0, place.sha256


def _input(calls: list[Call]) -> tuple[Turn, ...] | None:
    told = [c for c in calls if c.input is not None]
    complete = [c.input for c in told if not _is_part(c)]
    if complete:
        return complete[0]
    parts = {(c.started_at, _encode(c.input)): c.input or () for c in told}
    return tuple(t for key in sorted(parts, key=_by_time) for t in parts[key]) if told else None


def _is_part(call: Call) -> bool:
    return call.ended_at is None and call.output is None and not call.whole


def _by_time(key: tuple[datetime | None, bytes]) -> tuple[float, bytes]:
    return (key[0].timestamp() if key[0] else 0.0), key[1]
