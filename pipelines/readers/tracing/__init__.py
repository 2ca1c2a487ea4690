"""Spans and log records of OpenTelemetry in all the shapes that exporters write, and the calls that they tell of."""
