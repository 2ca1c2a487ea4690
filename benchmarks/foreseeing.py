"""What small models and a cross-encoder say of conversations that they did not learn from."""

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from fit_signals import TARGETS
from labelled import LabelledSet
from learning import WRITTEN, odds_of, sigmoid
from tuning import CrossEncoder, Tuner

from signals.complain import excused
from signals.cross_encoder import JUDGED, LEAST, Triple, script_of, triples
from signals.reactions import said
from signals.rephrase import barred, mixed

FOLDS = 2
# It learns to tell a repeat too, which sharpens what it makes of a rephrase; nobody asks it about that.
LEARNT = (*JUDGED, "repeat")


@dataclass(frozen=True)
class Row:
    """One message that follows a reply.

    Attributes:
        conversation: Its set and conversation.
        triple: What the cross-encoder reads.
        truth: 1, 0 or NaN for each of `LEARNT`.
        small: What the small model of each of `JUDGED` reads: features and folded text; None where it rules the message
            out.
    """

    conversation: str
    triple: Triple
    truth: tuple[float, ...]
    small: dict[str, tuple[dict[str, float], str] | None]


def rows_of(name: str, labelled: LabelledSet) -> list[Row]:
    """Every message of a set that follows a reply."""
    readings = labelled.readings
    conversations, texts = (readings.window.messages[c] for c in ("conversation_id", "text"))
    relations = {(r.exchange, r.row): r for r in readings.relations}
    keys = [(reaction.exchange, reaction.row) for reaction in readings.reactions]
    read = triples(readings.window, readings.relations, keys)
    rows = []
    for key, triple, reaction in zip(keys, read, readings.reactions, strict=True):
        relation, own = relations.get(key), said(texts[reaction.row] or "")
        truth = [labelled.truth(reaction.row, TARGETS[signal]) for signal in LEARNT]
        repeats = truth[LEARNT.index("repeat")] != 0
        related = None if relation is None or barred(relation) or repeats else (mixed(relation, reaction.features), own)
        small = {"complain": None if excused(reaction) else (reaction.features, own), "rephrase": related}
        known = tuple(float("nan") if t is None else float(t) for t in truth)
        rows.append(Row(f"{name}/{conversations[reaction.row]}", triple, known, small))
    return rows


def small_odds(signal: str, rows: list[Row], train: np.ndarray, test: np.ndarray) -> dict[int, float]:
    """Log-odds by the small model, fitted on some rows, of those of the others that it judges: by row."""
    at = JUDGED.index(signal)

    def of(part: np.ndarray) -> list[int]:
        return [n for n in part.tolist() if rows[n].small[signal] and not np.isnan(rows[n].truth[at])]

    def table(part: list[int]) -> list[Any]:
        return [
            (rows[n].conversation, rows[n].small[signal][0], int(rows[n].truth[at]), rows[n].small[signal][1])
            for n in part
        ]

    judge = of(test)
    odds = odds_of(signal, table(of(train)), table(judge))
    return dict(zip(judge, odds.tolist(), strict=True))


@dataclass(frozen=True)
class Foreseen:
    """What was said of rows in conversations that nobody had seen.

    Attributes:
        sets: Set of each row that the small model judges.
        parts: Part of `FOLDS` that each is in, by conversation.
        scripts: Script of each, one of `SCRIPTS`.
        truth: 1 or 0 of each.
        small: Log-odds by the small model.
        close: Log-odds by the cross-encoder.
    """

    sets: np.ndarray
    parts: np.ndarray
    scripts: np.ndarray
    truth: np.ndarray
    small: np.ndarray
    close: np.ndarray


def parts_of(rows: list[Row]) -> np.ndarray:
    """Which of `FOLDS` parts each row is in, by conversation."""
    return np.array([zlib.crc32(row.conversation.encode()) % FOLDS for row in rows])


