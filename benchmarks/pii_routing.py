"""What the routing costs in recall: the same texts with every sentence read by the models for names."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from anonymize.names import segments


@contextmanager
def every_sentence_read() -> Iterator[None]:
    """Let no sentence be spared, for as long as the context lasts."""
    with (
        patch.object(segments, "may_hold_name", lambda *_: True),
        patch.object(segments, "_may_name", lambda *_: True),
    ):
        yield
