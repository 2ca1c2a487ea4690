"""Values that a store wraps: JSON inside a string, as tables hold it, and MongoDB's extended JSON."""

from typing import Any

from pipelines.readers.decode import decode_json
from pipelines.readers.fields import Record, Refused, as_list, as_object

_SCALARS = ("$oid", "$date", "$numberLong", "$numberInt", "$numberDouble", "$numberDecimal", "$uuid")
_NUMBERS = {"$numberLong": int, "$numberInt": int, "$numberDouble": float, "$numberDecimal": float}
_DEEPEST = 3  # {"$date": {"$numberLong": "1767225600000"}} is two wrappings


def unwrapped(r: Record) -> Record:
    """A document of an export from MongoDB with its ids, dates and numbers as plain values.

    Only the document's own values are unwrapped, not those of the objects inside it.

    Args:
        r: The document, of which nothing is changed.
    """
    return {key: _plain(value) if type(value) is dict else value for key, value in r.items()}


def _plain(value: Any) -> Any:
    for _ in range(_DEEPEST):
        if type(value) is not dict or len(value) != 1:
            break
        ((wrapper, inner),) = value.items()
        if wrapper not in _SCALARS:
            break
        if wrapper in _NUMBERS and type(inner) is str:
            try:
                return _NUMBERS[wrapper](inner[:40])
            except ValueError:
                return inner
        value = inner
    return value


def embedded_object(r: Record, key: str) -> Record:
    """An object, or a string that holds one as JSON; an empty one where the key is absent, null or an empty string.

    Raises:
        Refused: It is neither, or the string is not JSON.
    """
    value = _decoded(r, key)
    return {} if value is None else as_object(value, key)


def embedded_list(r: Record, key: str) -> list[Any]:
    """A list, or a string that holds one as JSON; an empty one where the key is absent, null or an empty string."""
    value = _decoded(r, key)
    return [] if value is None else as_list(value, key)


def _decoded(r: Record, key: str) -> Any:
    value = r.get(key)
    if type(value) is not str:
        return value
    if not value.strip():
        return None
    try:
        return decode_json(value.encode())[0]
    except Refused as refused:
        raise Refused(refused.reason, key) from None
