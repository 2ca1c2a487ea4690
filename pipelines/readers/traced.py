"""What the readers of tracers share: values taken one by one, and clocks that are UTC by the tracer's own word."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from pipelines.readers import fields
from pipelines.readers.chat import Turns
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import Context
from pipelines.readers.parts import numbered
from pipelines.readers.payload import read_payload
from pipelines.readers.raw import Refusal
from pipelines.readers.times import Clock
from pipelines.readers.wrapped import embedded_object
from schemas.enums import Role

_T = TypeVar("_T")
_P = TypeVar("_P")


class Taken:
    """Takes values out of one record, each by itself, so that a bad one costs only itself.

    Args:
        r: The record.
        clock: Reads its times.
        flags: What was mended in it.

    Attributes:
        refusals: What could not be taken.
    """

    def __init__(self, r: Record, clock: Clock, flags: tuple[str, ...] = ()) -> None:
        self.r, self._clock, self._flags = r, clock, flags
        self.refusals: list[Refusal] = []

    def time(self, key: str) -> datetime | None:
        """A time, or None."""
        return self._take(fields.time, self.r, key, self._clock)

    def id(self, *keys: str) -> str | None:
        """The first id that stands under one of the keys, or None."""
        return next((found for key in keys if (found := self._take(fields.optional_any_id, self.r, key))), None)

    def text(self, key: str) -> str | None:
        """A text, or None."""
        return self._take(fields.text, self.r, key)

    def object(self, key: str) -> Record:
        """An object, also as JSON inside a string; an empty one where it is none."""
        try:
            return embedded_object(self.r, key)
        except Refused:  # metadata may be anything, and nothing of a conversation is lost with it
            return {}

    def turns(self, key: str, speaker: Role) -> Turns | None:
        """The conversation under a key, or None where it holds none."""
        try:
            found = read_payload(self.r.get(key), speaker)
        except Refused as refused:
            self.refusals.append(refused.refusal(key))
            return None
        if found is None or not self._flags:
            return found
        return tuple(msgspec.structs.replace(turn, flags=self._flags) for turn in found)

    def _take(self, read: Callable[..., _T], *args: Any) -> _T | None:
        try:
            return read(*args)
        except Refused as refused:
            self.refusals.append(refused.refusal())
            return None


def rows_of(record: Any, lists: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """The rows of a record and where they stand in it: of a list, of a page of an API, or the record itself.

    Args:
        record: A decoded record.
        lists: The keys under which a page holds its rows. What has an id of its own is a row and no page.
    """
    for where, value in numbered(record) if type(record) is list else (("", record),):
        held = None
        if type(value) is dict and "id" not in value:
            held = next((key for key in lists if type(value.get(key)) is list), None)
        if held is None:
            yield where, value
        else:
            yield from ((f"{where}.{place}".lstrip("."), row) for place, row in numbered(value[held], held))


def utc(context: Context) -> Clock:
    """The clock of a tracer that states that its times are UTC where they name no zone. A declared zone comes first."""
    return Clock(context.clock.latest, context.clock.zone or UTC)


def thread_of(metadata: Record) -> str | None:
    """The conversation that metadata name by one of the keys that tracers agree on."""
    for key in ("session_id", "thread_id", "conversation_id", "sessionId", "threadId", "conversationId"):
        try:
            found = fields.optional_any_id(metadata, key)
        except Refused:
            continue
        if found is not None:
            return found
    return None


def blanks_dropped(r: Record) -> Record:
    """The record less its empty strings, by which tables write that a value is not there."""
    return {key: value for key, value in r.items() if value != ""}
