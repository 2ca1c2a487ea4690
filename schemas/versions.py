"""Holds every table to its version: columns that change without a raised `version` are found by `make lint`.

`schemas/versions.yaml` lists the digest of each version's columns. `python -m schemas.versions` adds new versions to
it; with `--check` it writes nothing, and says what is wrong.
"""

import hashlib
import json
import sys
from pathlib import Path

import yaml

from schemas.contract import Column, Table, tables

FILE = Path(__file__).with_name("versions.yaml")
_HEAD = "# Digests of the tables' columns by version. `make docs` adds to it; what stands here is never changed.\n"


def digest(table: Table) -> str:
    """Digest what readers of a table rely on: columns, types, units, closed sets, bounds, key, order and grain.

    Wording may change freely.

    Args:
        table: The table.
    """
    said = [table.partition, table.key, table.sort, [_said(column) for column in table.columns]]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


def _said(column: Column) -> list[object]:
    plain = [column.name, column.type, column.nullable, column.personal, column.unit, column.item]
    return [*plain, column.allowed, column.minimum, column.maximum, [_said(field) for field in column.fields]]


def known() -> dict[str, dict[int, str]]:
    """Table name to version to digest, as they were committed."""
    return yaml.safe_load(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}


def problems(now: dict[str, Table], committed: dict[str, dict[int, str]]) -> list[str]:
    """What is wrong with the versions, in words that say what to do.

    Args:
        now: The contracts.
        committed: What `known` gives.
    """
    found = []
    for table in now.values():
        versions = committed.get(table.name, {})
        where = f"schemas/tables/{table.name}.yaml"
        if table.version in versions and versions[table.version] != digest(table):
            found.append(
                f"{where} changed, but its version is still {table.version}. Old files keep the old columns, and their"
                f" readers go by the version: raise it to {max(versions) + 1}, then run `make docs`."
            )
        elif table.version not in versions:
            ahead = versions and table.version < max(versions)
            what = f"lower than {max(versions)}, which there was" if ahead else "not in schemas/versions.yaml"
            found.append(f"{where} has version {table.version}, {what}. Run `make docs` and commit both.")
    return found


def add_new() -> None:
    """Write down the versions that are not known yet. Known ones stay as they are."""
    committed = known()
    for table in tables().values():
        committed.setdefault(table.name, {}).setdefault(table.version, digest(table))
    FILE.write_text(_HEAD + yaml.safe_dump(committed, sort_keys=True), encoding="utf-8")


def main() -> None:
    """Add new versions, or check with `--check`."""
    if "--check" not in sys.argv[1:]:
        add_new()
    found = problems(tables(), known())
    for problem in found:
        sys.stderr.write(problem + "\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
