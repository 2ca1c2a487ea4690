"""Builds the sample logs from their authored sources, the same bytes each time.

Usage: `python samples/build.py [--out DIR]` writes `landing/`, `labels.jsonl` and `expected.yaml`, and the files of all
formats in `formats/`;
`python samples/build.py --check` only says what is wrong with the sources.
"""

import argparse
import json
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from authored import Conversation, read
from files import interleaved, write
from formats.build import build as build_formats
from formats.build import read as read_formats
from pace import faults as pace_faults
from plants import Plants
from timeline import landed

HERE = Path(__file__).resolve().parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the sources, and build unless only the check was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only check the sources")
    parser.add_argument("--out", type=Path, default=HERE, help="where to build (default: beside the sources)")
    options = parser.parse_args(arguments)

    conversations, faults = read(HERE / "conversations")
    for conversation in conversations:
        faults += [f"{conversation.id}: {fault}" for fault in pace_faults(conversation)]
    talks, wrong = read_formats()
    faults += wrong
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        return 1
    if options.check:
        print(f"{len(conversations)} conversations, {sum(len(c.labels) for c in conversations)} labels, no faults")
        return 0
    build(conversations, options.out)
    build_formats(talks, options.out / "formats")
    return 0


def build(conversations: Sequence[Conversation], out: Path) -> None:
    """Write the landing zone, the labels and what a run must find.

    Args:
        conversations: Checked conversations.
        out: Folder for `landing/`, `labels.jsonl` and `expected.yaml`; an older `landing/` in it is replaced.
    """
    plants = Plants.load(HERE / "plants.yaml")
    records = [item for conversation in conversations for item in landed(conversation)]
    records = plants.vary(records)

    shutil.rmtree(out / "landing", ignore_errors=True)
    by_file: dict[tuple[str, str], list[bytes]] = {}
    for item in interleaved(records):
        by_file.setdefault((item.day, item.source), []).append(item.line)
    for (day, source), lines in by_file.items():
        write(out / "landing", day, source, plants.among(day, source, lines))
    plants.write_own_files(out / "landing")

    labels = [_label(c, raw) for c in sorted(conversations, key=lambda c: c.id) for raw in c.labels]
    rows = [json.dumps(label, ensure_ascii=False) + "\n" for label in labels]
    (out / "labels.jsonl").write_text("".join(rows), encoding="utf-8")
    (out / "expected.yaml").write_text(_expected(len(conversations), by_file, plants), encoding="utf-8")


def _label(conversation: Conversation, raw: Any) -> dict[str, Any]:
    label = {
        "conversation_id": conversation.id,
        "message_id": raw["message"],
        "signal": raw["signal"],
        "about": raw["about"],
        "sure": raw.get("sure", True),
    }
    if "measurable" in raw:
        label["measurable"] = raw["measurable"]
    return label


def _expected(n_conversations: int, by_file: dict[tuple[str, str], list[bytes]], plants: Plants) -> str:
    good: Counter[str] = Counter()
    for (day, _), lines in by_file.items():
        good[day] += len(lines)
    for day, n in plants.readable.items():
        good[day] += n
    days = {}
    for day in sorted(good):
        refused = plants.refused(day)
        of_records = sum(n for reason, n in refused.items() if not reason.startswith("file_"))
        days[day] = {
            "records": good[day] + of_records,
            "duplicates": plants.duplicates[day],
            "superseded": plants.superseded[day],
            "superseded_later": plants.superseded_later[day],
            "quarantined": dict(sorted(refused.items())),
        }
    head = (
        "# Written by samples/build.py. `records` are the lines and rows that a reader meets, refused ones included;\n"
        "# refusals of a whole file (file_*) are no records. `superseded` are older versions of a message of the same\n"
        "# day; `superseded_later` are those whose newer version lands on a later day.\n"
    )
    whole = {"conversations": n_conversations + plants.conversations, "days": days}
    return head + yaml.safe_dump(whole, sort_keys=False)


if __name__ == "__main__":
    sys.exit(main())
