"""A tuned model as what tuning changed of a model that is installed anyway: a few megabytes in place of hundreds.

Of each matrix the change is kept as the product of two thin ones, in steps of eight bits with a scale for each column
of the first and row of the second; of other weights, which are few, the new value. The vectors of words are not tuned.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipelines.packed_model import PackedModel

ADAPTER = "adapter.safetensors"
_OUT, _IN = ".out", ".in"
_SCALE = ".scale"

Floats = NDArray[np.float32]
Stored = dict[str, NDArray[Any]]


def thinned(before: Mapping[str, Floats], after: Mapping[str, Floats], rank: int) -> Stored:
    """What tuning changed.

    Args:
        before: Weights of the base.
        after: Weights of the tuned model, and of its head.
        rank: How thin matrices are.

    Returns:
        What an adapter's file holds.
    """
    stored: Stored = {}
    for name, weights in after.items():
        if name not in before:
            stored[name] = weights.astype(np.float32)
        elif np.array_equal(weights, before[name]):
            continue
        elif weights.ndim < 2:
            stored[name] = weights.astype(np.float16)
        else:
            left, size, right = np.linalg.svd((weights - before[name]).astype(np.float64), full_matrices=False)
            root = np.sqrt(size[:rank])
            stored |= _stepped(name + _OUT, left[:, :rank] * root, axis=0)
            stored |= _stepped(name + _IN, right[:rank] * root[:, None], axis=1)
    return stored


def _stepped(name: str, thin: NDArray[np.float64], axis: int) -> Stored:
    scale = np.maximum(np.abs(thin).max(axis, keepdims=True) / 127, 1e-12)
    return {name: np.round(thin / scale).astype(np.int8), name + _SCALE: scale.astype(np.float32)}


def adapted(before: Mapping[str, Floats], stored: Mapping[str, NDArray[Any]]) -> dict[str, Floats]:
    """Weights of the tuned model.

    Args:
        before: Weights of the base.
        stored: What the adapter's file holds.

    Raises:
        KeyError: The adapter is of another base.
        ValueError: As `KeyError`.
    """
    weights: dict[str, Floats] = {name: before[name] for name in before}
    for name, part in stored.items():
        if name.endswith(_OUT):
            of = name.removesuffix(_OUT)
            thin = part.astype(np.float32) * stored[name + _SCALE]
            wide = stored[of + _IN].astype(np.float32) * stored[of + _IN + _SCALE]
            weights[of] = before[of] + thin @ wide
        elif not name.endswith((_IN, _SCALE)):
            weights[name] = part.astype(np.float32)
    return weights


class AdaptedModel:
    """The packed model with an adapter, as a cross-encoder runs it.

    Args:
        folder: What holds the adapter.

    Raises:
        ImportError: A library or the base is not installed.
        OSError: A file cannot be read.
        KeyError: The adapter is of another base.
        ValueError: As `KeyError`, or a file is not what it should be.
    """

    def __init__(self, folder: Path) -> None:
        import torch
        from safetensors.numpy import load_file
        from transformers import BertModel

        self._base = PackedModel()
        self.tokenizer = self._base.tokenizer()
        weights = adapted(self._base.weights(), load_file(folder / ADAPTER))
        self.head, self.bias = (torch.from_numpy(weights.pop(f"head.{part}")) for part in ("weight", "bias"))
        # The vectors of words are looked up in the packed file, so the model holds but one.
        weights["embeddings.word_embeddings.weight"] = np.zeros((1, self._base.numbers.size), dtype=np.float32)
        made: Any = BertModel  # untyped
        self._model = made(self._base.config(words=1), add_pooling_layer=False)
        try:
            self._model.load_state_dict({name: torch.from_numpy(np.array(part)) for name, part in weights.items()})
        except RuntimeError:
            raise ValueError("The adapter is of another base.") from None
        self._model.eval()

    @property
    def config(self) -> Any:
        """The model's configuration."""
        return self._model.config

    @property
    def base(self) -> str:
        """Digest of the base."""
        return self._base.digest

    def digest(self, folder: Path) -> str:
        """Digest of the base and of the adapter."""
        state = hashlib.sha256(self.base.encode())
        state.update((folder / ADAPTER).read_bytes())
        return state.hexdigest()

    def states(self, ids: list[int], kinds: list[int]) -> Any:
        """States of the tokens of one text, shape (tokens, size)."""
        import torch

        words = torch.from_numpy(self._base.words(np.array(ids)))[None]
        return self._model(inputs_embeds=words, token_type_ids=torch.tensor([kinds])).last_hidden_state[0]
