"""Finds the string values of a JSON text where they stand, so that everything else can stay as it is, byte by byte."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]')


class Slot(NamedTuple):
    """A string value.

    Attributes:
        start: Where it begins in the text, its quotation mark included.
        end: Where it ends.
        field: The keys that lead to it, with dots between; places in lists left out.
        value: The string, decoded.
    """

    start: int
    end: int
    field: str
    value: str


def slots_of(text: str) -> tuple[Any, list[Slot]]:
    """Decode a JSON text, and find its string values.

    Args:
        text: One JSON value.

    Returns:
        The value, and the slots in order. Keys are none.

    Raises:
        ValueError: It is no JSON, or is nested too deep.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None
    return value, list(_walk(text))


def _walk(text: str) -> Iterator[Slot]:
    keys: list[str | None] = []  # of each open object its last key; None for a list
    awaits_key = False
    for token in _TOKEN.finditer(text):
        kind = token[0][0]
        if kind == "{":
            keys.append("")
            awaits_key = True
        elif kind == "[":
            keys.append(None)
            awaits_key = False
        elif kind in "}]":
            keys.pop()
        elif kind == ",":
            awaits_key = keys[-1] is not None
        elif kind == ":":
            awaits_key = False
        elif awaits_key:
            keys[-1] = json.loads(token[0])
        else:
            yield Slot(token.start(), token.end(), ".".join(k for k in keys if k is not None), json.loads(token[0]))


def is_named(field: str, names: tuple[str, ...]) -> bool:
    """Whether a field is one of those that are named, or lies below one.

    `content` names every field of that key at any depth, `metadata.title` the key `title` right below `metadata`.
    """
    around = f".{field}."
    return any(f".{name}." in around for name in names)


def written(value: str, like: str) -> str:
    """A string as a JSON token, spelled like the one that it takes the place of: ASCII only where that is."""
    plain = json.dumps(value, ensure_ascii=like.isascii())
    return plain if plain.isascii() or not re.search("[\ud800-\udfff]", plain) else json.dumps(value)
