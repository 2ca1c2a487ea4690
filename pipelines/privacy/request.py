"""What is asked of an erasure, and what it tells of itself."""

from dataclasses import dataclass, field
from datetime import datetime

from pipelines.privacy.landed import Landed


@dataclass(frozen=True)
class Request:
    """Who or what is to be erased: a user, or a conversation.

    Attributes:
        user: Id of the user, as it is logged.
        conversation: Id of the conversation, as it is logged.
        sources: Only in these sources, by their names in the tables; in all, where empty.
    """

    user: str | None = field(default=None, repr=False)
    conversation: str | None = field(default=None, repr=False)
    sources: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Erasure:
    """What an erasure did, or would do.

    Attributes:
        run_id: Id of the erasure; None where nothing was written.
        users: Source to pseudonym of the user, where something was found.
        conversations: How many conversations went, or were touched.
        removed: Table to rows that were removed, or would be.
        left: Table to rows that are left, as all tables were read again afterwards.
        landed: What the landing zone still holds.
        already: When the user was erased before, if nothing of the user was found now.
        under_way: Work folders of scheduled runs that are not ended: they may hold de-identified rows, and cannot
            publish them any more.
    """

    run_id: str | None
    users: dict[str, str]
    conversations: int
    removed: dict[str, int]
    left: dict[str, int]
    landed: Landed
    already: datetime | None = None
    under_way: int = 0
