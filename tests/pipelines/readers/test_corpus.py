"""Inputs that once reached code of a reader that nothing else reached: none of them may break one."""

from pathlib import Path

import pytest

from pipelines.readers.registry import FORMATS
from tests.pipelines.readers.hold import NAMES, hold

CORPUS = sorted((Path(__file__).parent / "corpus").iterdir())


@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.name)
def test_no_input_of_the_corpus_breaks_a_reader(path):
    data = path.read_bytes()
    hold(NAMES[data[0] % len(NAMES)], data[1:])


@pytest.mark.parametrize("log_format", [f.name for f in FORMATS if f.name != "turns"])
def test_no_reader_is_broken_by_files_of_the_others(log_format):
    for path in CORPUS[:: max(1, len(CORPUS) // 40)]:
        data = path.read_bytes()
        hold(NAMES[data[0] % len(NAMES)], data[1:], log_format)
