"""Shapes de-identified records into rows of the tables."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import Any

import polars as pl

from anonymize.door import Result
from pipelines.readers.raw import Place, Refusal
from schemas.contract import table
from schemas.ids import content_id
from schemas.records import Event, Message

_TAG = r"<[A-Z_]+_[a-z0-9]+>"
_LETTERS = {
    "han": r"\p{Han}",
    "latin": r"\p{Latin}",
    "letters": r"\p{L}",
}


def message_row(
    message: Message, result: Result, user_key: str | None, arrival: date, labels: Mapping[str, str]
) -> dict[str, Any]:
    """One row of `messages`, less `script`, which `frame` adds.

    Args:
        message: The record as it was logged; of its text only the length is used.
        result: Its text, de-identified.
        user_key: Pseudonym of the user.
        arrival: Landing day.
        labels: What becomes of each source and model name: itself, but for personal data in it.

    Returns:
        Column name to value, `dt` included.
    """
    row = {
        "source": labels[message.source],
        "conversation_id": message.conversation_id,
        "message_id": message.message_id,
        "parent_id": message.parent_id,
        "seq": message.seq,
        "role": str(message.role),
        "text": result.text,
        "n_chars": None if message.content is None else len(message.content),
        "created_at": message.created_at,
        "completed_at": message.completed_at,
        "status": str(message.status),
        "user_key": user_key,
        "model": None if message.model is None else labels[message.model],
        "has_attachment": message.has_attachment,
    }
    digest = content_id(*(None if v is None else _plain(v) for v in row.values()), *message.aliases)
    at = message.created_at or message.completed_at
    return row | {
        "entity_counts": entity_counts(result),
        "flags": list(message.flags),
        "aliases": list(message.aliases) or None,
        "digest": digest,
        "arrival_dt": arrival,
        "dt": at.date() if at else arrival,
    }


def event_row(
    event: Event, result: Result, user_key: str | None, arrival: date, labels: Mapping[str, str]
) -> dict[str, Any]:
    """One row of `events`, made like one of `messages`.

    Its id is made from the de-identified comment, so that it says nothing about the raw one.
    """
    source = labels[event.source]
    event_id = content_id(
        source, event.conversation_id, event.message_id, event.event, event.at.isoformat(), result.text
    )
    return {
        "event_id": event_id,
        "source": source,
        "conversation_id": event.conversation_id,
        "message_id": event.message_id,
        "event": str(event.event),
        "at": event.at,
        "user_key": user_key,
        "text": result.text,
        "entity_counts": entity_counts(result),
        "arrival_dt": arrival,
        "dt": event.at.date(),
    }


def quarantine_row(place: Place, refusal: Refusal) -> dict[str, Any]:
    """One row of `quarantine`."""
    return asdict(place) | {"reason": str(refusal.reason), "field": refusal.field}


def with_days(messages: pl.DataFrame) -> pl.DataFrame:
    """Give messages without a clock the event day of the message after them, else of the one before them.

    A source may state times on replies only. Without this, a request would lie on the day of arrival and its reply on
    its own day, and the two might never meet. A conversation without any clock stays on the day of arrival.

    Args:
        messages: Rows of `messages` of one landing day, with `dt`.

    Returns:
        The same rows, in some order.
    """
    conversation = ["source", "conversation_id"]
    clocked = pl.coalesce("created_at", "completed_at").is_not_null()
    known = pl.when(clocked).then("dt")
    nearest = pl.coalesce(known.fill_null(strategy="backward"), known.fill_null(strategy="forward"), "dt")
    ordered = messages.sort([*conversation, "seq", "message_id"], nulls_last=True)
    return ordered.with_columns(dt=nearest.over(conversation))


def entity_counts(result: Result) -> list[dict[str, Any]]:
    """What was masked, by type in alphabetical order."""
    return [{"entity": entity, "n": n} for entity, n in sorted(result.counts.items())]


def frame(name: str, rows: Sequence[dict[str, Any]], *, dt: bool = False) -> pl.DataFrame:
    """Build a typed frame in the contract's columns, with `dt` where a table is partitioned by event day.

    Args:
        name: Table.
        rows: Column name to value.
        dt: Whether rows carry their event day.

    Returns:
        A frame of `len(rows)` rows, typed also when empty.
    """
    contract = table(name)
    schema = contract.polars | ({"dt": pl.Date()} if dt else {})
    given = {c: t for c, t in schema.items() if c != "script"}
    built = pl.DataFrame(rows, schema=given, orient="row") if rows else pl.DataFrame(schema=given)
    if "script" in schema:
        built = built.with_columns(script=script_of(pl.col("text")))
    return built.select(schema.keys())


def script_of(text: pl.Expr) -> pl.Expr:
    """The writing system that most letters of a text are in, tags left out.

    A Chinese sentence with one English word in it is `han`, an English one that quotes a Chinese character `latin`;
    `mixed` is what has at least a tenth of its letters in each, but no seven tenths of Chinese.

    Args:
        text: A string expression; null gives `none`.

    Returns:
        An expression of the values of `schemas.enums.Script`.
    """
    bare = text.str.replace_all(_TAG, "")
    n = {name: bare.str.count_matches(pattern).cast(pl.Float64) for name, pattern in _LETTERS.items()}
    han, latin = n["han"] / n["letters"], n["latin"] / n["letters"]
    return (
        pl.when(n["letters"].fill_null(0) == 0)
        .then(pl.lit("none"))
        .when(han >= 0.7)
        .then(pl.lit("han"))
        .when(latin > 0.9)
        .then(pl.lit("latin"))
        .when(han + latin >= 0.5)
        .then(pl.lit("mixed"))
        .otherwise(pl.lit("other"))
    )


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
