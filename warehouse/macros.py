"""Functions that every view and every analyst's query can use: intervals, bands of length, kinds of request."""

from dataclasses import dataclass

from warehouse.database import literal

_Z = "1.959964"  # 95 % of a normal distribution lies within so many standard deviations
# Null where nothing was measurable: no rate is not a rate of zero. least and greatest pass over nulls, hence the case.
_WILSON = (
    "CASE WHEN n > 0 THEN {bound}((k / n + {z} * {z} / (2 * n) {sign} {z} * sqrt(greatest(0, k / n * (1 - k / n)) / n"
    " + {z} * {z} / (4 * n * n))) / (1 + {z} * {z} / n), {end}) END"
)


@dataclass(frozen=True, slots=True)
class Macro:
    """A function of the catalogue, in SQL.

    Attributes:
        name: Its name.
        parameters: Names of its parameters, in order.
        body: The expression that it stands for.
        comment: What it gives.
    """

    name: str
    parameters: tuple[str, ...]
    body: str
    comment: str

    def statements(self) -> list[str]:
        """The SQL that makes the function and its comment."""
        return [
            f"CREATE MACRO {self.name}({', '.join(self.parameters)}) AS {self.body}",
            f"COMMENT ON MACRO {self.name} IS {literal(self.comment)}",
        ]


MACROS = (
    Macro(
        "wilson_low",
        ("k", "n"),
        _WILSON.format(bound="greatest", sign="-", z=_Z, end="0"),
        "Lower end of the 95 % Wilson interval of k in n; k may be a sum of probabilities. Null where n is 0.",
    ),
    Macro(
        "wilson_high",
        ("k", "n"),
        _WILSON.format(bound="least", sign="+", z=_Z, end="1"),
        "Upper end of the 95 % Wilson interval of k in n; k may be a sum of probabilities. Null where n is 0.",
    ),
    Macro(
        "share",
        ("k", "n"),
        "k / nullif(n, 0)::DOUBLE",
        "k over n; null where n is 0.",
    ),
    Macro(
        "reply_length",
        ("chars",),
        "CASE WHEN chars < 200 THEN '0000-0199' WHEN chars < 1000 THEN '0200-0999' WHEN chars < 4000 THEN '1000-3999'"
        " WHEN chars >= 4000 THEN '4000 and more' ELSE 'not captured' END",
        "Band that a reply's length in characters falls into, in words that sort as the lengths do.",
    ),
    Macro(
        "request_kind",
        ("text",),
        # Code is told by a fence, or by a line that ends as lines of programs do: cheap, and the same at every run.
        "CASE WHEN text IS NULL THEN 'not captured'"
        " WHEN contains(text, '```') OR regexp_matches(text, '[;{}]\\s*(\\n|$)') THEN 'with code'"
        " WHEN len(text) < 40 THEN 'short' WHEN len(text) < 200 THEN 'medium' ELSE 'long' END",
        "Rough kind of a request by its de-identified text: with code, or short (under 40 characters), medium (under"
        " 200) or long. Not a topic.",
    ),
    Macro(
        "newness",
        ("flags", "arrival_dt", "created_at", "completed_at", "digest"),
        "{'first_hand': NOT coalesce(list_contains(flags, 'restated'), false), 'arrived': arrival_dt,"
        " 'at': coalesce(greatest(completed_at, created_at), '-infinity'::TIMESTAMPTZ), 'digest': digest}",
        "What orders the versions of one message: the greatest is the one that the view messages shows.",
    ),
)
