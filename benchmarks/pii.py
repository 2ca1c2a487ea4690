"""Measures the de-identifier: recall by type and language, over-masking, characters a second.

Usage: python benchmarks/pii.py FOLDER [--misses] [--speed FILE.jsonl]

FOLDER holds `presidio_synth_dataset_v2.json.gz` (the first 500 sentences are used) and `chat_pii_dev.jsonl.gz`; a set
that is absent is skipped and said so. Recall counts a span as found when at least three quarters of its letters and
digits are masked (half where only a part of the span is personal: organisations and secrets; of a URL what
follows its host). Over-masking is the share
of characters outside all spans that were masked.
"""

import argparse
import gzip
import json
import re
import sys
import time
from collections import defaultdict
from pathlib import Path

from anonymize import Deidentifier, Item, PseudonymKey
from anonymize.tags import normalise

_KEY = PseudonymKey(bytes(range(32)))
_TAG = re.compile(r"<[A-Z][A-Z_]*_[a-z2-7]{8}>")
# Types of the sets that the policy leaves alone.
_NOT_MASKED = {"DATE_TIME", "TITLE", "AGE", "NRP", "DOMAIN_NAME"}
_URLS = {"URL_PERSONAL"}
_HOST = re.compile(r"(?:https?://)?(?:[^/@]*@)?[^/]*/?|")
_LOOSE = {"URL_PERSONAL", "ORG", "ORGANIZATION", "SECRET"}


def masked_characters(original: str, masked: str, scope: str, key: PseudonymKey) -> bytearray:
    """Mark which characters of the original were masked: a tag tells, by the key, which value it stands for."""
    marks = bytearray(len(original))
    at = out = 0
    for match in _TAG.finditer(masked):
        at += match.start() - out
        out = match.end()
        entity = match.group()[1:-10]
        for end in range(len(original), at, -1) if len(original) - at < 400 else range(at + 400, at, -1):
            tag = key.tag(scope, entity, normalise(entity, original[at:end]))
            # The longest value of that normal form may take blanks along; the rest of the text decides.
            if tag == match.group() and _starts(original, end, masked, out):
                break
        marks[at:end] = b"\x01" * (end - at)
        at = end
    return marks


def _starts(original: str, end: int, masked: str, out: int) -> bool:
    """Whether what follows a tag in the masked text, up to the next tag, follows the value in the original."""
    following = _TAG.search(masked, out)
    return original.startswith(masked[out : following.start() if following else len(masked)], end)


def load(folder: Path) -> dict[str, list[tuple[str, str, list[tuple[int, int, str]]]]]:
    """Read the sets that are there: name to rows of language, text and spans."""
    sets = {}
    synth, chat = folder / "presidio_synth_dataset_v2.json.gz", folder / "chat_pii_dev.jsonl.gz"
    if synth.exists():
        with gzip.open(synth, "rt", encoding="utf-8") as file:
            rows = json.load(file)[:500]
        sets["presidio synth"] = [
            ("en", r["full_text"], [(s["start_position"], s["end_position"], s["entity_type"]) for s in r["spans"]])
            for r in rows
        ]
    if chat.exists():
        with gzip.open(chat, "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        sets["chat dev"] = [
            (r["lang"], r["text"], [(s["start"], s["end"], s["type"]) for s in r["spans"]]) for r in rows
        ]
    for path in (synth, chat):
        if not path.exists():
            print(f"skipped: {path.name} is not in the folder")
    return sets


def score(name: str, rows: list, door: Deidentifier, misses: bool) -> None:
    """Print the figures of one set."""
    items = [Item(f"{name}-{i}", text) for i, (_, text, _) in enumerate(rows)]
    start = time.perf_counter()
    results = door.deidentify(items)
    seconds = time.perf_counter() - start
    hit: dict = defaultdict(lambda: [0, 0])
    outside = over = clean = dirty = 0
    for (lang, text, spans), item, result in zip(rows, items, results, strict=True):
        marks = masked_characters(text, result.text or "", item.scope, _KEY)
        covered = bytearray(len(text))
        for low, high, kind in spans:
            covered[low:high] = b"\x01" * (high - low)
            if kind in _NOT_MASKED:
                continue
            if kind in _URLS:
                low += len(_HOST.match(text[low:high]).group())
            letters = [i for i in range(low, high) if text[i].isalnum()]
            share = sum(marks[i] for i in letters) / max(1, len(letters))
            ok = share >= (0.5 if kind in _LOOSE else 0.75)
            for key in ((kind, lang), (kind, "all"), ("ALL", lang), ("ALL", "all")):
                hit[key][0] += ok
                hit[key][1] += 1
            if misses and not ok:
                print(f"MISS {lang} {kind} [{text[low:high]!r}] {(result.text or '')[:220]!r}")
        wrong = [i for i in range(len(text)) if marks[i] and not covered[i] and text[i].isalnum()]
        outside += sum(not c for c in covered)
        over += len(wrong)
        if not spans:
            clean += 1
            dirty += bool(wrong)
        if misses and wrong:
            print(f"OVER {lang} {''.join(text[i] for i in wrong)[:60]!r} {(result.text or '')[:220]!r}")
    print(f"\n{name}: {len(rows)} texts, {sum(len(t) for _, t, _ in rows) / seconds:,.0f} characters/s")
    langs = sorted({lang for lang, _, _ in rows})
    for kind in sorted({k for k, _ in hit}):
        cells = [f"{lang} {hit[kind, lang][0]}/{hit[kind, lang][1]}" for lang in langs if hit[kind, lang][1]]
        print(f"  {kind:16} {hit[kind, 'all'][0] / hit[kind, 'all'][1]:.3f}  {'  '.join(cells)}")
    print(f"  over-masking {100 * over / max(1, outside):.2f} % of characters outside spans; ", end="")
    print(f"{dirty}/{clean} texts without spans touched")


def speed(path: Path, door: Deidentifier) -> None:
    """Print characters a second over the `content` of a JSON Lines file."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    items = [Item(r["conversation_id"], r["content"]) for r in rows if r.get("content")]
    start = time.perf_counter()
    results = door.deidentify(items)
    seconds = time.perf_counter() - start
    chars = sum(len(i.text) for i in items)
    tags = sum(sum(r.counts.values()) for r in results)
    print(f"\n{path.name}: {chars:,} characters in {seconds:.1f} s, {chars / seconds:,.0f}/s, {tags} tags")


def main() -> int:
    """Run the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--misses", action="store_true", help="print what was missed and what was masked too much")
    parser.add_argument("--speed", type=Path, help="a JSON Lines file of messages to time")
    args = parser.parse_args()
    door = Deidentifier(_KEY)
    for name, rows in load(args.folder).items():
        score(name, rows, door, args.misses)
    if args.speed:
        speed(args.speed, door)
    return 0


if __name__ == "__main__":
    sys.exit(main())
