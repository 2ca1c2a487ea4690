"""`tacit contracts`: the tables' contracts, as data contracts that other catalogues read."""

from pathlib import Path
from typing import Annotated

import typer
import yaml

from pipelines.cli.options import err
from schemas.contract import tables
from schemas.errors import NotFound
from warehouse.odcs import data_contract


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(contracts)


def contracts(
    table: Annotated[list[str] | None, typer.Argument(help="Tables; all of them, where none is named.")] = None,
    to: Annotated[
        Path | None, typer.Option("--out", help="Write TABLE.odcs.yaml files into a folder.", file_okay=False)
    ] = None,
) -> None:
    """Print the contracts of the tables as data contracts of the Open Data Contract Standard, version 3.1."""
    known = tables()
    if unknown := set(table or ()) - set(known):
        raise NotFound(
            f"{len(unknown)} of the named tables are not there.",
            state="Nothing was written.",
            then=f"The tables are {', '.join(known)}.",
        )
    texts = {
        name: yaml.safe_dump(data_contract(known[name]), sort_keys=False, allow_unicode=True, width=120)
        for name in table or known
    }
    if to is None:
        typer.echo("---\n".join(texts.values()), nl=False)
        return
    to.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (to / f"{name}.odcs.yaml").write_text(text, encoding="utf-8")
    err.print(f"{len(texts)} contracts in {to}.", highlight=False, soft_wrap=True)
