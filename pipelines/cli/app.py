"""Assembles `tacit` from its commands, and turns errors into words and exit codes."""

import sys
import traceback

import typer
from rich.console import Console

from pipelines.cli import config, doctor, evaluate, explain, keys, quarantine, run, sql, status
from schemas.errors import TacitError

app = typer.Typer(
    name="tacit",
    help="Mines the negative feedback that users of an AI assistant never typed into a form.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # its tracebacks print local variables, and those hold raw text
    rich_markup_mode="markdown",
)
for command in (run, sql, status, doctor, quarantine, evaluate, explain, config):
    command.register(app)
app.add_typer(keys.app, name="keys")


def main() -> None:
    """Run the command line.

    Exit codes: 0 done, 1 a `TacitError`, a fault in Tacit or an interruption, 2 wrong usage.
    """
    console = Console(stderr=True)
    try:
        app()
    except TacitError as error:
        console.print(f"[bold red]{error.code}[/] ", end="")
        for part in (error.what, error.state, error.then):
            console.print(part, markup=False, highlight=False, soft_wrap=True)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except Exception as fault:
        console.print(f"[bold red]fault[/] Tacit failed with {type(fault).__name__}, which it should not.")
        for frame in traceback.extract_tb(fault.__traceback__)[-6:]:
            console.print(f"  {frame.filename}:{frame.lineno} in {frame.name}", markup=False, highlight=False)
        console.print("Nothing is half published. Please report these lines with the output of `tacit doctor`.")
        sys.exit(1)
