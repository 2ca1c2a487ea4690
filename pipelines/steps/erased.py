"""Who was erased: read when a run begins, so that landing files that still hold a user do not bring the user back.

What goes, of an erased user: the user's own records; in conversations that the user took part in, also those that name
nobody, such as replies, which may quote the user; and feedback that names nobody about a message that goes. Records
that name another user stay. Of a conversation that was erased by its id, everything goes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import polars as pl

from anonymize.keyring import find_key
from anonymize.keys import PseudonymKey, load_key
from pipelines.readers.dedupe import Versions
from schemas.ids import content_id
from schemas.records import Event, Message
from warehouse.files import file_digest
from warehouse.layout import Warehouse

TABLE = "erasures"
CONVERSATION, MESSAGE = "conversation", "message"


@dataclass(frozen=True)
class Under:
    """What was erased under one key.

    Attributes:
        key: The key that made the pseudonyms.
        users: Pseudonyms of users.
        records: Pseudonyms of conversations and messages of those users.
        whole: Pseudonyms of conversations that were erased by their own id, and of their messages.
    """

    key: PseudonymKey
    users: frozenset[str]
    records: frozenset[str]
    whole: frozenset[str]


class Erased:
    """Tells which records belong to what was erased.

    Args:
        parts: What was erased, by key.
        labels: What becomes of a source's name in the tables.
    """

    def __init__(self, parts: Sequence[Under], labels: Callable[[str], str]) -> None:
        self._parts = parts
        self._label = lru_cache(maxsize=None)(labels)
        self._user = lru_cache(maxsize=100_000)(self._is_user)

    def remove(self, versions: Versions) -> int:
        """Take what belongs to erased users out of a bucket's records.

        Args:
            versions: The records, one version of each; changed in place.

        Returns:
            How many records were taken out.
        """
        if not self._parts:
            return 0
        before = len(versions.messages) + len(versions.events)
        theirs: set[tuple[str, str | None]] = {
            (r.source, r.conversation_id)
            for r in _records(versions)
            if r.conversation_id is not None and self._user(r.source, r.user_id)
        }
        goes = {k for k, (m, _) in versions.messages.items() if self._goes(m, theirs)}
        gone = {
            (m.source, name) for k in goes for m in [versions.messages[k][0]] for name in (m.message_id, *m.aliases)
        }
        for key in goes:
            del versions.messages[key]
        kept = {k: held for k, held in versions.events.items() if not self._event_goes(held[0], theirs, gone)}
        versions.events.clear()
        versions.events.update(kept)
        return before - len(versions.messages) - len(versions.events)

    def _goes(self, record: Message | Event, theirs: set[tuple[str, str | None]]) -> bool:
        if self._user(record.source, record.user_id):
            return True
        where = record.conversation_id
        if where is None:
            return False
        if self._known(record.source, CONVERSATION, where, whole=True):
            return True
        nobody = not record.user_id
        return nobody and ((record.source, where) in theirs or self._known(record.source, CONVERSATION, where))

    def _event_goes(self, event: Event, theirs: set[tuple[str, str | None]], gone: set[tuple[str, str]]) -> bool:
        if self._goes(event, theirs):
            return True
        if event.conversation_id is not None or event.message_id is None or event.user_id:
            return False
        about = (event.source, event.message_id)
        return about in gone or any(
            self._known(event.source, MESSAGE, event.message_id, whole=w) for w in (False, True)
        )

    def _is_user(self, source: str, user_id: str | None) -> bool:
        return bool(user_id) and any(p.users and p.key.user_key(source, str(user_id)) in p.users for p in self._parts)

    def _known(self, source: str, kind: str, record_id: str, *, whole: bool = False) -> bool:
        sets = [(p.key, p.whole if whole else p.records) for p in self._parts]
        return any(known and key.record_key(kind, self._label(source), record_id) in known for key, known in sets)


def load_erased(warehouse: Warehouse, key_path: Path) -> list[Under]:
    """Read what was erased from a warehouse.

    Args:
        warehouse: The published tables.
        key_path: File of the current key; keys that were retired beside it may have made older pseudonyms.

    Returns:
        One part for each key; empty where nothing was ever erased.

    Raises:
        KeyFault: An erasure was made under a key that is not there. Without it a run would bring the user back.
    """
    rows = warehouse.scan(TABLE, columns=["user_key", "key_id", "records"]).collect()
    parts = []
    for (key_id,), mine in sorted(rows.group_by("key_id"), key=lambda g: str(g[0])):
        by_user = mine.filter(pl.col("user_key").is_not_null())
        parts.append(
            Under(
                load_key(find_key(key_path, str(key_id))),
                frozenset(by_user["user_key"]),
                frozenset(by_user["records"].explode().drop_nulls()),
                frozenset(mine.filter(pl.col("user_key").is_null())["records"].explode().drop_nulls()),
            )
        )
    return parts


def erasures_digest(warehouse: Warehouse) -> str:
    """A digest of all erasures: a run publishes only if it is still what it was when the run began."""
    days = warehouse.days(TABLE)
    return content_id(*(part for d in days for part in (str(d), file_digest(warehouse.path(TABLE, d))))) if days else ""


def _records(versions: Versions) -> Iterator[Message | Event]:
    held: Iterable[tuple[Message | Event, object]] = (*versions.messages.values(), *versions.events.values())
    for record, _ in held:
        yield record
