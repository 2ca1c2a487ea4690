"""Scores detections against readers' labels: precision, recall and F1 with intervals, by language and source."""

import math
from collections.abc import Mapping

import numpy as np
import polars as pl

from schemas.enums import Signal

# What is scored: name to (columns that detect it, labels that make it true, labels that leave it out).
TARGETS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    **{s.value: ((s.value,), (s.value,), ()) for s in Signal},
    "complain": (("complain",), ("complain", "failure_report"), ()),
    "dissatisfaction": (("complain",), ("complain",), ("failure_report",)),
    "failure_report": (("complain",), ("failure_report",), ("complain",)),
    "repeat_or_rephrase": (("repeat", "rephrase"), ("repeat", "rephrase"), ()),
}
# A complaint that is no failure report is no mistake of the detector that finds both: only recall means something.
_RECALL_ONLY = frozenset({"failure_report"})

_Z = 1.959964
_RESAMPLES = 1000
_SEED = 20260_11
_LANGUAGES = {"latin": "latin", "han": "chinese", "mixed": "mixed", "other": "other", "none": "none"}


def score(exchanges: pl.DataFrame, labels: pl.DataFrame, signals: pl.DataFrame | None = None) -> pl.DataFrame:
    """Compare detections with labels.

    An exchange is a positive where a sure label stands on its next user message, on its reply (acts without words), or
    on the user message that a detection names; items on which the readers were not sure are left out both ways. A
    label that belongs to no exchange is a miss. A label that says `measurable: false` is met by null alone.

    Args:
        exchanges: Columns of the `exchanges` table.
        labels: `conversation_id`, `message_id`, `signal`, `about` (null: no reply), `sure`, `measurable`.
        signals: Columns of the `signals` table; with them, a label on the second of two user messages is found.

    Returns:
        One row for each of `TARGETS` and group: `signal`, `group_kind` (all, language, source), `group`, `tp`, `fp`,
        `fn`, `precision`, `recall`, `f1`, each of the three with `_low` and `_high` (95 %: Wilson, for F1 bootstrap
        over conversations), `n_positives`, `n_items`, `n_not_measurable` (labels that say so), `n_measured` (items with
        a probability), `estimated_rate` (mean probability of these), `labelled_rate` (share of these that are
        positive). A figure without a denominator is null.
    """
    matched = _match(exchanges, labels, signals)
    rows = []
    for name in TARGETS:
        items = _items(name, exchanges, matched)
        if not items["positive"].any() and not items["unmeasurable"].any() and not items["found"].any():
            continue
        rows += [_figures(name, kind, group, part) for kind, group, part in _groups(items)]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


_SCHEMA: dict[str, pl.DataType] = {
    **dict.fromkeys(("signal", "group_kind", "group"), pl.String()),
    **dict.fromkeys(("tp", "fp", "fn"), pl.Int64()),
    **{f"{m}{end}": pl.Float64() for m in ("precision", "recall", "f1") for end in ("", "_low", "_high")},
    **dict.fromkeys(("n_positives", "n_items", "n_not_measurable", "n_measured"), pl.Int64()),
    **dict.fromkeys(("estimated_rate", "labelled_rate"), pl.Float64()),
}


def _match(exchanges: pl.DataFrame, labels: pl.DataFrame, signals: pl.DataFrame | None) -> pl.DataFrame:
    """Labels with the `exchange_id` that each belongs to; null where there is none."""
    keys = [
        exchanges.select("conversation_id", "exchange_id", message_id="next_user_id"),
        exchanges.select("conversation_id", "exchange_id", message_id="reply_id"),
    ]
    if signals is not None:
        keys.append(signals.select("conversation_id", "exchange_id", message_id="trigger_message_id"))
    where = pl.concat(keys).drop_nulls().unique(["conversation_id", "message_id"], keep="first", maintain_order=True)
    by_reply = exchanges.select("conversation_id", about="reply_id", _by_reply="exchange_id")
    sources = exchanges.group_by("conversation_id", maintain_order=True).agg(pl.col("source", "script").first())
    return (
        labels.join(where, on=["conversation_id", "message_id"], how="left")
        .join(by_reply, on=["conversation_id", "about"], how="left")
        .with_columns(exchange_id=pl.coalesce("exchange_id", "_by_reply"))
        .join(sources, on="conversation_id", how="left")
    )