def small_foreseen(rows: list[Row]) -> tuple[dict[str, dict[int, float]], np.ndarray]:
    """For each of `JUDGED`, cross-validated log-odds by the small model; and which rows to learn from.

    What the small models all but rule out is never read, so it is not learnt from either, unless a reader labelled it.
    """
    fold, truth = parts_of(rows), np.array([row.truth for row in rows])
    small: dict[str, dict[int, float]] = {signal: {} for signal in JUDGED}
    for part in range(FOLDS):
        for signal in JUDGED:
            small[signal] |= small_odds(signal, rows, np.flatnonzero(fold != part), np.flatnonzero(fold == part))
    doubtful = {n for odds in small.values() for n, z in odds.items() if sigmoid(np.array(z)) >= LEAST}
    return small, np.array([n in doubtful or bool((of == 1).any()) for n, of in enumerate(truth)])


def foreseen(
    tuner: Tuner, rows: list[Row], small: dict[str, dict[int, float]], learnt: np.ndarray
) -> dict[str, Foreseen]:
    """For each of `JUDGED`, cross-validated log-odds of both models.

    Args:
        tuner: Who tunes the cross-encoder.
        rows: The rows.
        small: Those of the small models, from `small_foreseen`.
        learnt: Whether each row is learnt from.
    """
    fold, truth = parts_of(rows), np.array([row.truth for row in rows])
    read, close = tuner.read([row.triple for row in rows]), np.zeros(truth.shape)
    for part in range(FOLDS):
        train, test = np.flatnonzero((fold != part) & learnt), np.flatnonzero(fold == part)
        model = tuner.tune([read[n] for n in train], truth[train], f"part {part + 1} of {FOLDS}")
        close[test] = tuner.odds(model, [read[n] for n in test])
    return {signal: _gathered(signal, rows, small[signal], 0, close) for signal in JUDGED}


def tuned_on(tuner: Tuner, rows: list[Row], learnt: np.ndarray) -> CrossEncoder:
    """The cross-encoder that is tuned on all rows that are learnt from.

    Args:
        tuner: Who tunes it.
        rows: The rows.
        learnt: Whether each row is learnt from.
    """
    every = [row for row, wanted in zip(rows, learnt, strict=True) if wanted]
    return tuner.tune(tuner.read([row.triple for row in every]), np.array([row.truth for row in every]), "all")


def of_others(tuner: Tuner, model: CrossEncoder, rows: list[Row], asked: list[Row]) -> dict[str, Foreseen]:
    """For each of `JUDGED`, what models that learnt from some rows say of others.

    Args:
        tuner: Who tuned the cross-encoder.
        model: The cross-encoder.
        rows: What it learnt from, and the small models learn from.
        asked: What is judged.
    """
    close = tuner.odds(model, tuner.read([row.triple for row in asked]))
    return {signal: of_asked(signal, rows, asked, close) for signal in JUDGED}


def of_asked(signal: str, rows: list[Row], asked: list[Row], close: np.ndarray) -> Foreseen:
    """What the small model that learns from some rows, and a cross-encoder, say of others.

    Args:
        signal: One of `JUDGED`.
        rows: What the small model learns from.
        asked: What is judged.
        close: Log-odds of `asked` by the cross-encoder, shape (rows, at least 2).
    """
    every, first = [*rows, *asked], len(rows)
    small = small_odds(signal, every, np.arange(first), np.arange(first, len(every)))
    return _gathered(signal, every, small, first, close)


def _gathered(signal: str, rows: list[Row], small: dict[int, float], start: int, close: np.ndarray) -> Foreseen:
    """What both say of the rows that the small model judges; `close` begins with row `start`."""
    at = JUDGED.index(signal)
    sets = np.array([row.conversation.partition("/")[0] for row in rows])
    judged = sorted(n for n in small if sets[n] not in WRITTEN)
    scripts = np.array([script_of(rows[n].triple.later) for n in judged])
    truth, odds = np.array([rows[n].truth[at] for n in judged]), np.array([small[n] for n in judged])
    parts = parts_of([rows[n] for n in judged])
    return Foreseen(sets[judged], parts, scripts, truth, odds, close[np.array(judged) - start, at])
