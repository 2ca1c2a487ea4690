"""Great Expectations, over the measured numbers: one suite a table, one validation for all of its days.

It never sees a row of data, so its results cannot hold one. It is slow to import, so that happens on first use.
"""

import os
from collections.abc import Sequence
from typing import Any

import polars as pl

from schemas.enums import Severity
from warehouse.quality.checks import Check

_SEVERITY = {Severity.FAIL: "critical", Severity.WARN: "warning"}
_RESULT_FORMAT = {
    "result_format": "COMPLETE",
    "unexpected_index_column_names": ["dt"],
    "exclude_unexpected_values": True,
    "return_unexpected_index_query": False,
}


class Suites:
    """An ephemeral Great Expectations context: no project folder, no telemetry, no progress bars."""

    def __init__(self) -> None:
        os.environ["GX_ANALYTICS_ENABLED"] = "false"
        import great_expectations as gx
        from great_expectations.data_context.types.base import DataContextConfig, InMemoryStoreBackendDefaults

        # Its published types do not fit its own documented use.
        self._gx: Any = gx
        self._context = self._gx.get_context(
            mode="ephemeral",
            project_config=DataContextConfig(
                # Otherwise each context leaves a folder behind in the temporary directory.
                store_backend_defaults=InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
                progress_bars={"globally": False, "metric_calculations": False},  # type: ignore[arg-type]
                analytics_enabled=False,
            ),
        )
        self._source = self._context.data_sources.add_pandas("staged")

    def validate(self, table: str, checks: Sequence[Check], measured: pl.DataFrame) -> dict[str, set[str]]:
        """Hold a table's measured numbers against its checks.

        Args:
            table: Table name.
            checks: The checks.
            measured: One row a day: `dt` as text, and one float column for each check. A null does not count.

        Returns:
            Check name to the days on which it failed; empty where it passed on all.

        Raises:
            RuntimeError: Great Expectations could not evaluate a check.
        """
        suite = self._gx.ExpectationSuite(name=table, expectations=[self._expectation(c) for c in checks])
        batch = (
            self._source.add_dataframe_asset(table)
            .add_batch_definition_whole_dataframe("days")
            .get_batch({"dataframe": measured.to_pandas()})
        )
        outcome = batch.validate(suite, result_format=_RESULT_FORMAT)
        failed = {}
        for result in outcome.results:
            name = result.expectation_config.kwargs["column"]
            if "unexpected_index_list" not in result.result:
                raise RuntimeError(f"Great Expectations could not evaluate {name} on {table}")
            failed[name] = {day for row in result.result["unexpected_index_list"] for day in row["dt"]}
        return failed

    def _expectation(self, check: Check) -> Any:
        at_most = check.bound == "at_most"
        return self._gx.expectations.ExpectColumnValuesToBeBetween(
            column=check.name,
            min_value=None if at_most else check.threshold,
            max_value=check.threshold if at_most else None,
            severity=_SEVERITY[check.severity],
        )
