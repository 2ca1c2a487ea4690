"""What must hold of a log file whatever bytes are in it. Tests and the fuzzer (`tests/fuzz_readers.py`) share it."""

import io
from pathlib import Path

from pipelines.readers.calls import assemble
from pipelines.readers.containers.origin import Origin, Spot
from pipelines.readers.items import Call, Item, Remark
from pipelines.readers.landing import context_for
from pipelines.readers.logfile import LogFile, open_log
from pipelines.readers.raw import RawRecord, Refusal
from pipelines.readers.sources import Source, Sources
from pipelines.readers.spans import merge_calls
from schemas.reasons import Reason
from tests.pipelines.readers.kit import DAY

LIMIT = 1 << 16
NAMES = ("a.jsonl", "a.json", "a.csv", "a.tsv", "a.jsonl.gz", "a.jsonl.zst", "a.parquet")


def hold(name: str, data: bytes, format_name: str | None = None) -> list[Item]:
    """Read bytes as a file of this name, and check all that must hold of any file.

    Returns:
        The items, for a closer look.
    """
    origin = Origin(Path(name), name, lambda: io.BufferedReader(io.BytesIO(data)))
    declared = Sources((Source(format=format_name),)) if format_name else Sources()
    first, again = _read(origin, declared), _read(origin, declared)
    assert first == again, "the same bytes gave something else the second time"
    raws, items = first
    for raw in raws:
        assert raw.refusal is not None or len(raw.data) > 0
        assert len(raw.data) <= LIMIT
        assert raw.line >= 0
        if raw.byte_offset is not None and raw.refusal is None and name in ("a.jsonl", "a.json"):
            assert data[raw.byte_offset : raw.byte_offset + len(raw.data)] == raw.data, "a record is not at its place"
    for item in items:
        if isinstance(item, Refusal):
            assert item.reason is not Reason.READER_FAULT, item
            assert item.field is None or item.field.isprintable()
    _seek(origin, declared, raws)
    _assemble(items)
    return items


def _read(origin: Origin, declared: Sources) -> tuple[list[RawRecord], list[Item]]:
    log = open_log(origin, context_for(declared, origin.name, DAY, "default"), LIMIT)
    if isinstance(log, RawRecord):
        assert log.refusal is not None
        return [log], [log.refusal]
    raws = list(log.records(LIMIT))
    return raws, [item for raw in raws for item in log.items(raw)]


def _seek(origin: Origin, declared: Sources, raws: list[RawRecord]) -> None:
    """Every second record, read again by its place, is the same record."""
    log = open_log(origin, context_for(declared, origin.name, DAY, "default"), LIMIT)
    if not isinstance(log, LogFile):
        return
    wanted = [raw for raw in raws if raw.refusal is None][::2]
    spots = [Spot(r.line, -1 if r.byte_offset is None else r.byte_offset, len(r.data)) for r in wanted]
    assert [r for r in log.records(LIMIT, spots) if r.refusal is None] == wanted


def _assemble(items: list[Item]) -> None:
    place = RawRecord(1, 0, b"x").place("a")
    calls = [(i, place) for i in items if isinstance(i, Call)]
    merged, repeated = merge_calls(calls)
    assert len(merged) + repeated == len(calls)
    remarks = [(i, place) for i in items if isinstance(i, Remark)]
    made = assemble(merged, remarks)
    assert len(made.messages) + made.duplicates + made.set_aside == made.turns
    assert len(made.events) == len(remarks)
