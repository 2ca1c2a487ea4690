"""Writes `pipelines/canaries.json`: what the default encoder gives for known sentences, to know it by.

    python benchmarks/canaries.py

To be run when the encoder's version in `requirements.lock` changes, after its vectors were looked at.
"""

import json

from pipelines.canaries import FILE, SENTENCES, packed
from pipelines.encoders import UseMultilingual


def main() -> None:
    """Write the file."""
    encoder = UseMultilingual()
    FILE.write_text(json.dumps({encoder.name: packed(encoder.encode(list(SENTENCES)))}, indent=1) + "\n")
    print(f"{len(SENTENCES)} sentences in {FILE.name}")


if __name__ == "__main__":
    main()
