"""What models find in a set that they were not fitted on, with weights of their own for Chinese and without.

    python benchmarks/against.py FOLDER real_train zh_train real_sharegpt authored_zh --set real_dev zh_dev

`FOLDER` holds the sets as `fit_signals.py` reads them. Printed are figures without any threshold: best F1 and average
precision over the messages that no guard rules out, and how many positives the probabilities add up to.
"""

import argparse
from pathlib import Path

import numpy as np
from ablation import average_precision, best_f1
from fit_signals import TARGETS, rows_of
from labelled import read_set
from learning import SCRIPTED, chinese, odds_of, sigmoid, written

from pipelines.encoders import load_encoder


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--set", nargs="+", required=True, dest="asked", help="Sets to judge.")
    parser.add_argument("--only", nargs="+", choices=[*TARGETS], default=[*TARGETS], help="Only these models.")
    options = parser.parse_args()
    encoder = load_encoder("use-multilingual")
    read = {name: rows_of(name, read_set(options.gold, name, encoder)) for name in [*options.sets, *options.asked]}
    print(
        "| set | model | weights | messages | positive | best F1 | average precision | estimated |\n" + "|---" * 8 + "|"
    )
    for model in options.only:
        rows = [row for name in options.sets for row in read[name][model]]
        for name in options.asked:
            asked = read[name][model]
            y, han = np.array([label for _, _, label, _ in asked]), chinese(asked)
            for scripted in (False, True) if model in SCRIPTED else (False,):
                # What was written for Chinese weights is left out without them.
                known = rows if scripted else [row for row, out in zip(rows, written(rows), strict=True) if not out]
                p, weights = sigmoid(odds_of(model, known, asked, scripted=scripted)), ("shared", "by script")[scripted]
                for part, mine in (("all", han | ~han), ("han", han), ("other", ~han)):
                    if y[mine].any():
                        print(f"| {name} | {model} | {weights} | {part} | {y[mine].sum()} "
                              f"| {best_f1(y[mine], p[mine]):.3f} | {average_precision(y[mine], p[mine]):.3f} "
                              f"| {p[mine].sum():.0f} |")  # fmt: skip


if __name__ == "__main__":
    main()
