"""`tacit sql` in a terminal: question after question, with history, completion and short commands."""

import sqlite3
import threading
from pathlib import Path
from typing import Any

import polars as pl
from prompt_toolkit import PromptSession
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.output import Output
from pygments.lexers.sql import SqlLexer

from pipelines.cli.completion import SqlCompleter
from pipelines.cli.options import err, out
from pipelines.cli.sql import Format, print_frame, show
from pipelines.settings import Settings
from schemas.errors import TacitError
from warehouse.layout import Warehouse
from warehouse.query import run_query

HISTORY = "sql_history"
HELP = r"""End a query with ; and press Enter. Tab completes, the arrows go through the history.
Ctrl-C gives up what is typed, or stops the query that runs. Ctrl-D ends.
  \d          tables and views, and what they answer
  \d NAME     columns of one, with their meaning
  \df         functions for rates and kinds
  \x          switch between a table and a row below the other
  \csv QUERY  print the answer as CSV, whole
  \q          end"""
_LISTS = {
    r"\d": "SELECT view_name AS name, comment AS answers FROM duckdb_views() WHERE NOT internal ORDER BY name",
    r"\df": (
        "SELECT function_name || '(' || array_to_string(parameters, ', ') || ')' AS function, comment AS gives"
        " FROM duckdb_functions() WHERE NOT internal ORDER BY function"
    ),
}
_COLUMNS = (
    'SELECT column_name AS "column", lower(data_type) AS type, comment AS meaning FROM duckdb_columns()'
    " WHERE table_name = '{name}' ORDER BY column_index"
)


class Shell:
    """Reads questions and prints answers until the user ends it.

    Args:
        warehouse: The tables.
        chosen: Limits of a query, and the home in which the history lies.
        input: Where keys come from; the terminal, where None.
        output: Where the prompt is drawn; the terminal, where None.
    """

    def __init__(
        self,
        warehouse: Warehouse,
        chosen: Settings,
        input: Input | None = None,  # noqa: A002 - the library's name
        output: Output | None = None,
    ) -> None:
        self._warehouse, self._chosen, self._one_by_one = warehouse, chosen, False
        self._session: PromptSession[str] = PromptSession(
            history=_history(chosen.home),
            completer=SqlCompleter(),
            complete_while_typing=False,
            lexer=PygmentsLexer(SqlLexer),
            multiline=True,
            prompt_continuation="   ... ",
            key_bindings=_keys(),
            input=input,
            output=output,
        )

    def run(self) -> None:
        """Ask until the user ends it."""
        out.print(f"Tables in {self._warehouse.root}, read-only. \\? helps, \\q ends.", markup=False, highlight=False)
        while True:
            try:
                text = self._session.prompt("tacit> ").strip()
            except KeyboardInterrupt:
                continue
            except EOFError:
                return
            if text in (r"\q", "exit", "quit", "exit;", "quit;"):
                return
            if text:
                self.answer(text)

    def answer(self, text: str) -> None:
        """Answer one question or short command; what goes wrong is said, and the next can be asked.

        Args:
            text: What was typed.
        """
        command, _, rest = text.partition(" ")
        rest = rest.strip().rstrip(";")
        try:
            if text == r"\x":
                self._one_by_one = not self._one_by_one
                out.print("A row below the other." if self._one_by_one else "As a table.")
            elif command == r"\d" and rest:
                self._describe(rest)
            elif text in _LISTS:
                show(self._ask(_LISTS[text]), out)
            elif command == r"\csv":
                print_frame(self._ask(rest), Format.CSV)
            elif text.startswith("\\"):
                out.print(HELP, markup=False, highlight=False)
            else:
                self._print(self._ask(text))
        except TacitError as error:
            for part in (error.what, error.then):
                err.print(part, markup=False, highlight=False, soft_wrap=True)

    def _describe(self, name: str) -> None:
        columns = self._ask(_COLUMNS.format(name=name.replace("'", "''")))
        if columns.is_empty():
            err.print(r"There is no such table. \d lists them.", highlight=False)
        else:
            show(columns, out)

    def _print(self, frame: pl.DataFrame) -> None:
        if self._one_by_one:
            show(frame.head(200), out, one_by_one=True)
        else:
            print_frame(frame, Format.TABLE)
        err.print(f"{frame.height:,} {'row' if frame.height == 1 else 'rows'}", style="dim", highlight=False)

    def _ask(self, sql: str) -> pl.DataFrame:
        """Run a query beside the thread that hears Ctrl-C."""
        cancel, done, answered = threading.Event(), threading.Event(), _Answer()
        limits = self._chosen.sql

        def ask() -> None:
            try:
                answered.frame = run_query(
                    self._warehouse, sql, limit_s=limits.seconds, memory=limits.memory, cancel=cancel
                )
            except BaseException as fault:
                answered.fault = fault
            finally:
                done.set()

        threading.Thread(target=ask, daemon=True).start()
        # An event and not `join`: Ctrl-C in a join makes the thread look ended while it runs.
        while not done.is_set():
            try:
                done.wait(0.1)
            except KeyboardInterrupt:
                cancel.set()
        if answered.fault is not None:
            raise answered.fault
        return answered.frame


class _Answer:
    frame: pl.DataFrame
    fault: BaseException | None = None


def _history(home: Path) -> History:
    """The history file, for its owner's eyes only: questions can name what they look for."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        path = home / HISTORY
        path.touch(mode=0o600)
        return FileHistory(path)
    except OSError:
        return InMemoryHistory()


def is_whole(text: str) -> bool:
    """Whether Enter sends what is typed, rather than beginning a new line.

    Args:
        text: What is typed. A semicolon in a string or a comment ends nothing.
    """
    stripped = text.strip()
    return not stripped or stripped.startswith("\\") or stripped in ("exit", "quit") or sqlite3.complete_statement(text)


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @Condition
    def whole() -> bool:
        from prompt_toolkit.application import get_app

        return is_whole(get_app().current_buffer.text)

    @keys.add("enter", filter=whole)
    def send(event: KeyPressEvent) -> None:
        buffer: Buffer = event.current_buffer
        buffer.validate_and_handle()

    return keys


__all__: list[Any] = ["Shell", "is_whole"]
