"""What is installed is what stands here: the wheel holds every file that the code reads."""

import subprocess
import sys
import zipfile

from tests.conftest import REPOSITORY

PACKAGES = ("anonymize", "pipelines", "schemas", "signals", "warehouse")


def test_the_wheel_holds_every_file_of_the_packages(tmp_path):
    copy = tmp_path / "copy"  # setuptools builds beside the sources
    copy.mkdir()
    for name in (*PACKAGES, "pyproject.toml", "README.md"):
        (copy / name).symlink_to(REPOSITORY / name)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"]
    subprocess.run([*build, str(tmp_path / "dist"), str(copy)], check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    here = {
        p.relative_to(REPOSITORY).as_posix()
        for package in PACKAGES
        for p in (REPOSITORY / package).rglob("*")
        if p.is_file() and "__pycache__" not in p.parts
    }
    assert here <= packed, sorted(here - packed)
