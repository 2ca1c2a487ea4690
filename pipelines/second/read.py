"""Takes borderline exchanges to a second reader within a budget, and keeps its verdicts beside the first score."""

import contextlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl

from pipelines.around import around
from pipelines.beside import SECOND_READINGS, add_rows
from pipelines.second.chat import Chat, guessed_tokens
from pipelines.second.question import KINDS, PROMPT, SCHEMA, Verdict, question, verdict
from pipelines.settings import Settings
from schemas.contract import table
from schemas.errors import ConfigError, NotFound
from schemas.ids import content_id
from warehouse.layout import Warehouse

FOLDER = "second-readings"


@dataclass
class Outcome:
    """What a command came to.

    Attributes:
        wanted: Borderline exchanges that had no verdict of this model and question.
        counts: What became of them: `confirmed`, `rejected`, `unsure`; `refused`, `malformed`, `cut`, `unreached`;
            `no_text`; `over_budget`.
        calls: Questions that were put to the server.
        cached: Answers that were known from before.
        tokens: Tokens that were spent.
        published: Rows that were published.
    """

    wanted: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    cached: int = 0
    tokens: int = 0
    published: int = 0


def require_consent(settings: Settings) -> None:
    """Make sure that an operator has said where texts may be sent, and that they may.

    Raises:
        ConfigError: A setting is missing. Nothing is sent without all of them.
    """
    group = settings.second_reader
    absent = [f"second_reader.{n}" for n, v in (("url", group.url), ("model", group.model)) if not v]
    if not group.send_deidentified_text:
        absent.append("second_reader.send_deidentified_text")
    if absent:
        raise ConfigError(
            f"No second reader is set up: {', '.join(absent)} {'is' if len(absent) == 1 else 'are'} not set.",
            state="Nothing was sent.",
            then="docs/signals.md says what would be sent, and what to consider before.",
        )


def borderline(settings: Settings, warehouse: Warehouse, signals: tuple[str, ...] = KINDS) -> pl.DataFrame:
    """What a second reader has not read yet.

    Args:
        settings: Bounds of the probability, and the model.
        warehouse: The published tables.
        signals: Which signals.

    Returns:
        `exchange_id`, `signal`, `source`, `conversation_id`, `dt`, `p`, `detected`, in a random order that is always
        the same: what fits into a budget is a sample of all.
    """
    group, parts = settings.second_reader, []
    for signal in signals:
        p = pl.col(f"p_{signal}")
        rows = warehouse.scan("exchanges").filter(
            p.is_between(group.low, group.high) & pl.col("next_user_id").is_not_null()
        )
        shown = ["exchange_id", "source", "conversation_id", "dt"]
        parts.append(rows.select(*shown, p=p, detected=pl.col(signal), signal=pl.lit(signal)).collect())
    found = pl.concat(parts)
    asked = pl.col("model") == (group.model or "")
    known = warehouse.scan(SECOND_READINGS).filter(asked & (pl.col("prompt") == PROMPT)).collect()
    found = found.join(known, on=["exchange_id", "signal"], how="anti")
    order = [content_id("second", *key) for key in found.select("exchange_id", "signal").iter_rows()]
    return found.with_columns(pl.Series("_order", order, pl.String)).sort("_order").drop("_order")


