"""`tacit forget`: takes a user or a conversation out of every table, and proves it."""

import json
import sys
from typing import Annotated

import typer
from rich.table import Table

from pipelines.cli.options import ConfigOption, JsonOption, LandingOption, WarehouseOption, err, opened, out, settings
from pipelines.privacy.forget import forget
from pipelines.privacy.request import Erasure, Request
from schemas.contract import tables


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("forget")(forget_command)


def forget_command(
    user: Annotated[
        str | None, typer.Option(help="Id of the user, as it is logged; - reads it from standard input.")
    ] = None,
    conversation: Annotated[str | None, typer.Option(help="Id of a conversation, as it is logged; - as above.")] = None,
    source: Annotated[
        list[str] | None, typer.Option(help="Only in this source; may be given often. All, where it is not.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    landing: LandingOption = None,
    warehouse: WarehouseOption = None,
    workers: Annotated[int | None, typer.Option(help="Processes; 0: one a core.", min=0)] = None,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Erase a user, or a conversation, from every table, and read all tables again to prove it.

    The user's own rows go, and with them what names nobody in conversations that the user took part in, such as
    replies. Rows that name another user stay. The erasure is written down under a pseudonym in table `erasures`, and
    later runs drop what it names. Vectors kept under the data folder are deleted, all of them: they are made again at
    the next run. Landing files are not touched: those that still hold the user are listed, with the
    number of records.
    """
    if (user is None) == (conversation is None):
        raise typer.BadParameter("give either --user ID or --conversation ID")
    chosen = settings(config, landing=landing, warehouse=warehouse, workers=workers)
    opened(chosen)
    request = Request(_read(user), _read(conversation), frozenset(source or ()))
    done = forget(chosen, request, dry_run=dry_run)
    if as_json:
        out.print_json(json.dumps(_as_dict(done), default=str))
    else:
        _print(done, dry_run=dry_run)


def _read(value: str | None) -> str | None:
    """An argument can be read in the list of processes and in the shell's history; standard input cannot."""
    return sys.stdin.readline().rstrip("\r\n") if value == "-" else value


def _print(done: Erasure, *, dry_run: bool) -> None:
    if done.already is not None:
        when = f"{done.already:%Y-%m-%d %H:%M} UTC"
        out.print(f"Nothing is left to erase: it was erased on {when}.", highlight=False)
    else:
        table = Table("table", "rows that would go" if dry_run else "rows removed", *([] if dry_run else ["rows left"]))
        for name in tables():
            if name != "erasures":
                left = [] if dry_run else [f"{done.left.get(name, 0):,}"]
                table.add_row(name, f"{done.removed.get(name, 0):,}", *left)
        out.print(table)
        for name, key in done.users.items():
            out.print(f"User {key} of source {name}.", highlight=False, markup=False, soft_wrap=True)
        touched = f"{done.conversations:,} conversations"
        said = f"{touched} would go or lose rows." if dry_run else f"{touched} went or lost rows. All tables were read"
        said += "" if dry_run else f" again: 0 rows are left. Erasure {done.run_id}."
        out.print(said, highlight=False, soft_wrap=True)
    if done.under_way:
        out.print(
            f"{done.under_way:,} scheduled runs are under way or were given up. Their work folders may hold rows of it,"
            " de-identified; they cannot be published any more, and go with the run, or after a week.",
            soft_wrap=True,
        )
    _print_landed(done)


def _print_landed(done: Erasure) -> None:
    landed = done.landed
    if not landed.searched:
        err.print("There is no landing zone here, so nothing is known of raw files. Name it with --landing.")
        return
    if landed.files:
        out.print(
            "These landing files still hold it. Tacit never changes them; runs drop those records. Deleting them is"
            " up to you:",
            soft_wrap=True,
        )
        for name, n in sorted(landed.files.items()):
            out.print(f"  {name}: {n:,} records", highlight=False, markup=False, soft_wrap=True)
    else:
        out.print("No landing file holds it.")
    if landed.unread:
        out.print(
            f"{landed.unread:,} records or files cannot be read; whom they hold is not known (`tacit quarantine`).",
            highlight=False,
            soft_wrap=True,
        )


def _as_dict(done: Erasure) -> dict[str, object]:
    return {
        "run_id": done.run_id,
        "users": done.users,
        "conversations": done.conversations,
        "removed": done.removed,
        "left": done.left,
        "already": done.already,
        "scheduled_runs_under_way": done.under_way,
        "landing_searched": done.landed.searched,
        "landing_files": dict(sorted(done.landed.files.items())),
        "landing_unread": done.landed.unread,
    }
