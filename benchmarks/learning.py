"""How a model is learnt from labelled rows, and what it foresees of conversations that it has not seen."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from regression import prior, regress
from scipy.sparse import csr_array, hstack
from sklearn.model_selection import GroupKFold

from signals.ngrams import BUCKETS, hashed
from signals.text.fold import has_han

# Conversation (as SET/ID), features, label, the user's own words.
Row = tuple[str, dict[str, float], int, str]

# Models that read hashed words beside their features.
READ = frozenset({"complain", "repeat"})
# Models with weights of their own for Chinese. Others have too few Chinese positives to tell them from the rest.
SCRIPTED = frozenset({"complain", "rephrase"})
# Sets that were written for this project, with more hits than life has: models learn from them and are not measured on
# them, since their rates are nobody's.
WRITTEN = ("authored_zh", "authored_en")
# Models that tell what a message with a cue is; how many such messages there are does not matter to them.
CONDITIONAL = frozenset({"failure_report", "dismiss"})
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


@dataclass(frozen=True)
class Weighed:
    """A fitted model.

    Attributes:
        intercept: Log-odds where every feature is 0.
        weights: Log-odds a unit, one a column.
        han: The model of Chinese messages, if it is another.
    """

    intercept: float
    weights: np.ndarray
    han: "Weighed | None" = None

    def odds(self, x: csr_array, rows: list[Row]) -> np.ndarray:
        """Log-odds of rows.

        Args:
            x: Their values, shape (rows, columns).
            rows: The rows.
        """
        usual = self.intercept + x @ self.weights
        return usual if self.han is None else np.where(chinese(rows), self.han.intercept + x @ self.han.weights, usual)


def chinese(rows: list[Row]) -> np.ndarray:
    """Whether each row's words hold a Chinese character."""
    return np.array([has_han(own) for *_, own in rows], dtype=bool)


def written(rows: list[Row]) -> np.ndarray:
    """Whether each row is of a set that was written for this project."""
    return _of_sets(rows, WRITTEN)


def measured(rows: list[Row], name: str = "", aside: Collection[str] = ()) -> np.ndarray:
    """Whether each row is measured on.

    Args:
        rows: The rows.
        name: The model's name: those to which rates mean nothing are measured on written sets too.
        aside: Other sets to learn from and not to measure on.
    """
    return ~_of_sets(rows, aside if name in CONDITIONAL else {*aside, *WRITTEN})


def _of_sets(rows: list[Row], names: Collection[str]) -> np.ndarray:
    return np.array([conversation.partition("/")[0] in names for conversation, *_ in rows], dtype=bool)


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


def matrix(rows: list[Row], names: list[str], *, texts: bool) -> csr_array:
    """Feature values, shape (rows, names), and where texts are read, one column more for each bucket."""
    values = csr_array(np.array([[f.get(n, 0.0) for n in names] for _, f, _, _ in rows]))
    if not texts:
        return values
    read = [hashed(said) for *_, said in rows]
    starts = np.cumsum([0, *(len(at) for at, _ in read)])
    parts = (np.concatenate([v for _, v in read]), np.concatenate([at for at, _ in read]), starts)
    return csr_array(hstack([values, csr_array(parts, shape=(len(rows), BUCKETS))]))


def learn(name: str, x: csr_array, rows: list[Row], names: list[str], *, scripted: bool = True) -> Weighed:
    """Fit a model.

    In Chinese, people complain and ask again in other ways, and there are fewer examples of it: where a model is
    `SCRIPTED`, its weights for Chinese start from those for all messages and are moved by Chinese ones. Written sets
    move nothing else.

    Args:
        name: Its name.
        x: Values of the rows, shape (rows, columns).
        rows: What it learns from.
        names: The names of its first columns.
        scripted: Whether a model that is `SCRIPTED` gets weights of its own for Chinese.
    """
    y = np.array([label for _, _, label, _ in rows])
    if name not in SCRIPTED or not scripted:
        return Weighed(*regress(name, x, y, names))
    han, made = chinese(rows), written(rows)
    intercept, weights = regress(name, x[np.flatnonzero(~made)], y[~made], names)
    if not y[han].any():
        return Weighed(intercept, weights)
    # Written sets have an intercept of their own, which is learnt and left out: their rate is nobody's.
    wider = csr_array(hstack([x[np.flatnonzero(han)], csr_array(made[han, None].astype(float))]))
    own, moved = regress(f"{name}.han", wider, y[han], names, around=np.append(weights, 0.0))
    return Weighed(intercept, weights, Weighed(own, moved[:-1]))


def odds_of(name: str, known: list[Row], asked: list[Row], *, scripted: bool = True) -> np.ndarray:
    """Log-odds of rows by a model that is fitted on others; `scripted` as in `learn`."""
    names, texts = names_of(name, known), name in READ
    model = learn(name, matrix(known, names, texts=texts), known, names, scripted=scripted)
    return model.odds(matrix(asked, names, texts=texts), asked)


def sigmoid(odds: np.ndarray) -> np.ndarray:
    """Probabilities of log-odds."""
    return 1.0 / (1.0 + np.exp(-odds))


def foreseen(name: str, rows: list[Row], names: list[str], *, texts: bool) -> np.ndarray:
    """Probability of each row, from a model that has seen no message of its conversation."""
    x, y = matrix(rows, names, texts=texts), np.array([label for _, _, label, _ in rows])
    out = np.zeros(len(y))
    for train, test in GroupKFold(5).split(x, y, [c for c, *_ in rows]):
        model = learn(name, x[train], [rows[n] for n in train], names)
        out[test] = sigmoid(model.odds(x[test], [rows[n] for n in test]))
    return out
