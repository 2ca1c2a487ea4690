"""Tells the scores that users gave from those of judges, experts and metrics, and reads them as votes."""

import re
import unicodedata
from datetime import datetime, timedelta
from typing import Any

from pipelines.readers.votes import Declared, vote
from schemas.enums import EventKind

_SEPARATORS = re.compile(r"[\W_]+")
_WHOSE = r"(?:(?:end)?user|customer|explicit|chat|message)"
_WHAT = r"(?:feedback|rating|vote|reaction|thumbs?(?:up|down|updown)?|thumb(?:up|down)|(?:dis)?liked?|likedislike)"
_WHAT_OF_A_USER = rf"(?:{_WHAT}|score|satisfaction|helpful(?:ness)?)"
_NAME = re.compile(
    rf"(?:{_WHOSE}{_WHAT_OF_A_USER}|{_WHAT})(?:score|value|type|category)?"
    r"|用户(?:反馈|评价|评分|投票)|用戶(?:反饋|評價|評分|投票)|点赞|點讚|点踩|點踩|赞踩"
)
_AGAINST = re.compile(r"dislike|thumbs?down(?!up)|[点點]踩")
_LONGEST = 64
_AN_UPDATE = timedelta(minutes=1)
_YES_OR_NO = frozenset({"true", "false", "0", "1", "0.0", "1.0"})


def is_user_feedback(name: object, declared: tuple[str, ...] = ()) -> bool:
    """Whether a score of this name is what a user said of a reply.

    Args:
        name: The name or key that the score was logged under, in any case and with any separators.
        declared: More names that the operator declares to be a user's, as they are logged.
    """
    if type(name) is not str:
        return False
    return name in declared or (len(name) <= _LONGEST and _NAME.fullmatch(_folded(name)) is not None)


def scored_vote(name: str, value: Any, declared: Declared, field: str) -> EventKind | None:
    """Read the value of a user's score as a vote.

    Under a name that is itself a vote against (`dislike`, `thumbs_down`) a yes is that vote, and a no its withdrawal.

    Args:
        name: The name of the score.
        value: A boolean, a number or a word, as `pipelines.readers.votes.vote` reads it.
        declared: Spellings that the source declares.
        field: The key of the value, for the refusal.

    Raises:
        Refused: The value is no vote; stars are only read where they are declared.
    """
    kind = vote(value, declared, field)
    if declared or not _AGAINST.search(_folded(name)) or not _is_yes_or_no(value):
        return kind
    if kind is EventKind.THUMBS_UP:
        return EventKind.THUMBS_DOWN
    return EventKind.THUMBS_CLEAR if kind is EventKind.THUMBS_DOWN else kind


def given_at(created: datetime | None, updated: datetime | None) -> datetime | None:
    """When a score was given its present value.

    A score keeps its id and its first time when the user changes it, and only the time of its update moves. Within a
    minute that is the store's own delay.
    """
    if created is None or updated is None:
        return created or updated
    return updated if updated - created > _AN_UPDATE else created


def _folded(name: str) -> str:
    return _SEPARATORS.sub("", unicodedata.normalize("NFKC", name).casefold())


def _is_yes_or_no(value: Any) -> bool:
    return type(value) in (bool, int, float) or (type(value) is str and value.strip().casefold() in _YES_OR_NO)
