"""The conversations of `conversations.yaml`, laid on the clock, as the writers of formats need them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from uuid import UUID

import yaml
from authored import Conversation, check, parse
from pace import faults as pace_faults
from timeline import spans

from schemas.enums import EventKind, Role, Status

VOTES = (EventKind.THUMBS_DOWN, EventKind.THUMBS_UP)


@dataclass(frozen=True)
class Done:
    """Something that the user did with a message."""

    kind: str
    at: datetime
    text: str | None


@dataclass(frozen=True)
class Said:
    """A message; `start` is the first token of a reply and the sending of a request, `end` the last token."""

    key: str
    role: Role
    text: str
    parent: str | None
    start: datetime
    end: datetime
    status: str
    attachment: bool
    acts: tuple[Done, ...]

    @property
    def vote(self) -> Done | None:
        """The vote on it."""
        return next((a for a in self.acts if a.kind in VOTES), None)

    @property
    def liked(self) -> bool:
        """Whether the vote is one for it."""
        return self.vote is not None and self.vote.kind == EventKind.THUMBS_UP

    @property
    def stopped(self) -> bool:
        """Whether the user broke it off."""
        return self.status == Status.STOPPED


@dataclass(frozen=True)
class Talk:
    """A conversation."""

    key: str
    user: str
    model: str
    source: Conversation
    said: tuple[Said, ...]

    @cached_property
    def path(self) -> tuple[Said, ...]:
        """The messages of the branch that was last on screen."""
        by_key = {s.key: s for s in self.said}
        path = [self.said[-1]]
        while (parent := path[-1].parent) is not None:
            path.append(by_key[parent])
        return tuple(reversed(path))

    @property
    def exchanges(self) -> Iterator[tuple[Said, Said]]:
        """Each request of the path and the reply to it."""
        for request, reply in zip(self.path, self.path[1:], strict=False):
            if (request.role, reply.role) == (Role.USER, Role.ASSISTANT):
                yield request, reply

    def replies(self, request: Said) -> list[Said]:
        """All replies to a request, regenerated ones too."""
        return [s for s in self.said if s.parent == request.key and s.role is Role.ASSISTANT]

    def children(self, of: Said) -> list[Said]:
        """The messages that follow one, on any branch."""
        return [s for s in self.said if s.parent == of.key]

    def before(self, reply: Said) -> tuple[Said, ...]:
        """What a model was sent to get a reply of the path: all that was said before it."""
        return self.path[: self.path.index(reply)]


def told(path: Path) -> tuple[dict[str, Talk], list[str]]:
    """Read the conversations.

    Returns:
        Them by id, and what is wrong with them.
    """
    found: dict[str, Talk] = {}
    faults: list[str] = []
    for raw in yaml.safe_load(path.read_text(encoding="utf-8")):
        given = {**raw, "source": "web-chat"}
        wrong = list(check(given))
        if not wrong:
            conversation = parse(given)
            wrong = list(pace_faults(conversation))
            found[raw["id"]] = _talk(conversation)
        faults += [f"{path.name}: {raw.get('id')}: {fault}" for fault in wrong]
    return found, faults


def _talk(conversation: Conversation) -> Talk:
    said = tuple(
        Said(
            key=span.turn.id,
            role=span.turn.role,
            text=span.turn.text or "",
            parent=span.turn.parent,
            start=span.start.astimezone(UTC),
            end=span.end.astimezone(UTC),
            status=span.turn.status,
            attachment=span.turn.attachment,
            acts=tuple(
                Done(act.event, (span.end + timedelta(seconds=act.at)).astimezone(UTC), act.text)
                for act in span.turn.acts
            ),
        )
        for span in spans(conversation)
    )
    return Talk(conversation.id, conversation.user or "", conversation.model or "", conversation, said)


def hexed(length: int, *parts: str) -> str:
    """An id of hexadecimal digits that depends on its parts alone."""
    return blake2b("\x1f".join(parts).encode(), digest_size=(length + 1) // 2).hexdigest()[:length]


def uuid(*parts: str) -> str:
    """An id that looks like those of databases, and depends on its parts alone."""
    return str(UUID(hex=hexed(32, *parts), version=4))


def number(*parts: str) -> int:
    """An id that counts."""
    return int(hexed(5, *parts), 16)


def iso(at: datetime, unit: str = "milliseconds", zone: str = "Z") -> str:
    """A time in UTC, spelled as most exports do."""
    return at.replace(tzinfo=None).isoformat(timespec=unit) + zone


def nanos(at: datetime) -> str:
    """Nanoseconds since 1970, as OTLP writes them."""
    return str(round(at.timestamp() * 1000) * 10**6)
