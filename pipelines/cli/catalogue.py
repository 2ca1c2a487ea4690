"""`tacit catalogue`: makes `warehouse.duckdb` right where the folder lies now."""

import time

import typer

from pipelines.cli.options import ConfigOption, WarehouseOption, opened, out, settings
from warehouse.catalogue import rebuild


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(catalogue)


def catalogue(warehouse: WarehouseOption = None, config: ConfigOption = None) -> None:
    """Rebuild warehouse.duckdb, whose views name files by their place: after the folder was moved, copied or synced.

    `tacit sql` needs no catalogue file; other DuckDB clients do.
    """
    began = time.monotonic()
    path = rebuild(opened(settings(config, warehouse=warehouse)))
    out.print(f"{path} is up to date ({time.monotonic() - began:.1f} s).", highlight=False, soft_wrap=True)
