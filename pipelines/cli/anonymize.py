"""`tacit anonymize`: a de-identified copy of any text or JSONL."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from anonymize.door import Deidentifier
from anonymize.keys import load_key
from pipelines.cli.options import ConfigOption, err, settings
from pipelines.cli.run import ensure_key
from pipelines.privacy.redact import Redacted, redact
from pipelines.privacy.streams import Scopes, Shape, shape_of, units_of
from pipelines.steps.deidentify import policy_of
from schemas.errors import NotFound

_HEADER = "line\tfield\tstart\tend\ttype\trule\tscore\n"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("anonymize")(anonymize)


def anonymize(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="A text, JSONL or JSON file; - is standard input.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where to write; unset: standard output.")
    ] = None,
    shape: Annotated[Shape, typer.Option("--format", help="How the input is divided; auto: by name or first line.")] = (
        Shape.AUTO
    ),
    field: Annotated[
        list[str] | None,
        typer.Option(help="Only this field of each record (`content`, `meta.title`); may be given often."),
    ] = None,
    scope: Annotated[
        str | None, typer.Option(help="One scope for all tags; unset: each conversation is one, else the file.")
    ] = None,
    scope_field: Annotated[str, typer.Option(help="Field that names a record's conversation.")] = "conversation_id",
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what was found and where, never the value; the text only to -o.")
    ] = False,
    tenant: Annotated[str | None, typer.Option(help="Whose key; unset: the setting `tenant`.")] = None,
    config: ConfigOption = None,
) -> None:
    """De-identify a text, or every string value of JSONL or JSON, as it streams by; keys and numbers stay.

    It is the door that a run uses, with its key and its settings: native records get the tags that they have in the
    tables. A name is masked in all that is of one scope and stands near. De-identified text passes unchanged. What
    cannot be scanned is withheld (null, or empty lines), named on standard error, and the exit code is 1.
    """
    chosen = settings(config, tenant=tenant)
    ensure_key(chosen)
    door = Deidentifier(load_key(chosen.key_path), policy_of(chosen))
    scopes = Scopes(scope, scope_field, chosen.source, default=scope or "file")
    withheld = 0
    with _opened(file) as source, _target(output, explain=explain) as target:
        divided = shape_of(file, source.peek(1 << 16)) if shape is Shape.AUTO else shape  # type: ignore[attr-defined]
        limit = chosen.anonymize.max_chars * 4
        if explain:
            sys.stdout.write(_HEADER)
        for part in redact(
            units_of(source, divided, scopes, tuple(field or ()), limit), divided, door, explain=explain
        ):
            if target is not None:
                target.write(part.text.encode())
            withheld += _tell(part)
    if withheld:
        raise typer.Exit(1)


def _tell(part: Redacted) -> int:
    for f in part.found:
        place = f"{f.line}\t{f.field}\t{f.start}\t{f.end}"
        sys.stdout.write(f"{place}\t{f.entity}\t{f.rule}\t{f.score:.2f}\n")
    for w in part.withheld:
        where = f"line {w.line}" + (f", {w.field}" if w.field else "")
        err.print(f"withheld: {where}: {w.reason}", highlight=False, markup=False, soft_wrap=True)
    return len(part.withheld)


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield io.BufferedReader(sys.stdin.buffer)  # type: ignore[type-var]
        return
    try:
        source = Path(file).open("rb")  # noqa: SIM115 - closed below
    except OSError as fault:
        raise NotFound(
            f"The file cannot be read ({type(fault).__name__}).", state="Nothing was written.", then="Name another."
        ) from None
    with source:
        yield source


@contextmanager
def _target(output: Path | None, *, explain: bool) -> Iterator[BinaryIO | None]:
    """Standard output, or a file that appears when it is whole."""
    if output is None:
        yield None if explain else sys.stdout.buffer
        sys.stdout.flush()
        return
    aside = output.with_name(f".{output.name}.{os.getpid()}.part")
    try:
        with aside.open("wb") as target:
            yield target
        aside.replace(output)
    finally:
        aside.unlink(missing_ok=True)
