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
from warehouse.catalogue import rebuild
from warehouse.copy import pull
from warehouse.layout import Warehouse, foreign
from warehouse.ledger import attach
from warehouse.mend import misfits

ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="Settings file.", show_default="tacit.toml here", dir_okay=False)
]
WarehouseOption = Annotated[
    str | None,
    typer.Option(help="Folder of the published tables, or where they lie in object storage.", metavar="FOLDER|URL"),
]
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
    """As `loaded`, without the origins. The warehouse of a command that takes one is brought up to date.

    Raises:
        WarehouseFault: The store cannot be reached.
    """
    chosen = loaded(config, **flags).settings
    if "warehouse" in flags:
        bring(chosen)
    return chosen


def bring(chosen: Settings) -> None:
    """Bring this machine's copy of a warehouse on object storage up to date. Does nothing for a folder of its own.

    Raises:
        ConfigError: The folder is no copy of that store.
        WarehouseFault: The store cannot be reached.
    """
    if chosen.store is not None:
        attach(chosen.warehouse, chosen.store)
    if pull(chosen.warehouse):
        rebuild(Warehouse(chosen.warehouse))


def opened(chosen: Settings) -> Warehouse:
    """The warehouse, for reading. Files in it that are no partitions are named.

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
    warn_of_misfits(warehouse)
    return warehouse


def warn_of_misfits(warehouse: Warehouse) -> None:
    """Name the files among the tables that are no partitions. What does not read them works on."""
    for found in misfits(warehouse):
        warn_of_misfit(found.path, found.how)


def warn_of_misfit(path: Path, how: str) -> None:
    """Name a file among the tables that is no partition."""
    err.print(f"warning: {foreign(path, how)}", markup=False, highlight=False, soft_wrap=True)


def parse_day(text: str) -> date:
    """A day as the command line takes it.

    Raises:
        typer.BadParameter: It is not YYYY-MM-DD.
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("a day is written YYYY-MM-DD") from None
