"""Which landing files hold a user or a conversation: found by reading them all, never by their names."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from pipelines.readers.containers.origin import Origin
from pipelines.readers.items import Item
from pipelines.readers.landing import context_for, landing_days, origins
from pipelines.readers.logfile import open_log
from pipelines.readers.raw import RawRecord, Refusal
from pipelines.readers.sources import load_sources
from pipelines.settings import Settings
from schemas.errors import LandingError


@dataclass
class Landed:
    """What the landing zone holds.

    Attributes:
        files: Path below the landing zone to the number of records that hold what was sought.
        sources: Raw names of the sources in which it was found.
        conversations: (raw source, conversation_id) of the conversations in which it was found.
        unread: Records and files that cannot be read; they may hold anybody.
        searched: Whether there was a landing zone to search.
    """

    files: Counter[str] = field(default_factory=Counter)
    sources: set[str] = field(default_factory=set)
    conversations: set[tuple[str, str]] = field(default_factory=set)
    unread: int = 0
    searched: bool = True


def search_landing(
    settings: Settings,
    is_wanted: Callable[[str, str | None, str | None], bool],
    known: Callable[[str, str], bool],
) -> Landed:
    """Read every file of the landing zone.

    Args:
        settings: Where the landing zone is, and what is declared about it.
        is_wanted: Told source, user id and conversation id of an item, says whether it is itself what is sought.
        known: Told source and conversation id, says whether the conversation is known to belong to it.

    Returns:
        The files and conversations. Of a conversation that is sought, records count that name nobody, too.

    Raises:
        LandingError: A file cannot be read at all.
        ConfigError: The declarations of sources are not valid.
    """
    found = Landed()
    try:
        days = landing_days(settings.landing)
    except LandingError:
        return Landed(searched=False)
    sources = load_sources(settings.sources_path)
    # Of records that name nobody it is known only at the end whether their conversation is one that is sought.
    others: Counter[tuple[str, str, str]] = Counter()
    for day in days:
        for origin in origins(settings.landing, day):
            if not isinstance(origin, Origin):
                found.unread += 1
                continue
            log = open_log(origin, context_for(sources, origin.name, day, settings.source), settings.record_limit)
            if isinstance(log, RawRecord):
                found.unread += 1
                continue
            name = f"dt={day}/{origin.name}"
            for raw in log.records(settings.record_limit):
                _count(log.items(raw), name, found, others, is_wanted)
    for (name, source, conversation), n in others.items():
        if (source, conversation) in found.conversations or known(source, conversation):
            found.files[name] += n
    return found


def _count(
    items: list[Item],
    name: str,
    found: Landed,
    others: Counter[tuple[str, str, str]],
    is_wanted: Callable[[str, str | None, str | None], bool],
) -> None:
    """Count one record: as holding what is sought, else under each conversation that it has a part of."""
    talks: set[tuple[str, str]] = set()
    hit = False
    for item in items:
        if isinstance(item, Refusal):
            found.unread += 1
            continue
        if item.conversation_id is not None and not item.user_id:
            talks.add((item.source, item.conversation_id))
        if is_wanted(item.source, item.user_id, item.conversation_id):
            hit = True
            found.sources.add(item.source)
            if item.conversation_id is not None:
                found.conversations.add((item.source, item.conversation_id))
    if hit:
        found.files[name] += 1
        return
    for talk in talks:
        others[(name, *talk)] += 1
