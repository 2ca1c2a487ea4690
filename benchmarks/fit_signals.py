"""Fits the coefficients in `signals/models/*.json` from labelled sets, with cross-validation by conversation.

    make train GOLD=FOLDER SETS="real_train zh_train real_sharegpt"
    python benchmarks/fit_signals.py FOLDER real_train zh_train real_sharegpt [--write] [--ablate] [--diagram FILE.svg]

`FOLDER` holds `NAME.jsonl` (native records) and `NAME.labels.jsonl` for each set named. Without `--write` (which `make
train` adds), the figures of the cross-validation are printed and nothing changes. Nothing but names of features and
numbers is stored: with the coefficients their provenance, that is the sets by digest and the encoder.
`--ablate` prints what each group of features gives: the same cross-validation without it. `--diagram` draws how often
what was given a probability is true, from the same cross-validation.
"""

import argparse
import hashlib
import json
from collections.abc import Callable, Collection
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from ablation import ablation, average_precision, best_f1
from labelled import LabelledSet, read_set
from learning import READ, WRITTEN, Row, Weighed, chinese, foreseen, learn, matrix, measured, names_of
from reliability import calibration_error, diagram

from pipelines.encoders import load_encoder
from signals.complain import excused
from signals.logistic import packed
from signals.reactions import said
from signals.readings import Reaction
from signals.rephrase import barred, mixed
from signals.requests import Relation

MODELS = Path(__file__).parent.parent / "signals" / "models"
# The threshold is the least one at which so large a share of the detections is true, in conversations not seen; less is
# asked where more would leave hardly a detection. Models without a share maximise F1.
PRECISION = {"complain": 0.84, "complain.han": 0.7, "repeat": 0.85, "rephrase": 0.5, "rephrase.han": 0.43}
TARGETS = {
    "complain": ("complain", "failure_report"),
    "dismiss": ("dismiss",),
    "repeat": ("repeat",),
    "rephrase": ("rephrase",),
}
# F-scores that differ by less say nothing about which threshold is better.
NOISE = 0.004


def rows_of(name: str, labelled: LabelledSet) -> dict[str, list[Row]]:
    """Features and truth of every message of one set, for each model: (conversation, features, label)."""
    readings, truth = labelled.readings, labelled.truth
    conversations, texts = (readings.window.messages[c] for c in ("conversation_id", "text"))

    def collect(
        items: list[Any],
        features: Callable[[Any], dict[str, float]],
        signals: tuple[str, ...],
        keep: Callable[[Any], bool],
    ) -> list[Row]:
        out = []
        for item in items:
            label = truth(item.row, signals)
            if label is not None and keep(item):
                own = said(texts[item.row] or "")
                out.append((f"{name}/{conversations[item.row]}", features(item), label, own))
        return out

    def complains(r: Reaction) -> bool:
        return truth(r.row, TARGETS["complain"]) == 1

    def brushes(r: Reaction) -> bool:
        return any(f.startswith("group:dismiss.") for f in r.features)

    def comparable(r: Relation) -> bool:
        return not r.guard and not r.likeness.changed

    def not_repeated(r: Relation) -> bool:
        return not barred(r) and truth(r.row, ("repeat",)) == 0

    reactions, relations, mood = readings.reactions, readings.relations, readings.mood
    return {
        "complain": collect(reactions, attrgetter("features"), TARGETS["complain"], lambda r: not excused(r)),
        "failure_report": [
            (c, f, int(y and truth(r.row, ("complain",)) == 0), own)
            for r in reactions if complains(r)
            for c, f, y, own in collect([r], attrgetter("features"), ("failure_report",), lambda _: True)
        ],
        "dismiss": collect(reactions, attrgetter("features"), TARGETS["dismiss"], brushes),
        "repeat": collect(relations, attrgetter("features"), TARGETS["repeat"], comparable),
        "rephrase": collect(relations, lambda r: mixed(r, mood[r.exchange, r.row]), TARGETS["rephrase"], not_repeated),
    }  # fmt: skip


