"""Lays out the conversations that were written for this project as labelled sets.

    python benchmarks/written.py FOLDER

`benchmarks/labels/authored_zh.jsonl` (Chinese) and `authored_en.jsonl` (English) hold texts and labels; this writes
`NAME.jsonl` and `NAME.labels.jsonl` of FOLDER for both, in the form that `fit_signals.py` and `fit_cross_encoder.py`
read, and prints how far two readers agree. `benchmarks/labels/README.md` says how they were written and read.
"""

import json
import sys
from pathlib import Path

from learning import WRITTEN
from read_sharegpt import LABELS, agreement


def lay_out(name: str, folder: Path) -> None:
    """Write one set and say what is in it."""
    ids, read, labels, n = set(), set(), [], 0
    with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as out:
        for line in (LABELS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            conversation = json.loads(line)
            ids.add(conversation["conversation_id"])
            for seq, message in enumerate(conversation["messages"]):
                place = {"conversation_id": conversation["conversation_id"], "message_id": f"m{seq:02d}"}
                record = {"kind": "message", **place, "seq": seq, "role": message["role"]}
                record |= {"content": message["content"], "created_at": None, "source": "authored"}
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
                labels += [place | {"about": f"m{seq - 1:02d}"} | label for label in message.get("labels", ())]
                if seq and message["role"] == "user" and conversation.get("readings", 2) == 2:
                    read.add((place["conversation_id"], place["message_id"]))
                n += 1
    (folder / f"{name}.labels.jsonl").write_text("".join(json.dumps(x) + "\n" for x in labels), encoding="utf-8")
    print(f"{name}: {len(ids):,} conversations, {n:,} messages in {folder}")
    found = ", ".join(f"{signal} {kappa:.2f}" for signal, kappa in agreement(read, labels).items())
    print(f"kappa of two readers over {len(read):,} messages: {found}")


def main(folder: Path) -> None:
    """Write both sets."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in WRITTEN:
        lay_out(name, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
