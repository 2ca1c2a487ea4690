"""What each group of features gives a model: the same cross-validation without it."""

from collections.abc import Collection

import numpy as np
from learning import READ, Row, foreseen, measured, names_of

# Group to how its features begin; the first that fits. What fits none is form (length, question, marks and the like).
GROUPS: dict[str, tuple[str, ...]] = {
    "the replies": ("answers_alike", "next_", "answered_at_last", "gained_answered", "later_told", "earlier_told",
                    "reply_", "conceded", "asked", "answers_no", "gained_told"),
    "cue phrases": ("cue", "group:", "several", "many", "negative_per_length", "mood:group:", "mood:several",
                    "mood:negative_per_length", "mood:complain.", "mood:guards.", "clarify", "again", "next", "refer"),
    "nearness to typical sentences": ("near:",),
    "meaning (cosine)": ("semantic", "meaning"),
    "likeness of wording": ("exact", "lexical", "overlap", "kept", "held", "lost", "gained", "same_content",
                            "nearly_same", "changed", "frame", "word_replaced", "size_ratio"),
}  # fmt: skip
HASHED = "hashed words and characters"
FORM = "form and length"


def group_of(feature: str) -> str:
    """The group that a feature belongs to."""
    name = feature.removeprefix("as_request:")
    return next((group for group, begins in GROUPS.items() if name.startswith(begins)), FORM)


def average_precision(y: np.ndarray, p: np.ndarray) -> float:
    """Mean precision over the positives, most probable first: a figure without any threshold."""
    ranked = y[np.argsort(-p, kind="stable")]
    return float((np.cumsum(ranked) / np.arange(1, len(y) + 1))[ranked == 1].mean()) if y.any() else 0.0


def best_f1(y: np.ndarray, p: np.ndarray) -> float:
    """The best F1 of any threshold."""
    ranked = np.cumsum(y[np.argsort(-p, kind="stable")])
    return float(np.max(2 * ranked / (np.arange(1, len(y) + 1) + y.sum()))) if y.any() else 0.0


def ablation(rows: dict[str, list[Row]], aside: Collection[str]) -> list[str]:
    """Fit each model without each of its groups of features.

    Args:
        rows: Model to rows: (conversation, features, label, text).
        aside: Sets that are not measured on.

    Returns:
        Lines of a Markdown table: best F1 and average precision of each, all from conversations that were not seen.
    """
    lines = ["", "| model | left out | features | best F1 | average precision |", "|---|---|---|---|---|"]
    for model, found in rows.items():
        seen = measured(found, model, aside)
        y = np.array([row[2] for row in found])[seen]
        names = names_of(model, found)
        trials = [("nothing", names, model in READ)]
        for group in (*GROUPS, FORM):
            kept = [n for n in names if group_of(n) != group]
            if 0 < len(kept) < len(names):
                trials.append((group, kept, model in READ))
        if model in READ:
            trials.append((HASHED, names, False))
        for group, kept, texts in trials:
            p = foreseen(model, found, kept, texts=texts)[seen]
            lines.append(f"| {model} | {group} | {len(kept)} | {best_f1(y, p):.3f} | {average_precision(y, p):.3f} |")
    return lines