def every_label(labelled: LabelledSet) -> dict[str, list[int]]:
    """Truth of every message that follows a reply, for each signal: also of those that a guard rules out."""
    found: dict[str, list[int]] = {}
    for signal, labels in TARGETS.items():
        truth = [labelled.truth(reaction.row, labels) for reaction in labelled.readings.reactions]
        found[signal] = [label for label in truth if label is not None]
    return found


def fit(
    name: str, rows: list[Row], every: list[int], aside: Collection[str]
) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """Fit one model; its thresholds come from predictions for conversations that it had not seen.

    Args:
        name: Its name.
        rows: What it learns from.
        every: Labels of all messages, those too that a guard rules out: production gives them a probability of 0. Empty
            for a model that only names a rule.
        aside: Sets that are not measured on.

    Returns:
        What its file holds; truth and probability of the rows that are measured.
    """
    names, texts = names_of(name, rows), name in READ
    x = matrix(rows, names, texts=texts)
    model, seen = learn(name, x, rows, names), measured(rows, name, aside)
    of = [row for row, wanted in zip(rows, seen, strict=True) if wanted]
    y, out, han = np.array([row[2] for row in of]), foreseen(name, rows, names, texts=texts)[seen], chinese(of)
    parts = {"": ~han, "han": han} if model.han else {"": np.ones(len(of), dtype=bool)}
    thresholds = {part: threshold_of(f"{name}.{part}".strip("."), y[mine], out[mine]) for part, mine in parts.items()}
    found = out >= (np.where(han, thresholds["han"], thresholds[""]) if model.han else thresholds[""])
    precision, recall = y[found].mean() if found.any() else 0.0, found[y == 1].mean()
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    at = " / ".join(f"{threshold:.2f}" for threshold in thresholds.values())
    print(f"{name}: {len(y)} rows, {y.sum()} positive, {len(names)} features; threshold {at}: "
          f"precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}; best F1 {best_f1(y, out):.3f}, "
          f"average precision {average_precision(y, out):.3f}; Brier {np.mean((out - y) ** 2):.4f}, "
          f"calibration error {calibration_error(y, out):.4f}{over_all(of, y, out, every)}")  # fmt: skip
    if model.han:
        print("  " + "; ".join(in_part(part or "other", y[mine], out[mine]) for part, mine in parts.items()))
    print("  estimated / labelled: " + ", ".join(by_set(of, y, out)))
    stored = stored_of(model, names, thresholds[""], texts=texts)
    if model.han:
        stored["han"] = stored_of(model.han, names, thresholds["han"], texts=texts)
    stored["fitted_on"] = {"rows": len(rows), "positive": sum(row[2] for row in rows), "measured_on": len(y),
                           "precision": round(float(precision), 3), "recall": round(float(recall), 3),
                           "f1": round(float(f1), 3)}  # fmt: skip
    return stored, y, out


def in_part(part: str, y: np.ndarray, p: np.ndarray) -> str:
    """What is foreseen of the messages of one script, in words."""
    return f"{part}: {y.sum()} positive, best F1 {best_f1(y, p):.3f}, average precision {average_precision(y, p):.3f}"


def stored_of(model: Weighed, names: list[str], threshold: float, *, texts: bool) -> dict[str, Any]:
    """Coefficients as a model's file holds them."""
    weights = model.weights[: len(names)]
    return ({"hashed": packed(model.weights[len(names) :])} if texts else {}) | {
        "intercept": round(model.intercept, 4),
        "threshold": round(threshold, 2),
        "weights": {n: round(float(w), 4) for n, w in zip(names, weights, strict=True) if abs(w) >= 0.005},
    }


def over_all(rows: list[Row], y: np.ndarray, p: np.ndarray, every: list[int]) -> str:
    """The calibration error over all messages whose rates are life's, in words."""
    if not every:
        return ""
    life = measured(rows)
    y, p = y[life], p[life]
    rest = np.zeros(len(every) - len(y))
    rest[: sum(every) - int(y.sum())] = 1
    error = calibration_error(np.concatenate([y, rest]), np.concatenate([p, np.zeros(len(rest))]))
    return f", over all {len(every):,} messages {error:.4f}"


