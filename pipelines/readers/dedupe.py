"""Keeps one version of each record that a landing day brought more than once."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec

from pipelines.readers.raw import Place
from schemas.flags import Flag
from schemas.ids import content_id
from schemas.records import Event, Message

_NEVER = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Versions:
    """Collects records and tells true duplicates from older versions.

    Two users who say the same thing, or one who says it twice, have different message ids: nothing is ever dropped
    for its text alone.

    Attributes:
        messages: Key to the newest version so far and its place.
        events: Key to the event and its place.
        duplicates: Records equal to one that is kept.
        superseded: Older versions of a message that is kept.
    """

    messages: dict[tuple[str, str | None, str], tuple[Message, Place]] = field(default_factory=dict)
    events: dict[str, tuple[Event, Place]] = field(default_factory=dict)
    duplicates: int = 0
    superseded: int = 0

    def add_message(self, message: Message, place: Place) -> None:
        """Keep the message if it is new or newer than the version at hand."""
        key = (message.source, message.conversation_id, message.message_id)
        held = self.messages.get(key)
        if held is None:
            self.messages[key] = (message, place)
        elif held[0] == message:
            self.duplicates += 1
            self.messages[key] = (message, min(held[1], place, key=_where))
        else:
            self.superseded += 1
            if _rank(message) > _rank(held[0]):
                self.messages[key] = (message, place)

    def add_event(self, event: Event, place: Place) -> None:
        """Keep the event unless it is already there."""
        key = event_key(event)
        held = self.events.get(key)
        if held is None:
            self.events[key] = (event, place)
        else:
            self.duplicates += 1
            self.events[key] = (held[0], min(held[1], place, key=_where))


def event_key(event: Event) -> str:
    """The content key of an event: what makes two records the same act. The comment is part of it only as a digest."""
    return content_id(
        event.source, event.conversation_id, event.message_id, event.event, event.at.isoformat(), event.text
    )


def _rank(message: Message) -> tuple[bool, datetime, str]:
    """Newest last: by the latest time that the version states, then by content, so that order never matters.

    One that is known only from the history sent with a later call comes before all that were logged themselves.
    """
    latest = max(message.completed_at or _NEVER, message.created_at or _NEVER)
    return Flag.RESTATED.value not in message.flags, latest, content_id(msgspec.json.encode(message).decode())


def _where(place: Place) -> tuple[str, int]:
    return place.file, place.line
