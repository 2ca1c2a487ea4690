"""What becomes of records that name no conversation, or bear other names, when they pass the door."""

from datetime import UTC, date, datetime

from anonymize.door import Result
from anonymize.keys import PseudonymKey
from pipelines.readers.dedupe import Versions
from pipelines.readers.raw import Place
from pipelines.steps.door import through_door
from schemas.enums import EventKind, Role
from schemas.records import Event, Message

DAY = date(2026, 11, 2)
AT = datetime(2026, 11, 2, 9, tzinfo=UTC)
PLACE = Place("a.jsonl", 1, 0, 1, "0")


class Listener:
    """A door that notes the scopes that it is given."""

    def __init__(self):
        self.scopes = []

    def deidentify(self, items):
        self.scopes += [item.scope for item in items]
        return [Result(item.text, {}, None) for item in items]

    def mask_labels(self, labels):
        return list(labels)


def said(**more):
    given = {"source": "web", "conversation_id": "c1", "message_id": "m1", "role": Role.USER, "content": "hi"}
    return Message(**given | {"created_at": AT} | more)


def voted(**more):
    return Event(**{"source": "web", "conversation_id": None, "event": EventKind.THUMBS_DOWN, "at": AT} | more)


def passed(*records, door=None):
    versions = Versions()
    for record in records:
        (versions.add_message if isinstance(record, Message) else versions.add_event)(record, PLACE)
    return through_door(versions, door or Listener(), PseudonymKey(bytes(range(32))), "conversation", DAY)


def test_aliases_are_kept_as_they_came_and_none_is_null():
    clean = passed(said(aliases=("t-1", "s-2")), said(message_id="m2"))
    assert clean.messages["aliases"].to_list() == [["t-1", "s-2"], None]
    assert clean.messages["digest"].n_unique() == 2


def test_an_event_without_a_conversation_is_a_row_of_its_own():
    clean = passed(voted(message_id="m1"), voted(message_id="m2"), voted(message_id="m1", conversation_id="c1"))
    assert sorted(clean.events.select("conversation_id", "message_id").rows(), key=str) == [
        ("c1", "m1"), (None, "m1"), (None, "m2"),
    ]  # fmt: skip
    assert clean.events["event_id"].n_unique() == 3


def test_comments_share_a_scope_only_where_they_are_always_read_together():
    door = Listener()
    passed(
        voted(message_id="m1", text="bad"), voted(message_id="m2", text="bad"),
        voted(message_id="m1", text="worse"), said(), door=door,
    )  # fmt: skip
    assert len(door.scopes) == 4
    assert len(set(door.scopes)) == 3


def test_of_one_days_versions_a_restated_one_loses_whatever_its_time():
    later = datetime(2026, 11, 2, 18, tzinfo=UTC)
    told = said(content="told", created_at=later, flags=("restated",))
    for records in ((said(), told), (told, said())):
        assert passed(*records).messages["text"].to_list() == ["hi"]
    assert passed(told).messages["flags"].to_list() == [["restated"]]
