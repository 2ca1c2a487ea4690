"""How fast requests are compared, and how few texts need the sentence encoder.

    python benchmarks/similarity.py MESSAGES...

`MESSAGES` are files of native records (JSON lines, also .zst), such as the landing day that `benchmarks/sharegpt.py`
writes, or the labelled sets. Of each user message and the five before it in its conversation one pair is made, as
Repeat and Rephrase do. Printed are pairs a second of one core (processor time, so that a busy machine does not count):
of character similarity in bulk, and of the whole comparison (characters, content words, slots, negation, order, common
material), the median of five times; and the share of the texts whose meaning is asked for. Nothing is encoded.
"""

import argparse
import io
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import zstandard
from rapidfuzz import fuzz, process

from signals.compare import Likenesses, compare
from signals.profile import Profile, profile
from signals.requests import can_mean, settle_nearest
from signals.settings import LinkSettings

TIMES = 5


def conversations(path: Path) -> Iterator[list[str]]:
    """Texts of the user messages of each conversation, in the order of the file."""
    found: dict[str, list[str]] = {}
    decode = msgspec.json.Decoder().decode
    with path.open("rb") as raw:
        lines = io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(raw)) if path.suffix == ".zst" else raw
        for line in lines:
            record = decode(line)
            if record.get("kind") == "message" and record["role"] == "user" and record["content"]:
                found.setdefault(record["conversation_id"], []).append(record["content"])
    yield from found.values()


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("messages", type=Path, nargs="+")
    parser.add_argument("--most", type=int, default=200_000, help="Pairs that are compared, at most.")
    options = parser.parse_args()
    back, known = LinkSettings().look_back, dict[str, Profile]()
    pairs: list[tuple[Profile, Profile]] = []
    starts: list[int] = []
    start = time.process_time()
    for path in options.messages:
        for texts in conversations(path):
            known |= {text: profile(text) for text in set(texts) - set(known)}
            read = [known[text] for text in texts]
            for n in range(1, len(read)):
                starts.append(len(pairs))
                pairs += [(read[m], read[n]) for m in range(max(0, n - back), n)]
            if len(pairs) >= options.most:
                break
    speed = len(known) / (time.process_time() - start)
    print(f"{len(pairs):,} pairs of {len(known):,} texts; {speed:,.0f} texts read a second")
    left, right = [a.bare for a, _ in pairs], [b.bare for _, b in pairs]
    _rate("character similarity, in bulk", lambda: len(process.cpdist(left, right, scorer=fuzz.ratio, workers=1)))
    earlier, later = [a for a, _ in pairs], [b for _, b in pairs]
    kept: list[Likenesses] = []

    def whole() -> int:
        likes = compare(earlier, later)
        settle_nearest(likes, np.array(starts), np.zeros(len(pairs)), np.zeros(len(pairs)))
        kept.append(likes)
        return len(pairs)

    _rate("the whole comparison", whole)
    likes = kept[-1]
    asked = {
        text
        for n in can_mean(likes, later)
        if not likes.earlier[n].empty
        for text in (likes.earlier[n].asked, likes.later[n].asked)
    }
    print(f"{len(asked):,} distinct texts reach the encoder for their meaning as requests, "
          f"{100 * len(asked) / max(len(known), 1):.0f} % of the distinct user texts")  # fmt: skip


def _rate(name: str, work: Callable[[], int]) -> None:
    taken = []
    for _ in range(TIMES):
        start = time.process_time()
        n = work()
        taken.append(time.process_time() - start)
    print(f"{name:32} {n / max(statistics.median(taken), 1e-9):>12,.0f} pairs a second")


if __name__ == "__main__":
    main()
