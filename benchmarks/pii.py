"""Measures the de-identifier beside Presidio as it comes: recall by type and language, over-masking, routing, speed.

Usage: python benchmarks/pii.py [--shared FOLDER] [--talk FILE ...] [--templates held_out] [--misses] [--alone]
       [--blank-chinese]

The sets of FOLDER that are absent are skipped with a word. The generated set is the same at every run.
"""

import argparse
import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pii_routing import every_sentence_read
from pii_score import BODIES, PEOPLE, PLACES, Score, family, marks_of_tags, score
from pii_sets import Row, generated, plain, shared_sets, talk

from anonymize import Deidentifier, Item, PseudonymKey

_KEY = PseudonymKey(bytes(range(32)))
_COPIES, _SEED = 6, 20261129
_TALK = 200_000  # characters of a log
_SHARED = Path(__file__).parents[2] / "shared" / "pii"
# Characters of a set, and seconds of Tacit and of Presidio for them.
Timed = tuple[int, list[float]]
_GROUPS = (("structured", ("structured",)), ("people", PEOPLE), ("places", PLACES), ("organisations", BODIES))


def ours(rows: list[Row], door: Deidentifier) -> list[bytearray]:
    """Mark the characters that the door masks; each text is a conversation of its own."""
    items = [Item(str(number), row.text) for number, row in enumerate(rows)]
    results = door.deidentify(items)
    return [marks_of_tags(i.text, r.text or "", i.scope, _KEY) for i, r in zip(items, results, strict=True)]


def timed(run: Callable[[], object]) -> float:
    """Seconds of processor time, on one thread: the better of two runs, since other work slows some."""
    seconds = []
    for _ in range(2):
        start = time.process_time()
        run()
        seconds.append(max(1e-9, time.process_time() - start))
    return min(seconds)


def speed(rows: list[Row], door: Deidentifier, peer: Any) -> Timed:
    """How long Tacit takes for a set, and Presidio where it is there."""
    items = [Item(str(number), row.text) for number, row in enumerate(rows)]
    seconds = [timed(lambda: door.deidentify(items))] + ([timed(lambda: peer.marks(rows))] if peer else [])
    return sum(len(r.text) for r in rows), seconds


def share(found: int, wanted: int) -> str:
    """A recall for a cell of the table."""
    return f"{found / wanted:.3f}" if wanted else "    -"


def report(name: str, rows: list[Row], mine: Score, theirs: Score | None) -> None:
    """Print a set: a summary by group and language, then each type."""
    langs = [lang for lang in ("en", "zh", "mixed") if any(r.lang == lang for r in rows)]
    print(f"\n{name}: {len(rows)} texts, {sum(len(r.text) for r in rows):,} characters")
    print(f"  {'recall':22}" + "".join(f"{lang:>18}" for lang in langs) + f"{'all':>18}")
    kinds = sorted({k for k, _ in mine.hits})
    for label, group in _GROUPS:
        members = tuple(k for k in kinds if family(k) == group)
        if members:
            _line(label.upper(), members, langs, mine, theirs)
    for kind in kinds:
        _line(kind.lower(), (kind,), langs, mine, theirs)
    for who, result in (("Tacit", mine), ("Presidio", theirs)):
        if result is not None:
            over = 100 * result.over / max(1, result.outside)
            clean = f", {result.touched} of {result.clean} texts without spans touched" if result.clean else ""
            print(f"  over-masking {who}: {over:.2f} % of characters outside spans{clean}")
    shares = (f"{kind.lower()} {100 * n / mine.outside:.2f}" for kind, n in mine.over_by_type.most_common())
    print(f"  over-masking Tacit by type, in % of characters outside spans: {', '.join(shares) or 'none'}")


