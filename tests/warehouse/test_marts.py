"""The analysts' views, over small tables whose right answers were worked out by hand."""

from datetime import date, timedelta

import frames
import polars as pl
import pytest

from schemas import contract
from schemas.enums import Signal
from warehouse.catalogue import connect, rebuild

DAY = frames.DAY  # a Sunday
NEXT = DAY + timedelta(days=1)
UNMEASURED = {**dict.fromkeys(Signal), **{f"p_{s}": None for s in Signal}}
CLEAN = {**dict.fromkeys(Signal, False), **{f"p_{s}": 0.0 for s in Signal}}


def found(*signals: str) -> dict[str, object]:
    return {**CLEAN, **dict.fromkeys(signals, True), **{f"p_{s}": 1.0 for s in signals}}


def exchange(name: str, day: date = DAY, **replace: object) -> dict[str, object]:
    """One exchange of conversation `name[0]`; `name` is its id, its request is `q-name` and its reply `r-name`."""
    base = frames.exchanges(day, turns=1).row(0, named=True)
    ids = {"exchange_id": name, "conversation_id": name[0], "request_id": f"q-{name}", "reply_id": f"r-{name}"}
    return {**base, **ids, "position": 0, "next_user_id": None, "outcome": "left", **CLEAN, **replace}


def table_of(rows: list[dict[str, object]], name: str = "exchanges") -> pl.DataFrame:
    return pl.DataFrame(rows, schema=contract.table(name).polars)


def detections(rows: list[dict[str, object]]) -> pl.DataFrame:
    made = []
    for row in rows:
        kinds = [s for s in Signal if row[s]]
        for kind in kinds:
            base = frames.signals().row(0, named=True)
            ids = {"signal_id": f"{row['exchange_id']}-{kind}", "exchange_id": row["exchange_id"]}
            where = {"source": row["source"], "conversation_id": row["conversation_id"]}
            made.append(
                {**base, **ids, **where, "signal": kind, "score": row[f"p_{kind}"], "primary": kind == kinds[0]}
            )
    return table_of(made, "signals")


def ask(warehouse, sql: str) -> list[tuple]:
    with connect(warehouse) as con:
        return con.execute(sql).fetchall()


def test_a_rate_comes_with_its_interval_what_could_not_be_measured_and_an_estimate(warehouse, put):
    rows = [
        *(exchange(f"a{n}", complain=True, p_complain=0.9) for n in range(2)),
        *(exchange(f"b{n}", complain=False, p_complain=0.1) for n in range(6)),
        *(exchange(f"c{n}", **UNMEASURED) for n in range(2)),
    ]
    put("exchanges", DAY, table_of(rows))
    [row] = ask(warehouse, "SELECT * EXCLUDE (dt, source, model) FROM signal_rates WHERE signal = 'complain'")
    # By the closed formula with z = 1.959964: 2 in 8 gives 0.0715 to 0.5907, 2.4 in 8 gives 0.0959 to 0.6338.
    wilson = [0.25, 0.0715, 0.5907]
    estimate = [2.4, 0.3, 0.0959, 0.6338]
    assert row[:7] == ("latin", "0000-0199", "complain", 10, 8, 2, 0.2)
    assert row[7] == 2
    assert list(row[8:]) == pytest.approx([*wilson, *estimate], abs=1e-4)


