"""Decodes JSON bytes for every reader alike: strictly, with one mend that is flagged."""

import json
import re
from typing import Any

import msgspec

from pipelines.readers.fields import Refused
from schemas.flags import Flag
from schemas.reasons import Reason

_SURROGATE = re.compile("[\ud800-\udfff]")
_decode = msgspec.json.Decoder().decode


def decode_json(data: bytes) -> tuple[Any, tuple[str, ...]]:
    """Decode one JSON value.

    A lone surrogate in an escape becomes U+FFFD and is flagged. Of a key that stands twice, the last one counts.

    Args:
        data: The bytes of one value.

    Returns:
        The value, and the flags of what was mended.

    Raises:
        Refused: Not UTF-8, not JSON (NaN and Infinity are not), or nested too deep.
    """
    try:
        return _decode(data), ()
    except RecursionError:
        raise Refused(Reason.RECORD_TOO_DEEP) from None
    except msgspec.MsgspecError:
        return _leniently(data)


def _leniently(data: bytes) -> tuple[Any, tuple[str, ...]]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(Reason.NOT_UTF8) from None
    try:
        record = json.loads(text, parse_constant=_not_json)
        mended, replaced = _SURROGATE.subn("\ufffd", json.dumps(record, ensure_ascii=False))
        return json.loads(mended), (Flag.SURROGATE_REPLACED.value,) if replaced else ()
    except RecursionError:
        raise Refused(Reason.RECORD_TOO_DEEP) from None
    except ValueError:
        raise Refused(Reason.INVALID_JSON) from None


def _not_json(_: str) -> None:
    raise Refused(Reason.INVALID_JSON)  # NaN and Infinity
