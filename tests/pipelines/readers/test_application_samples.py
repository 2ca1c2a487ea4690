"""Samples of what chat applications export, as they are handed around: each is read whole by its own format."""

import os
from datetime import date
from pathlib import Path

import pytest

from pipelines.readers.logfile import LogFile
from pipelines.readers.raw import Refusal
from schemas.enums import EventKind
from schemas.records import Event, Message
from tests.pipelines.readers.kit import items_of, opened

SAMPLES = Path(os.environ.get("TACIT_FORMATS", "../shared/formats/samples"))


@pytest.mark.gold
@pytest.mark.parametrize(
    ("name", "format_name", "messages", "votes"),
    [
        ("dify_messages.json", "dify", 2, 1),
        ("librechat_messages.json", "librechat", 2, 1),
        ("openwebui_feedback_export.json", "openwebui", 2, 1),
        ("rasa_tracker_min.json", "rasa", 2, 0),
        ("chatwoot_webhook_message_created.json", "chatwoot", 1, 0),
    ],
)
def test_a_sample_is_read_whole(name, format_name, messages, votes):
    path = SAMPLES / name
    if not path.is_file():
        pytest.skip(f"{name} is not beside the checkout")
    log = opened(path, day=date(2026, 11, 2))
    assert isinstance(log, LogFile)
    assert log.format.name == format_name
    found = items_of(path, day=date(2026, 11, 2))
    assert [i for i in found if isinstance(i, Refusal)] == []
    assert len([i for i in found if isinstance(i, Message)]) == messages
    assert [i.event for i in found if isinstance(i, Event)] == [EventKind.THUMBS_DOWN] * votes
