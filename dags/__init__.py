"""Airflow wiring, and nothing else: what a task does stands in `pipelines`, and is imported inside the task."""
