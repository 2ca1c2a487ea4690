"""A logged call made ready for comparison: its turns without those of the system, and a key for each.

Two turns are the same words if they differ in whitespace only: an output is trimmed where it is sent again, and the
parts of a content are joined in several ways.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from pipelines.readers.items import Call, Turn
from pipelines.readers.raw import Place
from schemas.enums import Role, Status
from schemas.ids import content_id

_COMPARED = 8  # calls with the same input that a further one is compared with, the latest ones
_NO_WORDS = content_id("")


class Keys:
    """Digests each distinct text once."""

    def __init__(self) -> None:
        self._digests: dict[str | None, str] = {None: _NO_WORDS}

    def of(self, turn: Turn) -> str:
        """Role and digest of the words. A turn without text has the key of an empty one."""
        digest = self._digests.get(turn.text)
        if digest is None:
            digest = self._digests[turn.text] = content_id("".join((turn.text or "").split()))
        return turn.role + digest  # a role is its own word


def wordless(key: str) -> bool:
    """Whether a turn of this key holds no text, as a tool call or an image does."""
    return key.endswith(_NO_WORDS)


@dataclass(slots=True, eq=False)
class Logged:
    """A call, ready to be placed in its conversation.

    Attributes:
        call: What was logged.
        place: Where it stands.
        turns: Its input without the turns of the system.
        keys: The key of each of them.
        system: The system's turns, each with the number of other turns before it.
        said: Its output.
        said_keys: The key of each of its turns.
        request: Index of the last user turn, or -1.
        history: How many turns there are up to and with the last one of the assistant.
        sent: Digest of the whole input.
        aliases: Ids by which feedback may name its reply.
    """

    call: Call
    place: Place
    turns: list[Turn]
    keys: list[str]
    system: list[tuple[Turn, int]]
    said: list[Turn]
    said_keys: list[str]
    request: int
    history: int
    sent: str
    aliases: list[str] = field(default_factory=list)

    @property
    def when(self) -> datetime | None:
        """The first time that it states."""
        return self.call.started_at or self.call.first_token_at or self.call.ended_at

    @property
    def until(self) -> datetime | None:
        """The last time that it states."""
        return self.call.ended_at or self.call.first_token_at or self.call.started_at

    @property
    def fresh(self) -> bool:
        """Whether the user's turn is what it answers, and not the outcome of a step on the way to the answer."""
        return self.request >= self.history

    @property
    def stamp(self) -> str:
        """What tells it from another call with the same words: its start to the millisecond, else its id."""
        at = self.call.started_at
        return self.call.call_id if at is None else at.isoformat(timespec="milliseconds")

    def order(self) -> tuple[bool, str, int, str, str, str, str, int]:
        """A total order that depends on nothing but what was logged."""
        at = self.when
        said = "".join(self.said_keys)
        return (
            at is None,
            "" if at is None else at.isoformat(timespec="microseconds"),
            len(self.turns),
            self.call.call_id,
            self.sent,
            said,
            self.place.file,
            self.place.line,
        )


def ready(call: Call, place: Place, keys: Keys) -> Logged:
    """Make a call ready."""
    turns: list[Turn] = []
    found: list[str] = []
    system: list[tuple[Turn, int]] = []
    request, history = -1, 0
    every = []
    for turn in call.input or ():
        key = keys.of(turn)
        every.append(key)
        if turn.role is Role.SYSTEM:
            system.append((turn, len(turns)))
            continue
        if turn.role is Role.USER:
            request = len(turns)
        elif turn.role is Role.ASSISTANT:
            history = len(turns) + 1
        turns.append(turn)
        found.append(key)
    said = list(call.output or ())
    aliases = [i for i in (call.call_id, call.output_id) if i is not None]
    sent = content_id(",".join(every)) if call.input is not None else ""
    return Logged(call, place, turns, found, system, said, [keys.of(t) for t in said], request, history, sent, aliases)


def count(call: Call) -> int:
    """Turns that went in and came out. What was not captured counts as one turn, and so does an empty output."""
    return (1 if call.input is None else len(call.input)) + max(1, len(call.output or ()))


def once(calls: Iterable[Logged]) -> tuple[list[Logged], int]:
    """Take calls that were exported several times once.

    Two are the same call if they have the same input, do not differ in an output that both have, and have the same id
    or the same start to the millisecond; or the same output, while both ran: two tools logged it then, one of them
    around the other.

    Args:
        calls: Calls of one conversation.

    Returns:
        The distinct calls, in no particular order, and the number of turns that went with the others.
    """
    kept: dict[tuple[str, str], list[Logged]] = {}
    distinct: list[Logged] = []
    turns = 0
    for new in sorted(calls, key=Logged.order):
        marks = [(new.sent, "i" + new.call.call_id)]
        if new.call.started_at is not None and new.call.input is not None:
            marks += [(new.sent, "t" + new.stamp), (new.sent, "o" + ",".join(new.said_keys))]
        same = next((k for m in marks for k in kept.get(m, [])[-_COMPARED:] if _same(k, new)), None)
        if same is None:
            distinct.append(new)
            for mark in marks:
                kept.setdefault(mark, []).append(new)
        else:
            turns += _merge(same, new)
    return distinct, turns


def _same(a: Logged, b: Logged) -> bool:
    if a.call.started_at is None or b.call.started_at is None or a.stamp == b.stamp:
        return not a.said or not b.said or a.said_keys == b.said_keys
    during = a.call.ended_at is not None and b.call.started_at < a.call.ended_at
    return during and bool(a.said) and a.said_keys == b.said_keys


def _merge(kept: Logged, other: Logged) -> int:
    """Add to a call what another export of it knows; returns the turns that are not needed then."""
    spare = count(other.call)
    mine, theirs = kept.call, other.call
    if other.said and not kept.said:
        spare = count(mine)
        kept.said, kept.said_keys = other.said, other.said_keys
        mine = msgspec.structs.replace(mine, output=theirs.output, status=theirs.status)
    elif mine.status is Status.OK and not kept.said:
        mine = msgspec.structs.replace(mine, status=theirs.status)
    kept.call = msgspec.structs.replace(
        mine,
        user_id=mine.user_id or theirs.user_id,
        model=mine.model or theirs.model,
        started_at=mine.started_at or theirs.started_at,
        first_token_at=mine.first_token_at or theirs.first_token_at,
        ended_at=mine.ended_at or theirs.ended_at,
    )
    kept.aliases += [a for a in other.aliases if a not in kept.aliases]
    return spare
