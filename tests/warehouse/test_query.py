import frames
import pytest

from schemas.errors import ConfigError, QueryRefused
from warehouse.publish import publish
from warehouse.query import run_query


@pytest.fixture
def published(warehouse, full_day):
    publish(warehouse, full_day())
    return warehouse


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT count(*) FROM messages", 1),
        ("FROM exchanges", 3),
        ("VALUES (1), (2)", 2),
        ("WITH a AS (SELECT 1 UNION ALL SELECT 2) SELECT * FROM a", 2),
        ("WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 4) FROM t", 4),
        ("SELECT * FROM range(3)", 3),
        ("SELECT signal FROM signals WHERE exchange_id IN (SELECT exchange_id FROM exchanges)", 2),
        ("DESCRIBE messages", 21),
        ("SUMMARIZE exchanges", 34),
        ("EXPLAIN SELECT 1", 1),
        ("/* why */ EXPLAIN ANALYZE -- now\n SELECT count(*) FROM messages", 1),
        ("EXPLAIN (FORMAT json) SELECT 1", 1),
        ("SELECT 1;", 1),
        ("-- a comment\nSELECT 1", 1),
        ("SELECT 'COPY messages TO x' AS copy", 1),
        ("SELECT * FROM messages WHERE text = 'nothing like it'", 0),
    ],
)
def test_what_only_reads_is_run(published, sql, rows):
    assert run_query(published, sql).height == rows


def test_the_tables_are_listed(published):
    assert "signal_rates" in run_query(published, "SHOW TABLES")["name"].to_list()


WRITING = [
    "INSERT INTO messages SELECT * FROM messages",
    "DELETE FROM messages",
    "UPDATE messages SET text = ''",
    "DROP VIEW messages",
    "CREATE TABLE t AS SELECT 1",
    "CREATE OR REPLACE VIEW messages AS SELECT 1",
    "COPY messages TO '{root}/out.csv'",
    "COPY messages TO '{root}/messages/dt=2026-11-29/part.parquet'",
    "WITH a AS (COPY (SELECT 1) TO '{root}/out.csv') SELECT * FROM a",
    "WITH a AS (INSERT INTO messages SELECT * FROM messages RETURNING *) SELECT * FROM a",
    "WITH a AS (DELETE FROM messages) SELECT 1",
    "EXPLAIN COPY messages TO '{root}/out.csv'",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '{root}/out.csv'",
    "/* x */ EXPLAIN ANALYZE /* y */ WITH a AS (COPY (SELECT 1) TO '{root}/out.csv') SELECT * FROM a",
    "EXPLAIN (ANALYZE) COPY (SELECT 1) TO '{root}/out.csv'",
    "EXPORT DATABASE '{root}/out'",
    "ATTACH '{root}/out.duckdb' AS other",
    "ATTACH '{root}/warehouse.duckdb'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "SET TimeZone = 'Asia/Shanghai'",
    "RESET allowed_directories",
    "PRAGMA enable_profiling",
    "PRAGMA database_list",
    "CALL enable_logging()",
    "CHECKPOINT",
    "VACUUM",
    "BEGIN",
    "PREPARE p AS SELECT 1",
    "USE memory",
    "SELECT 1; SELECT 2",
    "SELECT 1; COPY (SELECT 1) TO '{root}/out.csv'",
    "",
    "-- nothing",
    "SELECT * FROM enable_logging()",
    "SELECT * FROM enable_profiling(save_location := '{root}/out.json')",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM json_execute_serialized_sql('{{}}')",
    "SELECT * FROM (SELECT * FROM checkpoint())",
    "SELECT (SELECT count(*) FROM force_checkpoint())",
]
REACHING = [
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('/proc/self/environ')",
    "SELECT * FROM read_json('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM '{root}/../secret.parquet'",
    "SELECT * FROM read_parquet('{root}/../secret.parquet')",
    "SELECT * FROM read_parquet('https://example.com/x.parquet')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM parquet_metadata('/etc/passwd')",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT getenv('HOME')",
    "SELECT * FROM pytest_local_frame",
]


@pytest.mark.parametrize("sql", [*WRITING, *REACHING])
def test_what_writes_or_reaches_outside_is_refused_and_leaves_no_trace(published, sql):
    pytest_local_frame = frames.messages()  # a replacement scan of Python variables would find this
    (published.root.parent / "secret.parquet").write_bytes(
        published.path("messages", frames.DAY).read_bytes(),
    )
    before = {p: p.stat().st_mtime_ns for p in published.root.rglob("*")}
    with pytest.raises(QueryRefused) as caught:
        run_query(published, sql.format(root=published.root))
    assert {p: p.stat().st_mtime_ns for p in published.root.rglob("*")} == before
    assert caught.value.then
    assert pytest_local_frame.height == 6


def test_a_syntax_error_comes_with_the_parsers_own_words(published):
    with pytest.raises(QueryRefused, match="syntax error at or near"):
        run_query(published, "SELECT * FROM messages WHEER text IS NULL")


def test_an_unknown_column_comes_with_a_suggestion(published):
    with pytest.raises(QueryRefused, match="txt"):
        run_query(published, "SELECT txt FROM messages")


def test_a_failing_cast_does_not_quote_the_text(warehouse, full_day):
    publish(warehouse, full_day(messages=frames.messages(text="canary")))
    with pytest.raises(QueryRefused, match="ConversionException") as caught:
        run_query(warehouse, "SELECT text::INTEGER FROM messages")
    assert "canary" not in str(caught.value)


def test_a_query_that_takes_too_long_is_stopped(published):
    with pytest.raises(QueryRefused, match=r"longer than 0\.2 seconds"):
        run_query(published, "SELECT sum(a.range * b.range) FROM range(10000000) a, range(1000000) b", limit_s=0.2)


def test_a_result_that_does_not_fit_is_refused(published):
    with pytest.raises(QueryRefused, match="memory limit"):
        run_query(published, "SELECT * FROM range(100000000)", memory="50MB")


def test_a_query_that_needs_too_much_memory_is_refused(published):
    sql = "SELECT length(string_agg(repeat('x', 1000), '')) FROM range(10000000)"
    with pytest.raises(QueryRefused, match="memory"):
        run_query(published, sql, memory="100MB", limit_s=30)


@pytest.mark.parametrize("memory", ["", "100", "lots"])
def test_a_memory_limit_without_a_unit_is_refused(published, memory):
    with pytest.raises(ConfigError, match="500MB"):
        run_query(published, "SELECT 1", memory=memory)


def test_times_are_in_utc(published):
    assert run_query(published, "SELECT current_setting('TimeZone')").item() == "UTC"