def test_rates_divide_by_day_model_source_script_and_length(warehouse, put):
    kinds = [
        {},
        {"source": "other"},
        {"model": None},
        {"script": "han"},
        {"reply_chars": 199},
        {"reply_chars": 200},
        {"reply_chars": 999},
        {"reply_chars": 1000},
        {"reply_chars": 4000},
        {"reply_chars": None},
    ]
    put("exchanges", DAY, table_of([exchange(f"a{n}", **kind) for n, kind in enumerate(kinds)]))
    put("exchanges", NEXT, table_of([exchange("b", NEXT)]))
    rows = ask(
        warehouse,
        "SELECT dt, source, model, script, reply_length, exchanges FROM signal_rates "
        "WHERE signal = 'skim' ORDER BY ALL",
    )
    a = "model-a"
    assert rows == [
        (DAY, "app", a, "han", "0000-0199", 1),
        (DAY, "app", a, "latin", "0000-0199", 2),
        (DAY, "app", a, "latin", "0200-0999", 2),
        (DAY, "app", a, "latin", "1000-3999", 1),
        (DAY, "app", a, "latin", "4000 and more", 1),
        (DAY, "app", a, "latin", "not captured", 1),
        (DAY, "app", None, "latin", "0000-0199", 1),
        (DAY, "other", a, "latin", "0000-0199", 1),
        (NEXT, "app", a, "latin", "0000-0199", 1),
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("fix this", "short"),
        ("x" * 40, "medium"),
        ("x" * 200, "long"),
        ("see ```x```", "with code"),
        ("why does this fail\nint main() {\n}", "with code"),
        ("what is a {name} template", "short"),
        ("排序", "short"),
        (None, "not captured"),
    ],
)
def test_the_kind_of_a_request_is_told_by_its_newest_text(warehouse, put, text, kind):
    put("exchanges", DAY, table_of([exchange("a")]))
    old = frames.messages(turns=1, text="an older version").head(1)
    named = old.with_columns(conversation_id=pl.lit("a"), message_id=pl.lit("q-a"))
    newer = named.with_columns(text=pl.lit(text, pl.String), arrival_dt=pl.lit(NEXT))
    put("messages", DAY, pl.concat([named, newer]))
    assert ask(warehouse, "SELECT DISTINCT request_kind, exchanges FROM exchange_counts") == [(kind, 1)]


def test_what_came_next_is_recovered_again_left_or_unknown(warehouse, put):
    today = [
        exchange("a0", next_user_id="q-a1", outcome="followed", **found("complain")),
        exchange("a1", position=1, next_user_id="q-a2", outcome="followed"),  # recovered
        exchange("a2", position=2, next_user_id="q-a3", outcome="followed", **found("complain")),
        exchange("a3", position=3, **found("complain")),  # again, and left
        exchange("b0", next_user_id="q-b1", outcome="followed", **found("complain")),
        exchange("b1", position=1, **UNMEASURED),  # nothing can be said
        exchange("c0", outcome="censored", **found("complain")),
        exchange("d0", next_user_id="q-d1", outcome="followed", **found("complain")),  # its answer is on the next day
        exchange("e0", next_user_id="q-e1", outcome="followed", **found("complain")),  # its answer was regenerated away
        exchange("e1", position=1, on_active_branch=False),
        exchange("f0", next_user_id="q-f1", outcome="followed", **found("complain")),
        exchange("f1", position=1, **found("repeat")),  # another signal: neither recovered nor again
    ]
    put("exchanges", DAY, table_of(today))
    put("exchanges", NEXT, table_of([exchange("d1", NEXT, position=1)]))
    [row] = ask(warehouse, "SELECT * FROM follow_through WHERE dt = '2026-11-29' AND signal = 'complain'")
    counts = {"detections": 8, "followed": 6, "left_off": 1, "censored": 1, "answered": 5, "recovered": 2, "again": 1}
    assert row[4:11] == tuple(counts.values())
    assert row[11] == pytest.approx(0.4)
    assert [row[12], row[13]] == pytest.approx([0.1176, 0.7693], abs=1e-4)  # Wilson, 2 in 5


def test_a_request_answered_in_parts_counts_once_by_its_last_part(warehouse, put):
    rows = [
        exchange("a0", next_user_id="q-a1", outcome="followed", **found("complain")),
        exchange("a1", position=1, **found("complain")),
        exchange("a2", position=2, request_id="q-a1"),
    ]
    put("exchanges", DAY, table_of(rows))
    sql = "SELECT sum(answered), sum(recovered), sum(again) FROM follow_through"
    assert ask(warehouse, sql) == [(1, 1, 0)]


