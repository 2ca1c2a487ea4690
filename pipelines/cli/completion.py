"""What can be typed next in `tacit sql`: names of tables, their columns, functions and keywords."""

import re
from collections.abc import Iterable, Iterator

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from schemas import contract
from warehouse.macros import MACROS
from warehouse.views import analyst_views

KEYWORDS = [
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP",
    "BY",
    "ORDER",
    "HAVING",
    "QUALIFY",
    "LIMIT",
    "OFFSET",
    "WITH",
    "AS",
    "AND",
    "OR",
    "NOT",
    "IN",
    "IS",
    "NULL",
    "LIKE",
    "ILIKE",
    "BETWEEN",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "DISTINCT",
    "FILTER",
    "OVER",
    "PARTITION",
    "JOIN",
    "LEFT",
    "INNER",
    "ON",
    "USING",
    "UNION",
    "ALL",
    "EXCEPT",
    "INTERSECT",
    "ASC",
    "DESC",
    "NULLS",
    "LAST",
    "FIRST",
    "DATE",
    "INTERVAL",
    "TIMESTAMPTZ",
    "UNNEST",
    "DESCRIBE",
    "SUMMARIZE",
    "SHOW",
    "TABLES",
    "EXPLAIN",
    "ANALYZE",
    "EXCLUDE",
    "PIVOT",
]
FUNCTIONS = ("avg", "coalesce", "count", "date_trunc", "left", "list", "max", "median", "min", "round", "sum")
_WORD = re.compile(r"[\w.]*$")
_NAME = re.compile(r"\w+")
_AFTER_TABLE_WORD = re.compile(r"\b(?:from|join|describe|summarize)\s+\w*$|^\\d\s+\w*$", re.IGNORECASE)


def columns_of_tables() -> dict[str, list[str]]:
    """The columns of every table and view, by its name."""
    made = {table.name: [*(c.name for c in table.columns), "dt"] for table in contract.tables().values()}
    made |= {"message_versions": made["messages"], "event_versions": made["events"]}
    return made | {view.name: list(view.columns) for view in analyst_views()}


class SqlCompleter(Completer):
    """Completes the word before the cursor."""

    def __init__(self) -> None:
        self._tables = columns_of_tables()

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:  # noqa: ARG002
        """Yield what the word can become, the likeliest first."""
        before = document.text_before_cursor
        found = _WORD.search(before)
        word = found[0] if found else ""
        if "." in word:
            owner, _, word = word.rpartition(".")
            names: Iterable[tuple[str, str]] = self._columns(self._meant(owner, document.text))
        elif _AFTER_TABLE_WORD.search(before):
            names = ((name, "table") for name in self._tables)
        else:
            names = self._anything(document.text)
        seen = set()
        for name, kind in names:
            if name.lower().startswith(word.lower()) and name not in seen:
                seen.add(name)
                yield Completion(name, start_position=-len(word), display_meta=kind)

    def _anything(self, text: str) -> Iterator[tuple[str, str]]:
        mentioned = [name for name in _NAME.findall(text) if name in self._tables]
        yield from self._columns(mentioned)
        yield from ((name, "table") for name in self._tables)
        yield from ((name, "function") for name in (*(macro.name for macro in MACROS), *FUNCTIONS))
        yield from ((name, "keyword") for name in KEYWORDS)

    def _columns(self, tables: Iterable[str]) -> Iterator[tuple[str, str]]:
        return ((column, table) for table in tables for column in self._tables[table])

    def _meant(self, owner: str, text: str) -> list[str]:
        """The table that a name before a dot stands for: itself, or what an alias was given to."""
        if owner in self._tables:
            return [owner]
        named = re.findall(rf"\b(\w+)\s+(?:as\s+)?{re.escape(owner)}\b", text, re.IGNORECASE)
        return [name for name in named if name in self._tables][:1]
