"""`tacit keys`: the pseudonym key."""

import typer

from anonymize.keys import create_key, load_key
from pipelines.cli.options import ConfigOption, out, settings

app = typer.Typer(help="The pseudonym key that tags and user pseudonyms are made with.", no_args_is_help=True)


@app.command()
def new(config: ConfigOption = None) -> None:
    """Make a key in a private file. A key that is there is never overwritten."""
    path = settings(config).key_path
    out.print(f"Made key {create_key(path).key_id} in {path}.", highlight=False, soft_wrap=True)


@app.command()
def show(config: ConfigOption = None) -> None:
    """Show the id of the key in force, never the key."""
    path = settings(config).key_path
    out.print(f"Key {load_key(path).key_id} in {path}.", highlight=False, soft_wrap=True)
