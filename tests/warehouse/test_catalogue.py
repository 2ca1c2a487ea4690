from datetime import timedelta

import duckdb
import frames
import polars as pl
import pytest

from schemas import contract
from schemas.flags import Flag
from signals.versions import newest_messages
from warehouse import catalogue as catalogue_module
from warehouse.catalogue import connect, rebuild
from warehouse.describe import describe, tables_markdown
from warehouse.layout import Warehouse
from warehouse.macros import MACROS
from warehouse.publish import publish
from warehouse.stage import Stage
from warehouse.views import analyst_views, parse_view

DAY = frames.DAY
LATER = DAY + timedelta(days=1)
EXPECTED = {*contract.tables(), "message_versions", "event_versions", *(view.name for view in analyst_views())}


@pytest.fixture
def published(warehouse, full_day) -> Warehouse:
    publish(warehouse, full_day())
    return warehouse


def _ask(warehouse: Warehouse, sql: str) -> list[tuple]:
    with connect(warehouse) as con:
        return con.execute(sql).fetchall()


@pytest.mark.parametrize("filled", [True, False])
def test_every_view_and_every_column_has_a_comment(warehouse, full_day, filled):
    if filled:
        publish(warehouse, full_day())
    with duckdb.connect(rebuild(warehouse), read_only=True) as con:
        views = dict(con.execute("SELECT view_name, comment FROM duckdb_views() WHERE NOT internal").fetchall())
        columns = con.execute("SELECT table_name, column_name, comment FROM duckdb_columns()").fetchall()
        for view in views:
            con.execute(f'SELECT * FROM "{view}"').fetchall()  # noqa: S608
    assert set(views) == {*EXPECTED, "catalogue"}
    assert all(views.values())
    assert [(t, c) for t, c, comment in columns if t in views and not comment] == []


def test_every_function_has_a_comment(published):
    with duckdb.connect(rebuild(published), read_only=True) as con:
        found = dict(con.execute("SELECT function_name, comment FROM duckdb_functions() WHERE NOT internal").fetchall())
    assert set(found) == {macro.name for macro in MACROS}
    assert all(found.values())


def test_the_header_of_each_analysts_view_lists_exactly_its_columns(published):
    with connect(published) as con:
        for view in analyst_views():
            assert con.sql(f"FROM {view.name}").columns == list(view.columns)


@pytest.mark.parametrize("table", list(contract.tables()))
def test_a_view_has_the_types_of_the_contract_with_files_and_without(warehouse, put, table):
    with connect(warehouse) as con:
        without = con.sql(f"FROM {table}").types
    put(table, DAY, contract.table(table).empty())
    with connect(warehouse) as con:
        assert con.sql(f"FROM {table}").types == without
        assert con.sql(f"FROM {table}").columns == [*contract.table(table).polars, "dt"]
        assert con.execute(f"SELECT count(*) FROM {table}").fetchall() == [(0,)]  # noqa: S608


def test_the_newest_version_of_a_message_wins(warehouse, put):
    base = frames.messages(turns=1).head(1)
    versions = pl.concat(
        [
            base.with_columns(text=pl.lit("first"), digest=pl.lit("z")),
            base.with_columns(text=pl.lit("second"), arrival_dt=pl.lit(LATER)),
        ]
    )
    put("messages", DAY, versions)
    moved = base.with_columns(
        text=pl.lit("third"), arrival_dt=pl.lit(LATER), created_at=pl.col("created_at").dt.offset_by("1d")
    )
    put("messages", LATER, moved)
    assert _ask(warehouse, "SELECT text, dt FROM messages") == [("third", LATER)]
    assert _ask(warehouse, "SELECT count(*) FROM message_versions") == [(3,)]
    tie = versions.with_columns(arrival_dt=pl.lit(LATER), text=pl.Series(["a", "b"]), digest=pl.Series(["1", "2"]))
    put("messages", DAY, tie)
    put("messages", LATER, moved.clear())
    assert _ask(warehouse, "SELECT text FROM messages") == [("b",)]


