"""What a Parquet file holds: values inside compressed pages, and all that stands in its footer."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_ROWS = 8192


def parquet_pieces(path: Path) -> Iterator[tuple[str, str, bool]]:
    """Yield part, text, and whether people wrote it.

    Args:
        path: A Parquet file.
    """
    with pq.ParquetFile(path) as file:
        schema, about = file.schema_arrow, file.metadata
        yield "footer: schema", f"{schema}\n{schema.metadata}", False
        for key, value in (about.metadata or {}).items():
            yield "footer: key-value metadata", f"{_words(key)}\n{_words(value)}", False
        for group in range(about.num_row_groups):
            for number in range(about.num_columns):
                column = about.row_group(group).column(number)
                if column.statistics is not None and column.statistics.has_min_max:
                    limits = f"{_words(column.statistics.min)}\n{_words(column.statistics.max)}"
                    yield f"footer: statistics of {column.path_in_schema}", limits, False
        for field in schema:
            written = _holds_strings(field.type)
            for batch in file.iter_batches(batch_size=_ROWS, columns=[field.name]):
                values = batch.column(0).to_pylist()
                yield f"column {field.name}", "\n".join(_words(v) for v in values if v is not None), written


def _holds_strings(kind: pa.DataType) -> bool:
    if pa.types.is_nested(kind):
        return any(_holds_strings(kind.field(n).type) for n in range(kind.num_fields))
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind))


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return json.dumps(value, ensure_ascii=False, default=str)
