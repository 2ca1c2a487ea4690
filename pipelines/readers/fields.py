"""Takes single values out of a decoded record, each with its check. What fails a check is refused, never guessed."""

import re
from datetime import datetime
from typing import Any, TypeVar

from pipelines.readers.raw import Refusal
from pipelines.readers.times import Clock
from schemas.reasons import Reason

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ID_LIMIT = 512
_INT64 = 1 << 63
_T = TypeVar("_T")
Record = dict[str, Any]


class Refused(Exception):
    """Ends the reading of one record or part of one. It carries a reason and a key of the format, never a value."""

    def __init__(self, reason: Reason, field: str | None = None) -> None:
        super().__init__(reason, field)
        self.reason, self.field = reason, field

    def refusal(self, inside: str = "") -> Refusal:
        """The finding for the quarantine.

        Args:
            inside: Where in the record the part stands, such as `conversations[3]`.
        """
        return Refusal(self.reason, ".".join(p for p in (inside, self.field) if p) or None)


def need_id(r: Record, key: str) -> str:
    """An id that must be there: 1 to 512 characters, no control characters.

    Raises:
        Refused: It is missing, not a string, or not an id.
    """
    if key not in r:
        raise Refused(Reason.MISSING_KEY, key)
    value = r[key]
    if type(value) is not str:
        raise Refused(Reason.WRONG_TYPE, key)
    if not value.strip() or len(value) > _ID_LIMIT or _CONTROL.search(value):
        raise Refused(Reason.BAD_ID, key)
    return value


def optional_id(r: Record, key: str) -> str | None:
    """An id, or None where the key is absent or null."""
    return None if r.get(key) is None else need_id(r, key)


def any_id(r: Record, key: str) -> str:
    """An id that a source may write as a string or a whole number, as a string."""
    value = r.get(key)
    return str(value) if type(value) is int and -_INT64 <= value < _INT64 else need_id(r, key)


def optional_any_id(r: Record, key: str) -> str | None:
    """Like `any_id`, or None where the key is absent or null."""
    return None if r.get(key) is None else any_id(r, key)


def text(r: Record, key: str) -> str | None:
    """A string, or None where the key is absent or null."""
    value = r.get(key)
    if value is not None and type(value) is not str:
        raise Refused(Reason.WRONG_TYPE, key)
    return value


def integer(r: Record, key: str) -> int | None:
    """A whole number of 64 bits, or None where the key is absent or null."""
    value = r.get(key)
    if value is not None and (type(value) is not int or not -_INT64 <= value < _INT64):
        raise Refused(Reason.WRONG_TYPE, key)
    return value


def boolean(r: Record, key: str) -> bool:
    """A boolean; False where the key is absent or null."""
    value = r.get(key)
    if value is not None and type(value) is not bool:
        raise Refused(Reason.WRONG_TYPE, key)
    return bool(value)


def need_object(r: Record, key: str) -> Record:
    """An object that must be there."""
    if key not in r:
        raise Refused(Reason.MISSING_KEY, key)
    return as_object(r[key], key)


def optional_object(r: Record, key: str) -> Record:
    """An object; an empty one where the key is absent or null."""
    return {} if r.get(key) is None else as_object(r[key], key)


def need_list(r: Record, key: str) -> list[Any]:
    """A list that must be there."""
    if key not in r:
        raise Refused(Reason.MISSING_KEY, key)
    return as_list(r[key], key)


def optional_list(r: Record, key: str) -> list[Any]:
    """A list; an empty one where the key is absent or null."""
    return [] if r.get(key) is None else as_list(r[key], key)


def as_object(value: object, field: str) -> Record:
    """The value itself, if it is an object."""
    if type(value) is not dict:
        raise Refused(Reason.WRONG_TYPE, field)
    return value


def as_list(value: object, field: str) -> list[Any]:
    """The value itself, if it is a list."""
    if type(value) is not list:
        raise Refused(Reason.WRONG_TYPE, field)
    return value


def member(r: Record, key: str, members: dict[str, _T]) -> _T:
    """One of the spellings that a format lists, under a key that must be there."""
    if key not in r:
        raise Refused(Reason.MISSING_KEY, key)
    value = r[key]
    if type(value) is not str:
        raise Refused(Reason.WRONG_TYPE, key)
    found = members.get(value)
    if found is None:
        raise Refused(Reason.UNKNOWN_VALUE, key)
    return found


def time(r: Record, key: str, clock: Clock) -> datetime | None:
    """A time in UTC, or None where the key is absent or null.

    Raises:
        Refused: It is no time, states no zone where none is declared, or lies outside what is possible.
    """
    value = r.get(key)
    if value is None:
        return None
    read = clock.read(value)
    if isinstance(read, Reason):
        raise Refused(read, key)
    return read


def need_time(r: Record, key: str, clock: Clock) -> datetime:
    """A time that must be there."""
    read = time(r, key, clock)
    if read is None:
        raise Refused(Reason.MISSING_KEY, key)
    return read
