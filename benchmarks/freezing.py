"""Holds the lower layers of an encoder as they are while the upper ones are tuned: for `tuning.py`."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

ROWS = 32
Batch = dict[str, torch.Tensor]


class _Given(torch.nn.Module):
    """Stands in the place of the embeddings where states are given."""

    def forward(self, inputs_embeds: torch.Tensor, **_: Any) -> torch.Tensor:
        """The states, as they come."""
        return inputs_embeds


class Frozen:
    """The lower layers of an encoder, which are run once for each text, and not at every showing.

    Args:
        encoder: A BERT-like model of transformers: embeddings, and layers of which each reads the one below.
        layers: How many of the layers keep their weights, with the embeddings, and with what all layers share.
    """

    def __init__(self, encoder: Any, layers: int) -> None:
        self._encoder, self._embeddings = encoder, encoder.embeddings
        self._lower, self._upper = encoder.encoder.layer[:layers], encoder.encoder.layer[layers:]
        if not 0 < layers < len(encoder.encoder.layer):
            raise SystemExit(f"The base has {len(encoder.encoder.layer)} layers: some are to be held, and some tuned.")
        encoder.requires_grad_(requires_grad=False)
        self._upper.requires_grad_(requires_grad=True)

    def states(self, batches: Iterable[tuple[list[int], Batch]], n: int) -> list[torch.Tensor]:
        """What the lower layers say of each text.

        Args:
            batches: Numbers of the texts, and their tokens.
            n: How many texts there are.

        Returns:
            States of the tokens of each, shape (tokens, size); in bfloat16 2 GB for ten thousand texts of size 768.
        """
        held: list[torch.Tensor] = [torch.empty(0)] * n
        self._encoder.encoder.layer = self._lower
        self._encoder.eval()
        with torch.no_grad():
            for numbers, batch in batches:
                states, lengths = self._encoder(**batch).last_hidden_state, batch["attention_mask"].sum(1).tolist()
                if torch.is_autocast_enabled("cpu"):
                    states = states.to(torch.get_autocast_dtype("cpu"))
                for row, number in enumerate(numbers):
                    held[number] = states[row, : lengths[row]].clone()
        self._encoder.encoder.layer = self._lower + self._upper
        return held

    @contextmanager
    def upper(self) -> Iterator[None]:
        """The encoder reads states (`inputs_embeds`) in place of tokens, and runs the upper layers alone."""
        self._encoder.embeddings, self._encoder.encoder.layer = _Given(), self._upper
        try:
            yield
        finally:
            self._encoder.embeddings, self._encoder.encoder.layer = self._embeddings, self._lower + self._upper


def padded(states: Sequence[torch.Tensor]) -> Batch:
    """States of texts as one batch."""
    mask = torch.zeros(len(states), max(map(len, states)), dtype=torch.long)
    for row, of in enumerate(states):
        mask[row, : len(of)] = 1
    return {"inputs_embeds": torch.nn.utils.rnn.pad_sequence(list(states), batch_first=True), "attention_mask": mask}
