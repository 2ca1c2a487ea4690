"""The published tables: Parquet layout, atomic publish, quality gate, DuckDB catalogue and queries."""
