"""Takes values out of a row of a table, where each may be typed or spelled out, as CSV writes everything."""

import math
import re
from datetime import datetime
from typing import Any

from pipelines.readers import fields
from pipelines.readers.fields import Refused
from pipelines.readers.times import Clock
from schemas.reasons import Reason

_NOTHING = frozenset(["", "null", "none", "nil", "nan", "nat", "n/a", "<na>", "\\n"])
_YES = frozenset(["true", "t", "yes", "y", "on"])
_NO = frozenset(["false", "f", "no", "n", "off"])
_NUMBER = re.compile(r"[+-]?\d{1,18}(\.\d{1,18})?", re.ASCII)
_DAY = re.compile(r"\d{4}([-/.]?)(W\d\d\1\d|\d\d?\1\d\d?)", re.ASCII)
_SLASHED = re.compile(r"(\d{4})[/.-](\d\d?)[/.-](\d\d?)[ T](\d\d?)(:\d\d)", re.ASCII)


def blank(value: Any) -> bool:
    """Whether a cell holds nothing at all."""
    return value is None or (type(value) is str and not value.strip())


def filled(value: Any) -> Any:
    """The value of a cell, trimmed; None where it is empty or spells that it is."""
    if type(value) is not str:
        return value
    trimmed = value.strip()
    return None if trimmed.casefold() in _NOTHING else trimmed


def identifier(value: Any, field: str) -> str | None:
    """An id, which may be written as a number: 5, 5.0 and "5" are one."""
    value = filled(value)
    if type(value) is float and value.is_integer():
        value = int(value)
    return fields.optional_any_id({field: value}, field)


def number(value: Any, field: str) -> float | None:
    """A number, or None where none was measured; zero is a measured zero.

    Raises:
        Refused: It is no finite number.
    """
    value = filled(value)
    if value is None:
        return None
    if type(value) is str and _NUMBER.fullmatch(value):
        value = float(value)
    if type(value) not in (int, float):
        raise Refused(Reason.WRONG_TYPE, field)
    if not -(10**18) < value < 10**18 or not math.isfinite(value):
        raise Refused(Reason.UNKNOWN_VALUE, field)
    return float(value)


def whole(value: Any, field: str) -> int | None:
    """A whole number, exact up to 18 digits."""
    value = filled(value)
    if type(value) is str and value.lstrip("+-").isdecimal() and value.isascii() and len(value) < len("-" + "9" * 19):
        value = int(value)
    if type(value) is float and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    if value is not None and (type(value) is not int or not -(10**18) < value < 10**18):
        raise Refused(Reason.WRONG_TYPE, field)
    return value


def happened(value: Any, field: str) -> bool | None:
    """Whether an act took place: a count, a boolean or a word for one; None where nothing was recorded."""
    value = filled(value)
    if value is None or type(value) is bool:
        return value
    if type(value) is str and value.casefold() in _YES | _NO:
        return value.casefold() in _YES
    count = number(value, field)
    if count is None or count < 0:
        raise Refused(Reason.UNKNOWN_VALUE, field)
    return count > 0


def instant(value: Any, field: str, clock: Clock) -> datetime | None:
    """A time, also as spreadsheets write it, with the year first: `2026/10/3 9:05`.

    A day without a time of day is none: taken as midnight it would invent pauses.
    """
    value = filled(value)
    if type(value) is str:
        if _DAY.fullmatch(value):
            raise Refused(Reason.BAD_TIME, field)
        value = _SLASHED.sub(_as_iso, value, count=1) if _SLASHED.match(value) else value
    return fields.time({field: value}, field, clock)


def _as_iso(parts: re.Match[str]) -> str:
    year, month, day, hour, minute = parts.groups()
    return f"{year}-{month:0>2}-{day:0>2}T{hour:0>2}{minute}"
