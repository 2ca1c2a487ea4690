"""Reads the table contracts in `schemas/tables/*.yaml`, the one source of every schema, comment and expectation."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import yaml

from schemas.errors import ContractBroken

_FOLDER = Path(__file__).parent / "tables"

# The order in which a run publishes: erasures first, so that from then on no run brings back what they name; what is
# derived comes after what it derives from, the run's own record last.
PUBLISH_ORDER = (
    "erasures",
    "messages",
    "events",
    "quarantine",
    "exchanges",
    "signals",
    "reviews",
    "second_readings",
    "quality",
    "runs",
)

_SCALARS: dict[str, tuple[pa.DataType, Any]] = {
    "string": (pa.string(), pl.String()),
    "bool": (pa.bool_(), pl.Boolean()),
    "int32": (pa.int32(), pl.Int32()),
    "int64": (pa.int64(), pl.Int64()),
    "float64": (pa.float64(), pl.Float64()),
    "date": (pa.date32(), pl.Date()),
    "timestamp": (pa.timestamp("us", tz="UTC"), pl.Datetime("us", "UTC")),
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, type, meaning and rules.

    Attributes:
        name: Column name, or field name inside a struct.
        type: A scalar of `_SCALARS`, `list` or `struct`.
        doc: What the column means, one sentence or two.
        nullable: Whether null is a legal value (it then has a meaning, which `doc` states).
        personal: The personal-data class: `none`, `deidentified` (text with tags), `pseudonym` (keyed), or `digest`.
        unit: Unit of a number, where it has one.
        allowed: The closed set of values, where there is one.
        minimum: The least legal value, where there is one.
        maximum: The greatest legal value, where there is one.
        fields: Fields of a struct, or of the structs in a list.
        item: Scalar type of the items of a list, where they are not structs.
    """

    name: str
    type: str
    doc: str
    nullable: bool = False
    personal: str = "none"
    unit: str | None = None
    allowed: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    fields: tuple["Column", ...] = ()
    item: str | None = None

    @property
    def arrow(self) -> pa.DataType:
        """The Arrow type."""
        if self.type == "struct":
            return pa.struct([pa.field(f.name, f.arrow, f.nullable) for f in self.fields])
        if self.type == "list":
            inner = pa.struct([pa.field(f.name, f.arrow, f.nullable) for f in self.fields]) if self.fields else None
            return pa.list_(pa.field("element", inner or _SCALARS[str(self.item)][0]))
        return _SCALARS[self.type][0]

    @property
    def polars(self) -> Any:
        """The Polars type, as an instance."""
        if self.type == "struct":
            return pl.Struct({f.name: f.polars for f in self.fields})
        if self.type == "list":
            inner = pl.Struct({f.name: f.polars for f in self.fields}) if self.fields else None
            return pl.List(inner or _SCALARS[str(self.item)][1])
        return _SCALARS[self.type][1]


@dataclass(frozen=True, slots=True)
class Table:
    """One table's contract.

    Attributes:
        name: Table name.
        version: Schema version, raised with every change.
        grain: What one row is.
        doc: What the table is for.
        partition: What `dt=` in its path means.
        key: Columns that identify a row within a partition.
        sort: Columns that order a partition's rows, completely.
        columns: Columns in their order. `dt` is not among them: it stands in the path.
    """

    name: str
    version: int
    grain: str
    doc: str
    partition: str
    key: tuple[str, ...]
    sort: tuple[str, ...]
    columns: tuple[Column, ...]

    def column(self, name: str) -> Column:
        """Look up a column by name.

        Raises:
            KeyError: There is none.
        """
        return next((c for c in self.columns if c.name == name), None) or _missing(self.name, name)

    @property
    def arrow(self) -> pa.Schema:
        """The Arrow schema of a partition file."""
        return pa.schema([pa.field(c.name, c.arrow, c.nullable) for c in self.columns])

    @property
    def polars(self) -> dict[str, Any]:
        """Column names to Polars types, in file order."""
        return {c.name: c.polars for c in self.columns}

    def empty(self) -> pl.DataFrame:
        """A frame of no rows with every column typed."""
        return pl.DataFrame(schema=self.polars)

    def conform(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Select, cast and sort a frame into this table's shape.

        Args:
            frame: A frame that holds at least this table's columns, of types that cast without loss.

        Returns:
            Exactly the contract's columns, in its order and types, in its sort order.

        Raises:
            ContractBroken: A column is missing, or does not cast.
        """
        absent = [c.name for c in self.columns if c.name not in frame.columns]
        if absent:
            raise _broken(self.name, f"lacks {', '.join(absent)}.")
        try:
            cast = frame.select(pl.col(c.name).cast(c.polars, strict=True) for c in self.columns)
        except pl.exceptions.PolarsError as fault:
            # The library's message quotes values; only its kind may pass.
            raise _broken(self.name, f"holds a column of another type ({type(fault).__name__}).") from None
        return cast.sort(self.sort, nulls_last=False, maintain_order=True)


def _missing(table: str, column: str) -> Column:
    raise KeyError(f"{table} has no column {column}")


def _broken(table: str, how: str) -> ContractBroken:
    return ContractBroken(
        f"A frame for table {table} {how}",
        state="Nothing was published.",
        then=f"Compare the step that makes it with schemas/tables/{table}.yaml.",
    )


def _column(raw: dict[str, Any]) -> Column:
    return Column(
        name=raw["name"],
        type=raw["type"],
        doc=" ".join(raw.get("doc", "").split()),
        nullable=raw.get("nullable", False),
        personal=raw.get("personal", "none"),
        unit=raw.get("unit"),
        allowed=tuple(raw.get("allowed", ())),
        minimum=raw.get("minimum"),
        maximum=raw.get("maximum"),
        fields=tuple(_column(f) for f in raw.get("fields", ())),
        item=raw.get("item"),
    )


@cache
def tables() -> dict[str, Table]:
    """Load every contract, in publish order.

    Returns:
        Table name to contract.
    """
    loaded = {}
    for name in PUBLISH_ORDER:
        raw = yaml.safe_load((_FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
        loaded[name] = Table(
            name=raw["table"],
            version=raw["version"],
            grain=raw["grain"],
            doc=" ".join(raw["doc"].split()),
            partition=raw["partition"],
            key=tuple(raw["key"]),
            sort=tuple(raw["sort"]),
            columns=tuple(_column(c) for c in raw["columns"]),
        )
    return loaded


def table(name: str) -> Table:
    """The contract of one table.

    Raises:
        KeyError: There is no such table.
    """
    return tables()[name]
