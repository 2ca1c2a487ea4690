"""From judged user messages to verdicts of their exchanges: what the detectors that read text have in common."""

from dataclasses import dataclass

import polars as pl

from schemas.enums import FollowUp, Trigger
from signals.link import Window
from signals.verdicts import EVIDENCE, verdicts

# The same text again for a technical reason: no reaction to what the reply said.
RESENT = (FollowUp.RETRY_AFTER_ERROR.value, FollowUp.DOUBLE_SUBMIT.value, FollowUp.RECONNECT.value)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a detector thinks of one user message.

    Attributes:
        exchange: The exchange that the message answers.
        row: Row of the message.
        p: Probability of the signal.
        rule: Rule within the signal.
        phrase: Id of the cue phrase that was found.
        earlier_row: Row of the message that it was compared with.
        lexical: Lexical similarity to it.
        semantic: Cosine similarity to it.
        changed_slots: Kinds of slots that differ.
        threshold: Least probability of a detection, where it is not the same for all messages.
    """

    exchange: int
    row: int
    p: float
    rule: str
    phrase: str | None = None
    earlier_row: int | None = None
    lexical: float | None = None
    semantic: float | None = None
    changed_slots: tuple[str, ...] | None = None
    threshold: float | None = None


def strongest(judgements: list[Judgement]) -> dict[int, Judgement]:
    """The likeliest judgement of each exchange; the earliest message of equals."""
    best: dict[int, Judgement] = {}
    for judged in judgements:
        if judged.exchange not in best or judged.p > best[judged.exchange].p:
            best[judged.exchange] = judged
    return best


def spoken(
    window: Window, judgements: list[Judgement], *, threshold: float, measurable: pl.Expr, never: pl.Expr
) -> pl.DataFrame:
    """Turn judgements into verdicts.

    Args:
        window: Linked conversations.
        judgements: At most a few an exchange; exchanges without one are judged by the two expressions.
        threshold: Least probability of a detection, where a judgement names none.
        measurable: Over the exchanges: whether the signal can be decided at all.
        never: Over the exchanges: whether the signal cannot be, whatever the text says.

    Returns:
        Verdicts.
    """
    best = strongest(judgements)
    ids, at = window.messages["message_id"], window.messages["created_at"]
    rows = [
        {
            "exchange": j.exchange,
            "p": j.p,
            "threshold": threshold if j.threshold is None else j.threshold,
            "rule": j.rule,
            "trigger_message_id": ids[j.row],
            "occurred_at": at[j.row],
            "evidence": {
                "earlier_message_id": None if j.earlier_row is None else ids[j.earlier_row],
                "lexical": None if j.lexical is None else round(j.lexical, 4),
                "semantic": j.semantic,
                "changed_slots": None if j.changed_slots is None else list(j.changed_slots),
                "phrase": j.phrase,
                "seconds": None,
                "needed_seconds": None,
                "fraction_read": None,
            },
        }
        for j in best.values()
    ]
    schema = {
        "exchange": pl.UInt32(),
        "p": pl.Float64(),
        "threshold": pl.Float64(),
        "rule": pl.String(),
        "trigger_message_id": pl.String(),
        "occurred_at": pl.Datetime("us", "UTC"),
        "evidence": EVIDENCE,
    }
    judged = window.exchanges.join(pl.DataFrame(rows, schema=schema), on="exchange", how="left")
    never = never.fill_null(value=False)
    p = pl.when(never).then(0.0).otherwise(pl.col("p").fill_null(0.0))
    judged = judged.with_columns(
        pl.col("threshold").fill_null(threshold), p=pl.when(never | measurable.fill_null(value=False)).then(p)
    )
    return verdicts(
        judged.with_columns(
            value=pl.col("p") >= pl.col("threshold"), score=pl.col("p"), trigger=pl.lit(Trigger.TEXT.value)
        )
    )
