from datetime import UTC, date, datetime

import polars as pl
import pytest

from pipelines.readers.times import Clock, latest_for
from pipelines.steps.rows import with_days
from schemas.reasons import Reason

ARRIVAL = date(2026, 11, 2)


def days(rows):
    """Event day by message id, of rows of (conversation, message id, seq, created_at)."""
    frame = pl.DataFrame(
        [
            {
                "source": "web",
                "conversation_id": conversation,
                "message_id": message,
                "seq": seq,
                "created_at": None,
                "completed_at": at,
                "dt": ARRIVAL if at is None else at.date(),
            }
            for conversation, message, seq, at in rows
        ],
        schema_overrides={"created_at": pl.Datetime("us", "UTC"), "completed_at": pl.Datetime("us", "UTC")},
    )
    return dict(with_days(frame).select("message_id", "dt").rows())


def at(day):
    return datetime(2024, 3, day, 12, tzinfo=UTC)


def test_a_request_without_a_clock_lies_on_the_day_of_its_reply():
    found = days([("c", "u1", 0, None), ("c", "a1", 1, at(5)), ("c", "u2", 2, None), ("c", "a2", 3, at(6))])
    assert found == {"u1": date(2024, 3, 5), "a1": date(2024, 3, 5), "u2": date(2024, 3, 6), "a2": date(2024, 3, 6)}


def test_what_follows_the_last_clocked_message_lies_on_its_day():
    assert days([("c", "a1", 0, at(5)), ("c", "u2", 1, None)])["u2"] == date(2024, 3, 5)


def test_a_conversation_without_any_clock_stays_on_the_day_of_arrival():
    assert days([("c", "u1", 0, None), ("d", "a1", 0, at(5))])["u1"] == ARRIVAL


def test_days_do_not_depend_on_the_order_of_rows():
    rows = [("c", "u1", 0, None), ("c", "a1", 1, at(5)), ("c", "u2", 2, None), ("c", "a2", 3, at(6))]
    assert days(rows) == days(rows[::-1])


@pytest.mark.parametrize("value", ["2026-11-02", "20261102", "2026-W45-1", "2026-306"])
def test_a_day_is_no_instant(value):
    assert Clock(latest_for(ARRIVAL)).read(value) in (Reason.BAD_TIME, Reason.TIME_OUT_OF_RANGE)