def test_models_are_compared_on_the_same_kinds_of_request_only(warehouse, put):
    def replies(model: str, n: int, bad: int, **kind: object) -> list[dict[str, object]]:
        made = [found("complain")] * bad + [CLEAN] * (n - bad)
        name = f"{model}{len(kind)}"
        return [exchange(f"{name}-{i}", model=model, **kind, **each) for i, each in enumerate(made)]

    rows = [
        *replies("m", 10, 4),
        *replies("n", 10, 1),
        *replies("m", 5, 5, script="han"),  # nobody else was asked in this script
        *replies("n", 5, 0, position=3),  # nor here
    ]
    put("exchanges", DAY, table_of(rows))
    sql = "SELECT * EXCLUDE (dt, source) FROM model_comparison WHERE signal = 'complain' ORDER BY model"
    m, n = ask(warehouse, sql)
    # 5 of 20 together, so 2.5 each were expected; variance 10 * 10 * 5 * 15 / (20 * 20 * 19).
    assert m[:5] == ("m", "complain", 15, 10, 4)
    assert n[:5] == ("n", "complain", 15, 10, 1)
    assert m[5:] == pytest.approx((2.5, 0.986842, 1.6, 1.509967), abs=1e-5)
    assert n[5:] == pytest.approx((2.5, 0.986842, 0.4, -1.509967), abs=1e-5)


def test_a_model_that_stands_alone_is_compared_with_nobody(warehouse, put):
    put("exchanges", DAY, table_of([exchange("a", **found("skim")), exchange("b", model=None, **found("skim"))]))
    sql = "SELECT measurable, comparable, detected, expected, ratio, z FROM model_comparison WHERE signal = 'skim'"
    assert ask(warehouse, sql) == [(1, 0, 0, 0.0, None, None)]


def test_the_first_reply_is_set_beside_later_ones(warehouse, put):
    rows = [
        exchange("a0", **found("dismiss")),
        exchange("b0"),
        exchange("b1", position=1),
        exchange("b2", position=2, **UNMEASURED),
    ]
    put("exchanges", DAY, table_of(rows))
    sql = (
        "SELECT place, measurable, detected, detected_rate, left_off FROM first_and_later "
        "WHERE signal = 'dismiss' ORDER BY place"
    )
    assert ask(warehouse, sql) == [("first", 2, 1, 0.5, 1), ("later", 1, 0, 0.0, 0)]


def test_signals_that_occur_together_are_held_against_chance(warehouse, put):
    rows = [
        *(exchange(f"a{n}", **found("complain", "repeat")) for n in range(3)),
        exchange("b", **found("complain")),
        exchange("c", **found("repeat")),
        *(exchange(f"d{n}") for n in range(3)),
        exchange("e", **{**found("complain"), "repeat": None}),  # not measurable together
    ]
    put("exchanges", DAY, table_of(rows))
    sql = "SELECT * EXCLUDE (dt, source) FROM signal_pairs WHERE signal = 'complain' AND other = 'repeat'"
    assert ask(warehouse, sql) == [("complain", "repeat", 8, 4, 4, 3, 2.0, 1.5)]
    pairs = ask(warehouse, "SELECT signal, other FROM signal_pairs")
    order = [str(s) for s in Signal]
    assert sorted(pairs) == sorted((a, b) for n, a in enumerate(order) for b in order[n + 1 :])


def test_no_group_of_fewer_than_ten_users_shows_a_figure(warehouse, put):
    weeks = [date(2026, 11, 2), date(2026, 11, 9), date(2026, 11, 18)]
    for day, users in zip(weeks, (12, 10, 9), strict=True):
        rows = [
            exchange(f"u{n}-{day}", day, user_key=f"u{n}", **found("skim") if n < 6 else CLEAN) for n in range(users)
        ]
        few = [exchange(f"f{n}-{day}", day, source="few", user_key=f"f{n}") for n in range(9)]
        nobody = [exchange(f"x{n}-{day}", day, user_key=None) for n in range(20)]
        put("exchanges", day, table_of([*rows, *few, *nobody]))
    sql = "SELECT * EXCLUDE (first_week, unhappy_low, unhappy_high) FROM user_cohorts ORDER BY source, week"
    hidden = (None,) * 5
    assert ask(warehouse, sql) == [
        ("app", 0, 12, False, 12, 12, 12, 6, 0.5),
        ("app", 1, 12, False, 10, 10, 10, 6, 0.6),
        ("app", 2, 12, True, *hidden),
        ("few", 0, None, True, *hidden),
        ("few", 1, None, True, *hidden),
        ("few", 2, None, True, *hidden),
    ]
    assert ask(warehouse, "SELECT DISTINCT first_week FROM user_cohorts") == [(weeks[0],)]


