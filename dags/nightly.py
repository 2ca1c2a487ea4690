"""The nightly DAG: one landing day from raw logs to published tables.

Settings come from the workers' environment (TACIT_LANDING, TACIT_WAREHOUSE, TACIT_KEY_FILE ...). All workers must
reach the landing zone and the warehouse by the same paths.
"""

import os
from datetime import datetime, timedelta
from typing import Any

from airflow.sdk import DAG, Asset, CronDataIntervalTimetable, TriggerRule, task

SIGNALS = Asset("tacit://warehouse/signals")

DOC = """
Takes the landing day that the run's data interval covers through the night: scan, deidentify (one task a bucket),
merge, detect (one task a chunk), publish. Running a day again replaces it and gives the same bytes.

- **A task failed?** Nothing was published. Clear the run: every task starts afresh from the landing files.
- **`busy`?** Another run holds the warehouse; the retry waits for it.
- **`check_failed`?** The log names table and check; the tables are as they were.
- **A day without files** is published as an explicit empty day.
- **Caught up from** TACIT_FIRST_DAY on; set it before the DAG is first switched on.
- **By hand:** a run covers the last whole UTC day before its logical date, so landing day 2026-11-02 is
  `airflow dags trigger tacit_nightly --logical-date 2026-11-03T00:00:00Z`. A run without a day is refused.
"""

with DAG(
    "tacit_nightly",
    description="Raw assistant logs to de-identified signal tables",
    doc_md=DOC,
    # The bare "@daily" has an interval of no length, whose filters match nothing while the run stays green.
    schedule=CronDataIntervalTimetable("0 0 * * *", timezone="UTC"),
    # The setting `first_day`, read without the settings: parsing loads nothing heavy. The timetable states the zone.
    start_date=datetime.fromisoformat(os.environ.get("TACIT_FIRST_DAY", "2026-01-01")),
    catchup=True,  # a day that was missed while the DAG was paused is run, not skipped
    max_active_runs=1,  # one writer a partition
    tags=["tacit"],
    default_args={
        "owner": "tacit",
        "retries": 3,
        "retry_delay": timedelta(minutes=2),
        "retry_exponential_backoff": True,
        "execution_timeout": timedelta(hours=4),
    },
) as nightly:

    @task
    def scan(data_interval_start: Any = None, data_interval_end: Any = None, run_id: Any = None) -> dict[str, Any]:
        """Take stock of the landing day."""
        from pipelines import scheduled

        day = scheduled.landing_day(data_interval_start, data_interval_end)
        return scheduled.begin(str(day), run_id)

    @task
    def buckets_of(plan: dict[str, Any]) -> list[int]:
        """The units that `deidentify` is mapped over."""
        return list(plan["buckets"])

    @task(retries=2)
    def deidentify(plan: dict[str, Any], bucket: int) -> dict[str, Any]:
        """Read and de-identify one bucket."""
        from pipelines import scheduled

        return scheduled.deidentify(plan, bucket)

    @task
    def merge(plan: dict[str, Any], buckets: Any) -> dict[str, Any]:
        """Sort the buckets by event day and plan the detection."""
        from pipelines import scheduled

        return scheduled.merge(plan, list(buckets))

    @task
    def chunks_of(merged: dict[str, Any]) -> list[dict[str, Any]]:
        """The units that `detect` is mapped over; none on a day without conversations."""
        return list(merged["chunks"])

    @task
    def detect(plan: dict[str, Any], chunk: dict[str, Any]) -> dict[str, Any]:
        """Link and search one chunk of conversations."""
        from pipelines import scheduled

        return scheduled.detect(plan, chunk)

    # With nothing to map, `detect` is skipped; the gate and the publish must run all the same.
    @task(outlets=[SIGNALS], trigger_rule=TriggerRule.NONE_FAILED)
    def publish(plan: dict[str, Any], merged: dict[str, Any], buckets: Any, chunks: Any) -> dict[str, Any]:
        """Check everything, and rename it into place."""
        from pipelines import scheduled

        return scheduled.publish(plan, merged, list(buckets), list(chunks or []))

    plan = scan()
    cleaned = deidentify.partial(plan=plan).expand(bucket=buckets_of(plan))
    merged = merge(plan, cleaned)
    found = detect.partial(plan=plan).expand(chunk=chunks_of(merged))
    publish(plan, merged, cleaned, found)