def by_set(rows: list[Row], y: np.ndarray, p: np.ndarray) -> list[str]:
    """How many positives the probabilities estimate in each set, and how many are labelled."""
    sets = np.array([conversation.split("/")[0] for conversation, *_ in rows])
    return [f"{name} {p[sets == name].sum():.0f} / {y[sets == name].sum()}" for name in dict.fromkeys(sets.tolist())]


def threshold_of(name: str, y: np.ndarray, p: np.ndarray) -> float:
    """The default threshold of a model, from predictions for conversations that it had not seen."""
    grid = np.round(np.arange(0.1, 0.9, 0.01), 2)
    if name in PRECISION:
        return float(min(t for t in grid if y[p >= t].mean() >= PRECISION[name]))
    scores = {t: f_score(y, p, t) for t in grid}
    # Of thresholds that do equally well within the noise, the least one: it misses fewer.
    return float(min(t for t, score in scores.items() if score >= max(scores.values()) - NOISE))


def f_score(y: np.ndarray, p: np.ndarray, threshold: float) -> float:
    """F1 of a threshold."""
    found = p >= threshold
    hits = float((found & (y == 1)).sum())
    missed, false = float((~found & (y == 1)).sum()), float((found & (y == 0)).sum())
    return 2 * hits / (2 * hits + missed + false) if hits else 0.0


def write(model: str, fitted: dict[str, Any], whence: dict[str, Any]) -> None:
    """Replace a model's file; a model that differs from the one before gets the next version."""
    path = MODELS / f"{model}.json"
    before = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"version": "0"}
    same = all(before.get(key) == value for key, value in fitted.items())
    version = before["version"] if same else str(int(before["version"]) + 1)
    text = json.dumps(fitted | {"version": version, "provenance": whence}, indent=1, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8")


def provenance(gold: Path, sets: list[str], encoder: Any) -> dict[str, Any]:
    """What a model was fitted on: the sets by digest, the encoder, and how."""
    files = [gold / f"{name}{end}" for name in sets for end in (".jsonl", ".labels.jsonl")]
    return {
        "command": "python benchmarks/fit_signals.py",
        "sets": {f.name: hashlib.sha256(f.read_bytes()).hexdigest()[:16] for f in files},
        "encoder": f"{encoder.name}@{encoder.revision}",
        "cross_validation": "five folds by conversation",
    }


def main() -> None:
    """Fit every model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--encoder", default="use-multilingual")
    parser.add_argument("--write", action="store_true", help="Replace the models.")
    parser.add_argument("--ablate", action="store_true", help="Print what each group of features gives.")
    parser.add_argument("--diagram", type=Path, help="Draw the reliability diagram into this SVG file.")
    parser.add_argument("--aside", nargs="+", default=[], help="Sets to learn from and not to measure on.")
    parser.add_argument("--only", nargs="+", choices=[*TARGETS, "failure_report"], help="Only these models.")
    options = parser.parse_args()
    encoder = load_encoder(options.encoder)
    rows: dict[str, list[Row]] = {}
    every: dict[str, list[int]] = {}
    for name in [*options.sets, *options.aside]:
        labelled = read_set(options.gold, name, encoder)
        for model, found in rows_of(name, labelled).items():
            if not options.only or model in options.only:
                rows.setdefault(model, []).extend(found)
        if name not in (*options.aside, *WRITTEN):
            for signal, labels in every_label(labelled).items():
                every.setdefault(signal, []).extend(labels)
    whence = provenance(options.gold, [*options.sets, *options.aside], encoder)
    curves = {}
    for model, found in rows.items():
        fitted, truth, p = fit(model, found, every.get(model, []), options.aside)
        curves[model] = (truth, p)
        if options.write:
            write(model, fitted, whence)
    if options.diagram:
        options.diagram.write_text(diagram(curves), encoding="utf-8")
    if options.ablate:
        print("\n".join(ablation(rows, options.aside)))


if __name__ == "__main__":
    main()
