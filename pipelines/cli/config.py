"""`tacit config`: every setting in force, and where it came from."""

import json

import typer
from rich.table import Table

from pipelines.cli.options import ConfigOption, JsonOption, loaded, out
from pipelines.settings import describe_setting


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(config)


def config(as_json: JsonOption = False, config: ConfigOption = None) -> None:
    """Show every setting in force, where its value came from, and what it means.

    A setting is changed by a flag, by the environment (TACIT_WORKERS=4, TACIT_SQL__MEMORY=4GB) or in tacit.toml.
    """
    found = loaded(config)
    plain = found.settings.model_dump(mode="json")
    rows = [(name, _value(plain, name), origin) for name, origin in found.origins.items()]
    if as_json:
        out.print_json(json.dumps({name: {"value": value, "origin": origin} for name, value, origin in rows}))
        return
    table = Table("setting", "value", "from", "meaning")
    for name, value, origin in rows:
        style = "" if origin == "default" else "bold"
        table.add_row(name, "" if value is None else str(value), origin, describe_setting(name), style=style)
    out.print(table)


def _value(plain: dict[str, object], name: str) -> object:
    value: object = plain
    for part in name.split("."):
        value = value[part]  # type: ignore[index]
    return value
