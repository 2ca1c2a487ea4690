"""What every detector hands back: one verdict an exchange, in one shape."""

import polars as pl

from schemas.contract import table

EVIDENCE: pl.Struct = table("signals").column("evidence").polars

SCHEMA: dict[str, pl.DataType] = {
    "exchange_id": pl.String(),
    "exchange": pl.UInt32(),
    "value": pl.Boolean(),
    "p": pl.Float64(),
    "trigger": pl.String(),
    "trigger_message_id": pl.String(),
    "occurred_at": pl.Datetime("us", "UTC"),
    "score": pl.Float64(),
    "threshold": pl.Float64(),
    "rule": pl.String(),
    "evidence": EVIDENCE,
}


def evidence(**found: pl.Expr) -> pl.Expr:
    """Build the evidence struct; fields that are not given are null.

    Args:
        **found: Field name to expression.

    Returns:
        A struct expression of exactly the contract's fields.
    """
    return pl.struct(
        found.get(field.name, pl.lit(None)).cast(field.dtype).alias(field.name) for field in EVIDENCE.fields
    ).alias("evidence")


def verdicts(frame: pl.DataFrame) -> pl.DataFrame:
    """Bring a detector's result into shape: absent columns are null, rows go by exchange."""
    absent = [pl.lit(None, kind).alias(name) for name, kind in SCHEMA.items() if name not in frame.columns]
    return frame.with_columns(absent).select(pl.col(n).cast(t) for n, t in SCHEMA.items()).sort("exchange")


def nothing_measurable(exchanges: pl.DataFrame) -> pl.DataFrame:
    """Verdicts of a detector that lacks what it needs: every value is null."""
    return verdicts(exchanges.select("exchange_id", "exchange"))
