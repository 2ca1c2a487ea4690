"""Values inside values, and parts inside records."""

import pytest

from pipelines.readers.fields import Refused
from pipelines.readers.parts import each, numbered
from pipelines.readers.raw import Refusal
from pipelines.readers.wrapped import embedded_list, embedded_object, unwrapped
from schemas.reasons import Reason


@pytest.mark.parametrize(
    ("wrapped", "plain"),
    [
        ({"$oid": "65f0"}, "65f0"),
        ({"$date": "2026-11-02T09:00:00Z"}, "2026-11-02T09:00:00Z"),
        ({"$date": {"$numberLong": "1793610000000"}}, 1793610000000),
        ({"$numberInt": "4"}, 4),
        ({"$numberDouble": "1.5"}, 1.5),
        ({"$numberLong": "many"}, "many"),
        ({"$numberLong": 4}, 4),
        ({"$other": 1}, {"$other": 1}),
        ({"$oid": "a", "more": 1}, {"$oid": "a", "more": 1}),
        ({}, {}),
        ("text", "text"),
    ],
)
def test_a_document_of_mongodb_is_unwrapped(wrapped, plain):
    assert unwrapped({"key": wrapped}) == {"key": plain}


def test_json_in_a_string_is_what_it_says():
    assert embedded_object({"a": '{"b": 1}'}, "a") == embedded_object({"a": {"b": 1}}, "a") == {"b": 1}
    assert embedded_list({"a": "[1]"}, "a") == [1]
    assert embedded_object({"a": " "}, "a") == embedded_object({}, "a") == embedded_object({"a": None}, "a") == {}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("{cut", Reason.INVALID_JSON),
        ("[1]", Reason.WRONG_TYPE),
        (7, Reason.WRONG_TYPE),
        ("[" * 5000, Reason.INVALID_JSON),
    ],
)
def test_what_is_no_object_is_refused_by_its_key(value, reason):
    with pytest.raises(Refused) as refused:
        embedded_object({"a": value}, "a")
    assert refused.value.field == "a"
    assert refused.value.reason in (reason, Reason.RECORD_TOO_DEEP)


def test_a_part_that_is_refused_costs_itself_and_says_where_it_stands():
    def read(part):
        if part == "bad":
            raise Refused(Reason.WRONG_TYPE, "text")
        yield Refusal(Reason.BAD_ID) if part == "odd" else part

    assert list(each(numbered(["a", None, "bad", "odd", "b"], "parts"), read)) == [
        "a",
        Refusal(Reason.WRONG_TYPE, "parts[2].text"),
        Refusal(Reason.BAD_ID, "parts[3]"),
        "b",
    ]


def test_a_record_that_is_its_own_part_is_refused_as_a_whole():
    def read(_):
        raise Refused(Reason.MISSING_KEY, "id")

    with pytest.raises(Refused):
        list(each([("", {})], read))