@pytest.mark.parametrize("logged_first", [True, False])
def test_a_message_known_from_a_later_history_only_loses_in_the_view_as_it_does_when_linked(
    warehouse, put, logged_first
):
    days = (DAY, LATER) if logged_first else (LATER, DAY)
    base = frames.messages(turns=1).head(1)
    logged = base.with_columns(text=pl.lit("logged"), arrival_dt=pl.lit(days[0]), flags=pl.lit(["path_inferred"]))
    told = base.with_columns(
        text=pl.lit("told"), arrival_dt=pl.lit(days[1]), flags=pl.lit(["path_inferred", Flag.RESTATED.value])
    )
    versions = pl.concat([logged, told.with_columns(completed_at=pl.col("created_at").dt.offset_by("1h"))])
    put("messages", DAY, versions)
    assert _ask(warehouse, "SELECT text FROM messages") == [("logged",)]
    assert newest_messages(versions)["text"].to_list() == ["logged"]
    put("messages", DAY, told)
    assert _ask(warehouse, "SELECT text FROM messages") == [("told",)]


def test_users_and_sessions_of_a_conversation_are_counted_and_it_stays_one_row(warehouse, put):
    put("messages", DAY, frames.messages().with_columns(user_key=pl.when(pl.col("message_id").str.contains("m2"))
                                                        .then(pl.lit("u2")).otherwise("user_key")))  # fmt: skip
    put("exchanges", DAY, frames.exchanges().with_columns(session_id=pl.col("exchange_id")))
    rows = _ask(warehouse, "SELECT conversation_id, users, sessions, exchanges FROM conversations ORDER BY ALL")
    assert rows == [("c0", 2, 2, 2), ("c1", 1, 1, 1)]
    put("messages", DAY, frames.messages().with_columns(user_key=pl.lit(None, pl.String)))
    assert _ask(warehouse, "SELECT DISTINCT users FROM conversations") == [(0,)]


def test_an_event_that_arrived_twice_is_shown_once(warehouse, put):
    twice = pl.concat([frames.events(), frames.events().with_columns(arrival_dt=pl.lit(LATER))])
    put("events", DAY, twice)
    assert _ask(warehouse, "SELECT arrival_dt FROM events") == [(LATER,)]
    assert _ask(warehouse, "SELECT count(*) FROM event_versions") == [(2,)]


def test_a_conversation_is_counted_from_its_newest_messages(published):
    rows = _ask(
        published,
        'SELECT conversation_id, messages, user_messages, exchanges, models, scripts, dislike, "repeat", any_signal '
        "FROM conversations ORDER BY ALL",
    )
    assert rows == [
        ("c0", 4, 2, 2, ["model-a"], ["latin"], 1, 1, True),
        ("c1", 2, 1, 1, ["model-a"], ["latin"], 0, 0, False),
    ]


def test_not_measurable_is_neither_no_nor_a_rate_of_zero(warehouse, put):
    names = ("dislike", "complain", "dismiss", "repeat", "rephrase", "skim")
    nothing = frames.exchanges().with_columns(
        *(pl.lit(None, pl.Boolean).alias(n) for n in names), *(pl.lit(None, pl.Float64).alias(f"p_{n}") for n in names)
    )
    put("exchanges", DAY, nothing)
    put("messages", DAY, frames.messages())
    assert _ask(warehouse, "SELECT DISTINCT any_signal FROM conversations") == [(None,)]
    rates = _ask(
        warehouse,
        "SELECT DISTINCT measurable, not_measurable, detected_rate, detected_low, detected_high, estimated_rate "
        "FROM signal_rates",
    )
    assert rates == [(0, 3, None, None, None, None)]


def test_a_day_is_compared_with_the_four_weeks_before_it(warehouse, put):
    for days, share in ((-29, 1), (-2, 0), (-1, 1), (0, 1)):
        day = DAY + timedelta(days=days)
        put("exchanges", day, frames.exchanges(day, turns=4).with_columns(complain=pl.int_range(4) < 2 * share))
    rows = _ask(
        warehouse,
        "SELECT measurable, detected_rate, days_before, measurable_before, rate_before, z FROM signal_trend "
        "WHERE signal = 'complain' AND dt = '2026-11-29'",
    )
    # 2 of 4 against 2 of 8; pooled 4 of 12: z = 0.25 / sqrt(1/3 * 2/3 * (1/4 + 1/8)).
    assert rows == [(4, 0.5, 2, 8, 0.25, pytest.approx(0.866025, abs=1e-5))]
    first = _ask(warehouse, "SELECT rate_before, z FROM signal_trend WHERE signal = 'complain' ORDER BY dt LIMIT 1")
    assert first == [(None, None)]


def test_an_example_shows_the_texts_around_its_signal(warehouse, full_day):
    texts = frames.messages().with_columns(text=pl.col("message_id"))
    publish(warehouse, full_day(messages=texts))
    rows = _ask(
        warehouse, "SELECT request_text, reply_text, next_user_text FROM signal_examples WHERE signal = 'repeat'"
    )
    assert rows == [(f"{DAY}-m0-user", f"{DAY}-m0-assistant", f"{DAY}-m2-user")]


