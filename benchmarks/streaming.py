"""How much memory a large file takes: a file of the given size is written, taken stock of, and its first bucket read.

    python benchmarks/streaming.py [--gigabytes 2] [--kind jsonl|json|gz]

Among its records is one line of 50 MB, which is refused. What is printed is the greatest resident memory of the process
that reads, from its beginning, the models not loaded.
"""

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import IO

_DAY = date(2026, 11, 2)
_TEXT = "the reset button is behind the router, hold it for ten seconds and wait until the light turns green. " * 9


def main() -> None:
    """Write the file, then read it in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--kind", choices=("jsonl", "json", "gz"), default="jsonl")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.read:
        _read(chosen.read)
        return
    with tempfile.TemporaryDirectory() as folder:
        landing = Path(folder) / "landing"
        path = landing / f"dt={_DAY}" / {"jsonl": "a.jsonl", "json": "a.json", "gz": "a.jsonl.gz"}[chosen.kind]
        path.parent.mkdir(parents=True)
        records = _write(path, chosen.kind, int(chosen.gigabytes * 1e9))
        print(f"{records:,} records, {chosen.gigabytes:g} GB of JSON, {path.stat().st_size / 1e9:.2f} GB on disk")
        subprocess.run([sys.executable, __file__, "--read", folder], check=True)


def _read(folder: Path) -> None:
    from pipelines.settings import load_settings  # the parent needs none of it
    from pipelines.steps.routes import routes_of
    from pipelines.steps.scan import scan_day

    settings = load_settings({"landing": folder / "landing", "warehouse": folder / "warehouse"}).settings
    before = _peak()
    start = time.perf_counter()
    scan = scan_day(settings, _DAY, folder / "work")
    seconds = time.perf_counter() - start
    print(f"stock taken in {seconds:.0f} s; {scan.items:,} items in {scan.buckets} buckets")
    print(f"peak memory {_peak():,.0f} MiB, of which {before:,.0f} MiB before the first byte")
    print(f"one bucket of it: {routes_of(scan.routes, 0, scan.buckets).height:,} records")


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _write(path: Path, kind: str, size: int) -> int:
    stream: IO[bytes] = gzip.open(path, "wb", compresslevel=1) if kind == "gz" else path.open("wb")  # noqa: SIM115
    between, written, number = (b",\n" if kind == "json" else b"\n"), 0, 0
    with stream as out:
        out.write(b"[" if kind == "json" else b"")
        while written < size:
            text = _TEXT if number != 1000 else "x" * 50_000_000
            line = json.dumps({
                "kind": "message",
                "conversation_id": f"c{number // 8}",
                "message_id": f"m{number}",
                "role": "assistant" if number % 2 else "user",
                "content": f"{number} {text}",
            }).encode()  # fmt: skip
            out.write((between if number and kind == "json" else b"") + line + (b"" if kind == "json" else between))
            written += len(line)
            number += 1
        out.write(b"]" if kind == "json" else b"")
    return number


if __name__ == "__main__":
    main()
