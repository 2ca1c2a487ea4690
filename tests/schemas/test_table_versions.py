"""Columns that change without a raised version are found, with words that say what to do."""

from dataclasses import replace

import pytest

from schemas.contract import tables
from schemas.versions import digest, known, problems

TABLE = tables()["exchanges"]
COMMITTED = {"exchanges": {1: "0" * 16, 2: digest(replace(TABLE, version=2))}}


def test_every_tables_columns_are_those_of_its_version():
    assert problems(tables(), known()) == []


@pytest.mark.parametrize(
    "change",
    [
        {"type": "string"},
        {"nullable": True},
        {"allowed": ("other",)},
        {"unit": "minutes"},
        {"maximum": 2.0},
        {"personal": "pseudonym"},
        {"name": "renamed"},
    ],
)
def test_a_change_of_a_column_without_a_new_version_is_found(change):
    at = next(n for n, c in enumerate(TABLE.columns) if c.name == "position")
    columns = [replace(c, **change) if n == at else c for n, c in enumerate(TABLE.columns)]
    [said] = problems({"exchanges": replace(TABLE, version=2, columns=tuple(columns))}, COMMITTED)
    assert "schemas/tables/exchanges.yaml changed, but its version is still 2" in said
    assert "raise it to 3" in said


def test_a_dropped_column_and_another_key_are_changes():
    for changed in (replace(TABLE, version=2, columns=TABLE.columns[1:]), replace(TABLE, version=2, key=("reply_id",))):
        assert len(problems({"exchanges": changed}, COMMITTED)) == 1


def test_wording_may_change():
    reworded = tuple(replace(c, doc="Other words.") for c in TABLE.columns)
    assert problems({"exchanges": replace(TABLE, version=2, columns=reworded, doc="Other.")}, COMMITTED) == []


def test_a_new_version_must_be_written_down():
    [said] = problems({"exchanges": replace(TABLE, version=3, columns=TABLE.columns[1:])}, COMMITTED)
    assert "make docs" in said


def test_a_version_does_not_go_back():
    [said] = problems({"exchanges": replace(TABLE, version=1)}, {"exchanges": {2: "0" * 16}})
    assert "lower than 2" in said
