"""Looks for bytes that break a reader, guided by coverage. Needs `pip install atheris`; it is no part of the tests.

    python -m tests.fuzz_readers --minutes 5 --work FOLDER
    python -m tests.fuzz_readers --keep --work FOLDER

It begins with the corpus in `tests/pipelines/readers/corpus`, which `test_corpus.py` reads in every test run. FOLDER
collects every input that reaches new code; --keep copies the smallest of those into the corpus. An input begins with
one byte that says what the file is called. A fault ends the run and leaves the input that made it.
"""

import argparse
import ast
import shutil
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["pipelines.readers"]):
    from tests.pipelines.readers.hold import NAMES, hold

_READERS = Path(__file__).parents[1] / "pipelines" / "readers"
_CORPUS = Path(__file__).parent / "pipelines" / "readers" / "corpus"
_SMALL = 1_500
_KEPT = 100


def one_input(data: bytes) -> None:
    """What the fuzzer calls."""
    if data:
        hold(NAMES[data[0] % len(NAMES)], data[1:])


def main() -> None:
    """Seed the corpus, fuzz for some minutes, keep what is worth it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--keep", action="store_true")
    chosen = parser.parse_args()
    if chosen.keep:
        _keep(chosen.work)
        return
    chosen.work.mkdir(parents=True, exist_ok=True)
    words = chosen.work.with_suffix(".dict")
    words.write_text("".join(f'"{w}"\n' for w in sorted(_words())), encoding="ascii")
    atheris.Setup(
        [
            sys.argv[0],
            str(chosen.work),
            str(_CORPUS),
            f"-max_total_time={int(chosen.minutes * 60)}",
            f"-dict={words}",
            "-max_len=6000",
            "-timeout=20",
            "-rss_limit_mb=3000",
        ],
        one_input,
    )
    atheris.Fuzz()


def _words() -> set[str]:
    """The keys and spellings that the readers know, from their string constants."""
    words = set()
    for path in _READERS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words.add(node.value)
    return {w for w in words if 1 < len(w) < 40 and w.isascii() and w.isprintable() and '"' not in w and "\\" not in w}


def _keep(work: Path) -> None:
    """Copy the smallest inputs that the fuzzer found."""
    found = sorted(
        (p for p in work.iterdir() if 0 < p.stat().st_size <= _SMALL), key=lambda p: (p.stat().st_size, p.name)
    )
    for path in found[-_KEPT:]:
        shutil.copy(path, _CORPUS / path.name[:16])


if __name__ == "__main__":
    main()
