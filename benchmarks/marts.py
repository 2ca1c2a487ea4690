"""Times every view for analysts over many exchanges, and shows what a question about one day reads.

    python benchmarks/marts.py [--exchanges 10000000] [--days 100] [--folder FOLDER]

The tables are generated (`benchmarks/generate.py`), in the layout of the contract; with --folder they are kept there,
and used again by the next run with the same folder. Each view is timed whole where it adds up kept counts or reads
detections alone, for one day where it shows texts, and for one conversation where it reads every message of those it is
asked about. Best of three; a second is the aim. The CPU seconds, on two
threads, tell on a busy machine what an idle one would take: about half of them.
"""

import argparse
import re
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import duckdb
from generate import FIRST, generate

from warehouse.catalogue import rebuild
from warehouse.kept import FOLDER
from warehouse.layout import Warehouse

_WHOLE = {
    "signal_rates": "SELECT model, signal, sum(detected), sum(measurable) FROM signal_rates GROUP BY ALL",
    "signal_rates, by day": "SELECT dt, signal, sum(detected), sum(estimated) FROM signal_rates GROUP BY ALL",
    "signal_trend": "SELECT * FROM signal_trend ORDER BY abs(z) DESC LIMIT 20",
    "follow_through": "SELECT signal, sum(recovered), sum(again), sum(left_off) FROM follow_through GROUP BY ALL",
    "model_comparison": "SELECT model, signal, sum(detected), sum(expected) FROM model_comparison GROUP BY ALL",
    "first_and_later": "SELECT place, signal, sum(detected), sum(measurable) FROM first_and_later GROUP BY ALL",
    "signal_pairs": "SELECT signal, other, sum(together), sum(expected) FROM signal_pairs GROUP BY ALL",
    "user_cohorts": "SELECT * FROM user_cohorts ORDER BY ALL",
    "worst_requests": "SELECT * FROM worst_requests ORDER BY len(signals) DESC, score DESC LIMIT 20",
    "unhappy_conversations": "SELECT * FROM unhappy_conversations ORDER BY detections DESC LIMIT 20",
}
_DAY = {
    "worst_requests of a day": "SELECT * FROM worst_requests WHERE dt = '{day}' ORDER BY rank LIMIT 20",
    "signal_examples": "SELECT * FROM signal_examples WHERE dt = '{day}' AND signal = 'complain' LIMIT 20",
    "signal_rates of a day": "SELECT * FROM signal_rates WHERE dt = '{day}'",
    "model_comparison of a day": "SELECT * FROM model_comparison WHERE dt = '{day}'",
    "exchanges of a day": "SELECT model, count(*) FILTER (WHERE complain) FROM exchanges WHERE dt = '{day}' GROUP BY 1",
    "a conversation": "SELECT * FROM conversations WHERE source = '{source}' AND conversation_id = '{conversation}'",
}


def main() -> None:
    """Generate the tables if need be, time the views, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--exchanges", type=int, default=10_000_000)
    parser.add_argument("--days", type=int, default=100)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        root = asked.folder or Path(made)
        if not (root / "exchanges").is_dir():
            seconds = _timed(lambda: generate(root, asked.exchanges, asked.days))
            print(f"generated {asked.exchanges:,} exchanges in {seconds:.0f} s")
        warehouse = Warehouse(root)
        print(f"catalogue and kept counts made in {_timed(lambda: rebuild(warehouse)):.0f} s")
        print(f"catalogue looked at again in {_timed(lambda: rebuild(warehouse)):.2f} s")
        for table in ("messages", "exchanges", "signals", FOLDER):
            size = sum(p.stat().st_size for p in (root / table).rglob("*.parquet"))
            print(f"{table:12} {size / 1e6:8.0f} MB")
        day = FIRST + timedelta(days=len(warehouse.days("exchanges")) // 2)
        with duckdb.connect(rebuild(warehouse), read_only=True, config={"threads": 2}) as con:
            _report(con, {name: (sql, "all") for name, sql in _WHOLE.items()})
            [(source, conversation)] = con.execute(
                f"SELECT source, conversation_id FROM exchanges WHERE dt = '{day}' LIMIT 1"
            ).fetchall()
            values = {"day": day, "source": source, "conversation": conversation}
            _report(con, {name: (sql.format(**values), "day") for name, sql in _DAY.items()})


def _report(con: duckdb.DuckDBPyConnection, queries: dict[str, tuple[str, str]]) -> None:
    print(f"\n{'view':28} {'over':>5} {'seconds':>8} {'CPU':>7} {'rows':>8}  files read of those in its globs")
    for name, (sql, over) in queries.items():
        tries = [_both(lambda sql=sql: con.execute(sql).fetchall()) for _ in range(3)]
        wall, cpu = (min(each) for each in zip(*tries, strict=True))
        rows = len(con.execute(sql).fetchall())
        print(f"{name:28} {over:>5} {wall:8.3f} {cpu:7.3f} {rows:8,}  {_files(con, sql)}", flush=True)


def _files(con: duckdb.DuckDBPyConnection, sql: str) -> str:
    """What EXPLAIN ANALYZE says of each scan: files left by pruning, or read."""
    plan = con.execute("EXPLAIN ANALYZE " + sql).fetchall()[0][1]
    pruned = re.findall(r"Scanning Files: *(\d+/\d+)", plan)
    read = re.findall(r"Total Files Read: *(\d+)", plan)
    return f"{', '.join(pruned) or 'all'} (read: {', '.join(read)})"


def _both(work: object) -> tuple[float, float]:
    cpu = time.process_time()
    wall = _timed(work)
    return wall, time.process_time() - cpu


def _timed(work: object) -> float:
    began = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
