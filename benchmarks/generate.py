"""Makes a large warehouse of invented exchanges with DuckDB, in the layout of the contract: for timing queries only.

Sizes, ids, cardinalities and shares resemble a busy assistant's; texts are words drawn at random. Nothing in it says
anything about people.
"""

from datetime import date, timedelta
from pathlib import Path

import duckdb

from schemas import contract
from warehouse.database import file_literal
from warehouse.parquet import ROW_GROUP
from warehouse.views import sql_type

FIRST = date(2026, 1, 1)
_WORDS = """
sort list table train ticket garden recipe email letter python query index weather budget lesson poem river bridge
camera battery window kitchen museum market planet engine violin pencil basket mountain 排序 列表 火车 花园 菜谱 邮件
天气 预算 课程 诗歌 河流 桥梁 相机 电池 窗户 厨房 市场 行星 提琴 铅笔 篮子
"""
# One draw in [0, 1) a row and purpose, the same at every run.
_DRAW = "CREATE MACRO draw(d, i, what) AS (hash(d, i, what) % 1000003) / 1000003.0"
_PICK = "CREATE MACRO pick(things, h) AS things[(1 + h % len(things))::BIGINT]"
_ID = "CREATE MACRO id_of(kind, d, i) AS md5(kind || d || '-' || i)"
# Conversations of four exchanges; every eighth is about code. Skim needs clocks, which one source in four lacks.
_EXCHANGES = """
SELECT
    *,
    id_of('x', d, i) AS exchange_id,
    pick(['chat', 'mobile', 'code', 'import'], hash(d, i // 4, 'source')) AS source,
    id_of('c', d, i // 4) AS conversation_id,
    id_of('s', d, i // 4) AS session_id,
    (i % 4)::INTEGER AS position,
    draw(d, i, 'branch') < 0.97 AS on_active_branch,
    id_of('u', 0, hash(d, i // 4, 'user') % 200000) AS user_key,
    'model-' || (1 + hash(d, i // 4, 'model') % 6) AS model,
    pick(['latin', 'latin', 'han', 'han', 'mixed', 'other'], hash(d, i // 4, 'script')) AS script,
    id_of('q', d, i) AS request_id,
    id_of('r', d, i) AS reply_id,
    CASE WHEN draw(d, i, 'status') < 0.02 THEN 'stopped' ELSE 'ok' END AS reply_status,
    (40 * exp(4 * draw(d, i, 'length')))::INTEGER AS reply_chars,
    d::TIMESTAMPTZ + to_milliseconds(i % 86000000) AS replied_at,
    CASE WHEN i % 4 < 3 THEN id_of('q', d, i + 1) END AS next_user_id,
    CASE WHEN i % 4 < 3 THEN 'message' END AS follow_up,
    CASE WHEN i % 4 < 3 THEN 300 * draw(d, i, 'gap') END AS gap_s,
    CASE WHEN i % 4 < 3 THEN 250 * draw(d, i, 'gap') END AS visible_s,
    60 * draw(d, i, 'reading') AS reading_s,
    'full' AS clock_quality,
    CASE WHEN i % 4 < 3 THEN 'followed' WHEN draw(d, i, 'end') < 0.9 THEN 'left' ELSE 'censored' END AS outcome,
    CASE WHEN draw(d, i, 'dislike') < 0.002 THEN 1.0 ELSE 0.0 END AS p_dislike,
    CASE WHEN i % 4 < 3 THEN pow(draw(d, i, 'complain'), 9) END AS p_complain,
    CASE WHEN draw(d, i, 'measurable') < 0.9 THEN pow(draw(d, i, 'dismiss'), 12) END AS p_dismiss,
    CASE WHEN i % 4 < 3 THEN pow(draw(d, i, 'repeat'), 15) END AS p_repeat,
    CASE WHEN i % 4 < 3 THEN pow(draw(d, i, 'rephrase'), 12) END AS p_rephrase,
    CASE WHEN i % 4 < 3 AND hash(d, i // 4, 'source') % 4 < 3 THEN pow(draw(d, i, 'skim'), 15) END AS p_skim,
    p_dislike >= 0.5 AS dislike,
    p_complain >= 0.5 AS complain,
    p_dismiss >= 0.7 AS dismiss,
    p_repeat >= 0.5 AS "repeat",
    p_rephrase >= 0.6 AS rephrase,
    p_skim >= 0.5 AS skim
FROM (SELECT DATE '{day}' AS d, i FROM range({n}) AS r(i))
"""
_SIGNALS = """
SELECT
    *,
    md5(exchange_id || signal) AS signal_id,
    reply_id AS message_id,
    CASE WHEN signal IN ('complain', 'repeat', 'rephrase') THEN next_user_id END AS trigger_message_id,
    CASE WHEN signal = 'dislike' THEN 'event' WHEN signal = 'skim' THEN 'timing' ELSE 'text' END AS "trigger",
    replied_at AS occurred_at,
    0.5 AS threshold,
    'invented' AS rule,
    '1' AS rule_version,
    NULL AS evidence,
    row_number() OVER (PARTITION BY exchange_id ORDER BY score DESC, signal) = 1 AS "primary"
FROM (
    SELECT *, unnest(['dislike', 'complain', 'dismiss', 'repeat', 'rephrase', 'skim']) AS signal,
        unnest([dislike, complain, dismiss, "repeat", rephrase, skim]) AS found,
        unnest([p_dislike, p_complain, p_dismiss, p_repeat, p_rephrase, p_skim]) AS score
    FROM made
)
WHERE found
"""
_MESSAGES = """
SELECT
    *,
    CASE WHEN role = 'user' THEN request_id ELSE reply_id END AS message_id,
    NULL AS parent_id,
    NULL AS seq,
    array_to_string([pick(words, hash(d, i, role, k)) FOR k IN range(6 + len(role) * 2)], ' ') AS text,
    len(text)::INTEGER AS n_chars,
    replied_at - to_seconds(CASE WHEN role = 'user' THEN 5 ELSE 0 END) AS created_at,
    CASE WHEN role = 'assistant' THEN replied_at + to_seconds(4) END AS completed_at,
    'ok' AS status,
    false AS has_attachment,
    [{{'entity': 'PERSON', 'n': 1}}][:(draw(d, i, role) < 0.1)::INTEGER] AS entity_counts,
    []::VARCHAR[] AS flags,
    NULL AS aliases,
    md5(message_id) AS digest,
    d AS arrival_dt
FROM (SELECT *, unnest(['user', 'assistant']) AS role, {words} AS words FROM made)
"""


