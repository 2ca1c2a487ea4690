"""Reads RFC 3339 times, strictly: a time without a zone is refused, not guessed."""

import re
from datetime import UTC, date, datetime, timedelta

import msgspec

from schemas.reasons import Reason

EARLIEST = datetime(2015, 1, 1, tzinfo=UTC)
_NANOSECONDS = re.compile(r"(\.\d{6})\d+")
_FAR_YEAR = re.compile(r"[+-]?\d{5,}-\d\d-\d\d")
_convert = msgspec.convert


def latest_for(arrival: date) -> datetime:
    """The last instant that a record of this day may state: a day after the day ends, for clocks that run ahead."""
    return datetime(arrival.year, arrival.month, arrival.day, tzinfo=UTC) + timedelta(days=2)


def parse_time(value: object, latest: datetime) -> datetime | Reason:
    """Parse one time.

    Args:
        value: What the record holds: an RFC 3339 string, or something wrong.
        latest: The last instant that counts as possible.

    Returns:
        The time in UTC, microseconds (finer digits are cut off, not rounded), or the reason why it is refused.
    """
    if not isinstance(value, str):
        return Reason.BAD_TIME
    if len(value) > len("2026-11-02T09:14:02.123456"):
        value = _NANOSECONDS.sub(r"\1", value)
    try:
        time = _convert(value, datetime)
    except msgspec.ValidationError:
        return Reason.TIME_OUT_OF_RANGE if _FAR_YEAR.match(value) else Reason.BAD_TIME
    if time.tzinfo is None:
        return Reason.NAIVE_TIME
    try:
        time = time.astimezone(UTC)
    except OverflowError:
        return Reason.TIME_OUT_OF_RANGE
    if not EARLIEST <= time < latest:
        return Reason.TIME_OUT_OF_RANGE
    return time
