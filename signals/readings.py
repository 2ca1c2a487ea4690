"""What several detectors need of one window, read once and only when asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from signals import reactions
from signals.cross_encoder import CloseReading, CrossEncoder
from signals.encoder import Encoder, Vectors
from signals.link import Window
from signals.prototypes import nearness
from signals.requests import Relation, relate
from signals.settings import DetectSettings
from signals.text.acts import asks

# What a message is as a request, and what the replies around it tell, helps to tell what it is as a reaction.
AS_REQUEST = (
    "later_told", "earlier_told", "gained_told", "gained_answered", "reply_refuses", "reply_short", "next_refuses",
    "next_longer", "answers_alike", "next_missing", "again", "clarify", "refer", "next",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reaction:
    """A user message as a reaction to an exchange.

    Attributes:
        exchange: The exchange that it answers.
        row: Its row in the window's messages.
        text: What it says.
        features: Numbers for the models.
    """

    exchange: int
    row: int
    text: str
    features: dict[str, float]


class Readings:
    """Lazily computed readings of a window.

    Args:
        window: Linked conversations.
        encoder: The encoder, or None: then nothing can be said about meaning.
        settings: Thresholds.
        closer: A cross-encoder that reads beside the small models, or None.
    """

    def __init__(
        self, window: Window, encoder: Encoder | None, settings: DetectSettings, closer: CrossEncoder | None = None
    ) -> None:
        self.window, self.encoder, self.settings, self.closer = window, encoder, settings, closer
        self.vectors = None if encoder is None else Vectors(encoder)

    @cached_property
    def space(self) -> str:
        """Name and revision of the vector space; empty without an encoder."""
        return "" if self.encoder is None else f"{self.encoder.name}@{self.encoder.revision}"

    @cached_property
    def reactions(self) -> list[Reaction]:
        """Every reaction that has text, in order of exchange and rank."""
        exchanges = self.window.exchanges
        next_replies = {
            request: text
            for request, text in exchanges.select("request_row", "reply_text").iter_rows()
            if request is not None
        }
        replies = exchanges["reply_text"].to_list()
        texted = self.window.reactions.filter(pl.col("text").is_not_null()).select("exchange", "row", "text")
        as_request = {
            (r.exchange, r.row): {f"as_request:{name}": r.features[name] for name in AS_REQUEST} for r in self.relations
        }
        known: dict[str, dict[str, float]] = {}
        found = []
        for exchange, row, text in texted.iter_rows():
            if text not in known:
                known[text] = reactions.features(text)
            beside = {
                "conceded": float(reactions.conceded(next_replies.get(row))),
                "asked": float(asks(replies[exchange])),
                "answers_no": float(reactions.answers_no(text, replies[exchange])),
            }
            found.append(Reaction(exchange, row, text, known[text] | beside | as_request.get((exchange, row), {})))
        if self.vectors is None:
            return found
        near = nearness([reactions.said(r.text) for r in found], self.vectors)
        return [Reaction(r.exchange, r.row, r.text, r.features | n) for r, n in zip(found, near, strict=True)]

    @cached_property
    def relations(self) -> list[Relation]:
        """The relation of every reaction to the earlier request that it resembles most; none without an encoder."""
        return [] if self.vectors is None else relate(self.window, self.vectors)

    @cached_property
    def close(self) -> CloseReading | None:
        """What the cross-encoder reads; None without one."""
        return None if self.closer is None else CloseReading(self.closer, self.window, self.relations)

    def weighed(self, signal: str, keys: Sequence[tuple[int, int]], odds: list[float]) -> list[float]:
        """Probabilities of a small model, weighed with the cross-encoder's where there is one.

        Args:
            signal: One of `signals.cross_encoder.JUDGED`.
            keys: Exchange and row of each message.
            odds: Probability of each, by the small model.
        """
        return odds if self.close is None else self.close.weighed(signal, keys, odds)

    def thresholds(self, signal: str, keys: Sequence[tuple[int, int]], usual: list[float]) -> list[float]:
        """Least probability of a detection for each message: the configured one, or that of who judges.

        Args:
            signal: One of `signals.cross_encoder.JUDGED`.
            keys: Exchange and row of each message.
            usual: The small model's own, one a message.
        """
        configured: float | None = getattr(self.settings, signal)
        if configured is not None:
            return [configured] * len(keys)
        return usual if self.close is None else self.close.thresholds(signal, keys)

    @cached_property
    def mood(self) -> dict[tuple[int, int], dict[str, float]]:
        """Features of each reaction by (exchange, row)."""
        return {(r.exchange, r.row): r.features for r in self.reactions}
