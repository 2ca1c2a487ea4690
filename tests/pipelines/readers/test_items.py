from datetime import UTC, datetime

import pytest

from pipelines.readers.items import Call, Remark, keys_of
from schemas.enums import EventKind, Role
from schemas.records import Event, Message

NOW = datetime(2026, 11, 2, tzinfo=UTC)


def call(call_id, **more):
    given = {"source": "s", "conversation_id": None, "trace_id": None, "input": None, "output": None}
    return Call(call_id=call_id, **(given | more))


def message(**more):
    return Message(
        **({"source": "s", "conversation_id": None, "message_id": "m", "role": Role.USER, "content": "x"} | more)
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (call("a", conversation_id="c"), call("b", conversation_id="c")),
        (call("a", conversation_id="c"), message(conversation_id="c")),
        (call("a", trace_id="t"), call("b", trace_id="t", conversation_id="c")),
        (call("a"), Remark(source="s", call_id="a", event=EventKind.THUMBS_DOWN, at=NOW)),
        (call("a", trace_id="t"), Remark(source="s", trace_id="t", event=EventKind.THUMBS_DOWN, at=NOW)),
        (call("a"), call("b", parent_id="a")),
        (call("a", user_id="u"), call("b", user_id="u")),
        (message(user_id="u"), message(user_id="u", message_id="n")),
        (message(user_id="u"), call("a", user_id="u")),
    ],
)
def test_what_belongs_together_shares_a_key(one, other):
    assert set(keys_of(one)) & set(keys_of(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (call("a", conversation_id="c", user_id="u"), call("b", conversation_id="d", user_id="u")),
        (call("t"), call("a", trace_id="t")),
        (message(conversation_id="c", user_id="u"), message(conversation_id="d", user_id="u")),
        (
            message(conversation_id="m"),
            Event(source="s", conversation_id=None, message_id="m", event=EventKind.COPY, at=NOW),
        ),
    ],
)
def test_what_has_nothing_in_common_shares_none(one, other):
    assert not set(keys_of(one)) & set(keys_of(other))
