"""Reads detections for export, a day at a time, in the order in which they are stored."""

from collections.abc import Collection, Iterator
from datetime import date
from typing import Any

import polars as pl

from warehouse.layout import Warehouse

_OF_EXCHANGE = ("model", "session_id", "script", "outcome")


def detections(
    warehouse: Warehouse, days: Collection[date] = (), signals: Collection[str] = ()
) -> Iterator[dict[str, Any]]:
    """Read detections with what is known of their exchanges.

    One day is in memory at a time.

    Args:
        warehouse: The published tables.
        days: Partition days; all of them where empty.
        signals: Kinds of feedback; all six where empty.

    Yields:
        Columns of `signals`, then `dt`, and `model`, `session_id`, `script` and `outcome` of the exchange.
    """
    for day in warehouse.days("signals"):
        if days and day not in days:
            continue
        rows = warehouse.scan("signals", [day])
        if signals:
            rows = rows.filter(pl.col("signal").is_in([str(s) for s in signals]))
        exchanges = warehouse.scan("exchanges", [day], ["exchange_id", *_OF_EXCHANGE]).drop("dt")
        yield from (
            rows.join(exchanges, on="exchange_id", how="left", maintain_order="left").collect().iter_rows(named=True)
        )
