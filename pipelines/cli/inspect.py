"""`tacit inspect`: what a log file is, what it holds, and what can be measured from it."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from anonymize.door import Deidentifier
from anonymize.keys import PseudonymKey
from pipelines.cli.options import ConfigOption, JsonOption, err, out, parse_day, settings
from pipelines.inspection import LogFacts, facts_of, measurable
from pipelines.readers.containers.origin import Origin
from pipelines.readers.dedupe import Versions
from pipelines.readers.landing import context_for, origins_at
from pipelines.readers.logfile import open_log
from pipelines.readers.sources import load_sources
from pipelines.settings import Settings
from pipelines.steps.deidentify import policy_of
from pipelines.steps.door import through_door
from schemas.reasons import MEANING, Reason


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(inspect)


def inspect(
    path: Annotated[Path, typer.Argument(help="A log file, an archive, or a folder of them.")],
    sample: Annotated[
        int, typer.Option(min=0, max=50, help="Show some messages of this many conversations, de-identified.")
    ] = 0,
    day: Annotated[
        date | None,
        typer.Option(parser=parse_day, metavar="YYYY-MM-DD", help="Landing day, which bounds times; today by default."),
    ] = None,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Say which format a log is in and why, what it holds, which signals it allows, and what would be quarantined.

    Nothing is written, and no text of the log is shown unless --sample asks for it, de-identified.
    """
    if not path.exists():
        raise typer.BadParameter(f"there is no file or folder {path}")
    chosen = settings(config)
    found = list(_inspected(path, chosen, day or datetime.now(UTC).date(), sample))
    if as_json:
        out.print_json(json.dumps([_plain(f) for f in found], default=str))
    for facts in () if as_json else found:
        _print(facts)
        if facts.sample:
            _print_sample(facts, chosen, day or datetime.now(UTC).date())
    if not found:
        err.print("There is no file in it.")


def _inspected(path: Path, chosen: Settings, day: date, sample: int) -> Iterator[LogFacts]:
    sources = load_sources(chosen.sources_path)
    for origin in origins_at(path):
        if isinstance(origin, Origin):
            log = open_log(origin, context_for(sources, origin.name, day, chosen.source), chosen.record_limit)
            yield facts_of(log, origin.name, chosen.record_limit, sample)
        else:
            yield facts_of(origin[1], origin[0], chosen.record_limit)


def _print(facts: LogFacts) -> None:
    table = Table(title=facts.name, title_justify="left", show_header=False, title_style="bold")
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in _rows(facts):
        table.add_row(name, Text(value))
    if facts.format is not None:
        table.add_section()
        for signal, possible, why in measurable(facts):
            table.add_row(str(signal), Text(("measurable: " if possible else "not measurable: ") + why))
    if facts.refused:
        table.add_section()
    for (reason, field), (n, line) in sorted(facts.refused.items(), key=lambda r: (-r[1][0], r[0][0])):
        where = f", first at line {line}" if line else ""
        at = f" ({field})" if field else ""
        table.add_row("quarantine", Text(f"{n:,} {reason}{at}{where}: {MEANING[Reason(reason)]}"))
    out.print(table)


def _rows(facts: LogFacts) -> Iterator[tuple[str, str]]:
    if facts.format is None:
        yield "format", facts.why
        return
    yield "format", f"{facts.format.name} ({facts.format.title}): {facts.why}"
    unused = f", {facts.unused:,} of them hold nothing of a conversation" if facts.unused else ""
    yield "records", f"{facts.records:,}{unused}"
    if facts.calls:
        left = f"; what follows is of the first {facts.calls - facts.calls_left:,}" if facts.calls_left else ""
        yield "calls", f"{facts.calls:,}{left}"
    yield "conversations", f"{facts.conversations:,}"
    yield "messages", _counts({str(r): n for r, n in facts.roles.items()})
    if facts.users:
        yield "users", f"{facts.users:,}"
    yield "sources", ", ".join(sorted(facts.sources))
    if facts.models:
        yield "models", _counts(facts.models)
    yield "clocks", _counts(facts.clocks) if facts.first else "none"
    if facts.first and facts.last:
        yield "times", f"{facts.first:%Y-%m-%d %H:%M:%S} to {facts.last:%Y-%m-%d %H:%M:%S} UTC"
    yield "feedback", _counts({str(e): n for e, n in facts.events.items() if n}) or "none"
    for note in facts.format.notes:
        yield "note", note


def _counts(counts: Any) -> str:
    return ", ".join(f"{n:,} {name}" for name, n in sorted(counts.items(), key=lambda c: (-c[1], str(c[0]))))


def _print_sample(facts: LogFacts, chosen: Settings, day: date) -> None:
    key = PseudonymKey(os.urandom(32))
    versions = Versions()
    for message, place in facts.sample:
        named = message if message.conversation_id is not None else None
        if named is not None:
            versions.add_message(named, place)
    clean = through_door(versions, Deidentifier(key, policy_of(chosen)), key, chosen.anonymize.scope, day)
    shown = Table(title="sample, de-identified", title_justify="left")
    for name in ("conversation", "role", "text"):
        shown.add_column(name, overflow="fold")
    rows = clean.messages.sort("conversation_id", "created_at", "seq", "message_id")
    for row in rows.select("conversation_id", "role", "text").iter_rows(named=True):
        text = row["text"] if len(row["text"]) <= 300 else row["text"][:299] + "…"
        shown.add_row(Text(row["conversation_id"]), row["role"], Text(text))
    out.print(shown)


def _plain(facts: LogFacts) -> dict[str, Any]:
    return {
        "name": facts.name,
        "format": None if facts.format is None else facts.format.name,
        "why": facts.why,
        "records": facts.records,
        "unused": facts.unused,
        "conversations": facts.conversations,
        "users": facts.users,
        "messages": dict(facts.roles),
        "with_text": dict(facts.with_text),
        "attachments": facts.attachments,
        "sources": dict(facts.sources),
        "models": dict(facts.models),
        "clocks": dict(facts.clocks),
        "first": facts.first,
        "last": facts.last,
        "events": {e: n for e, n in facts.events.items() if n},
        "calls": facts.calls,
        "measurable": {s: {"measurable": possible, "why": why} for s, possible, why in measurable(facts)},
        "refused": [
            {"reason": reason, "field": field, "records": n, "first_line": line}
            for (reason, field), (n, line) in sorted(facts.refused.items(), key=str)
        ],
    }
