"""Tells which conventions the spans in the beginning of a file follow."""

from itertools import islice
from typing import Any

from pipelines.readers.fields import Refused
from pipelines.readers.format import Glimpse
from pipelines.readers.tracing.genai import is_genai
from pipelines.readers.tracing.logs import is_content
from pipelines.readers.tracing.openinference import KINDS
from pipelines.readers.tracing.pieces import Kind, Piece, is_export, pieces
from pipelines.readers.tracing.span import read_log, signs_of

PHOENIX, OPENINFERENCE, GENAI, OTHER = "phoenix", "openinference", "genai", "other"
_LOOKED_AT = 1000


def conventions(glimpse: Glimpse) -> str | None:
    """Which conventions a file follows, by the first of its spans that follow any.

    Returns:
        One of the names above, `other` for an OTLP export in whose beginning no assistant is seen; None where it is no
        telemetry, or telemetry without a sign that it is an assistant's.
    """
    seen: set[str] = set()
    for record in glimpse.records:
        if is_export(record):
            seen.add(OTHER)
        for piece in islice(pieces(record), _LOOKED_AT):
            if isinstance(piece, Piece):
                try:
                    seen.add(_convention(piece))
                except Refused:
                    continue
    return next((c for c in (PHOENIX, OPENINFERENCE, GENAI, OTHER) if c in seen), None)


def _convention(piece: Piece) -> str:
    held: dict[str, Any] = piece.held
    if piece.kind is Kind.ANNOTATION or "context.span_id" in held:
        return PHOENIX
    if piece.kind is Kind.LOG:
        log = read_log(held, None)
        return GENAI if is_content(log) or is_genai(log.attributes) else ""
    kind, attributes = signs_of(held)
    if kind in KINDS:
        # Phoenix writes the kind and the status beside the attributes; the SDKs do not.
        return PHOENIX if "span_kind" in held and "status_code" in held else OPENINFERENCE
    return GENAI if is_genai(attributes) else ""