def _line(label: str, kinds: tuple[str, ...], langs: list[str], mine: Score, theirs: Score | None) -> None:
    cells = []
    for lang in (*langs, None):
        found, wanted = mine.recall(kinds, lang)
        peer = share(*theirs.recall(kinds, lang)) if theirs else ""
        cells.append(f"{share(found, wanted)} {peer} {f'/{wanted}' if wanted else '':>5}")
    print(f"  {label:22}" + "".join(f"{cell:>18}" for cell in cells))


def report_routing(sets: dict[str, list[Row]], routed: dict[str, Score], door: Deidentifier) -> None:
    """Print what it costs in recall that the models read only sentences that may hold a name."""
    print("\nrouting: recall as it is, with every sentence read by the models, and the difference")
    with every_sentence_read():
        for name, rows in sets.items():
            all_read = score(rows, ours(rows, door))
            for label, group in _GROUPS[1:]:
                (found, wanted), (most, _) = routed[name].recall(group), all_read.recall(group)
                if wanted:
                    cost = (found - most) / wanted
                    print(f"  {name:32} {label:14} {found / wanted:.3f} {most / wanted:.3f} {cost:+.3f}")


def report_speed(speeds: dict[str, Timed]) -> None:
    """Print characters a second, and how many times as fast as Presidio that is: of each set, and of all together."""
    print("\ncharacters a second, one thread, the whole door (ratios carry over to other machines, figures do not)")
    every = (sum(n for n, _ in speeds.values()), [sum(t) for t in zip(*(t for _, t in speeds.values()), strict=True)])
    for name, (n, seconds) in (speeds | {"all of these together": every}).items():
        ratio = f", {seconds[1] / seconds[0]:.1f} times" if len(seconds) > 1 else ""
        rates = (f"{who} {n / t:,.0f}" for who, t in zip(("Tacit", "Presidio"), seconds, strict=False))
        print(f"  {name:32}" + "  ".join(rates) + ratio)


def main() -> int:
    """Run the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, default=_SHARED, help="folder with labelled sets")
    parser.add_argument("--templates", default="held_out", help="held_out to measure, tune to read errors")
    parser.add_argument("--talk", type=Path, nargs="*", default=[], help="native-format logs, for speed on them")
    parser.add_argument("--misses", action="store_true", help="print what was missed and what was masked too much")
    parser.add_argument("--alone", action="store_true", help="without Presidio")
    parser.add_argument("--blank-chinese", action="store_true", help="Presidio with a blank pipeline for Chinese")
    args = parser.parse_args()
    sets, missing = shared_sets(args.shared)
    for file in missing:
        print(f"skipped: {file} is not in {args.shared.name}/")
    sets[f"generated, {args.templates} templates"] = generated(args.templates, _COPIES, _SEED)
    sets["no personal data"] = plain()
    # Presidio looks its recognizers up among all classes of the process, ours too, so it is made before ours are known.
    peer = None
    if not args.alone:
        from pii_peers import Presidio

        peer = Presidio(blank_chinese=args.blank_chinese)
        peer.marks(plain()[:2])
        kind = "with a blank pipeline for Chinese" if args.blank_chinese else "as it comes"
        print(f"In each cell: recall of Tacit, recall of Presidio {kind}, number of spans.")
    door = Deidentifier(_KEY)
    # Automata are built as texts come; both tools have seen some before the clock runs.
    ours(generated("tune", 1, _SEED), door)
    if peer:
        peer.marks(generated("tune", 1, _SEED))
    gc.freeze()  # as the pipeline does: the collector walks neither tool's models while the clock runs
    speeds: dict[str, Timed] = {}
    routed: dict[str, Score] = {}
    for name, rows in sets.items():
        mine = routed[name] = score(rows, ours(rows, door))
        theirs = score(rows, peer.marks(rows)) if peer else None
        report(name, rows, mine, theirs)
        if args.misses:
            print("\n".join(mine.misses))
    for name, rows in (sets | {path.stem: talk(path, _TALK) for path in args.talk}).items():
        speeds[name] = speed(rows, door, peer)
    report_routing(sets, routed, door)
    report_speed(speeds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
