from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import frames
import polars as pl
import pytest

from warehouse.layout import Warehouse
from warehouse.publish import publish
from warehouse.stage import Stage, Staged


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(tmp_path / "warehouse")


@pytest.fixture
def stage(warehouse: Warehouse) -> Iterator[Stage]:
    with Stage(warehouse, "run-1") as opened:
        yield opened


@pytest.fixture
def put(warehouse: Warehouse) -> Callable[[str, date, pl.DataFrame], None]:
    """Publishes one frame."""

    def one(table: str, day: date, frame: pl.DataFrame) -> None:
        with Stage(warehouse, "put") as stage:
            publish(warehouse, [stage.write(table, day, frame, {})])

    return one


@pytest.fixture
def full_day(stage: Stage) -> Callable[..., list[Staged]]:
    """Stages the tables of one day; keyword arguments replace frames."""

    def write(day: date = frames.DAY, **replace: pl.DataFrame) -> list[Staged]:
        made = {
            "messages": frames.messages(day),
            "events": frames.events(day),
            "quarantine": frames.quarantine(),
            "exchanges": frames.exchanges(day),
            "signals": frames.signals(day),
            **replace,
        }
        return [stage.write(table, day, frame, {"code_version": "0"}) for table, frame in made.items()]

    return write
