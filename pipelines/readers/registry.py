"""All formats that Tacit reads, in the order in which they are tried."""

from pipelines.readers.format import Format
from pipelines.readers.formats.native import NATIVE

FORMATS: tuple[Format, ...] = (NATIVE,)


def format_named(name: str) -> Format | None:
    """The format of this name."""
    return next((f for f in FORMATS if f.name == name), None)
