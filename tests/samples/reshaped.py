"""Cuts, shuffles and renames the files of a landing day, without a change to what they say."""

import csv
import gzip
import io
import json
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq


def reshape(day: Path, out: Path, dice: random.Random) -> None:
    """Write the files of a day anew: lists, lines and rows in another order and in two files, all under other names."""
    for path in sorted(p for p in day.rglob("*") if p.is_file()):
        folder = out / path.relative_to(day).parent
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in _parts(path.name, path.read_bytes(), dice):
            (folder / f"moved-{name}").write_bytes(data)


def _parts(name: str, data: bytes, dice: random.Random) -> Iterator[tuple[str, bytes]]:
    stem, _, suffix = name.partition(".")
    if suffix == "zip":
        yield name, _archive(data, dice)
    elif suffix == "jsonl.gz":
        for n, part in enumerate(_lines(gzip.decompress(data), dice)):
            yield (f"{stem}-{n}.jsonl", part) if n else (f"{stem}-{n}.jsonl.gz", gzip.compress(part))
    elif suffix in ("jsonl", "json", "csv", "parquet") and (cut := _CUTS[suffix](data, dice)):
        yield from ((f"{stem}-{n}.{suffix}", part) for n, part in enumerate(cut))
    else:
        yield name, data


def _archive(data: bytes, dice: random.Random) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in dice.sample(given.namelist(), len(given.namelist())):
            cut = _array(given.read(name), dice) if name.startswith(("conversations", "message_feedback")) else []
            for n, part in enumerate(cut):
                packed.writestr(name.replace(".json", f"-{n:03}.json"), part)
            if not cut:
                packed.writestr(name, given.read(name))
    return whole.getvalue()


def _halves(parts: list[Any], dice: random.Random) -> list[list[Any]]:
    shuffled = dice.sample(parts, len(parts))
    middle = (len(parts) + 1) // 2
    return [half for half in (shuffled[:middle], shuffled[middle:]) if half]


def _lines(data: bytes, dice: random.Random) -> list[bytes]:
    return [b"".join(half) for half in _halves(data.splitlines(keepends=True), dice)]


def _array(data: bytes, dice: random.Random) -> list[bytes]:
    value = json.loads(data)
    return [json.dumps(half).encode() for half in _halves(value, dice)] if isinstance(value, list) else []


def _table(data: bytes, dice: random.Random) -> list[bytes]:
    head, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
    made = []
    for half in _halves(rows, dice):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([head, *half])
        made.append(text.getvalue().encode())
    return made


def _rows(data: bytes, dice: random.Random) -> list[bytes]:
    table = pq.read_table(io.BytesIO(data))
    made = []
    for half in _halves(list(range(table.num_rows)), dice):
        whole = io.BytesIO()
        pq.write_table(table.take(half), whole, row_group_size=1)
        made.append(whole.getvalue())
    return made


_CUTS = {"jsonl": _lines, "json": _array, "csv": _table, "parquet": _rows}
