"""JSON lines, plain or compressed: one record a line."""

from collections.abc import Iterator, Sequence

from pipelines.readers.containers.encoding import UTF8_BOM, open_utf8
from pipelines.readers.containers.kept import Kept
from pipelines.readers.containers.origin import Origin, Spot, only, sought
from pipelines.readers.raw import RawRecord
from pipelines.readers.streams import DamagedFile

_BLANK = b" \t\r\n"


def lines(origin: Origin, limit: int, wanted: Sequence[Spot] | None = None) -> Iterator[RawRecord]:
    """Read a JSON-lines file record by record.

    Blank lines are no records. A line longer than `limit` is digested in pieces and refused, so that memory stays
    bounded by `limit` whatever the file holds.

    Args:
        origin: The file.
        limit: Greatest length of a record in bytes.
        wanted: Only these records.

    Yields:
        One raw record a line; at the end, where the file is damaged, a finding with line 0.
    """
    found = sought(origin, limit, wanted)
    yield from only(_all(origin, limit), wanted) if found is None else found


def _all(origin: Origin, limit: int) -> Iterator[RawRecord]:
    offset = 0
    number = 0
    recoded = False
    try:
        stream, recoded = open_utf8(origin)
        with stream:
            while piece := stream.readline(limit + 1):
                number += 1
                start, offset = offset, offset + len(piece)
                if len(piece) > limit and not piece.endswith(b"\n"):
                    kept = Kept(None if recoded else start, limit)
                    kept.add(piece)
                    while piece and not piece.endswith(b"\n"):
                        kept.shorten()
                        piece = stream.readline(limit)
                        kept.add(piece)
                    offset = start + kept.size
                    yield kept.record(number)
                    continue
                if number == 1 and piece.startswith(UTF8_BOM):
                    piece, start = piece[len(UTF8_BOM) :], start + len(UTF8_BOM)
                record = piece.strip(_BLANK)
                if record:
                    start += len(piece) - len(piece.lstrip(_BLANK))
                    yield RawRecord(number, None if recoded else start, record)
    except DamagedFile as damage:
        yield origin.refused(damage.reason, None if recoded else offset)
