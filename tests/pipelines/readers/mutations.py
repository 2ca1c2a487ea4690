"""Junk at random places: what real exports hold when something went wrong before they were written."""

import copy
import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from pipelines.readers.raw import RawRecord, Refusal
from schemas.reasons import Reason
from tests.pipelines.readers.kit import LIMIT, opened

_JUNK: tuple[Any, ...] = (
    None, True, 0, -1, 7.5, 2**63, 10**30, "", " ", "junk", "\x00", "x" * 600, [], [None], [[1], "a"], {}, {"a": None},
    {"text": 3}, "2026-11-02T09:00:00", "9999999999999999999", "\ud83d",
)  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn, value: Any) -> Any:
    """A copy of a JSON value with up to four places dropped, or replaced by junk."""
    changed = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 4))):
        places = list(_places(changed))
        if not places:
            break
        holder, key = draw(st.sampled_from(places))
        if isinstance(holder, dict) and draw(st.booleans()):
            del holder[key]
        else:
            holder[key] = copy.deepcopy(draw(st.sampled_from(_JUNK)))
    return changed


def _places(value: Any) -> Any:
    """Every container and key below a value, in a fixed order."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def assert_withstands(folder: Path, name: str, records: list[Any], declared: dict[str, Any]) -> None:
    """Read records twice: only items come out, the same both times, and no fault of the reader.

    Args:
        folder: Where to write the file.
        name: Its name; one record a line.
        records: The records.
        declared: What is declared about the source, `format` among it, since junk may hide what it is.
    """
    path = folder / name
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    log = opened(path, declared)
    assert not isinstance(log, RawRecord)
    for raw in log.records(LIMIT):
        found = log.items(raw)
        assert found == log.items(raw)
        faults = [i for i in found if isinstance(i, Refusal) and i.reason is Reason.READER_FAULT]
        assert not faults
