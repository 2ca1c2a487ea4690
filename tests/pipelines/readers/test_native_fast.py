import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.readers.formats.native import NATIVE
from pipelines.readers.formats.native_fast import fast
from pipelines.readers.landing import context_for
from pipelines.readers.sources import Sources
from schemas.enums import EventKind, Role, Status
from tests.pipelines.readers.kit import DAY

IDS = st.sampled_from(["c1", "", " ", "a\x00b", "\u2028", "\x7f", "ümlaut 漢", "c" * 512, "c" * 513, None, 7])
TIMES = st.sampled_from(
    [
        None,
        "2026-11-02T10:00:00Z",
        "2026-11-02T10:00:00.123456+08:00",
        "2026-11-02T10:00:00.1234567Z",
        "2026-11-02T10:00:00.9999999Z",
        "2026-11-02T10:00:00.123456789Z",
        "2026-11-02T10:00:00",
        "2026-11-02",
        "2026-11-02 10:00:00Z",
        "2026-11-04T00:00:00Z",
        "2026-11-03T23:59:59.999999Z",
        "1999-01-01T00:00:00Z",
        "0001-01-01T00:00:00+23:00",
        1764412345,
        "1764412345678",
        True,
    ]
)
TEXTS = st.one_of(st.none(), st.text(max_size=20), st.just(["hi"]), st.just(3))
MESSAGES = st.fixed_dictionaries(
    {"kind": st.sampled_from(["message", "event", None])},
    optional={
        "conversation_id": IDS,
        "message_id": IDS,
        "parent_id": IDS,
        "seq": st.sampled_from([0, -1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 1.0, "1", True, None]),
        "role": st.sampled_from([*Role, "human", None]),
        "content": TEXTS,
        "created_at": TIMES,
        "completed_at": TIMES,
        "status": st.sampled_from([*Status, "done", None]),
        "user_id": TEXTS,
        "model": IDS,
        "has_attachment": st.sampled_from([True, False, None, 1]),
        "source": IDS,
        "event": st.sampled_from([*EventKind, "sneeze"]),
        "at": TIMES,
        "text": TEXTS,
        "extra": st.none(),
    },
)
WHOLE = {
    "kind": "message",
    "conversation_id": "c1",
    "message_id": "m1",
    "role": "user",
    "content": "hi",
    "event": "close",
    "at": "2026-11-02T10:00:00Z",
}


def both(data):
    context = context_for(Sources(), "a.jsonl", DAY, "web")
    quick = fast(context)(data)
    try:
        careful = next(NATIVE.reader(context)(json.loads(data), ()))
    except Exception as refused:
        careful = refused
    return quick, careful


@settings(max_examples=400)
@given(MESSAGES)
def test_the_fast_way_says_nothing_or_what_the_careful_way_says(record):
    for given_record in (
        record,
        WHOLE | record,
        {k: v for k, v in (WHOLE | record).items() if k not in ("event", "at")},
    ):
        quick, careful = both(json.dumps(given_record).encode())
        assert quick is None or quick == careful


@pytest.mark.parametrize("kind", ["message", "event"])
def test_a_clean_record_takes_the_fast_way(kind):
    keys = ("event", "at") if kind == "message" else ("role", "content")
    quick, careful = both(json.dumps({k: v for k, v in (WHOLE | {"kind": kind}).items() if k not in keys}).encode())
    assert quick == careful
    assert quick is not None
