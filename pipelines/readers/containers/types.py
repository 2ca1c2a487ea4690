"""Column types: what writers of Parquet differ in, mended to what JSON can hold."""

from collections.abc import Callable

import pyarrow as pa
from pyarrow.compute import CastOptions

_WHOLE_DIGITS = 18  # what fits 64 bits


def plain(kind: pa.DataType) -> pa.DataType:
    """The type as which a column is read.

    Strings stored as binary become strings, dictionaries what they hold, nanoseconds microseconds, whole decimals
    integers. All of that at any depth. Recordings and pictures that lie in the table (`bytes` beside a path) are left
    out: only that they are there matters.
    """
    if pa.types.is_dictionary(kind):
        return plain(kind.value_type)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return pa.string()
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        return pa.timestamp("us", kind.tz)
    if pa.types.is_duration(kind) and kind.unit == "ns":
        return pa.duration("us")
    if pa.types.is_time64(kind) and kind.unit == "ns":
        return pa.time64("us")
    if pa.types.is_decimal(kind) and kind.scale == 0 and kind.precision <= _WHOLE_DIGITS:
        return pa.int64()
    return _nested(kind, plain)


def raw(kind: pa.DataType) -> pa.DataType:
    """A type that any value can be read as, for the digest of a row that cannot be read as what it says."""
    if pa.types.is_dictionary(kind):
        return raw(kind.value_type)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.binary()
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        return pa.int32() if kind.bit_width == pa.int32().bit_width else pa.int64()
    return _nested(kind, raw)


def _nested(kind: pa.DataType, inner: Callable[[pa.DataType], pa.DataType]) -> pa.DataType:
    if pa.types.is_struct(kind):
        kept = [f for f in kind if not _is_file(f)] or list(kind)
        return pa.struct([pa.field(f.name, inner(f.type)) for f in kept])
    if pa.types.is_map(kind):
        return pa.map_(inner(kind.key_type), inner(kind.item_type))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return pa.list_(inner(kind.value_type))
    return kind


def _is_file(field: pa.Field) -> bool:
    return bool(field.name == "bytes" and (pa.types.is_binary(field.type) or pa.types.is_large_binary(field.type)))


def cast(batch: pa.RecordBatch, to: Callable[[pa.DataType], pa.DataType]) -> pa.RecordBatch:
    """A batch with its columns in other types. Finer times are cut off, not rounded.

    Raises:
        ArrowInvalid: A value does not fit, such as a string that is not UTF-8.
    """
    columns = []
    for column in batch.columns:
        kind = to(column.type)
        options = CastOptions(target_type=kind, allow_time_truncate=True)
        columns.append(column if kind == column.type else column.cast(options=options))
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
