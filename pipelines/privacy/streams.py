"""Divides an input into units that are de-identified one by one: blocks of a text, lines of JSONL, a JSON document."""

import codecs
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import BinaryIO

from pipelines.privacy.jsontext import Slot, is_named, slots_of

_BLOCK = 16_384  # characters; then a blank line ends a block, and at four times as many any line does
NOT_UTF8, NOT_JSON, TOO_LONG = "not_utf8", "invalid_json", "record_too_large"


class Shape(StrEnum):
    """How an input is divided."""

    AUTO = "auto"
    TEXT = "text"
    JSONL = "jsonl"
    JSON = "json"


@dataclass(frozen=True)
class Scopes:
    """How far a tag reaches.

    Attributes:
        fixed: One scope for everything; None: by record, where records name their conversation.
        by: Field of a record that names its conversation.
        source: Source of records that name none.
        default: Scope of what names no conversation.
    """

    fixed: str | None = None
    by: str = "conversation_id"
    source: str = "default"
    default: str = "file"

    def of(self, record: object) -> str:
        """The scope of a JSON record; for the native format the same as in a run, so that tags are the same."""
        if self.fixed is not None:
            return self.fixed
        found = record
        for key in self.by.split("."):
            found = found.get(key) if isinstance(found, Mapping) else None
        if not isinstance(found, str | int) or isinstance(found, bool) or found == "":
            return self.default
        named = record.get("source") if isinstance(record, Mapping) else None
        return f"conversation\x1f{named if isinstance(named, str) and named else self.source}\x1f{found}"


@dataclass(frozen=True)
class Unit:
    """A part of the input.

    Attributes:
        line: Its first line, from 1.
        text: It, as it came; empty where it is withheld already.
        scope: Scope of its tags.
        slots: What in it is de-identified.
        fault: Why it is withheld, where it is.
        instead: What stands in its place then.
    """

    line: int
    text: str
    scope: str = ""
    slots: list[Slot] = field(default_factory=list)
    fault: str | None = None
    instead: str = ""


def shape_of(name: str, start: bytes) -> Shape:
    """Tell how an input is divided, by its name, or else by its first line.

    Args:
        name: File name; `-` for standard input.
        start: Its first bytes.
    """
    suffix = name.lower().rpartition(".")[2]
    if suffix in ("jsonl", "ndjson"):
        return Shape.JSONL
    if suffix == "json":
        return Shape.JSON
    first = start.removeprefix(codecs.BOM_UTF8).lstrip().split(b"\n", 1)[0]
    try:
        value, _ = slots_of(first.decode())
    except ValueError:
        return Shape.TEXT
    return Shape.JSONL if isinstance(value, dict) else Shape.TEXT


def units_of(source: BinaryIO, shape: Shape, scopes: Scopes, fields: tuple[str, ...], limit: int) -> Iterator[Unit]:
    """Divide an input.

    Args:
        source: The input.
        shape: How.
        scopes: How far tags reach.
        fields: Fields of records that are de-identified; all, where empty.
        limit: Longest line, or document, in bytes.

    Yields:
        Its units in order, in memory bounded by the limit.
    """
    if shape is Shape.TEXT:
        yield from _blocks(source, scopes, limit)
    elif shape is Shape.JSONL:
        for number, raw in _lines(source, limit):
            yield _record(number, raw, scopes, fields)
    else:
        data = source.read(limit + 1)
        yield _record(1, None if len(data) > limit else data, scopes, fields)


def _lines(source: BinaryIO, limit: int) -> Iterator[tuple[int, bytes | None]]:
    """Lines with their ends; None for one beyond the limit, which is passed over without being held."""
    number = 0
    while raw := source.readline(limit + 1):
        number += 1
        if len(raw) > limit:
            while not raw.endswith(b"\n") and (raw := source.readline(limit)):
                pass
            yield number, None
        else:
            yield number, raw


def _record(number: int, raw: bytes | None, scopes: Scopes, fields: tuple[str, ...]) -> Unit:
    if raw is None:
        return Unit(number, "", fault=TOO_LONG, instead="null\n")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return Unit(number, "", fault=NOT_UTF8, instead="null\n")
    body = text.removeprefix("\ufeff")
    if not body.strip():
        return Unit(number, text)
    try:
        value, slots = slots_of(body)
    except ValueError:
        return Unit(number, "", fault=NOT_JSON, instead="null\n")
    chosen = [s for s in slots if not fields or is_named(s.field, fields)]
    return Unit(number, body, scopes.of(value), chosen)


def _blocks(source: BinaryIO, scopes: Scopes, limit: int) -> Iterator[Unit]:
    scope = scopes.fixed if scopes.fixed is not None else scopes.default
    first, held, size = 1, list[str](), 0

    def block() -> Unit:
        text = "".join(held)
        return Unit(first, text, scope, [Slot(0, len(text), "", text)])

    for number, raw in _lines(source, limit):
        try:
            line = None if raw is None else raw.decode()
        except UnicodeDecodeError:
            line = None
        if line is None:
            if held:
                yield block()
            yield Unit(number, "", fault=TOO_LONG if raw is None else NOT_UTF8, instead="\n")
            first, held, size = number + 1, [], 0
            continue
        held.append(line)
        size += len(line)
        if size >= _BLOCK and (not line.strip() or size >= 4 * _BLOCK):
            yield block()
            first, held, size = number + 1, [], 0
    if held:
        yield block()