def generate(root: Path, exchanges: int, days: int) -> None:
    """Write the partitions of `messages`, `exchanges` and `signals`.

    Args:
        root: Folder of the new warehouse.
        exchanges: How many in all, divided evenly.
        days: How many days, from the first of January 2026.
    """
    con = duckdb.connect(config={"threads": 2, "memory_limit": "4GB"})
    con.execute("SET TimeZone = 'UTC'")
    for statement in (_DRAW, _PICK, _ID):
        con.execute(statement)
    for number in range(days):
        day = FIRST + timedelta(days=number)
        share = exchanges * (number + 1) // days - exchanges * number // days
        con.execute("CREATE OR REPLACE TEMP TABLE made AS " + _EXCHANGES.format(day=day, n=share))
        words = "[" + ", ".join(f"'{word}'" for word in _WORDS.split()) + "]"
        for table, query in (
            ("exchanges", "SELECT * FROM made"),
            ("signals", _SIGNALS),
            ("messages", _MESSAGES.format(words=words)),
        ):
            _write(con, root, table, day, query)
    con.close()


def _write(con: duckdb.DuckDBPyConnection, root: Path, table: str, day: date, query: str) -> None:
    shape = contract.table(table)
    columns = ", ".join(f'"{c.name}"::{sql_type(c)} AS "{c.name}"' for c in shape.columns)
    order = ", ".join(f'"{name}"' for name in shape.sort)
    folder = root / table / f"dt={day}"
    folder.mkdir(parents=True)
    con.execute(
        f"COPY (SELECT {columns} FROM ({query}) ORDER BY {order}) TO {file_literal(folder / 'part.parquet')}"
        f" (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP})"
    )
