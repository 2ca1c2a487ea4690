"""Which rows of the tables belong to what is to be erased, by the same rule as `pipelines.steps.erased`."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import duckdb
import polars as pl

from schemas import contract
from warehouse.kept import FOLDER
from warehouse.layout import FILE, Warehouse

TEXT_TABLES = ("messages", "events")
_PAIR = ("source", "conversation_id")
_COUNTS = {"table_name": pl.String, "source": pl.String, "rows": pl.Int64}
_NAMED = {"source": pl.String, "message_id": pl.String}


@dataclass(frozen=True)
class Wanted:
    """What is to be erased.

    Attributes:
        users: Pseudonyms of the user, one for each source.
        conversations: (source, conversation_id) of the conversations that the user took part in, or that were named.
        whole: Whether a conversation was named: then everything in it goes, whoever wrote it.
        gone: (source, id) of the messages that go, by their ids and aliases.
    """

    users: frozenset[str]
    conversations: frozenset[tuple[str, str]]
    whole: bool = False
    gone: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=_NAMED))

    @property
    def pairs(self) -> pl.DataFrame:
        """The conversations as a frame."""
        return pl.DataFrame(sorted(self.conversations), schema=dict.fromkeys(_PAIR, pl.String), orient="row")

    def mark(self, rows: pl.DataFrame) -> pl.Series:
        """Tell which rows of `messages`, `events` or `exchanges` go.

        Args:
            rows: Rows with `source`, `conversation_id` and `user_key`; of events, `message_id` too.

        Returns:
            One boolean for each row.
        """
        there = rows.select(*_PAIR).join(
            self.pairs.with_columns(there=True), on=_PAIR, how="left", maintain_order="left"
        )
        inside = there["there"].fill_null(value=False)
        own = rows["user_key"].is_in(list(self.users)).fill_null(value=False)
        goes = own | (inside if self.whole else inside & rows["user_key"].is_null())
        if "event_id" in rows.columns and not self.gone.is_empty():
            named = rows.select(*_NAMED).join(
                self.gone.unique().with_columns(named=True), on=list(_NAMED), how="left", maintain_order="left"
            )["named"]
            loose = rows["conversation_id"].is_null() & rows["user_key"].is_null()
            goes = goes | (loose & named.fill_null(value=False))
        return goes


def named_by(rows: pl.DataFrame) -> pl.DataFrame:
    """The names under which feedback may mean these messages: their ids and their aliases.

    Args:
        rows: Rows of `messages`.

    Returns:
        `source` and `message_id`, each pair once.
    """
    aliases = rows.select("source", message_id="aliases").explode("message_id").drop_nulls()
    return pl.concat([rows.select(*_NAMED), aliases]).unique()


def conversations_of(warehouse: Warehouse, users: Iterable[str]) -> set[tuple[str, str]]:
    """The conversations in which users wrote or acted."""
    found: set[tuple[str, str]] = set()
    for name in TEXT_TABLES:
        rows = warehouse.scan(name, columns=["source", "conversation_id", "user_key"])
        mine = rows.filter(pl.col("user_key").is_in(list(users)) & pl.col("conversation_id").is_not_null())
        found.update(mine.select(*_PAIR).unique().collect().rows())
    return found


def conversations_named(warehouse: Warehouse, conversation_id: str) -> set[tuple[str, str]]:
    """The conversations of an id, in any source."""
    found: set[tuple[str, str]] = set()
    for name in TEXT_TABLES:
        rows = warehouse.scan(name, columns=list(_PAIR)).filter(pl.col("conversation_id") == conversation_id)
        found.update(rows.select(*_PAIR).unique().collect().rows())
    return found


def exchanges_of(warehouse: Warehouse, wanted: Wanted) -> pl.DataFrame:
    """`exchange_id` and `source` of the exchanges that go."""
    found = []
    for day in warehouse.days("exchanges"):
        rows = warehouse.scan("exchanges", [day], ["exchange_id", *_PAIR, "user_key"]).collect()
        found.append(rows.filter(wanted.mark(rows)).select("exchange_id", "source"))
    shape = {"exchange_id": pl.String, "source": pl.String}
    return pl.concat(found) if found else pl.DataFrame(schema=shape)


def rows_held(warehouse: Warehouse, wanted: Wanted, exchanges: pl.DataFrame) -> pl.DataFrame:
    """Read every table and count the rows that belong to what is erased. Nothing is taken from memory of earlier reads.

    Args:
        warehouse: The published tables.
        wanted: What is erased.
        exchanges: Exchanges of it, as `exchanges_of` found them before anything was removed.

    Returns:
        `table_name`, `source` (null where a table has none) and `rows`, for the tables that hold any.
    """
    counts: list[tuple[str, str | None, int]] = []
    for table in contract.tables().values():
        if table.name == "erasures":
            continue
        for day in warehouse.days(table.name):
            rows = warehouse.scan(table.name, [day]).collect()
            held = _mentions(rows, wanted.users)
            if table.name in (*TEXT_TABLES, "exchanges"):
                held = held | wanted.mark(rows)
            if "exchange_id" in rows.columns:
                held = held | rows["exchange_id"].is_in(exchanges["exchange_id"].to_list())
            mine = rows.filter(held)
            if "source" in rows.columns:
                counts += [(table.name, s, n) for s, n in mine.group_by("source").len().rows()]
            elif mine.height:
                counts.append((table.name, None, mine.height))
    frame = pl.DataFrame(counts, schema=_COUNTS, orient="row")
    return frame.group_by("table_name", "source").agg(pl.col("rows").sum()).sort("table_name", "source")


def _numbers(sources: Iterable[str], users: Iterable[str]) -> list[int]:
    """The numbers that `user_days` knows these users by: 64 bits of a digest of source and key, as its SQL makes it."""
    names = [f"{source}/{user}" for source in sources for user in users]
    return [duckdb.execute("SELECT md5_number_lower(?)", [name]).fetchall()[0][0] for name in names]


def kept_rows_held(warehouse: Warehouse, wanted: Wanted, exchanges: pl.DataFrame) -> pl.DataFrame:
    """The same for what views keep in files, which is derived from the tables and made anew after them."""
    ids = exchanges["exchange_id"].to_list()
    pairs = wanted.pairs
    counts = []
    for path in sorted((warehouse.root / FOLDER).glob(f"*/dt=*/{FILE}")):
        rows = pl.read_parquet(path, hive_partitioning=False)
        held = _mentions(rows, wanted.users)
        if "user_id" in rows.columns:
            held = held | rows["user_id"].is_in(_numbers(rows["source"].unique().to_list(), wanted.users))
        if "exchange_id" in rows.columns:
            held = held | rows["exchange_id"].is_in(ids)
        if wanted.whole and set(_PAIR) <= set(rows.columns):
            there = rows.select(*_PAIR).join(
                pairs.with_columns(there=True), on=_PAIR, how="left", maintain_order="left"
            )["there"]
            held = held | there.fill_null(value=False)
        counts.append((f"{FOLDER}/{path.parent.parent.name}", None, int(held.sum())))
    frame = pl.DataFrame(counts, schema=_COUNTS, orient="row").filter(pl.col("rows") > 0)
    return frame.group_by("table_name", "source").agg(pl.col("rows").sum()).sort("table_name")


def _mentions(rows: pl.DataFrame, users: frozenset[str]) -> pl.Series:
    """Rows of which any string holds a pseudonym of the user, whatever its column is meant for."""
    texts = [c for c, kind in rows.schema.items() if kind == pl.String]
    if not users or not texts or rows.is_empty():
        return pl.Series([False] * rows.height, dtype=pl.Boolean)
    hits = [pl.col(c).str.contains_any(sorted(users)).fill_null(value=False) for c in texts]
    return rows.select(held=pl.any_horizontal(hits))["held"]
