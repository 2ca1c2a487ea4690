"""Writes the page of formats from the registry, so that it cannot say anything else than the readers do."""

from pipelines.readers.columns import Columns
from pipelines.readers.format import Format, Shape
from pipelines.readers.registry import FORMATS
from pipelines.readers.sources import Source
from schemas.enums import Signal
from schemas.flags import FLAG_MEANING

_SUFFIXES = {
    Shape.LINES: ".jsonl",
    Shape.DOCUMENT: ".json",
    Shape.ROWS: ".parquet",
    Shape.CSV: ".csv",
    Shape.DATABASE: ".db",
}
_INTRO = """\
<!-- Made by `make docs` from pipelines/readers/registry.py. -->
# Log formats

Put files of any of these into a landing day (`dt=YYYY-MM-DD/`), in any number and depth, and run it. A file's format is
recognised by its contents; `tacit inspect PATH` says which it is and why, what it holds, which signals can be measured
from it, and what would be quarantined.

`.jsonl`, `.ndjson`, `.json`, `.csv` and `.tsv` may be compressed (`.gz`, `.zst`). A `.zip` is read as the files in it.
Files are streamed: memory is bounded by one record, and a record longer than `record_limit` (16 MiB) is quarantined.

## What each signal needs

Repeat, Rephrase, Complain and Dismiss in words need the user's text. Dismiss by act needs a stop or a close. Dislike
needs votes. Skim needs the time when a reply ended and the time when the user wrote next. Where a format does not hold
it, the signal is null, never false. "Yes" says that files of the format can hold it; whether yours do,
`tacit inspect` says.
"""


def formats_markdown() -> str:
    """The page `docs/formats.md`."""
    parts = [_INTRO, _overview(), "## Format by format\n", *(_one(f) for f in FORMATS), _declared()]
    return "\n".join(parts)


def _overview() -> str:
    head = ["format", "what it is", "files", *(str(s) for s in Signal)]
    rows = []
    for f in FORMATS:
        files = " ".join(sorted(f"`{_SUFFIXES[s]}`" for s in f.shapes))
        found = ["yes" if s in f.finds else "" for s in Signal]
        rows.append([f"[`{f.name}`](#{f.name})", f.title, files, *found])
    return "\n".join(_row(r) for r in (head, ["---"] * len(head), *rows)) + "\n"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"


def _one(f: Format) -> str:
    lines = [
        f"### {f.name}",
        "",
        f"{f.title}. Written against: {f.seen}.",
        "",
        f"- The time of a user's message: {f.user_time}. Of a reply: {f.reply_time}.",
        f"- Conversation: {f.conversation}.",
        *(f"- {str(s).capitalize()}: {f.finds[s]}." for s in Signal if f.finds.get(s, "text") != "text"),
        *(f"- {note}" for note in f.notes),
    ]
    if f.companions:
        lines.append(f"- Passed over: {', '.join(f'`{c}`' for c in sorted(f.companions))}.")
    return "\n".join(lines) + "\n"


def _declared() -> str:
    lines = [
        "## What can be declared",
        "",
        "What no file says of itself stands in `sources.yaml` in the landing zone, or where `TACIT_SOURCES` points.",
        "The first entry whose pattern matches a file counts.",
        "",
        "```yaml",
        "sources:",
        '  - files: "support/*.csv"',
        "    format: turns",
        "    source: support-bot",
        "    zone: Asia/Shanghai",
        "    reply_time: last_token",
        "    votes: {'1': thumbs_down, '2': thumbs_down, '3': null, '4': thumbs_up, '5': thumbs_up}",
        "    columns: {query: question, answer: answer, user: customer, asked_at: asked, vote: stars}",
        "```",
        "",
        _row(["key", "meaning"]),
        _row(["---", "---"]),
        *(_row([f"`{n}`", field.description or ""]) for n, field in Source.model_fields.items()),
        "",
        "Keys of `columns`:",
        "",
        _row(["key", "the column that holds"]),
        _row(["---", "---"]),
        *(_row([f"`{n}`", field.description or ""]) for n, field in Columns.model_fields.items()),
        "",
        "## Flags",
        "",
        "What a reader mended or inferred stands in `messages.flags`.",
        "",
        _row(["flag", "meaning"]),
        _row(["---", "---"]),
        *(_row([f"`{flag}`", meaning]) for flag, meaning in FLAG_MEANING.items()),
    ]
    return "\n".join(lines) + "\n"
