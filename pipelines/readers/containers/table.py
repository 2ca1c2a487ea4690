"""CSV: one record a row, as a JSON object of strings."""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from pipelines.readers.containers.encoding import open_utf8
from pipelines.readers.containers.origin import Origin, Spot
from pipelines.readers.containers.tablerows import Row, TableRows
from pipelines.readers.raw import RawRecord, Refusal
from pipelines.readers.streams import DamagedFile
from schemas.reasons import Reason

_encode = msgspec.json.encode


def table(origin: Origin, limit: int, wanted: Sequence[Spot] | None = None) -> Iterator[RawRecord]:
    """Read a CSV file row by row.

    The first row that is not blank names the columns; of a name that stands twice, the second becomes `name.2`. Cells
    are separated by tabs in a `.tsv` file, else by whichever of comma, semicolon and tab stands most often in the
    header. A cell in quotes may hold delimiters, line breaks and doubled quotes. An empty cell is null, in quotes or
    not: most writers make no difference.

    A row is refused if it has more or fewer cells than the header (wrong type), is not UTF-8, is longer than `limit`,
    or is cut off inside quotes: a quote that never closes makes one row of all that follows.

    Args:
        origin: The file.
        limit: Greatest length of a record in bytes, in the file and as JSON.
        wanted: Only these rows.

    Yields:
        One raw record a row, numbered by the line on which it begins; where the file is damaged, or has no header that
        can be read, a finding with line 0.
    """
    offset: int | None = None
    try:
        stream, recoded = open_utf8(origin)
        with stream:
            rows = TableRows(stream, limit, recoded, b"\t" if origin.suffix == ".tsv" else None)
            header = next(rows, None)
            if header is None:
                return
            names = _names(header, rows)
            if isinstance(names, Reason):
                yield origin.refused(names)
                return
            picked = None if wanted is None else {spot.line for spot in wanted}
            for row in rows if picked is None or not _seekable(origin, wanted) else _sought(origin, rows, wanted):
                offset = row.start
                if picked is None or row.line in picked:
                    yield _record(row, names, rows, limit)
    except DamagedFile as damage:
        yield origin.refused(damage.reason, offset)


def _seekable(origin: Origin, wanted: Sequence[Spot] | None) -> bool:
    return origin.plain and all(spot.offset >= 0 for spot in wanted or ())


def _sought(origin: Origin, rows: TableRows, wanted: Sequence[Spot] | None) -> Iterator[Row]:
    with origin.path.open("rb") as file:
        for spot in wanted or ():
            file.seek(spot.offset)
            yield from rows.one(file, spot.line, spot.offset)


def _names(header: Row, rows: TableRows) -> list[str] | Reason:
    cells = header.fault or rows.cells(header)
    if isinstance(cells, Reason):
        return cells
    names: dict[str, None] = {}
    times: Counter[str] = Counter()
    for cell in cells:
        name = own = cell.strip()
        while name in names:
            times[own] += 1
            name = f"{own}.{times[own] + 1}"
        names[name] = None
    return list(names)


def _record(row: Row, names: list[str], rows: TableRows, limit: int) -> RawRecord:
    cells = row.fault or rows.cells(row)
    if not isinstance(cells, Reason) and len(cells) != len(names):
        cells = Reason.WRONG_TYPE
    if isinstance(cells, Reason):
        return row.refused(cells)
    data = _encode(dict(zip(names, (cell or None for cell in cells), strict=True)))
    return RawRecord(row.line, row.start, data, Refusal(Reason.RECORD_TOO_LARGE) if len(data) > limit else None)
