"""Contracts as the Open Data Contract Standard wants them: what its schema requires, and what ours says."""

import re

import pytest
import yaml

from schemas.contract import table, tables
from warehouse.odcs import data_contract

LOGICAL = {"string", "date", "timestamp", "time", "number", "integer", "object", "array", "boolean"}
TOP = {"version", "kind", "apiVersion", "id", "name", "tenant", "tags", "status", "servers", "dataProduct", "domain"}
TOP |= {"description", "schema", "support", "price", "team", "roles", "slaProperties", "customProperties"}
PROPERTY = {"name", "physicalType", "description", "primaryKey", "primaryKeyPosition", "logicalType", "quality"}
PROPERTY |= {"logicalTypeOptions", "required", "partitioned", "partitionKeyPosition", "classification", "items"}
PROPERTY |= {"properties"}


def check_property(prop: dict, named: bool = True) -> None:
    assert set(prop) <= PROPERTY
    assert not named or prop["name"]
    assert prop["logicalType"] in LOGICAL
    assert ("items" in prop) == (prop["logicalType"] == "array")
    for inner in prop.get("properties", []):
        check_property(inner)
    if "items" in prop:
        check_property(prop["items"], named=False)


@pytest.mark.parametrize("name", list(tables()))
def test_a_contract_has_what_the_standard_requires_and_nothing_that_it_does_not_know(name):
    made = data_contract(table(name))
    assert made == yaml.safe_load(yaml.safe_dump(made))
    assert {"version", "apiVersion", "kind", "id", "status"} <= set(made) <= TOP
    assert (made["apiVersion"], made["kind"]) == ("v3.1.0", "DataContract")
    assert re.fullmatch(r"\d+\.0\.0", made["version"])
    assert all({"server", "type", "path", "format"} <= set(server) for server in made["servers"])
    [schema] = made["schema"]
    assert [p["name"] for p in schema["properties"]] == [*(c.name for c in table(name).columns), "dt"]
    for prop in schema["properties"]:
        check_property(prop)


def test_keys_nulls_bounds_and_closed_sets_are_carried_over():
    properties = {p["name"]: p for p in data_contract(table("exchanges"))["schema"][0]["properties"]}
    assert properties["exchange_id"]["primaryKey"] is True
    assert properties["skim"]["required"] is False
    assert properties["p_skim"]["logicalTypeOptions"] == {"minimum": 0, "maximum": 1}
    assert properties["user_key"]["classification"] == "pseudonym"
    [rule] = properties["outcome"]["quality"]
    assert rule["arguments"]["validValues"] == ["followed", "left", "censored"]
    assert rule["mustBe"] == 0


def test_every_table_has_an_id_of_its_own_that_never_changes():
    ids = [data_contract(t)["id"] for t in tables().values()]
    assert len(set(ids)) == len(ids)
    assert ids == [data_contract(t)["id"] for t in tables().values()]
