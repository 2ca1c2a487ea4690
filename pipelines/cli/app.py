"""Assembles `tacit` from its commands."""

import signal
import sys

import typer

from pipelines.cli import (
    anonymize,
    audit,
    catalogue,
    config,
    contracts,
    doctor,
    evaluate,
    explain,
    export,
    forget,
    inspect,
    keys,
    prune,
    quarantine,
    review,
    run,
    second_read,
    sql,
    status,
)
from pipelines.cli.errors import errors_in_words

app = typer.Typer(
    name="tacit",
    help="Mines the negative feedback that users of an AI assistant never typed into a form.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # its tracebacks print local variables, and those hold raw text
    rich_markup_mode="markdown",
)
for command in (
    run,
    sql,
    status,
    catalogue,
    doctor,
    inspect,
    evaluate,
    explain,
    review,
    second_read,
    export,
    config,
    contracts,
    anonymize,
    forget,
    prune,
    audit,
):
    command.register(app)
app.add_typer(keys.app, name="keys")
app.add_typer(quarantine.app, name="quarantine")


def main() -> None:
    """Run the command line.

    Exit codes: 0 done, 1 a `TacitError`, a fault in Tacit or an interruption, 2 wrong usage.
    """
    # A scheduler or a service manager ends a run with SIGTERM: like an interruption, it must end the workers too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with errors_in_words():
        app()
