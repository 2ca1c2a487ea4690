"""Logistic regression with what is known of each weight before any label: for `fit_signals.py`."""

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array

from signals.reactions import STRONG

# How much the labels count against what is known before them: the less, the stronger the pull of that.
PENALTY = {"complain": 0.2, "failure_report": 0.3, "dismiss": 0.3, "repeat": 0.3, "rephrase": 0.5}
# Of Chinese weights, which start from those of all messages. The Chinese sets are mostly written ones: weights that are
# free to follow them lose more on the few real conversations than they gain on the written. Those of complaints move
# least, for freer ones doubt the bluntest of complaints.
PENALTY |= {"complain.han": 0.03, "rephrase.han": 0.1}


def prior(name: str, feature: str) -> tuple[float, float, float]:
    """What is known of a weight before any label: its expected value and the least and greatest that it may take.

    A cue of dissatisfaction cannot speak for satisfaction, however few labels happen to hold it; and a rare one keeps
    some of its plain meaning.
    """
    if name in ("complain", "failure_report") and feature.startswith(("cue:complain.", "group:complain.")):
        if name == "failure_report":
            return 0.0, -np.inf, np.inf
        if feature.endswith(("sarcasm", "unhappy", "reported")):
            return 2.0, 0.0, np.inf
        return (0.8 if feature.startswith("cue:") and feature.rsplit(".", 1)[1] in STRONG else 0.1), 0.0, np.inf
    if name == "complain" and feature.startswith(
        (
            "group:guards.praise",
            "cue:guards.praise",
            "cue:guards.own",
            "group:guards.own",
            "cue:guards.question",
            "group:guards.question",
            "quotation",
        )
    ):
        return -0.1, -np.inf, 0.0
    if name == "dismiss" and feature.startswith(("cue:dismiss.", "group:dismiss.")):
        return 0.3, 0.0, np.inf
    return 0.0, -np.inf, np.inf


def regress(
    name: str, x: csr_array, y: np.ndarray, names: list[str], *, around: np.ndarray | None = None
) -> tuple[float, np.ndarray]:
    """Logistic regression with a Gaussian prior around `prior`, within its bounds; the intercept is free.

    Args:
        name: The model's name, with `.han` behind it for its Chinese weights.
        x: Values, shape (rows, columns).
        y: Labels, 0 or 1.
        names: Names of the first columns; the others have a prior around 0.
        around: Centre of the prior in place of `prior`'s, one a column.
    """
    known = name.removesuffix(".han")
    priors = [prior(known, feature) for feature in names] + [(0.0, -np.inf, np.inf)] * (x.shape[1] - len(names))
    centre = np.array([p[0] for p in priors]) if around is None else around

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        z = w[0] + x @ w[1:]
        p = 1.0 / (1.0 + np.exp(-z))
        away = w[1:] - centre
        value = PENALTY[name] * np.sum(np.logaddexp(0.0, z) - y * z) + 0.5 * away @ away
        return value, np.concatenate([[PENALTY[name] * np.sum(p - y)], PENALTY[name] * (x.T @ (p - y)) + away])

    bounds = [(-np.inf, np.inf), *((low, high) for _, low, high in priors)]
    # So close to the optimum that another processor's arithmetic finds the same coefficients, to the places kept.
    close = {"maxiter": 10_000, "maxfun": 20_000, "ftol": 1e-14, "gtol": 1e-6}
    start = np.concatenate([[0.0], centre])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=close)
    return float(found.x[0]), found.x[1:]
