"""Writes the contracts as data contracts of the Open Data Contract Standard, version 3.1, for those who read it."""

import uuid
from typing import Any

from schemas.contract import Column, Table
from warehouse.views import column_comment, sql_type

API = "v3.1.0"
_NAMESPACE = uuid.UUID("6d0c1d86-5f6a-5d7e-9a55-7b1f0c3f2a10")
_LOGICAL = {
    "string": "string",
    "bool": "boolean",
    "int32": "integer",
    "int64": "integer",
    "float64": "number",
    "date": "date",
    "timestamp": "timestamp",
    "list": "array",
    "struct": "object",
}


def data_contract(table: Table) -> dict[str, Any]:
    """Write one table's contract.

    Args:
        table: The table.

    Returns:
        The document, in the order in which it is best read: plain lists, mappings, strings, numbers and booleans.
    """
    return {
        "apiVersion": API,
        "kind": "DataContract",
        "id": str(uuid.uuid5(_NAMESPACE, table.name)),
        "name": f"tacit.{table.name}",
        "version": f"{table.version}.0.0",
        "status": "active",
        "description": {"purpose": table.doc, "usage": f"One row is {table.grain}."},
        "servers": [
            {
                "server": "warehouse",
                "type": "local",
                "path": f"./{table.name}/**/*.parquet",
                "format": "parquet",
                "description": "Below the folder of the published tables.",
            }
        ],
        "schema": [
            {
                "name": table.name,
                "physicalName": table.name,
                "logicalType": "object",
                "physicalType": "table",
                "description": table.doc,
                "dataGranularityDescription": f"One row is {table.grain}.",
                "properties": [_property(c, table) for c in table.columns] + [_day(table)],
            }
        ],
    }


def _property(column: Column, table: Table) -> dict[str, Any]:
    made: dict[str, Any] = {"name": column.name, **_type(column)}
    if column.name in table.key:
        made |= {"primaryKey": True, "primaryKeyPosition": table.key.index(column.name) + 1}
    made["classification"] = column.personal
    if column.allowed:
        made["quality"] = [
            {
                "type": "library",
                "metric": "invalidValues",
                "arguments": {"validValues": list(column.allowed)},
                "mustBe": 0,
            }
        ]
    return made


def _type(column: Column) -> dict[str, Any]:
    made: dict[str, Any] = {
        "logicalType": _LOGICAL[column.type],
        "physicalType": sql_type(column),
        "required": not column.nullable,
        "description": column_comment(column),
    }
    bounds = {"minimum": column.minimum, "maximum": column.maximum}
    limits = {name: bound for name, bound in bounds.items() if bound is not None}
    if limits:
        made["logicalTypeOptions"] = limits
    fields = [{"name": field.name, **_type(field)} for field in column.fields]
    if column.type == "struct":
        made["properties"] = fields
    elif column.type == "list":
        made["items"] = {"logicalType": "object", "properties": fields} if fields else _item(column)
    return made


def _item(column: Column) -> dict[str, Any]:
    return {"logicalType": _LOGICAL[str(column.item)]}


def _day(table: Table) -> dict[str, Any]:
    return {
        "name": "dt",
        "logicalType": "date",
        "physicalType": "DATE",
        "required": True,
        "description": f"Partition: {table.partition}. It stands in the path, not in the file.",
        "partitioned": True,
        "partitionKeyPosition": 1,
        "classification": "none",
    }
