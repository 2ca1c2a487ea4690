"""What is checked on each partition: most of it follows from the contract, the rest is stated here by table.

A check is one number that DuckDB computes from a partition, and a bound that Great Expectations holds it against.
"""

from dataclasses import dataclass
from typing import Literal

from schemas.contract import Column, Table
from schemas.enums import Severity, Signal
from warehouse.database import identifier, literal


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        name: What is checked: the expectation, and its column in brackets.
        measure: A DuckDB aggregate over the partition's rows, without nulls; empty where the number comes from
            elsewhere (counts of the run, other tables).
        threshold: The bound.
        bound: Whether the number may be at most or at least the threshold.
        severity: What a failure does.
    """

    name: str
    measure: str = ""
    threshold: float = 0.0
    bound: Literal["at_most", "at_least"] = "at_most"
    severity: Severity = Severity.FAIL


ROW_COUNT = Check("row_count", "count(*)", bound="at_least")
ROWS_MATCH_COUNT = Check("rows_differ_from_count")
SIGNAL_HAS_EXCHANGE = Check("without_exchange(exchange_id)")
REPLY_HAS_EXCHANGE = Check("share_of_replies_with_exchange", threshold=0.95, bound="at_least", severity=Severity.WARN)


def checks_of(table: Table) -> tuple[Check, ...]:
    """All checks of a table.

    Args:
        table: Its contract.

    Returns:
        Those that follow from the contract, then the table's own, then those that look beyond the partition.
    """
    made = [ROW_COUNT, ROWS_MATCH_COUNT, _unique(table)]
    for column in table.columns:
        made.extend(_column_checks(column))
    made.extend(_OWN.get(table.name, ()))
    return tuple(made)


def _unique(table: Table) -> Check:
    key = ", ".join(identifier(name) for name in table.key)
    return Check(f"duplicates({', '.join(table.key)})", f"count(*) - count(DISTINCT row({key}))")


def _column_checks(column: Column) -> list[Check]:
    name = identifier(column.name)
    made = []
    if not column.nullable:
        # The twin of every check below: a null passes each of them.
        made.append(Check(f"nulls({column.name})", f"count(*) FILTER (WHERE {name} IS NULL)"))
    if column.allowed:
        values = ", ".join(literal(value) for value in column.allowed)
        made.append(Check(f"outside_set({column.name})", f"count(*) FILTER (WHERE {name} NOT IN ({values}))"))
    if column.minimum is not None:
        made.append(Check(f"below_minimum({column.name})", f"count(*) FILTER (WHERE {name} < {column.minimum})"))
    if column.maximum is not None:
        made.append(Check(f"above_maximum({column.name})", f"count(*) FILTER (WHERE {name} > {column.maximum})"))
    return made


def _agreement() -> str:
    differs = " OR ".join(f"({identifier(s)} IS NULL) <> ({identifier('p_' + s)} IS NULL)" for s in Signal)
    return f"count(*) FILTER (WHERE {differs})"


_OWN: dict[str, tuple[Check, ...]] = {
    "messages": (
        # An original that is blank itself comes out as it was, so only a text that became shorter is a loss.
        Check(
            "text_lost(text)",
            "count(*) FILTER (WHERE n_chars > 0 AND (text IS NULL OR "
            r"(regexp_full_match(text, '[\s\p{Z}]*') AND length(text) < n_chars)))",
        ),
        Check(
            "ends_before_start(completed_at)",
            "count(*) FILTER (WHERE completed_at < created_at)",
            severity=Severity.WARN,
        ),
        Check(
            "share_of_nulls(text)",
            "coalesce(avg((text IS NULL)::INTEGER), 0)",
            threshold=0.2,
            severity=Severity.WARN,
        ),
        # A check of messages, not of exchanges: a run that stages a day's messages stages its exchanges too, but not
        # the reverse, and which checks a partition has may not depend on the order of runs.
        REPLY_HAS_EXCHANGE,
    ),
    "exchanges": (Check("signal_without_probability", _agreement(), severity=Severity.WARN),),
    "signals": (SIGNAL_HAS_EXCHANGE,),
}