def _items(name: str, exchanges: pl.DataFrame, matched: pl.DataFrame) -> pl.DataFrame:
    """What is scored for one target: a row an exchange, and a row for each sure label without one."""
    detected, wanted, ignored = TARGETS[name]
    mine = matched.filter(pl.col("signal").is_in(wanted))
    truth = mine.group_by("exchange_id").agg(
        positive=(pl.col("sure") & pl.col("measurable")).any(),
        unsure=(~pl.col("sure")).any(),
        unmeasurable=(pl.col("sure") & ~pl.col("measurable")).any(),
    )
    out = matched.filter(pl.col("signal").is_in(ignored)).select("exchange_id", _ignored=pl.lit(value=True)).unique()
    items = (
        exchanges.select(
            "exchange_id",
            "conversation_id",
            "source",
            "script",
            found=pl.any_horizontal(pl.col(c).fill_null(value=False) for c in detected),
            null=pl.all_horizontal(pl.col(c).is_null() for c in detected),
            p=pl.sum_horizontal((f"p_{c}" for c in detected), ignore_nulls=False).clip(0, 1),
        )
        .join(truth.drop_nulls("exchange_id"), on="exchange_id", how="left")
        .join(out.drop_nulls(), on="exchange_id", how="left")
        .with_columns(pl.col("positive", "unsure", "unmeasurable", "_ignored").fill_null(value=False))
        .filter(pl.col("positive") | ~(pl.col("unsure") | pl.col("_ignored")))
        .drop("unsure", "_ignored")
    )
    lost = mine.filter(pl.col("exchange_id").is_null() & pl.col("sure") & pl.col("measurable")).unique(
        ["conversation_id", "message_id"], maintain_order=True
    )
    missed = lost.select(
        "exchange_id", "conversation_id", "source", "script",
        found=pl.lit(value=False), null=pl.lit(value=True), p=pl.lit(None, pl.Float64),
        positive=pl.lit(value=True), unmeasurable=pl.lit(value=False),
    )  # fmt: skip
    wrong = (pl.col("found") & ~pl.col("positive")) | (pl.col("unmeasurable") & ~pl.col("null"))
    if name in _RECALL_ONLY:
        wrong = pl.lit(value=False)
    return pl.concat([items, missed]).with_columns(
        tp=pl.col("found") & pl.col("positive"), fp=wrong, fn=pl.col("positive") & ~pl.col("found")
    )


def _groups(items: pl.DataFrame) -> list[tuple[str, str, pl.DataFrame]]:
    groups = [("all", "all", items)]
    language = items.with_columns(
        _group=pl.col("script").replace_strict(_LANGUAGES, default="none", return_dtype=pl.String)
    )
    for kind, frame in (
        ("language", language),
        ("source", items.with_columns(_group=pl.col("source").fill_null("none"))),
    ):
        for (group,), part in sorted(frame.partition_by("_group", as_dict=True).items(), key=lambda item: str(item[0])):
            groups.append((kind, str(group), part))
    return groups


def _figures(name: str, kind: str, group: str, items: pl.DataFrame) -> dict[str, object]:
    tp, fp, fn = (int(items[c].sum()) for c in ("tp", "fp", "fn"))
    counts = items.group_by("conversation_id").agg(pl.col("tp", "fp", "fn").sum()).sort("conversation_id")
    precision = (None, None, None) if name in _RECALL_ONLY else wilson(tp, tp + fp)
    f1 = (None, None, None) if name in _RECALL_ONLY else bootstrap_f1(counts.select("tp", "fp", "fn").to_numpy())
    named = {
        f"{metric}{end}": value
        for metric, triple in (("precision", precision), ("recall", wilson(tp, tp + fn)), ("f1", f1))
        for end, value in zip(("", "_low", "_high"), triple, strict=True)
    }
    positives = int(items["positive"].sum())
    # Both rates are of the same exchanges, those that could be measured: only so can one be held against the other.
    measured = items.filter(~pl.col("null") & pl.col("p").is_not_null())
    return {
        "signal": name, "group_kind": kind, "group": group, "tp": tp, "fp": fp, "fn": fn, **named,
        "n_positives": positives, "n_items": items.height, "n_not_measurable": int(items["unmeasurable"].sum()),
        "n_measured": measured.height,
        "estimated_rate": measured["p"].mean(), "labelled_rate": measured["positive"].mean(),
    }  # fmt: skip


def wilson(hits: int, n: int) -> tuple[float | None, float | None, float | None]:
    """A proportion with its 95 % Wilson interval.

    Args:
        hits: Successes.
        n: Trials.

    Returns:
        Proportion, lower and upper end; all None without trials.
    """
    if not n:
        return None, None, None
    share = hits / n
    middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
    return share, max(0.0, middle - half), min(1.0, middle + half)


def bootstrap_f1(counts: np.ndarray) -> tuple[float | None, float | None, float | None]:
    """F1 with a 95 % interval from resampling conversations.

    Args:
        counts: True positives, false positives and misses of each conversation, shape (conversations, 3).

    Returns:
        F1, lower and upper end; all None where nothing was found and nothing was there to be found.
    """
    totals = counts.sum(axis=0)
    if not totals.sum():
        return None, None, None
    draws = np.random.default_rng(_SEED).multinomial(
        len(counts), np.full(len(counts), 1 / len(counts)), size=_RESAMPLES
    )
    sampled = draws @ counts
    size = 2 * sampled[:, 0] + sampled[:, 1] + sampled[:, 2]
    values = np.divide(2 * sampled[:, 0], size, out=np.zeros(len(size)), where=size > 0)[size > 0]
    low, high = np.percentile(values, [2.5, 97.5])
    return float(2 * totals[0] / (2 * totals[0] + totals[1] + totals[2])), float(low), float(high)
