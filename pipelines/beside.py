"""Tables that stand beside those of the night: verdicts that people and second readers add, row by row.

No run derives or replaces them. They are published as any table is: staged, verified, renamed under the writer lock.
"""

from importlib.metadata import version
from uuid import uuid4

import polars as pl

from schemas.contract import table
from warehouse.catalogue import rebuild
from warehouse.layout import Warehouse
from warehouse.publish import publish
from warehouse.stage import Stage, Staged

REVIEWS = "reviews"
SECOND_READINGS = "second_readings"
TABLES = (REVIEWS, SECOND_READINGS)


def add_rows(warehouse: Warehouse, name: str, rows: pl.DataFrame) -> int:
    """Publish rows beside those that are there; of two with one key the new one stays.

    Args:
        warehouse: The warehouse; it is locked for writing.
        name: `reviews` or `second_readings`.
        rows: The contract's columns, and `dt`.

    Returns:
        How many rows were published.

    Raises:
        WarehouseBusy: A run holds the warehouse. Nothing was published.
        WarehouseFault: The disk refuses.
    """
    if rows.is_empty():
        return 0
    shape = table(name)
    rows = rows.unique(["dt", *shape.key], keep="last", maintain_order=True)
    with warehouse.writer(), Stage(warehouse, f"{name}-{uuid4().hex}".replace("_", "-")) as stage:
        staged = []
        for (day,), fresh in rows.group_by("dt", maintain_order=True):
            there = warehouse.scan(name, [day]).collect()
            both = pl.concat([there.join(fresh, on=shape.key, how="anti").drop("dt"), shape.conform(fresh)])
            staged.append(stage.write(name, day, both, _metadata()))
        publish(warehouse, staged)
        rebuild(warehouse)
    return rows.height


def drop_exchanges(warehouse: Warehouse, exchange_ids: list[str]) -> int:
    """Remove every verdict on some exchanges: what an erasure needs. Call it under the writer lock.

    Args:
        warehouse: The warehouse.
        exchange_ids: The exchanges.

    Returns:
        How many rows went.

    Raises:
        WarehouseFault: The disk refuses.
    """
    gone = 0
    with Stage(warehouse, f"verdicts-{uuid4().hex}") as stage:
        staged: list[Staged] = []
        for name in TABLES:
            for day in warehouse.days(name):
                rows = warehouse.scan(name, [day]).drop("dt").collect()
                kept = rows.filter(~pl.col("exchange_id").is_in(exchange_ids))
                if kept.height < rows.height:
                    gone += rows.height - kept.height
                    staged.append(stage.write(name, day, kept, _metadata()))
        publish(warehouse, staged)
    return gone


def _metadata() -> dict[str, str]:
    return {"tacit.code": version("tacit")}
