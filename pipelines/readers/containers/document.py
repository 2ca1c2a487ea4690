"""JSON documents: an array of records, one object, or several one after the other."""

from collections.abc import Iterator, Sequence

from pipelines.readers.containers.encoding import UTF8_BOM, open_utf8
from pipelines.readers.containers.origin import Origin, Spot, only, sought
from pipelines.readers.containers.values import Values
from pipelines.readers.containers.window import Window
from pipelines.readers.raw import RawRecord
from pipelines.readers.streams import DamagedFile
from schemas.reasons import Reason


def document(origin: Origin, limit: int, wanted: Sequence[Spot] | None = None) -> Iterator[RawRecord]:
    """Read a JSON file value by value.

    The elements of an array at the top are records, and so is each value beside or after it, whatever stands between
    them. An object at the top is one record; but if it begins the file, is longer than `limit`, and holds nothing but
    strings, numbers, booleans and nulls before an array of objects, it is divided at that array. Its other members are
    then passed over, except objects and arrays after that one, which are refused as too large.

    A value longer than `limit` is digested in pieces and refused. One that is broken is read up to where another
    visibly begins: at an opening brace where JSON allows none, which includes one that begins a line inside a string.

    Args:
        origin: The file.
        limit: Greatest length of a record in bytes.
        wanted: Only these records.

    Yields:
        One raw record a value, numbered from 1 instead of lines; at the end, where the file is damaged or its array is
        not closed, a finding with line 0.
    """
    found = sought(origin, limit, wanted)
    yield from only(_all(origin, limit), wanted) if found is None else found


def _all(origin: Origin, limit: int) -> Iterator[RawRecord]:
    end = 0
    try:
        stream, recoded = open_utf8(origin)
        with stream:
            bom = len(UTF8_BOM) if stream.peek(len(UTF8_BOM)).startswith(UTF8_BOM) else 0
            stream.read(bom)
            values = Values(Window(stream, bom), limit, recoded)
            for record in values:
                end = values.end
                yield record
    except DamagedFile as damage:
        yield origin.refused(damage.reason, end)
        return
    if values.unclosed:
        yield origin.refused(Reason.FILE_UNREADABLE, None if recoded else values.end)