def test_a_user_counts_once_a_week_whichever_day_came_first(warehouse, put):
    monday, sunday, next_monday = date(2026, 11, 9), date(2026, 11, 15), date(2026, 11, 16)
    for day in (next_monday, sunday, monday):
        put("exchanges", day, table_of([exchange(f"u{n}-{day}", day, user_key=f"u{n}") for n in range(10)]))
        rebuild(warehouse)
    sql = "SELECT first_week, week, cohort_users, users, exchanges FROM user_cohorts ORDER BY week"
    assert ask(warehouse, sql) == [(monday, 0, 10, 10, 20), (monday, 1, 10, 10, 10)]
    first = "SELECT dt FROM user_days WHERE first_of_week GROUP BY dt ORDER BY dt"
    assert ask(warehouse, first) == [(monday,), (next_monday,)]


def test_conversations_are_ranked_by_their_signals(warehouse, put):
    rows = [
        exchange("a0", **found("complain", "repeat")),
        exchange("a1", position=1, **found("complain")),
        exchange("b0", **found("skim")),
        exchange("c0"),
    ]
    put("signals", DAY, detections(rows[:1]))
    put("signals", NEXT, detections(rows[1:]))
    sql = (
        "SELECT conversation_id, first_dt, last_dt, unhappy_exchanges, detections, kinds, strongest, complain, "
        '"repeat", skim FROM unhappy_conversations ORDER BY detections DESC'
    )
    assert ask(warehouse, sql) == [
        ("a", DAY, NEXT, 2, 3, 2, "complain", 2, 1, 0),
        ("b", NEXT, NEXT, 1, 1, 1, "skim", 0, 0, 1),
    ]


def test_the_worst_requests_of_a_day_come_with_their_newest_texts(warehouse, put):
    rows = [
        exchange("a0", **found("complain", "repeat")),
        exchange("b0", **{**found("complain", "skim"), "p_skim": 0.5}),
        *(exchange(f"c{n:03}", **found("skim")) for n in range(100)),
    ]
    put("exchanges", DAY, table_of(rows))
    put("signals", DAY, detections(rows))
    base = frames.messages(turns=1).with_columns(conversation_id=pl.lit("a"))
    first = base.with_columns(message_id=pl.Series(["q-a0", "r-a0"]), text=pl.lit("old"))
    day_before = DAY - timedelta(days=1)
    put("messages", day_before, first.head(1).with_columns(arrival_dt=pl.lit(NEXT), text=pl.lit("asked")))
    put("messages", DAY, pl.concat([first, first.tail(1).with_columns(arrival_dt=pl.lit(NEXT), text=pl.lit("said"))]))
    found_rows = ask(
        warehouse,
        "SELECT rank, exchange_id, signals, score, request_text, reply_text FROM worst_requests ORDER BY rank",
    )
    assert found_rows[:3] == [
        (1, "a0", ["complain", "repeat"], 2.0, "asked", "said"),
        (2, "b0", ["complain", "skim"], 1.5, None, None),
        (3, "c000", ["skim"], 1.0, None, None),
    ]
    assert [r[0] for r in found_rows] == list(range(1, 101))


def test_an_empty_warehouse_answers_with_no_rows(warehouse):
    for view in ("signal_rates", "model_comparison", "user_cohorts", "worst_requests", "signal_pairs"):
        assert ask(warehouse, f"FROM {view}") == []
