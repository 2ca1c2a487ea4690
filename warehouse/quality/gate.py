"""The gate: measures what a run staged, has it judged, and refuses to go on where a check of severity fail failed."""

from collections.abc import Mapping, Sequence

import polars as pl

from schemas import contract
from schemas.enums import Severity
from schemas.errors import CheckFailed
from warehouse.database import open_database
from warehouse.quality.checks import checks_of
from warehouse.quality.measure import measure
from warehouse.quality.suite import Suites
from warehouse.stage import Staged

_NAMED = 10


class ChecksFailed(CheckFailed):
    """At least one check of severity fail did not pass. `results` holds all results, as `check` would return them."""

    def __init__(self, what: str, *, state: str, then: str, results: pl.DataFrame | None = None) -> None:
        super().__init__(what, state=state, then=then)
        self.results = pl.DataFrame() if results is None else results

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.what, self.state, self.then, self.results)


def _rebuild(what: str, state: str, then: str, results: pl.DataFrame) -> ChecksFailed:
    return ChecksFailed(what, state=state, then=then, results=results)


def check(staged: Sequence[Staged], counts: Mapping[str, int]) -> pl.DataFrame:
    """Check what a run staged.

    Args:
        staged: The partitions, of any tables. An empty partition passes where the run counted none.
        counts: Rows that the run counted by itself, by table (`messages`: of all its staged partitions together) or by
            partition (`messages/2026-11-29`). A table that is not counted is held against the rows that its stage took.

    Returns:
        Rows of table `quality`, and `dt`, the checked partition's day: sorted by day, table and check.

    Raises:
        ChecksFailed: A check of severity `fail` failed; a `CheckFailed` with all results. The message names tables,
            checks and numbers, never a value.
    """
    shape = contract.table("quality")
    if not staged:
        return shape.empty().with_columns(pl.lit(None, pl.Date).alias("dt"))
    con = open_database()
    try:
        measured = measure(con, staged, counts)
    finally:
        con.close()
    suites = Suites()
    frames = [_judge(suites, table, frame) for table, frame in measured.items()]
    results = pl.concat(frames).sort("dt", "table_name", "check").select(*shape.polars, "dt")
    _refuse(results)
    return results


def _judge(suites: Suites, table: str, measured: pl.DataFrame) -> pl.DataFrame:
    checks = checks_of(contract.table(table))
    failed = suites.validate(table, checks, measured)
    rows = [
        (table, c.name, c.severity.value, day not in failed[c.name], observed, c.threshold, day)
        for c in checks
        for day, observed in zip(measured["dt"], measured[c.name], strict=True)
        if observed is not None
    ]
    shape = {**contract.table("quality").polars, "dt": pl.String()}
    return pl.DataFrame(rows, schema=shape, orient="row").with_columns(pl.col("dt").str.to_date())


def _refuse(results: pl.DataFrame) -> None:
    bad = results.filter(~pl.col("passed") & (pl.col("severity") == Severity.FAIL.value))
    if bad.is_empty():
        return
    named = [
        f"{r['table_name']} {r['dt']} {r['check']} ({r['severity']}): {r['observed']:g}, bound {r['threshold']:g}"
        for r in bad.head(_NAMED).iter_rows(named=True)
    ]
    more = f"; and {bad.height - _NAMED} more" if bad.height > _NAMED else ""
    raise ChecksFailed(
        f"{bad.height} checks failed: {'; '.join(named)}{more}.",
        state="Nothing was published.",
        then="Mend the step that makes the table, or the input, and run the day again.",
        results=results,
    )
