"""Step `again`: narrows the scan of a landing day to the records that were refused before, and what belongs to them.

After a fix (of a reader, or of what is declared about a source) a refused record may be taken. It belongs to a
conversation, and a name found in it is masked in the whole of that: so the conversation's other records are read again
too, and nothing else is. The tables come out as if the record had been good at first.
"""

from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from pipelines.settings import Settings
from pipelines.steps.results import DayScan
from pipelines.steps.routes import FINDINGS, all_routes, narrow_routes
from pipelines.steps.work import write_work
from schemas.errors import LandingError
from warehouse.layout import Warehouse

PLACES = "places.parquet"
_PLACE = ("file", "line")
_BUCKET_ITEMS = 5_000


def refused_before(warehouse: Warehouse, day: date, reasons: Iterable[str]) -> pl.DataFrame:
    """What stands in quarantine for a landing day.

    Args:
        warehouse: The published tables.
        day: Landing day.
        reasons: Only these reason codes; all where empty.

    Returns:
        Rows of `quarantine`.
    """
    rows = warehouse.scan("quarantine", [day]).drop("dt").collect()
    wanted = list(reasons)
    return rows.filter(pl.col("reason").is_in(wanted)) if wanted else rows


def narrow(settings: Settings, warehouse: Warehouse, scan: DayScan, refused: pl.DataFrame) -> DayScan:
    """Keep of a scan what was refused, what now shares a conversation with it, and files that are declared otherwise.

    Args:
        settings: The settings of the run.
        warehouse: The published tables; the day's last run says what was read then.
        scan: The scan of the whole day.
        refused: What is read again.

    Returns:
        A partial scan, with routes of its own, and `places.parquet`: the places that the quarantine gives up.

    Raises:
        LandingError: The day was never run, its files are not those that were read then, or more changed than what
            was refused: then only a run of the whole day is right.
    """
    before = _inputs_before(settings, warehouse, scan.day)
    if {f.file: f.sha256 for f in scan.files} != {n: f["sha256"] for n, f in before.items()}:
        raise _rerun(scan.day, "The files of the landing day are not those that were read then.")
    whole = set(refused.filter(pl.col("line") == 0)["file"])
    if any(f.named != before[f.file]["named"] for f in scan.files if f.file not in whole):
        raise _rerun(scan.day, "A file is read as another format or source now, so all of its rows change.")
    whole |= {f.file for f in scan.files if f.declared != before[f.file]["declared"]}
    logs = pl.DataFrame(
        [(number, log.name, log.file) for number, log in enumerate(scan.logs)],
        schema={"log": pl.UInt32, "file": pl.String, "disk": pl.String},
        orient="row",
    )
    rows = all_routes(scan.routes).join(logs, on="log").with_columns(pl.col("line").cast(pl.Int64))
    chosen = pl.col("file").is_in(whole) | pl.col("disk").is_in(whole)
    roots = pl.concat(
        [rows.filter(chosen).select("root"), rows.join(refused, on=list(_PLACE), how="semi").select("root")]
    )
    folder = Path(scan.routes).parent / "again"
    kept = rows.join(roots.unique(), on="root", how="semi")
    items = narrow_routes(kept.with_columns(pl.col("line").cast(pl.UInt64)), folder)
    places = pl.concat([refused.select(_PLACE), kept.select(_PLACE)]).unique()
    findings = pl.read_parquet(Path(scan.routes) / FINDINGS).join(places, on=list(_PLACE), how="semi")
    write_work(findings, folder / FINDINGS)
    write_work(places, folder / PLACES)
    return msgspec.structs.replace(
        scan,
        buckets=min(scan.buckets, items // _BUCKET_ITEMS + 1),
        routes=str(folder),
        items=items + findings.height,
        partial=True,
    )


def _inputs_before(settings: Settings, warehouse: Warehouse, day: date) -> dict[str, dict[str, Any]]:
    """The input files of the day's last run, by name."""
    # A run that made signals anew stands there too, and read no file.
    read = pl.col("counts").list.eval(pl.element().struct.field("step") == "read").list.any()
    runs = warehouse.scan("runs", [day]).filter(read).sort("finished_at").collect()
    if runs.is_empty():
        raise _rerun(day, "The landing day was never run.")
    last = runs.row(-1, named=True)
    if last["config_digest"] != settings.digest():
        raise _rerun(day, "Settings that results depend on have changed since.")
    return {f["file"]: f for f in last["inputs"]}


def _rerun(day: date, what: str) -> LandingError:
    return LandingError(
        what,
        state="Nothing was written; the quarantine is as it was.",
        then=f"Run the whole day: tacit run --day {day}",
    )
