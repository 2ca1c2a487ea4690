"""The record of an erasure: rows of `erasures`, by which later runs know what is gone. Pseudonyms only."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

import polars as pl

from anonymize.keys import PseudonymKey
from pipelines.privacy.wanted import Wanted
from pipelines.steps.erased import CONVERSATION, MESSAGE, TABLE
from schemas.contract import table
from warehouse.layout import Warehouse
from warehouse.stage import Staged


def erased_before(warehouse: Warehouse, key: PseudonymKey, wanted: Wanted, conversation: str | None) -> datetime | None:
    """When an earlier erasure named all of this already.

    Args:
        warehouse: The published tables.
        key: The key that the warehouse was built with.
        wanted: What is asked for now.
        conversation: Id of the conversation, where one was named.

    Returns:
        The time of the newest such erasure; None where there is none, or where something is new.
    """
    rows = warehouse.scan(TABLE).collect()
    if conversation is None:
        rows = rows.filter(pl.col("user_key").is_in(list(wanted.users)))
        ids = {key.record_key(CONVERSATION, *talk) for talk in wanted.conversations}
    else:
        rows = rows.filter(pl.col("user_key").is_null())
        talks = wanted.conversations or {(s, conversation) for s in rows["source"].unique()}
        ids = {key.record_key(CONVERSATION, *talk) for talk in talks}
        if not wanted.conversations:  # it is nowhere now: any source in which it was erased will do
            ids &= set(rows["records"].explode().drop_nulls())
            rows = rows if ids else rows.clear()
    times = rows["erased_at"].to_list()
    return max(times) if times and ids <= set(rows["records"].explode().drop_nulls()) else None


def erasure_rows(
    warehouse: Warehouse,
    key: PseudonymKey,
    run_id: str,
    at: datetime,
    wanted: Wanted,
    held: pl.DataFrame,
    whose: Mapping[str, Sequence[str | None]],
    staged: Sequence[Staged],
) -> tuple[date, pl.DataFrame]:
    """Make the day's rows of `erasures`: the earlier ones, and one for each source and pseudonym.

    Args:
        warehouse: The published tables.
        key: The key that the warehouse was built with.
        run_id: Id of the erasure.
        at: When it began.
        wanted: What is erased.
        held: `table_name`, `source` and `rows` that go.
        whose: Source to the user's pseudonyms in it; to a single None where a conversation was named.
        staged: The partitions that take the place of the old ones.

    Returns:
        The day of the erasure, and its rows.
    """
    parts = [{"table_name": p.table, "dt": p.dt, "rows": p.rows, "sha256": p.sha256} for p in staged]
    rows = []
    for source, users in sorted(whose.items()):
        talks = sorted(c for s, c in wanted.conversations if s == source)
        names = wanted.gone.filter(pl.col("source") == source)["message_id"].sort().to_list()
        records = [key.record_key(CONVERSATION, source, c) for c in talks]
        records += [key.record_key(MESSAGE, source, m) for m in names]
        row = {
            "run_id": run_id,
            "erased_at": at,
            "source": source,
            "key_id": key.key_id,
            "conversations": len(talks),
            "removed": held.filter(pl.col("source") == source).select("table_name", "rows").to_dicts(),
            "records": records,
            "partitions": parts,
        }
        rows += [row | {"user_key": user} for user in users]
    earlier = warehouse.scan(TABLE, [at.date()]).drop("dt").collect()
    return at.date(), pl.concat([earlier, pl.DataFrame(rows, schema=table(TABLE).polars)])
