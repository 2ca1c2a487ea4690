"""DuckDB connections that give the same answer on every machine, and text that is safe inside their SQL."""

import os
import tempfile
from pathlib import Path
from typing import Any

import duckdb

_GLOB = {"*": "[*]", "?": "[?]", "[": "[[]"}


def open_database(*, memory_limit: str = "1GB", threads: int = 2) -> duckdb.DuckDBPyConnection:
    """Open an in-memory database in UTC that reaches for nothing outside the machine.

    Args:
        memory_limit: Most memory that it takes before it spills to the temporary folder, as DuckDB writes it.
        threads: Most threads that it uses.

    Returns:
        A connection; the caller closes it.
    """
    spill = Path(tempfile.gettempdir()) / f"tacit-duckdb-{os.getuid()}"
    settings: dict[str, Any] = {
        "memory_limit": memory_limit,
        "threads": threads,
        "temp_directory": str(spill),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    con = duckdb.connect(":memory:", config=settings)
    # Without this the calendar day of an instant depends on the machine's zone.
    con.execute("SET TimeZone = 'UTC'")
    # Otherwise `FROM name` finds Python variables of the caller.
    con.execute("SET python_enable_replacements = false")
    return con


def literal(text: str) -> str:
    """Write a string literal.

    Args:
        text: Any text.
    """
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Write an identifier, whatever words SQL reserves.

    Args:
        name: A column's or a view's name.
    """
    return '"' + name.replace('"', '""') + '"'


def file_literal(path: Path, pattern: str = "") -> str:
    """Write the literal of one file, or of a glob below a folder, for `read_parquet`.

    Args:
        path: A file or folder; characters that a glob would read as a pattern are taken as they are.
        pattern: A glob below it, if any.
    """
    escaped = escape_glob(path)
    return literal(f"{escaped}/{pattern}" if pattern else escaped)


def escape_glob(path: Path) -> str:
    """Write a path as a glob that matches only itself.

    Args:
        path: A file or folder.
    """
    return "".join(_GLOB.get(c, c) for c in str(path.absolute()))
