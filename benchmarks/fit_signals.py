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
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from ablation import ablation, average_precision, best_f1
from labelled import LabelledSet, read_set
from regression import prior, regress
from reliability import calibration_error, diagram
from scipy.sparse import csr_array, hstack
from sklearn.model_selection import GroupKFold

from pipelines.encoders import load_encoder
from signals.complain import excused
from signals.logistic import packed
from signals.ngrams import BUCKETS, hashed
from signals.reactions import said
from signals.readings import Reaction
from signals.rephrase import barred, mixed
from signals.requests import Relation

MODELS = Path(__file__).parent.parent / "signals" / "models"
# The threshold is the least one at which so large a share of the detections is true, in conversations not seen.
PRECISION = {"complain": 0.82, "repeat": 0.85, "rephrase": 0.5}
# Where examples are too few for that, or the model only names the rule of a complaint, it maximises F of this beta.
BETA = {"failure_report": 1.0, "dismiss": 1.0}
TARGETS = {
    "complain": ("complain", "failure_report"),
    "dismiss": ("dismiss",),
    "repeat": ("repeat",),
    "rephrase": ("rephrase",),
}
# F-scores that differ by less say nothing about which threshold is better.
NOISE = 0.004
# Models that read hashed words beside their features.
READ = frozenset({"complain", "repeat"})
Row = tuple[str, dict[str, float], int, str]


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


# The dismiss model has few positives to learn from, so only these features are open to it.
FEW = (
    "cue:dismiss.",
    "group:dismiss.",
    "length",
    "long",
    "question",
    "group:guards.praise",
    "group:guards.role",
    "several",
)


def matrix(rows: list[Row], names: list[str], *, texts: bool) -> csr_array:
    """Feature values, shape (rows, names), and where texts are read, one column more for each bucket."""
    values = csr_array(np.array([[f.get(n, 0.0) for n in names] for _, f, _, _ in rows]))
    if not texts:
        return values
    read = [hashed(said) for *_, said in rows]
    starts = np.cumsum([0, *(len(at) for at, _ in read)])
    parts = (np.concatenate([v for _, v in read]), np.concatenate([at for at, _ in read]), starts)
    return csr_array(hstack([values, csr_array(parts, shape=(len(rows), BUCKETS))]))


def names_of(name: str, rows: list[Row]) -> list[str]:
    """The features that a model may weigh: those that are not too rare to learn from."""
    counts: dict[str, int] = {}
    for _, features, _, _ in rows:
        for feature, value in features.items():
            counts[feature] = counts.get(feature, 0) + bool(value)
    return sorted(
        f
        for f, n in counts.items()
        if (n >= 5 or prior(name, f)[0] >= 0.3) and (name != "dismiss" or f.startswith(FEW))
    )


def foreseen(name: str, rows: list[Row], names: list[str], *, texts: bool) -> np.ndarray:
    """Probability of each row, from a model that has seen no message of its conversation."""
    x, y = matrix(rows, names, texts=texts), np.array([label for _, _, label, _ in rows])
    out = np.zeros(len(y))
    for train, test in GroupKFold(5).split(x, y, [c for c, *_ in rows]):
        intercept, weights = regress(name, x[train], y[train], names)
        out[test] = 1.0 / (1.0 + np.exp(-intercept - x[test] @ weights))
    return out


def fit(name: str, rows: list[Row], every: list[int]) -> tuple[dict[str, Any], np.ndarray]:
    """Fit one model; its threshold comes from predictions for conversations that it had not seen.

    Args:
        name: Its name.
        rows: What it learns from.
        every: Labels of all messages, those too that a guard rules out: production gives them a probability of 0. Empty
            for a model that only names a rule.
    """
    names, texts = names_of(name, rows), name in READ
    y = np.array([label for _, _, label, _ in rows])
    out = foreseen(name, rows, names, texts=texts)
    threshold = threshold_of(name, y, out)
    found = out >= threshold
    precision, recall = y[found].mean() if found.any() else 0.0, found[y == 1].mean()
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    print(f"{name}: {len(y)} rows, {y.sum()} positive, {len(names)} features; threshold {threshold:.2f}: "
          f"precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}; best F1 {best_f1(y, out):.3f}, "
          f"average precision {average_precision(y, out):.3f}; Brier {np.mean((out - y) ** 2):.4f}, "
          f"calibration error {calibration_error(y, out):.4f}{over_all(y, out, every)}")  # fmt: skip
    print("  estimated / labelled: " + ", ".join(by_set(rows, y, out)))
    intercept, fitted = regress(name, matrix(rows, names, texts=texts), y, names)
    weights = fitted[: len(names)]
    hashes = {"hashed": packed(fitted[len(names) :])} if texts else {}
    return hashes | {
        "intercept": round(intercept, 4),
        "threshold": round(float(threshold), 2),
        "fitted_on": {"rows": len(y), "positive": int(y.sum()), "precision": round(float(precision), 3),
                      "recall": round(float(recall), 3), "f1": round(float(f1), 3)},
        "weights": {n: round(float(w), 4) for n, w in zip(names, weights, strict=True) if abs(w) >= 0.005},
    }, out  # fmt: skip


def over_all(y: np.ndarray, p: np.ndarray, every: list[int]) -> str:
    """The calibration error over all messages, in words."""
    if not every:
        return ""
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
    scores = {t: f_score(y, p, t, BETA[name]) for t in grid}
    # Of thresholds that do equally well within the noise, the least one: it misses fewer.
    return float(min(t for t, score in scores.items() if score >= max(scores.values()) - NOISE))


def f_score(y: np.ndarray, p: np.ndarray, threshold: float, beta: float) -> float:
    """F-score of a threshold."""
    found = p >= threshold
    hits = float((found & (y == 1)).sum())
    missed, false = float((~found & (y == 1)).sum()), float((found & (y == 0)).sum())
    weighted = (1 + beta**2) * hits
    return weighted / (weighted + beta**2 * missed + false) if hits else 0.0


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
    parser.add_argument("--only", nargs="+", choices=[*TARGETS, "failure_report"], help="Only these models.")
    options = parser.parse_args()
    encoder = load_encoder(options.encoder)
    rows: dict[str, list[Row]] = {}
    every: dict[str, list[int]] = {}
    for name in options.sets:
        labelled = read_set(options.gold, name, encoder)
        for model, found in rows_of(name, labelled).items():
            if not options.only or model in options.only:
                rows.setdefault(model, []).extend(found)
        for signal, labels in every_label(labelled).items():
            every.setdefault(signal, []).extend(labels)
    whence = provenance(options.gold, options.sets, encoder)
    curves = {}
    for model, found in rows.items():
        fitted, out = fit(model, found, every.get(model, []))
        curves[model] = (np.array([label for _, _, label, _ in found]), out)
        if options.write:
            write(model, fitted, whence)
    if options.diagram:
        options.diagram.write_text(diagram(curves), encoding="utf-8")
    if options.ablate:
        print("\n".join(ablation(rows, names_of, foreseen, READ)))


if __name__ == "__main__":
    main()
