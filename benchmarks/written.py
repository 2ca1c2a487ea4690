"""Lays out the Chinese conversations that were written for this project as a labelled set.

    python benchmarks/written.py FOLDER

`benchmarks/labels/authored_zh.jsonl` holds texts and labels; this writes `FOLDER/authored_zh.jsonl` and
`FOLDER/authored_zh.labels.jsonl`, in the form that `fit_signals.py` and `fit_cross_encoder.py` read, and prints how far
its two readers agree. `benchmarks/labels/README.md` says how they were written and read.
"""

import json
import sys
from pathlib import Path

from read_sharegpt import LABELS, agreement

NAME = "authored_zh"


def main(folder: Path) -> None:
    """Write the set and say what is in it."""
    folder.mkdir(parents=True, exist_ok=True)
    read, labels, n = set(), [], 0
    with (folder / f"{NAME}.jsonl").open("w", encoding="utf-8") as out:
        for line in (LABELS / f"{NAME}.jsonl").read_text(encoding="utf-8").splitlines():
            conversation = json.loads(line)
            for seq, message in enumerate(conversation["messages"]):
                place = {"conversation_id": conversation["conversation_id"], "message_id": f"m{seq:02d}"}
                record = {"kind": "message", **place, "seq": seq, "role": message["role"]}
                record |= {"content": message["content"], "created_at": None, "source": "authored"}
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
                labels += [place | {"about": f"m{seq - 1:02d}"} | label for label in message.get("labels", ())]
                if seq and message["role"] == "user":
                    read.add((place["conversation_id"], place["message_id"]))
                n += 1
    (folder / f"{NAME}.labels.jsonl").write_text("".join(json.dumps(x) + "\n" for x in labels), encoding="utf-8")
    print(f"{len({c for c, _ in read}):,} conversations, {n:,} messages in {folder}")
    found = ", ".join(f"{signal} {kappa:.2f}" for signal, kappa in agreement(read, labels).items())
    print(f"kappa of two readers over {len(read):,} messages: {found}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
