"""One frame to the bytes of one Parquet file: explicit schema, nothing that changes between two equal writes."""

from collections.abc import Mapping

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
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
    arrow = table.conform(frame).to_arrow().cast(_loose(table))
    for column in table.columns:
        _check_values(table.name, column, column.name, arrow[column.name].combine_chunks())
    arrow = arrow.cast(table.arrow)
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


def _loose(table: Table) -> pa.Schema:
    return pa.schema([pa.field(c.name, _nullable(c.arrow)) for c in table.columns])


def _nullable(kind: pa.DataType) -> pa.DataType:
    # Arrow refuses a cast of nulls to a field without them, with a message of its own; ours names the column.
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(f.name, _nullable(f.type)) for f in kind])
    if pa.types.is_list(kind):
        return pa.list_(pa.field("element", _nullable(kind.value_type)))
    return kind


def _check_values(table: str, column: Column, name: str, values: pa.Array) -> None:
    if not column.nullable and values.null_count:
        raise broken(table, f"column {name} holds nulls, which its contract does not allow")
    if column.type == "list":
        inner = values.flatten()
        for field in column.fields:
            _check_fields(table, field, name, inner)
        if not column.fields and pa.types.is_floating(inner.type):
            _check_finite(table, name, inner)
    elif column.type == "struct":
        for field in column.fields:
            _check_fields(table, field, name, values)
    elif column.type == "float64":
        _check_finite(table, name, values)


def _check_fields(table: str, field: Column, parent: str, structs: pa.Array) -> None:
    # Where the struct itself is null its fields are null too; that is the parent's matter.
    present = structs.filter(structs.is_valid())
    _check_values(table, field, f"{parent}.{field.name}", present.field(present.type.get_field_index(field.name)))


def _check_finite(table: str, name: str, values: pa.Array) -> None:
    if pc.any(pc.invert(pc.is_finite(values))).as_py():
        raise broken(table, f"column {name} holds a number that is not finite; an unknown number is null")


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
