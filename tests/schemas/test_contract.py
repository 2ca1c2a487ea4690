"""The closed sets of the table contracts are those of the enumerations, and the contracts hold together."""

import pytest

from schemas.contract import table, tables
from schemas.enums import ClockQuality, EventKind, FollowUp, Outcome, Role, Script, Severity, Signal, Status, Trigger
from schemas.reasons import MEANING, Reason


@pytest.mark.parametrize(
    ("name", "column", "members"),
    [
        ("messages", "role", Role),
        ("messages", "status", Status),
        ("messages", "script", Script),
        ("events", "event", EventKind),
        ("exchanges", "script", Script),
        ("exchanges", "reply_status", [*Status, "missing"]),
        ("exchanges", "follow_up", FollowUp),
        ("exchanges", "clock_quality", ClockQuality),
        ("exchanges", "outcome", Outcome),
        ("signals", "signal", Signal),
        ("signals", "trigger", Trigger),
        ("quarantine", "reason", Reason),
        ("quality", "severity", Severity),
    ],
)
def test_a_closed_set_is_the_same_in_contract_and_code(name, column, members):
    assert set(table(name).column(column).allowed) == {str(m) for m in members}


def test_every_signal_has_its_two_columns():
    columns = set(table("exchanges").polars)
    assert {str(s) for s in Signal} | {f"p_{s}" for s in Signal} <= columns


def test_every_reason_has_a_meaning():
    assert set(MEANING) == set(Reason)


def test_keys_and_sort_orders_name_columns_and_every_column_is_documented():
    for contract in tables().values():
        names = set(contract.polars)
        assert names.issuperset([*contract.key, *contract.sort]), contract.name
        assert all(c.doc for c in contract.columns), contract.name
        assert "dt" not in names, "the day stands in the path"
