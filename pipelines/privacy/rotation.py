"""What a new key means for erasures: they go along into the warehouse that is built with it."""

from importlib.metadata import version
from pathlib import Path

from anonymize.keyring import find_key
from anonymize.keys import load_key
from pipelines.steps.erased import TABLE
from schemas.errors import KeyFault
from warehouse.catalogue import rebuild
from warehouse.layout import Warehouse
from warehouse.publish import publish
from warehouse.stage import Stage


def require_erasures_carried(old: Warehouse, into: Path | None) -> None:
    """Refuse a rotation that would let erased users back in, or that would write into tables that are in use.

    Raises:
        KeyFault: The warehouse holds erasures and no new one is named, or the new one is not new.
    """
    if into is None and old.days(TABLE):
        raise KeyFault(
            "The warehouse holds erasures. Tables that are built anew without them would bring those users back.",
            state="The current key is in force as before.",
            then="Name the new warehouse: tacit keys rotate --into PATH. Its runs will drop what was erased here.",
        )
    if into is not None and any(p.parent.name != TABLE for p in into.glob("*/dt=*")):
        raise KeyFault(
            f"There are tables in {into} already.",
            state="The current key is in force as before.",
            then="Name a folder that is not there yet.",
        )


def carry_erasures(old: Warehouse, new: Warehouse, key_path: Path) -> int:
    """Write the erasures of one warehouse into another that is about to be built.

    Args:
        old: Where they were made.
        new: A warehouse without tables.
        key_path: File of the current key; the keys of the erasures must lie beside it.

    Returns:
        How many there are.

    Raises:
        KeyFault: The key of an erasure is not there: a run could not tell whom it names.
    """
    n = 0
    metadata = {"tacit.code": version("tacit"), "tacit.key": load_key(key_path).key_id}
    with new.writer(), Stage(new, "carried-erasures") as stage:
        staged = []
        for day in old.days(TABLE):
            rows = old.scan(TABLE, [day]).drop("dt").collect()
            for key_id in rows["key_id"].unique():
                find_key(key_path, key_id)
            staged.append(stage.write(TABLE, day, rows, metadata))
            n += rows.height
        publish(new, staged)
        if staged:
            rebuild(new)
    return n
