"""The gate between staging and publishing: contract checks, judged by Great Expectations, over aggregates only."""

from warehouse.quality.gate import ChecksFailed, check

__all__ = ["ChecksFailed", "check"]
