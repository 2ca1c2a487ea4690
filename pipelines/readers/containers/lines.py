"""JSON lines, plain or compressed: one record a line."""

from collections.abc import Iterator, Sequence
from hashlib import sha256

from pipelines.readers.containers.origin import Origin, Spot, only
from pipelines.readers.raw import RawRecord, Refusal
from pipelines.readers.streams import DamagedFile
from schemas.reasons import Reason

_BOM = b"\xef\xbb\xbf"
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
    if wanted is None or not origin.plain or any(s.offset < 0 or s.bytes > limit for s in wanted):
        yield from only(_all(origin, limit), wanted)
    else:
        with origin.path.open("rb") as stream:
            for spot in wanted:
                stream.seek(spot.offset)
                yield RawRecord(spot.line, spot.offset, stream.read(spot.bytes))


def _all(origin: Origin, limit: int) -> Iterator[RawRecord]:
    offset = 0
    number = 0
    with origin.open() as stream:
        try:
            while piece := stream.readline(limit + 1):
                number += 1
                start, offset = offset, offset + len(piece)
                if len(piece) > limit and not piece.endswith(b"\n"):
                    state, size = sha256(piece), len(piece)
                    while piece and not piece.endswith(b"\n"):
                        piece = stream.readline(limit)
                        state.update(piece)
                        size += len(piece)
                    offset = start + size
                    yield RawRecord(number, start, b"", Refusal(Reason.RECORD_TOO_LARGE), size, state.hexdigest())
                    continue
                if number == 1 and piece.startswith(_BOM):
                    piece, start = piece[len(_BOM) :], start + len(_BOM)
                record = piece.strip(_BLANK)
                if record:
                    yield RawRecord(number, start + len(piece) - len(piece.lstrip(_BLANK)), record)
        except DamagedFile:
            yield origin.refused(Reason.FILE_UNREADABLE, offset)
