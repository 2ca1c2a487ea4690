"""Rows to the bytes of one Parquet file: explicit schema, nothing that changes between two equal writes."""

from collections.abc import Iterable, Iterator, Mapping

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from schemas.contract import Column, Table
from schemas.errors import ContractBroken
from warehouse.files import Sink

# Small enough that a query for one conversation skips most of a day, large enough to compress well.
ROW_GROUP = 65_536

_WHOLE = {"int32", "int64"}


def write_partition(table: Table, parts: Iterable[pl.DataFrame], metadata: Mapping[str, str], sink: Sink) -> int:
    """Write a partition file, holding one part of its rows and one row group at a time.

    Equal rows and equal metadata give equal bytes, however the rows are divided into parts.

    Args:
        table: The table's contract.
        parts: Frames with at least the contract's columns. Rows of one part may come in any order; all of them come
            before those of the next part in the table's order.
        metadata: Key-value pairs for the footer: nothing that changes from run to run, such as the time.
        sink: Where the file goes: zstd, sorted, with statistics; of no rows, but typed, where the parts have none.

    Returns:
        The number of rows.

    Raises:
        ContractBroken: A part lacks a column, holds one of another type or a naive time, a null where the contract
            allows none, or a number that is not finite; or it does not come after the part before it.
        OSError: The sink refuses.
    """
    own = {"table": table.name, "schema_version": str(table.version)}
    schema = table.arrow.with_metadata({**dict(sorted(metadata.items())), **own})
    order = pq.SortingColumn.from_ordering(
        schema, [(name, "ascending") for name in table.sort], null_placement="at_start"
    )
    total = 0
    with pq.ParquetWriter(
        pa.PythonFile(sink, mode="w"),
        schema,
        compression="zstd",
        write_statistics=True,
        sorting_columns=order,
        store_schema=True,
    ) as writer:
        for group in _groups(_in_order(table, parts), schema):
            # One chunk: where a column is divided inside a row group shows in its pages.
            writer.write_table(group.combine_chunks(), row_group_size=ROW_GROUP)
            total += group.num_rows
    return total


def _in_order(table: Table, parts: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Each part in the contract's shape; the rows on both sides of a border must be in the table's order."""
    last: pl.DataFrame | None = None
    for part in parts:
        _check_types(table, part)
        rows = table.conform(part)
        for column in table.columns:
            _check_values(table.name, column, column.name, rows[column.name])
        if rows.is_empty():
            continue
        if last is not None:
            border = pl.concat([last, rows.head(1)])
            if not border.equals(table.conform(border)):
                raise broken(table.name, "a part does not come after the one before it")
        last = rows.tail(1)
        yield rows


def _groups(parts: Iterable[pl.DataFrame], schema: pa.Schema) -> Iterator[pa.Table]:
    """Full row groups and a rest, which is empty where there are no rows at all."""
    held = schema.empty_table()
    for part in parts:
        held = pa.concat_tables([held, part.to_arrow().cast(schema)])
        while held.num_rows > ROW_GROUP:
            yield held.slice(0, ROW_GROUP)
            held = held.slice(ROW_GROUP)
    yield held


def _check_types(table: Table, frame: pl.DataFrame) -> None:
    # `conform` casts, and a cast would let these pass: a time without a zone becomes UTC, 1.5 becomes 1, 7 becomes "7".
    for column in table.columns:
        found = frame.schema.get(column.name)
        if found is None:
            continue
        if column.type == "timestamp" and isinstance(found, pl.Datetime) and found.time_zone is None:
            raise broken(table.name, f"column {column.name} holds times without a zone")
        if column.type in _WHOLE and found.is_float():
            raise broken(table.name, f"column {column.name} holds fractions where the contract has whole numbers")
        if column.type == "string" and not isinstance(found, pl.String | pl.Categorical | pl.Enum | pl.Null):
            raise broken(table.name, f"column {column.name} holds no strings")


def _check_values(table: str, column: Column, name: str, values: pl.Series) -> None:
    if not column.nullable and values.null_count():
        raise broken(table, f"column {name} holds nulls, which its contract does not allow")
    if column.type == "float64" and not values.drop_nulls().is_finite().all():
        raise broken(table, f"column {name} holds a number that is not finite; an unknown number is null")
    if column.fields:
        # Where a struct itself is null its fields are null too, and an empty list explodes to a null.
        inner = values.filter(values.list.len() > 0).explode() if column.type == "list" else values
        present = inner.filter(inner.is_not_null())
        for field in column.fields:
            _check_values(table, field, f"{name}.{field.name}", present.struct.field(field.name))


def broken(table: str, how: str) -> ContractBroken:
    """The fault of a frame that does not keep its contract.

    Args:
        table: Table name.
        how: What is wrong, without any value.
    """
    return ContractBroken(
        f"In a frame for table {table}, {how}.",
        state="Nothing was published.",
        then=f"Compare the step that makes it with schemas/tables/{table}.yaml.",
    )
