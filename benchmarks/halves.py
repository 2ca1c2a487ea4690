"""How a small model and a cross-encoder are weighed, and what both find by what other conversations say of that.

For `fit_cross_encoder.py` and `pack_cross_encoder.py`.
"""

from dataclasses import fields

import numpy as np
from ablation import average_precision, best_f1
from foreseeing import FOLDS, Foreseen
from learning import sigmoid
from reliability import calibration_error
from sklearn.linear_model import LogisticRegression

from signals.cross_encoder import LEAST, SCRIPTS, Blend
from signals.logistic import logistic

# With fewer positives in a script than this, the small model judges alone there.
ENOUGH = 20
WRITTEN_IN = {"han": "\u4e2d", "other": "a"}
HEADER = (
    "| set | signal | by | precision | recall | best F1 | average precision | calibration error "
    "| estimated / labelled |\n|" + "---|" * 9
)


def blends_of(signal: str, said: Foreseen, precision: float) -> dict[str, Blend]:
    """How both are weighed in each script, and from which probability on there is a detection.

    A base may not read a script at all: then its word gets no weight there. Where there is too little to go by, the
    small model that comes with Tacit judges alone, at its own threshold.

    Args:
        signal: One of `signals.cross_encoder.JUDGED`.
        said: What was foreseen.
        precision: Share of detections that are to be true.
    """
    p, blends = sigmoid(said.small), {}
    both = np.column_stack([said.small, said.close])
    for script in SCRIPTS:
        mine = said.scripts == script
        read = mine & (p >= LEAST)
        if said.truth[read].sum() < ENOUGH:
            (usual,) = logistic(signal).thresholds([WRITTEN_IN[script]])
            blends[script] = Blend(0.0, 1.0, 0.0, usual)
            continue
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


def part_of(said: Foreseen, wanted: np.ndarray) -> Foreseen:
    """Some rows of what was foreseen."""
    return Foreseen(*(getattr(said, field.name)[wanted] for field in fields(said)))


def crossed(signal: str, said: Foreseen, precision: float) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities by both and whether each is a detection, by what the other parts say of weights and thresholds.

    Args:
        signal: See `blends_of`; so are the others.
        said: See there.
        precision: See there.
    """
    p, found = np.zeros(len(said.truth)), np.zeros(len(said.truth), dtype=bool)
    for part in range(FOLDS):
        at = said.parts == part
        mine, blends = part_of(said, at), blends_of(signal, part_of(said, ~at), precision)
        p[at] = blended(mine, blends)
        found[at] = p[at] >= np.array([blends[script].threshold for script in mine.scripts])
    return p, found


def lines_of(signal: str, said: Foreseen, p: np.ndarray, found: np.ndarray) -> list[str]:
    """Lines of a Markdown table: each set by the small model and by both."""
    lines = []
    for name in dict.fromkeys(said.sets.tolist()):
        mine = said.sets == name
        y, hits = said.truth[mine], found[mine]
        at = [f"{y[hits].mean():.3f}", f"{hits[y == 1].mean():.3f}"]
        for by, q, first in (("small model", sigmoid(said.small)[mine], ["", ""]), ("both", p[mine], at)):
            shown = [*first, f"{best_f1(y, q):.3f}", f"{average_precision(y, q):.3f}",
                     f"{calibration_error(y, q):.4f}", f"{q.sum():.0f} / {y.sum():.0f}"]  # fmt: skip
            lines.append(f"| {name} | {signal} | {by} | " + " | ".join(shown) + " |")
    return lines
