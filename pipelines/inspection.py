"""Finds out what a log holds, and which signals can be measured from it, before anything is run."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from pipelines.readers.calls import assemble
from pipelines.readers.format import Format
from pipelines.readers.items import Call, Item, Remark, keys_of
from pipelines.readers.logfile import LogFile
from pipelines.readers.raw import Place, RawRecord, Refusal
from pipelines.readers.spans import merge_calls
from schemas.enums import EventKind, Role, Signal, Status
from schemas.ids import content_id
from schemas.records import Event, Message

_CALLS_ASSEMBLED = 20_000
_SAMPLED_MESSAGES = 8
_VOTES = (EventKind.THUMBS_DOWN, EventKind.THUMBS_UP, EventKind.THUMBS_CLEAR)
_ACTS = (EventKind.STOP, EventKind.CLOSE)
_IN_WORDS = (Signal.REPEAT, Signal.REPHRASE, Signal.COMPLAIN, Signal.DISMISS)


@dataclass(slots=True)
class LogFacts:
    """What one log holds.

    Attributes:
        name: The file, or the member of an archive.
        format: Its format; None where no reader takes it.
        why: What it was recognised by.
        records: Records in it.
        unused: Those of them that hold nothing of a conversation.
        conversations: Distinct conversations; those of calls after putting them together.
        users: Distinct users.
        sources: Sources that its records name.
        models: Models that its replies name.
        roles: Messages by role.
        with_text: Messages with text, by role.
        attachments: Messages with an attachment.
        clocks: How many messages state a time: `user sent`, `reply begun`, `reply ended`.
        streamed: Replies that state both when they began and when they ended.
        first: Earliest time.
        last: Latest time.
        events: Events by kind.
        calls: Logged calls.
        calls_left: Calls beyond those that were put together.
        refused: Refusals by reason and field, and the line of the first.
        sample: Some messages, raw; for the de-identifier.
    """

    name: str
    format: Format | None
    why: str
    records: int = 0
    unused: int = 0
    conversations: int = 0
    users: int = 0
    sources: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    roles: Counter[Role] = field(default_factory=Counter)
    with_text: Counter[Role] = field(default_factory=Counter)
    attachments: int = 0
    clocks: Counter[str] = field(default_factory=Counter)
    streamed: int = 0
    first: datetime | None = None
    last: datetime | None = None
    events: Counter[EventKind] = field(default_factory=Counter)
    calls: int = 0
    calls_left: int = 0
    refused: dict[tuple[str, str | None], tuple[int, int]] = field(default_factory=dict)
    sample: list[tuple[Message, Place]] = field(default_factory=list)


def facts_of(log: LogFile | RawRecord, name: str, limit: int, sample: int = 0) -> LogFacts:
    """Read a log from beginning to end and count what it holds.

    Args:
        log: The opened log, or the finding that no reader takes it.
        name: Its name.
        limit: Greatest length of a record in bytes.
        sample: How many conversations to keep some messages of.

    Returns:
        The facts. Memory is bounded by one record, the ids, and the first 20,000 calls of a log of calls.
    """
    if isinstance(log, RawRecord):
        facts = LogFacts(name, None, "no reader takes it", records=1)
        _refuse(facts, log)
        return facts
    facts = LogFacts(name, log.format, log.why)
    counter = _Counter(facts, sample)
    for raw in log.records(limit):
        facts.records += 1
        items = log.items(raw)
        facts.unused += not items
        for item in items:
            counter.add(item, raw)
    counter.finish()
    return facts


def _refuse(facts: LogFacts, raw: RawRecord, refusal: Refusal | None = None) -> None:
    refusal = refusal or raw.refusal
    if refusal is not None:
        key = (str(refusal.reason), refusal.field)
        n, line = facts.refused.get(key, (0, raw.line))
        facts.refused[key] = (n + 1, line)


class _Counter:
    def __init__(self, facts: LogFacts, sample: int) -> None:
        self.facts = facts
        self._conversations: set[str] = set()
        self._users: set[str] = set()
        self._messages: set[str] = set()
        self._stopped: set[str] = set()
        self._sampled: Counter[str] = Counter()
        self._sample = sample
        self._calls: list[tuple[Call, Place]] = []
        self._remarks: list[tuple[Remark, Place]] = []

    def add(self, item: Item, raw: RawRecord) -> None:
        if isinstance(item, Refusal):
            _refuse(self.facts, raw, item)
        elif isinstance(item, Message):
            self._message(item, raw)
        elif isinstance(item, Call):
            self.facts.calls += 1
            if len(self._calls) < _CALLS_ASSEMBLED:
                self._calls.append((item, raw.place(self.facts.name)))
            else:
                self.facts.calls_left += 1
        elif isinstance(item, Remark):
            self._remarks.append((item, raw.place(self.facts.name)))
        else:
            self._event(item)

    def finish(self) -> None:
        merged, _ = merge_calls(self._calls)
        assembly = assemble(merged, self._remarks)
        for message, place in assembly.messages:
            self._message(message, RawRecord(place.line, place.byte_offset, b""))
        for event, _ in assembly.events:
            self._event(event)
        self.facts.conversations = len(self._conversations)
        self.facts.users = len(self._users)

    def _event(self, event: Event) -> None:
        if event.event is EventKind.STOP and event.message_id is not None:
            self._stop(event.source, event.conversation_id, event.message_id)
        else:
            self.facts.events[event.event] += 1
        self.facts.sources[event.source] += 1
        self._seen(event, (event.at,))

    def _stop(self, *reply: str | None) -> None:
        """Count a stopped reply once, though both its status and an event say it."""
        key = content_id(*reply)
        self.facts.events[EventKind.STOP] += key not in self._stopped
        self._stopped.add(key)

    def _message(self, m: Message, raw: RawRecord) -> None:
        self._seen(m, (m.created_at, m.completed_at))
        facts = self.facts
        key = content_id(m.source, m.conversation_id, m.message_id)
        if key in self._messages:
            return  # another version of a message that was counted
        self._messages.add(key)
        facts.sources[m.source] += 1
        facts.roles[m.role] += 1
        facts.with_text[m.role] += bool(m.content)
        facts.attachments += m.has_attachment
        if m.model is not None:
            facts.models[m.model] += 1
        if m.role is Role.USER:
            facts.clocks["user sent"] += m.created_at is not None
        elif m.role is Role.ASSISTANT:
            facts.clocks["reply begun"] += m.created_at is not None
            facts.clocks["reply ended"] += m.completed_at is not None
            # One instant for both ends is a stamp of the whole reply: it says nothing of the time for reading.
            facts.streamed += None not in (m.created_at, m.completed_at) and m.created_at != m.completed_at
            if m.status is Status.STOPPED:
                self._stop(m.source, m.conversation_id, m.message_id)
        if self._sample and m.content and m.role in (Role.USER, Role.ASSISTANT):
            conversation = content_id(m.source, m.conversation_id)
            if conversation in self._sampled or len(self._sampled) < self._sample:
                self._sampled[conversation] += 1
                if self._sampled[conversation] <= _SAMPLED_MESSAGES:
                    facts.sample.append((m, raw.place(facts.name)))

    def _seen(self, item: Message | Event, times: Iterable[datetime | None]) -> None:
        for key in keys_of(item):
            self._conversations.add(content_id(item.source, key.hex()))
        if item.user_id is not None:
            self._users.add(content_id(item.source, item.user_id))
        for time in times:
            if time is not None:
                self.facts.first = min(self.facts.first or time, time)
                self.facts.last = max(self.facts.last or time, time)


def together(many: Iterable[LogFacts], name: str) -> LogFacts:
    """What several logs allow to measure when they are run as one: the votes of one are about the replies of another.

    Args:
        many: Facts of logs of one format.
        name: What to call them.

    Returns:
        Counts of messages, clocks and events. A message that stands in two logs counts twice.
    """
    whole = LogFacts(name, None, "")
    for facts in many:
        whole.format = facts.format
        whole.records += facts.records
        whole.roles.update(facts.roles)
        whole.with_text.update(facts.with_text)
        whole.clocks.update(facts.clocks)
        whole.streamed += facts.streamed
        whole.events.update(facts.events)
    return whole


def votes(facts: LogFacts) -> int:
    """How many votes a log holds, taken back ones too."""
    return sum(facts.events[kind] for kind in _VOTES)


def measurable(facts: LogFacts) -> Iterator[tuple[Signal, bool, str]]:
    """Which signals the log allows to decide, and what that is read from, or what is missing."""
    requests, replies = facts.roles[Role.USER], facts.roles[Role.ASSISTANT]
    worded = facts.with_text[Role.USER]
    voted = votes(facts)
    acts = sum(facts.events[a] for a in _ACTS)
    for signal in Signal:
        if signal in _IN_WORDS:
            found = f"{worded:,} of {requests:,} user messages have text"
            if signal is Signal.DISMISS:
                found += f"; stops and closes: {acts:,}"
            yield signal, bool(worded) or (signal is Signal.DISMISS and acts > 0), found
        elif signal is Signal.DISLIKE:
            yield signal, voted > 0, f"votes: {voted:,}" if voted else "there is no vote"
        else:
            both, sent = facts.streamed, facts.clocks["user sent"]
            found = (
                f"{both:,} of {replies:,} replies say when they began and when they ended, {sent:,} of {requests:,}"
                " user messages when they were sent"
            )
            yield signal, both > 0 and sent > 0, found
