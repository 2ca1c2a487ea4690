"""`tacit inspect`: what a log file is, what it holds, and what can be measured from it."""

import json
import os
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from anonymize.door import Deidentifier
from anonymize.keys import PseudonymKey
from pipelines.cli.facts import overview, plain, whole
from pipelines.cli.options import ConfigOption, JsonOption, err, out, parse_day, settings
from pipelines.inspected import inspected
from pipelines.inspection import LogFacts
from pipelines.readers.dedupe import Versions
from pipelines.settings import Settings
from pipelines.steps.deidentify import policy_of
from pipelines.steps.door import through_door

_SHOWN_CHARS = 300


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(inspect)


def inspect(
    path: Annotated[Path, typer.Argument(help="A log file, an archive, a folder of them, or a landing zone.")],
    sample: Annotated[
        int, typer.Option(min=0, max=50, help="Show some messages of this many conversations a file, de-identified.")
    ] = 0,
    day: Annotated[
        date | None,
        typer.Option(
            parser=parse_day,
            metavar="YYYY-MM-DD",
            help="Landing day, which bounds times; by default the one that the file lies in, else today.",
        ),
    ] = None,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Say which format a log is in and why, what it holds, which signals it allows, and what would be quarantined.

    Of several files, one line each; name one of them to see all that is known of it. Nothing is written, and no text of
    the log is shown unless --sample asks for it, de-identified.
    """
    if not path.exists():
        raise typer.BadParameter(f"there is no file or folder {path}")
    chosen = settings(config)
    found = list(inspected(path, chosen, day, sample))
    if as_json:
        out.print_json(json.dumps([plain(f) for f in found], default=str))
        return
    if len(found) == 1:
        whole(found[0])
    elif found:
        overview(found)
    else:
        err.print("There is no file in it.")
    for facts in found:
        if facts.sample:
            _print_sample(facts, chosen, day or datetime.now(UTC).date())


def _print_sample(facts: LogFacts, chosen: Settings, day: date) -> None:
    """Show the kept messages in the order of the log, a section a conversation."""
    order = {(m.conversation_id, m.message_id): n for n, (m, _) in enumerate(facts.sample)}
    rows = sorted(_clean(facts, chosen, day), key=lambda row: order[row["conversation_id"], row["message_id"]])
    shown = Table(title=Text(f"{facts.name}, de-identified", style="bold"), title_justify="left", show_header=False)
    shown.add_column(no_wrap=True, style="dim")
    shown.add_column(overflow="fold")
    before = None
    for conversation in dict.fromkeys(row["conversation_id"] for row in rows):
        for row in (r for r in rows if r["conversation_id"] == conversation):
            text = row["text"] if len(row["text"]) <= _SHOWN_CHARS else row["text"][: _SHOWN_CHARS - 1] + "…"
            if before not in (None, conversation):
                shown.add_section()
            before = conversation
            shown.add_row(row["role"], Text(text))
    out.print(shown)


def _clean(facts: LogFacts, chosen: Settings, day: date) -> list[dict[str, Any]]:
    """The kept messages through the door, under a key that is thrown away."""
    key = PseudonymKey(os.urandom(32))
    versions = Versions()
    for message, place in facts.sample:
        if message.conversation_id is not None:
            versions.add_message(message, place)
    clean = through_door(versions, Deidentifier(key, policy_of(chosen)), key, chosen.anonymize.scope, day)
    return clean.messages.select("conversation_id", "message_id", "role", "text").to_dicts()
