"""Attributes of spans: typed or plain, nested or with dotted names, brought into one form."""

from collections.abc import Mapping
from typing import Any

from pipelines.readers.decode import decode_json
from pipelines.readers.fields import Refused
from schemas.reasons import Reason

Attributes = dict[str, Any]
_DEEPEST = 32
_SCALARS = ("stringValue", "string_value", "boolValue", "bool_value", "doubleValue", "double_value")
_WHOLE = ("intValue", "int_value")
_LISTS = ("arrayValue", "array_value")
_OBJECTS = ("kvlistValue", "kvlist_value")
_BYTES = ("bytesValue", "bytes_value")
_TYPED = frozenset((*_SCALARS, *_WHOLE, *_LISTS, *_OBJECTS, *_BYTES))


def plain(value: Any, depth: int = 0) -> Any:
    """A value without its wrapping, `{"stringValue": "a"}` as `a`. What is not wrapped is returned as it is.

    Raises:
        Refused: It is nested too deep.
    """
    if depth > _DEEPEST:
        raise Refused(Reason.RECORD_TOO_DEEP)
    if type(value) is not dict or not _TYPED.issuperset(value):
        return value
    for key, held in value.items():  # one key, or none, which is null
        if key in _SCALARS:
            return held
        if key in _WHOLE:
            return int(held) if type(held) is str and held.lstrip("-").isdecimal() and len(held) < 20 else held
        if key in _LISTS:
            return [plain(v, depth + 1) for v in _values(held)]
        if key in _OBJECTS:
            return _pairs(_values(held), depth + 1)
    return None


def _values(held: Any) -> list[Any]:
    values = held.get("values") if type(held) is dict else held
    return values if type(values) is list else []


def _pairs(values: list[Any], depth: int) -> Attributes:
    found: Attributes = {}
    for pair in values:
        if type(pair) is dict and type(pair.get("key")) is str:
            found[pair["key"]] = plain(pair.get("value"), depth)
        elif type(pair) is list and len(pair) == 2 and type(pair[0]) is str:  # a map column of a table
            found[pair[0]] = pair[1]
    return found


def attributes_of(value: Any) -> Attributes:
    """Attributes by their full dotted name, be they written as key-value pairs, as an object, or as JSON in a string.

    An object in them stands under its own name, and its members under theirs too. Null is absent.
    """
    held = decoded(value)
    if type(held) is list:
        held = _pairs(held, 0)
    return flat(held) if type(held) is dict else {}


def flat(tree: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Attributes:
    """All values of an object by dotted name, the objects inside included. Lists are kept whole."""
    found: Attributes = {}
    for key, held in tree.items():
        value = plain(held) if type(held) is dict and held else held
        if value is None:
            continue
        found[prefix + key] = value
        if type(value) is dict and depth < _DEEPEST:
            found.update(flat(value, f"{prefix}{key}.", depth + 1))
    return found


def decoded(value: Any) -> Any:
    """What a string holds as JSON, where it is an object or a list; else the value itself."""
    if type(value) is not str or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return decode_json(value.encode("utf-8", "replace"))[0]
    except Refused:
        return value


def listed(attributes: Mapping[str, Any], name: str) -> list[Any] | None:
    """The elements of a list, be it one value, JSON in a string, or flattened to `name.0.key`, `name.1.key`.

    Returns:
        The elements, objects among them with dotted names; None where there is no such list.
    """
    whole = decoded(attributes.get(name))
    if type(whole) is list:
        return [flat(e) if type(e) is dict else e for e in whole]
    if type(whole) is str:
        return None
    start, found = name + ".", dict[int, Attributes]()
    for key, value in attributes.items():
        if not key.startswith(start):
            continue
        number, _, rest = key[len(start) :].partition(".")
        if number.isascii() and number.isdigit() and len(number) < 6:
            element = found.setdefault(int(number), {})
            if rest:
                element[rest] = value
            elif type(value) is dict:
                element.update(flat(value))
            else:
                element[""] = value
    return [e[""] if set(e) == {""} else e for _, e in sorted(found.items())] or None


def first(attributes: Mapping[str, Any], *names: str) -> str | None:
    """The first of these attributes that holds an id or a name, as a string."""
    for name in names:
        value = attributes.get(name)
        if type(value) is int:
            value = str(value)
        if type(value) is str and value.strip() and len(value) <= 512 and value.isprintable():
            return value
    return None
