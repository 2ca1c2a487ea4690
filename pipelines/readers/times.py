"""Reads times strictly: each value by itself, the unit of a number by its magnitude, a zone never guessed."""

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal

import msgspec

from schemas.reasons import Reason

EARLIEST = datetime(2015, 1, 1, tzinfo=UTC)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FINER = re.compile(r"(\.\d{6})\d+")
_FAR_YEAR = re.compile(r"[+-]?\d{5,}-\d\d-\d\d")
_NUMBER = re.compile(r"\d{9,19}(\.\d{1,9})?", re.ASCII)
_SPACED_ZONE = re.compile(r" (UTC|Z|[+-]\d\d:?\d\d)$")
_MICROS_PER_UNIT = ((10**11, 10**6), (10**14, 10**3), (10**17, 1))  # below 1e11 seconds, 1e14 milliseconds, 1e17 micro
_convert = msgspec.convert


def latest_for(arrival: date) -> datetime:
    """The last instant that a record of this day may state: a day after the day ends, for clocks that run ahead."""
    return datetime(arrival.year, arrival.month, arrival.day, tzinfo=UTC) + timedelta(days=2)


class Clock:
    """Reads the times of one source.

    Args:
        latest: The last instant that counts as possible.
        zone: The zone of times that state none; None: such a time is refused, since a guess would invent pauses.
    """

    def __init__(self, latest: datetime, zone: tzinfo | None = None) -> None:
        self.latest = latest
        self.zone = zone

    def read(self, value: object) -> datetime | Reason:
        """Read one time.

        Args:
            value: An RFC 3339 or ISO 8601 string, or an epoch as a number or a string of digits, in seconds,
                milliseconds, microseconds or nanoseconds, told apart by magnitude.

        Returns:
            The time in UTC, microseconds (finer digits are cut off, not rounded), or the reason why it is refused.
        """
        kind = type(value)
        if kind is str:
            time = self._from_text(value)  # type: ignore[arg-type]
        elif kind is int or kind is float:
            time = _from_number(value)  # type: ignore[arg-type]
        else:
            return Reason.BAD_TIME
        if isinstance(time, Reason):
            return time
        if time.tzinfo is None:
            if self.zone is None:
                return Reason.NAIVE_TIME
            time = time.replace(tzinfo=self.zone)
        try:
            time = time.astimezone(UTC)
        except OverflowError:
            return Reason.TIME_OUT_OF_RANGE
        if not EARLIEST <= time < self.latest:
            return Reason.TIME_OUT_OF_RANGE
        return time

    def _from_text(self, value: str) -> datetime | Reason:
        if ":" not in value and "T" not in value and not _NUMBER.fullmatch(value):
            return Reason.BAD_TIME  # a day is no instant: taken for its midnight, it would invent pauses
        if len(value) > len("2026-11-02T09:14:02.123456"):
            value = _FINER.sub(r"\1", value)
        try:
            return _convert(value, datetime)
        except msgspec.ValidationError:
            pass
        if _NUMBER.fullmatch(value):
            return _from_number(Decimal(value))
        if _FAR_YEAR.match(value):
            return Reason.TIME_OUT_OF_RANGE
        try:
            return datetime.fromisoformat(_SPACED_ZONE.sub(_joined, value.strip()))
        except ValueError:
            return Reason.BAD_TIME


def _joined(zone: re.Match[str]) -> str:
    return "+00:00" if zone[1] in ("UTC", "Z") else zone[1]


def _from_number(value: float | Decimal) -> datetime | Reason:
    """An epoch. What is below 1e9 seconds lies before 2015 in every unit but days, which nobody logs."""
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not exact.is_finite():
        return Reason.BAD_TIME
    micros = next((exact * scale for bound, scale in _MICROS_PER_UNIT if abs(exact) < bound), exact / 1000)
    try:
        return _EPOCH + timedelta(microseconds=int(micros))
    except OverflowError:
        return Reason.TIME_OUT_OF_RANGE