def second_read(
    settings: Settings,
    warehouse: Warehouse,
    signals: tuple[str, ...] = KINDS,
    on_item: Callable[[], None] = lambda: None,
    sleep: Callable[[float], None] = time.sleep,
) -> Outcome:
    """Ask the second reader about borderline exchanges, and publish what it says.

    Args:
        settings: Where and what to ask, and the budget.
        warehouse: The published tables.
        signals: Which signals.
        on_item: Called after each exchange.
        sleep: Waits some seconds; for tests.

    Returns:
        What came of it. What was answered is published even where the command ends early.

    Raises:
        ConfigError: It is not set up; nothing was sent.
        SecondReaderFault: The server will not answer as it is set up.
        WarehouseBusy: A run holds the warehouse; the answers are cached, so asking again costs nothing.
    """
    require_consent(settings)
    done, rows = Outcome(), []
    items = borderline(settings, warehouse, signals).to_dicts()
    done.wanted = len(items)
    reader = _Reader(settings, warehouse, done, sleep)
    try:
        for item in items:
            said = reader.read(item)
            if said is not None:
                done.counts[said.verdict] += 1
                rows.append(
                    item | {"verdict": said.verdict, "confidence": said.confidence, "prompt": PROMPT,
                            "model": settings.second_reader.model, "read_at": datetime.now(UTC)}
                )  # fmt: skip
            on_item()
    finally:
        reader.close()
        shape = {**table(SECOND_READINGS).polars, "dt": pl.Date}
        done.published = add_rows(warehouse, SECOND_READINGS, pl.DataFrame(rows, schema=shape, orient="row"))
    return done


class _Reader:
    """Reads one exchange after the other, from the cache or from the server, while the budget lasts."""

    def __init__(self, settings: Settings, warehouse: Warehouse, done: Outcome, sleep: Callable[[float], None]) -> None:
        self.group, self.warehouse, self.done = settings.second_reader, warehouse, done
        self.chat = Chat(self.group, sleep)
        self.cache = AnswerCache(settings.home / FOLDER)

    def read(self, item: dict[str, Any]) -> Verdict | None:
        same = (pl.col("exchange_id") == item["exchange_id"]) & (pl.col("signal") == item["signal"])
        found = self.warehouse.scan("signals", [item["dt"]]).filter(same).collect()
        try:
            shown = around(
                self.warehouse,
                item["dt"],
                item["exchange_id"],
                None if found.is_empty() else found.row(0, named=True),
            )
        except NotFound:
            return self._none("no_text")
        asked = question(item["signal"], shown["messages"], self.group.max_chars)
        if asked is None:
            return self._none("no_text")
        payload = self.chat.payload(asked, SCHEMA)
        digest = content_id(PROMPT, self.group.url, json.dumps(payload, sort_keys=True))
        known = self.cache.get(digest)
        if known is not None:
            self.done.cached += 1
            return known
        spent = self.done.tokens + guessed_tokens(payload)
        if self.done.calls >= self.group.max_calls or spent > self.group.max_tokens:
            return self._none("over_budget")
        self.done.calls += 1
        reply = self.chat.ask(payload)
        self.done.tokens += reply.tokens
        said = None if reply.answer is None else verdict(reply.answer)
        if said is None:
            return self._none(reply.why if reply.answer is None else "malformed")
        self.cache.put(digest, said)
        return said

    def _none(self, why: str) -> Verdict | None:
        self.done.counts[why] += 1
        return None

    def close(self) -> None:
        self.chat.close()


class AnswerCache:
    """Verdicts by the digest of their question, one small file each. It holds no text.

    Args:
        folder: Where they lie.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, digest: str) -> Verdict | None:
        """Look a question up; what cannot be read is as if it were not there."""
        try:
            return verdict(json.loads(self._path(digest).read_bytes()))
        except (OSError, ValueError, AttributeError):
            return None

    def put(self, digest: str, said: Verdict) -> None:
        """Keep a verdict, whole or not at all."""
        path = self._path(digest)
        with contextlib.suppress(OSError), self._aside(path) as aside:
            aside.write_text(json.dumps({"verdict": said.verdict, "confidence": said.confidence}), encoding="utf-8")
            aside.replace(path)

    @staticmethod
    @contextlib.contextmanager
    def _aside(path: Path) -> Iterator[Path]:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        aside = path.with_name(f".{uuid4().hex}")
        try:
            os.close(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            yield aside
        finally:
            aside.unlink(missing_ok=True)

    def _path(self, digest: str) -> Path:
        return self._folder / digest[:2] / f"{digest}.json"
