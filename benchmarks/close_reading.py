"""What the optional cross-encoder costs: which share of the messages it reads, and how much longer detection takes.

    python benchmarks/close_reading.py FOLDER SET --cross-encoder MODEL

`FOLDER` holds `SET.jsonl` and `SET.labels.jsonl`; `MODEL` is a folder that `make train-cross-encoder` wrote, or
`pipelines/included`. Detection runs twice on the same linked conversations, without and with it, on one core; nothing
is cached.
"""

import argparse
import time
from pathlib import Path

from labelled import read_set

from pipelines.cross_encoders import CrossEncoderReader, TunedCrossEncoder
from pipelines.encoders import load_encoder
from signals.cross_encoder import Floats, Triple
from signals.detect import detect


class Counted(CrossEncoderReader):
    """A cross-encoder that counts what it reads."""

    n = 0

    def odds(self, triples: list[Triple]) -> Floats:
        """See `signals.cross_encoder.CrossEncoder.odds`."""
        self.n += len(triples)
        return super().odds(triples)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("set")
    parser.add_argument("--cross-encoder", type=Path, required=True)
    options = parser.parse_args()
    encoder = load_encoder("use-multilingual")
    labelled = read_set(options.folder, options.set, encoder)
    closer, seconds = Counted(TunedCrossEncoder(options.cross_encoder), None), []
    for reader in (None, closer):
        start = time.process_time()
        detect(labelled.readings.window, encoder, None, reader)
        seconds.append(time.process_time() - start)
    messages = len(labelled.readings.reactions)
    print(f"{messages:,} messages that follow a reply; {closer.n:,} of them read, {100 * closer.n / messages:.0f} %")
    print(f"detection: {seconds[0]:.1f} s without, {seconds[1]:.1f} s with it, "
          f"{closer.n / (seconds[1] - seconds[0]):.0f} messages a second of one core")  # fmt: skip


if __name__ == "__main__":
    main()
