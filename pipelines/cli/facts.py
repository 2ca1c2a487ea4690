"""How `tacit inspect` prints what it found: all about one file, or a line for each of many."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from pipelines.cli.options import out
from pipelines.inspection import LogFacts, measurable, together, votes
from schemas.enums import Role, Signal
from schemas.reasons import MEANING, Reason


def whole(facts: LogFacts) -> None:
    """Print all that is known of one file."""
    out.print(Text(facts.name, style="bold"))
    _print_pairs(_rows(facts))
    if facts.format is None:
        _print_refused([facts])
        if any(reason == Reason.FORMAT_UNKNOWN for reason, _ in facts.refused):
            out.print(
                "\nIf it is a table with a row a turn, say in sources.yaml what its columns mean"
                " (docs/formats.md, turns); docs/formats.md lists all formats that are read."
            )
        return
    if facts.records:
        out.print(Text("\nsignals", style="bold"))
        signals = _grid()
        for signal, possible, why in measurable(facts):
            verdict = Text("measurable", "green") if possible else Text("null", "yellow")
            signals.add_row(str(signal), verdict, Text(why))
        out.print(signals)
    _print_refused([facts])
    if facts.format.notes and facts.records:
        out.print(Text(f"\nabout {facts.format.title}", style="bold"))
        notes = _grid()
        for note in facts.format.notes:
            notes.add_row(Text("-"), Text(note, "dim"))
        out.print(notes)


def overview(found: Sequence[LogFacts]) -> None:
    """Print a line for each of several files, and what they allow to measure together, by format."""
    files = _columns("file", "format", right=("talks", "messages", "votes", "refused"))
    for facts in found:
        if not _is_beside(facts):
            refused = sum(n for n, _ in facts.refused.values())
            files.add_row(
                Text(facts.name),
                Text("unknown", "red") if facts.format is None else facts.format.name,
                *(f"{n:,}" if n else "" for n in (facts.conversations, facts.roles.total(), votes(facts))),
                Text(f"{refused:,}", "red") if refused else "",
            )
    out.print(files)
    if beside := [facts.name for facts in found if _is_beside(facts)]:
        out.print(Text(f"\nThey come with exports and hold nothing of a conversation: {', '.join(beside)}"))
    _print_signals(found)
    _print_refused(found)
    out.print("\nName one of the files to see all that is known of it.")


def _is_beside(facts: LogFacts) -> bool:
    return facts.format is not None and not facts.records and not facts.refused


def _print_signals(found: Sequence[LogFacts]) -> None:
    formats = list(dict.fromkeys(f.format.name for f in found if f.format is not None and f.records))
    if not formats:
        return
    out.print(Text("\nwhich signals can be measured, all files of a format together", style="bold"))
    signals = _columns("format", *map(str, Signal))
    for name in formats:
        of_one = together((f for f in found if f.format is not None and f.format.name == name), name)
        signals.add_row(name, *("yes" if possible else Text("null", "yellow") for _, possible, _ in measurable(of_one)))
    out.print(signals)


def _columns(*left: str, right: Sequence[str] = ()) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for name in left:
        table.add_column(name, overflow="fold")
    for name in right:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _print_refused(found: Sequence[LogFacts]) -> None:
    rows = [(facts.name, *refused) for facts in found for refused in _refused(facts)]
    if not rows:
        return
    out.print(Text("\nwould be quarantined", style="bold red"))
    grid = _grid()
    for name, n, reason, field, line in rows:
        at = (f" in {field}" if field else "") + (f", first at line {line}" if line else "")
        where = f"{name}: " if len(found) > 1 else ""
        grid.add_row(f"{n:,}", Text(f"{where}{reason}{at}: {MEANING[Reason(reason)]}"))
    out.print(grid)


def _refused(facts: LogFacts) -> Iterator[tuple[int, str, str | None, int]]:
    for (reason, field), (n, line) in sorted(facts.refused.items(), key=lambda r: (-r[1][0], str(r[0]))):
        yield n, reason, field, line


def _print_pairs(rows: Iterator[tuple[str, str]]) -> None:
    grid = _grid()
    for name, value in rows:
        grid.add_row(name, Text(value))
    out.print(grid)


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    return grid


def _rows(facts: LogFacts) -> Iterator[tuple[str, str]]:
    if facts.format is None:
        yield "format", facts.why
        return
    yield "format", f"{facts.format.title} (`{facts.format.name}`): {facts.why}"
    unused = f", {facts.unused:,} of them hold nothing of a conversation" if facts.unused else ""
    yield "records", f"{facts.records:,}{unused}"
    if facts.calls:
        left = f"; what follows is of the first {facts.calls - facts.calls_left:,}" if facts.calls_left else ""
        yield "calls", f"{facts.calls:,}, put together to conversations{left}"
    if not facts.records:
        return
    yield "conversations", f"{facts.conversations:,}"
    yield "messages", _counts({str(r): facts.roles[r] for r in Role}) or "none"
    if facts.attachments:
        yield "attachments", f"{facts.attachments:,}"
    if facts.users:
        yield "users", f"{facts.users:,}"
    yield "sources", ", ".join(sorted(facts.sources)) or "none"
    if facts.models:
        yield "models", _counts(facts.models)
    if facts.roles:
        yield "clocks", _counts(facts.clocks) or "none"
    if facts.first and facts.last:
        yield "times", f"{facts.first:%Y-%m-%d %H:%M:%S} to {facts.last:%Y-%m-%d %H:%M:%S} UTC"
    yield "feedback", _counts(facts.events) or "none"


def _counts(counts: Mapping[Any, int]) -> str:
    ordered = sorted(counts.items(), key=lambda c: (-c[1], str(c[0])))
    return ", ".join(f"{n:,} {name}" for name, n in ordered if n)


def plain(facts: LogFacts) -> dict[str, Any]:
    """The facts as values of JSON."""
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
