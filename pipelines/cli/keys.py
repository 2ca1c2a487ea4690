"""`tacit keys`: the pseudonym keys."""

from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.table import Table

from anonymize.keyring import SUFFIX, key_files, rotate_key
from anonymize.keys import create_key, load_key
from pipelines.cli.options import ConfigOption, WarehouseOption, out, settings
from pipelines.privacy.rotation import carry_erasures, require_erasures_carried
from warehouse.layout import Warehouse

app = typer.Typer(
    help="The keys that tags and user pseudonyms are made with. They are never shown, and never an argument.",
    no_args_is_help=True,
)

TenantOption = Annotated[
    str | None, typer.Option(help="Whose key, where each tenant has one.", show_default="the setting `tenant`")
]


@app.command()
def new(tenant: TenantOption = None, config: ConfigOption = None) -> None:
    """Make a key in a private file. A key that is there is never overwritten."""
    path = settings(config, tenant=tenant).key_path
    out.print(f"Made key {create_key(path).key_id} in {path}.", highlight=False, soft_wrap=True)


@app.command()
def show(tenant: TenantOption = None, config: ConfigOption = None) -> None:
    """Show the id of the key in force, never the key."""
    path = settings(config, tenant=tenant).key_path
    out.print(f"Key {load_key(path).key_id} in {path}.", highlight=False, soft_wrap=True)


@app.command("list")
def list_(warehouse: WarehouseOption = None, config: ConfigOption = None) -> None:
    """List the keys of all tenants, current and retired, by their ids, and which the warehouse was built with."""
    chosen = settings(config, warehouse=warehouse)
    folder = chosen.key_path.parent
    used = _used(Warehouse(chosen.warehouse))
    table = Table("key", "id", "state", "made (UTC)", "used by", title=f"{folder}", title_justify="left")
    for key in key_files(folder):
        state = key.fault or ("retired" if key.retired else "current")
        made = f"{key.made:%Y-%m-%d %H:%M}"
        table.add_row(key.name, key.key_id or "", state, made, used.get(key.key_id or "", ""))
    out.print(table if table.row_count else f"There is no key (*{SUFFIX}) in {folder}. Make one: tacit keys new")


@app.command()
def rotate(
    into: Annotated[
        Path | None, typer.Option(help="Folder of a new warehouse that starts with the erasures of this one.")
    ] = None,
    tenant: TenantOption = None,
    warehouse: WarehouseOption = None,
    config: ConfigOption = None,
) -> None:
    """Put a new key in force, and keep the old one beside it under its id.

    A warehouse has one key, since tags of two keys match nothing in common. So rotation begins a new warehouse:

    1. `tacit keys rotate --warehouse OLD --into NEW` makes the key, and carries the record of erasures over, so that
       users who were erased from OLD are not brought back.

    2. `tacit run --all --warehouse NEW` builds the tables anew from the landing zone.

    3. Point analysts to NEW, and delete OLD when it has served its time.

    Until then the old key is needed: to erase a user from OLD (`tacit forget` finds it), to add days to OLD (point
    TACIT_KEY_FILE at it), and to keep users who were erased under it out of NEW. Nobody needs it to read. Once OLD is
    gone and NEW holds no erasure made with it (`tacit keys list`), destroy its file: then no tag made with it can be
    linked to anybody again.
    """
    chosen = settings(config, tenant=tenant, warehouse=warehouse)
    old_tables = Warehouse(chosen.warehouse)
    require_erasures_carried(old_tables, into)
    n = 0 if into is None else carry_erasures(old_tables, Warehouse(into), chosen.key_path)
    old, new_key, kept = rotate_key(chosen.key_path)
    out.print(f"Key {new_key.key_id} is in force in {chosen.key_path}.", highlight=False, soft_wrap=True)
    out.print(f"Key {old.key_id} is kept in {kept}.", highlight=False, soft_wrap=True)
    if into is not None:
        out.print(f"{n:,} erasures stand in {into}. Now: tacit run --all --warehouse {into}", soft_wrap=True)
    elif old_tables.days("runs"):
        then = "It takes no more days with the new key: run --all into a new warehouse (tacit keys rotate --help)."
        out.print(f"The warehouse {chosen.warehouse} was built with an older key. {then}", soft_wrap=True)


def _used(warehouse: Warehouse) -> dict[str, str]:
    """Key id to what was made with it."""
    used: dict[str, list[str]] = {}
    for table, what in (("runs", "tables"), ("erasures", "erasures")):
        ids = warehouse.scan(table, columns=["key_id"]).select(pl.col("key_id").unique()).collect()["key_id"]
        for key_id in ids:
            used.setdefault(key_id, []).append(what)
    return {key_id: ", ".join(what) for key_id, what in used.items()}
