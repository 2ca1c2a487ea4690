"""The votes of Dify: inside a turn, in a list beside those of the operator's staff, or as rows of their own."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pipelines.readers import fields
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import Context
from pipelines.readers.items import Item
from pipelines.readers.parts import each, numbered
from pipelines.readers.votes import vote
from pipelines.readers.wrapped import embedded_list, embedded_object
from schemas.enums import EventKind
from schemas.flags import Flag
from schemas.reasons import Reason
from schemas.records import Event


@dataclass(frozen=True, slots=True)
class Turn:
    """What the votes of a turn take from it.

    Attributes:
        conversation: Its conversation.
        id: Id of the row, which is that of the reply.
        user: Whose it is.
        asked: When the row was made.
        ended: When the reply was whole.
    """

    conversation: str
    id: str
    user: str | None
    asked: datetime | None
    ended: datetime | None


def is_vote(row: Record) -> bool:
    """Whether a row is one of votes and not of turns."""
    return "message_id" in row and ("rating" in row or "feedback_rating_raw" in row) and "query" not in row


def votes_in_a_turn(r: Record, of: Turn, context: Context, flags: tuple[str, ...]) -> Iterator[Item]:
    """The user's own vote, and the users' votes of a list that also holds what the operator's staff thought."""

    def event(given: Any) -> Iterator[Item]:
        feedback = _present(fields.as_object(given, ""))
        kind = _kind(feedback, "rating", context)
        if kind is None or not _by_user(feedback):
            return
        own = _own_time(feedback, context)
        at = own or of.ended or of.asked
        if at is None:
            raise Refused(Reason.MISSING_KEY, "created_at")
        yield Event(
            source=context.name,
            conversation_id=of.conversation,
            message_id=of.id,
            event=kind,
            at=at,
            user_id=fields.optional_any_id(feedback, "from_end_user_id") or of.user,
            text=fields.text(feedback, "content"),
            flags=flags if own else (*flags, Flag.TIME_INFERRED.value),
        )

    given = r.get("feedback")
    if type(given) is str:
        given = {"rating": given} if not given.startswith("{") else embedded_object(r, "feedback")
    if given is not None:
        yield from each([("feedback", given)], event)
    yield from each(numbered(embedded_list(r, "feedbacks"), "feedbacks"), event)


def vote_of_a_row(r: Record, context: Context, flags: tuple[str, ...]) -> Iterator[Item]:
    """The vote of a row of the table `message_feedbacks`, or of the console's export of feedback."""
    kind = _kind(r, "feedback_rating_raw" if "feedback_rating_raw" in r else "rating", context)
    if kind is None or not _by_user(r):
        return
    at = _own_time(r, context)
    if at is None:
        raise Refused(Reason.MISSING_KEY, "created_at")
    yield Event(
        source=context.name,
        conversation_id=fields.optional_id(r, "conversation_id"),
        message_id=fields.any_id(r, "message_id"),
        event=kind,
        at=at,
        user_id=fields.optional_any_id(r, "from_end_user_id"),
        text=fields.text(r, "content" if "content" in r else "feedback_comment"),
        flags=flags,
    )


def _present(feedback: Record) -> Record:
    return {k: v for k, v in feedback.items() if v is not None and v != ""}


def _own_time(feedback: Record, context: Context) -> datetime | None:
    key = next((k for k in ("updated_at", "created_at", "feedback_date") if k in feedback), "created_at")
    return fields.time(feedback, key, context.clock)


def _kind(feedback: Record, key: str, context: Context) -> EventKind | None:
    return vote(feedback.get(key), context.source.votes, key)


def _by_user(feedback: Record) -> bool:
    source = feedback.get("from_source", feedback.get("feedback_source"))
    if type(source) is str:
        return source.casefold() != "admin"
    return "from_end_user_id" in feedback or not feedback.keys() & {"from_account_id", "from_account"}
