"""One frame to the bytes of one Parquet file: explicit schema, nothing that changes between two equal writes."""

from collections.abc import Mapping

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from schemas.contract import Column, Table
from schemas.errors import ContractBroken

# Small enough that a query for one conversation skips most of a day, large enough to compress well.
ROW_GROUP = 65_536

_WHOLE = {"int32", "int64"}


def encode(table: Table, frame: pl.DataFrame, metadata: Mapping[str, str]) -> pa.Buffer:
    """Make the bytes of a partition file.

    Args:
        table: The table's contract.
        frame: Rows in any order, with at least the contract's columns.
        metadata: Key-value pairs for the footer. Equal rows and equal metadata give equal bytes, so nothing that
            changes from run to run, such as the time, belongs there.

    Returns:
        A Parquet file: zstd, sorted, with statistics; of no rows, but typed, where the frame has none.

    Raises:
        ContractBroken: The frame lacks a column, holds one of another type or a naive time, a null where the contract
            allows none, or a number that is not finite.
    """
    _check_types(table, frame)
    rows = table.conform(frame)
    for column in table.columns:
        _check_values(table.name, column, column.name, rows[column.name])
    arrow = rows.to_arrow().cast(table.arrow)
    order = pq.SortingColumn.from_ordering(
        arrow.schema, [(name, "ascending") for name in table.sort], null_placement="at_start"
    )
    own = {"table": table.name, "schema_version": str(table.version)}
    arrow = arrow.replace_schema_metadata({**dict(sorted(metadata.items())), **own})
    sink = pa.BufferOutputStream()
    pq.write_table(
        arrow,
        sink,
        compression="zstd",
        row_group_size=ROW_GROUP,
        write_statistics=True,
        sorting_columns=order,
        store_schema=True,
    )
    return sink.getvalue()


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