def test_masked_and_refused_are_counted_by_kind(published):
    assert _ask(published, "FROM deidentification_counts") == [(DAY, "app", "PERSON", 6, 6)]
    assert _ask(published, "FROM quarantine_reasons") == [(DAY, "invalid_json", None, 1, 1, 10)]


def test_a_day_is_a_date_and_prunes_files(published, put):
    put("messages", LATER, frames.messages(LATER))
    assert _ask(published, "SELECT DISTINCT typeof(dt) FROM message_versions") == [("DATE",)]
    with connect(published) as con:
        plan = con.execute(
            f"EXPLAIN ANALYZE SELECT text FROM message_versions WHERE dt = '{LATER}'"  # noqa: S608
        ).fetchall()[0][1]
    assert "Scanning Files: 1/2" in plan


def test_a_second_rebuild_changes_no_byte(published):
    path = rebuild(published)
    before = (path.read_bytes(), path.stat().st_ino)
    assert rebuild(published) == path
    assert (path.read_bytes(), path.stat().st_ino) == before
    assert sorted(p.name for p in published.root.glob("*.duckdb*")) == ["warehouse.duckdb"]


def test_new_partitions_show_through_an_old_catalogue_file(published, put):
    path = rebuild(published)
    with duckdb.connect(path, read_only=True) as con:
        put("messages", LATER, frames.messages(LATER))
        assert con.execute("SELECT count(*) FROM messages").fetchall() == [(12,)]


def test_a_rebuild_goes_on_while_an_analyst_holds_the_old_file(published, put, monkeypatch):
    path = rebuild(published)
    inode = path.stat().st_ino
    with duckdb.connect(path, read_only=True) as analyst:
        assert analyst.execute("SELECT count(*) FROM messages").fetchall() == [(6,)]
        real = catalogue_module.views
        monkeypatch.setattr(catalogue_module, "views", lambda w: [*real(w), "CREATE VIEW newer AS SELECT 1 AS one"])
        rebuild(published)
        assert path.stat().st_ino != inode
        put("messages", LATER, frames.messages(LATER))
        assert analyst.execute("SELECT count(*) FROM messages").fetchall() == [(12,)]
    with duckdb.connect(path, read_only=True) as con:
        assert con.execute("FROM newer").fetchall() == [(1,)]


@pytest.mark.parametrize("rest", [b"", b"not a database", b"\0" * 20_000])
def test_a_torn_catalogue_file_is_replaced(published, rest):
    path = published.root / "warehouse.duckdb"
    path.write_bytes(rest)
    rebuild(published)
    with duckdb.connect(path, read_only=True) as con:
        assert con.execute("SELECT count(*) FROM messages").fetchall() == [(6,)]


@pytest.mark.parametrize("missing", ["question", "owner", "grain", "columns"])
def test_a_view_without_a_full_header_is_refused(missing):
    lines = ["-- question: Why?", "-- owner: analysts", "-- grain: a day", "-- columns:", "--   dt: The day."]
    kept = [line for line in lines if missing not in line and not (missing == "columns" and "dt" in line)]
    with pytest.raises(ValueError, match=f"lacks {missing}"):
        parse_view("v", "\n".join([*kept, "SELECT 1"]))


def test_the_description_counts_what_is_there(published, put):
    put("messages", LATER, frames.messages(LATER))
    put("runs", DAY, frames.runs())
    told = describe(published)
    assert told["tables"]["messages"]["rows"] == 12
    assert (told["tables"]["messages"]["oldest"], told["tables"]["messages"]["newest"]) == (DAY, LATER)
    assert told["tables"]["quality"] == {"days": 0, "rows": 0, "bytes": 0, "oldest": None, "newest": None}
    assert [run["run_id"] for run in told["runs"]] == ["r1"]
    assert describe(Warehouse(published.root / "nowhere"))["runs"] == []


def test_the_documentation_names_every_table_view_and_column():
    text = tables_markdown()
    for table in contract.tables().values():
        assert f"### {table.name}\n" in text
        assert all(f"\n| {c.name} | " in text for c in table.columns)
    for view in analyst_views():
        assert f"### {view.name}\n" in text
    assert tables_markdown() == text


def test_a_stage_and_a_catalogue_share_no_name_with_a_reader(published):
    with Stage(published, "open") as stage:
        stage.write("messages", LATER, frames.messages(LATER), {})
        assert _ask(published, "SELECT count(*) FROM messages") == [(6,)]
