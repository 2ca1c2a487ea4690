"""Decodes one record of the native landing format, or says why it cannot be taken."""

import json
import re
from datetime import date, datetime
from typing import Any, TypeVar

import msgspec

from pipelines.readers.raw import Refusal
from pipelines.readers.times import latest_for, parse_time
from schemas.enums import EventKind, Role, Status
from schemas.reasons import Reason
from schemas.records import Event, Message

_MESSAGE_KEYS = frozenset(
    [
        "kind",
        "conversation_id",
        "message_id",
        "parent_id",
        "seq",
        "role",
        "content",
        "created_at",
        "completed_at",
        "status",
        "user_id",
        "model",
        "has_attachment",
        "source",
    ]
)
_EVENT_KEYS = frozenset(["kind", "conversation_id", "message_id", "event", "at", "user_id", "source", "text"])
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ID_LIMIT = 512
_INT64 = 1 << 63
_T = TypeVar("_T")
_decode = msgspec.json.Decoder().decode


class _Refused(Exception):
    def __init__(self, reason: Reason, field: str | None = None) -> None:
        self.refusal = Refusal(reason, field)


class NativeDecoder:
    """Turns JSON bytes into native records for one landing day.

    Args:
        arrival: The landing day, which bounds the times that a record may state.
        source: The source of records that name none.

    Attributes:
        unknown_keys: How many keys of no meaning were ignored so far.
    """

    def __init__(self, arrival: date, source: str) -> None:
        self._latest = latest_for(arrival)
        self._source = source
        self.unknown_keys = 0

    def decode(self, data: bytes) -> Message | Event | Refusal:
        """Decode one record.

        Args:
            data: One JSON object.

        Returns:
            The record, or the refusal. Lone surrogates are replaced by U+FFFD and flagged `surrogate_replaced`.
        """
        flags: tuple[str, ...] = ()
        try:
            try:
                record = _decode(data)
            except RecursionError:
                return Refusal(Reason.RECORD_TOO_DEEP)
            except msgspec.MsgspecError:
                record, flags = _decode_leniently(data)
            if type(record) is not dict:
                return Refusal(Reason.NOT_AN_OBJECT)
            kind = record.get("kind")
            if kind == "message":
                self.unknown_keys += len(record.keys() - _MESSAGE_KEYS)
                return self._message(record, flags)
            if kind == "event":
                self.unknown_keys += len(record.keys() - _EVENT_KEYS)
                return self._event(record, flags)
            return Refusal(Reason.MISSING_KEY if "kind" not in record else Reason.UNKNOWN_KIND, "kind")
        except _Refused as refused:
            return refused.refusal

    def _message(self, r: dict[str, Any], flags: tuple[str, ...]) -> Message:
        # The order of the checks decides which fault a record with several is quarantined for.
        seq = r.get("seq")
        if seq is not None and (type(seq) is not int or not -_INT64 <= seq < _INT64):
            raise _Refused(Reason.WRONG_TYPE, "seq")
        attachment = r.get("has_attachment")
        if attachment is not None and type(attachment) is not bool:
            raise _Refused(Reason.WRONG_TYPE, "has_attachment")
        if "content" not in r:
            raise _Refused(Reason.MISSING_KEY, "content")
        return Message(
            source=_optional_id(r, "source") or self._source,
            conversation_id=_id(r, "conversation_id"),
            message_id=_id(r, "message_id"),
            parent_id=_optional_id(r, "parent_id"),
            seq=seq,
            role=_member(r, "role", _ROLES),
            content=_text(r, "content"),
            created_at=self._time(r, "created_at"),
            completed_at=self._time(r, "completed_at"),
            status=_member(r, "status", _STATUSES) if r.get("status") is not None else Status.OK,
            user_id=_text(r, "user_id"),
            model=_optional_id(r, "model"),
            has_attachment=bool(attachment),
            flags=flags,
        )

    def _event(self, r: dict[str, Any], flags: tuple[str, ...]) -> Event:
        at = self._time(r, "at")
        if at is None:
            raise _Refused(Reason.MISSING_KEY, "at")
        return Event(
            source=_optional_id(r, "source") or self._source,
            conversation_id=_id(r, "conversation_id"),
            message_id=_optional_id(r, "message_id"),
            event=_member(r, "event", _EVENTS),
            at=at,
            user_id=_text(r, "user_id"),
            text=_text(r, "text"),
            flags=flags,
        )

    def _time(self, r: dict[str, Any], key: str) -> datetime | None:
        value = r.get(key)
        if value is None:
            return None
        time = parse_time(value, self._latest)
        if isinstance(time, Reason):
            raise _Refused(time, key)
        return time


_ROLES = {str(m): m for m in Role}
_STATUSES = {str(m): m for m in Status}
_EVENTS = {str(m): m for m in EventKind}


def _decode_leniently(data: bytes) -> tuple[Any, tuple[str, ...]]:
    """Decode what the strict parser refused: the one fault that is mended is a lone surrogate in an escape."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise _Refused(Reason.NOT_UTF8) from None
    try:
        record = json.loads(text, parse_constant=_not_json)
    except RecursionError:
        raise _Refused(Reason.RECORD_TOO_DEEP) from None
    except ValueError:
        raise _Refused(Reason.INVALID_JSON) from None
    mended, replaced = _SURROGATE.subn("\ufffd", json.dumps(record, ensure_ascii=False))
    return json.loads(mended), ("surrogate_replaced",) if replaced else ()


def _not_json(_: str) -> None:
    raise _Refused(Reason.INVALID_JSON)  # NaN and Infinity


def _id(r: dict[str, Any], key: str) -> str:
    if key not in r:
        raise _Refused(Reason.MISSING_KEY, key)
    value = r[key]
    if type(value) is not str:
        raise _Refused(Reason.WRONG_TYPE, key)
    if not value.strip() or len(value) > _ID_LIMIT or _CONTROL.search(value):
        raise _Refused(Reason.BAD_ID, key)
    return value


def _optional_id(r: dict[str, Any], key: str) -> str | None:
    return None if r.get(key) is None else _id(r, key)


def _text(r: dict[str, Any], key: str) -> str | None:
    value = r.get(key)
    if value is not None and type(value) is not str:
        raise _Refused(Reason.WRONG_TYPE, key)
    return value


def _member(r: dict[str, Any], key: str, members: dict[str, _T]) -> _T:
    if key not in r:
        raise _Refused(Reason.MISSING_KEY, key)
    value = r[key]
    if type(value) is not str:
        raise _Refused(Reason.WRONG_TYPE, key)
    member = members.get(value)
    if member is None:
        raise _Refused(Reason.UNKNOWN_VALUE, key)
    return member
