"""Options that several commands share, and how they become settings."""

import os
import sys
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from pipelines.settings import Loaded, Settings, load_settings
from schemas.errors import NotFound
from warehouse.layout import Warehouse

ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="Settings file.", show_default="tacit.toml here", dir_okay=False)
]
WarehouseOption = Annotated[Path | None, typer.Option(help="Folder of the published tables.", file_okay=False)]
LandingOption = Annotated[Path | None, typer.Option(help="Folder of raw logs, one dt=YYYY-MM-DD folder a day.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

PIPE_WIDTH = 200  # columns, where the output is not a terminal

# A pipe has no width, and what goes through one is searched and kept: nothing is cut off for want of room.
out = Console(width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else PIPE_WIDTH)
err = Console(stderr=True)


def loaded(config: Path | None = None, **flags: Any) -> Loaded:
    """Settings in force, with the flags of this command on top."""
    return load_settings(flags, config)


def settings(config: Path | None = None, **flags: Any) -> Settings:
    """As `loaded`, without the origins."""
    return loaded(config, **flags).settings


def opened(chosen: Settings) -> Warehouse:
    """The warehouse, for reading.

    Raises:
        NotFound: Nothing was ever published there.
    """
    warehouse = Warehouse(chosen.warehouse)
    if not warehouse.days("runs"):
        raise NotFound(
            f"There is no warehouse in {chosen.warehouse}.",
            state="Nothing was read.",
            then="Name another with --warehouse, or fill this one: tacit run --landing PATH --warehouse PATH --all",
        )
    return warehouse


def parse_day(text: str) -> date:
    """A day as the command line takes it.

    Raises:
        typer.BadParameter: It is not YYYY-MM-DD.
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("a day is written YYYY-MM-DD") from None
