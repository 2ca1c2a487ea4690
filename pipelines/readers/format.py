"""What a log format is to Tacit: how it is recognised, what reads it, and what can be measured from it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pipelines.readers.items import Item
from pipelines.readers.sources import Source
from pipelines.readers.times import Clock
from schemas.enums import Signal


class Shape(StrEnum):
    """How a file is divided into records."""

    LINES = "lines"
    DOCUMENT = "document"
    ROWS = "rows"
    CSV = "csv"
    DATABASE = "database"


@dataclass(frozen=True, slots=True)
class Glimpse:
    """The beginning of a file: enough to tell its format, and never used for anything else.

    Attributes:
        name: Name of the file, or of the member of an archive, without its folder.
        shape: How it is divided.
        records: The first records that could be decoded, at most 20.
        columns: Column names of a table; empty for JSON.
    """

    name: str
    shape: Shape
    records: tuple[Any, ...]
    columns: tuple[str, ...] = ()


@dataclass(slots=True)
class Context:
    """What a reader knows about the file that it reads.

    Attributes:
        source: What was declared about the file's source, or the defaults.
        clock: Reads the times of this source.
        name: The source of records that name none: the declared one, else the format's.
        unknown_keys: How many keys of no meaning were ignored so far, where the format lists its keys.
    """

    source: Source
    clock: Clock
    name: str = ""
    unknown_keys: int = 0


# From one decoded record and the flags of what was mended in it, to items in a fixed order. A part that cannot be taken
# is yielded as a refusal, and the others go on; a record of which nothing can be taken raises `Refused`. A record that
# holds nothing of a conversation yields nothing, and is counted as such.
Reader = Callable[[Any, tuple[str, ...]], Iterator[Item]]


@dataclass(frozen=True)
class Format:
    """One log format.

    Attributes:
        name: Its name in settings and tables, such as `chatgpt`.
        title: What people call it.
        seen: Version or year of the files that the reader was written against.
        shapes: How a file of it may be divided.
        recognise: Why a glimpse is of this format, in words without a value of the data; None if it is not.
        reader: Makes the reader of one file.
        user_time: What the time of a user's message means: `sent`, or why there is none.
        reply_time: What the time or times of a reply mean: `first token`, `last token`, `both`, `stored`.
        conversation: Where the conversation id comes from.
        finds: For each signal, where this format holds what the signal needs; a signal that is missing cannot be
            measured from it.
        notes: What is left out or inferred, one sentence each.
        quick: A faster way for records that are clean, from their bytes; it gives None where the reader has to look.
        check: Raises a ConfigError where what was declared does not fit the file; called where the format is declared.
        queries: For databases: statements that give the records, by a name that each of its records bears as `_table`.
            One that asks for tables or columns that a database lacks is passed over.
        companions: Files of an export that hold nothing of a conversation, by name: they are no fault.
    """

    name: str
    title: str
    seen: str
    shapes: frozenset[Shape]
    recognise: Callable[[Glimpse], str | None]
    reader: Callable[[Context], Reader]
    user_time: str
    reply_time: str
    conversation: str
    finds: Mapping[Signal, str]
    notes: tuple[str, ...] = ()
    quick: Callable[[Context], Callable[[bytes], Item | None]] | None = None
    check: Callable[[Context, Glimpse], None] | None = None
    queries: Mapping[str, str] = field(default_factory=dict)
    companions: frozenset[str] = field(default_factory=frozenset)


TEXT_SIGNALS: Mapping[Signal, str] = {
    Signal.REPEAT: "text",
    Signal.REPHRASE: "text",
    Signal.COMPLAIN: "text",
    Signal.DISMISS: "text",
}
