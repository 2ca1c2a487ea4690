"""Names by a GLiNER model."""

from collections.abc import Iterable, Sequence
from typing import Any

from anonymize.names.tagger import Found, TaggerNameRecognizer, absent

_BATCH = 16
_LEAST = 0.5
_ASKED = ["person", "location", "organization"]


class GlinerNameRecognizer(TaggerNameRecognizer):
    """Finds names by a GLiNER model that is on this machine.

    Raises:
        AnonymizeError: The library or the model is not there.
    """

    def load(self) -> None:
        """Load the model, from this machine only."""
        try:
            from gliner import GLiNER

            self._gliner: Any = GLiNER.from_pretrained(self._model_name, local_files_only=True)
        except (ImportError, OSError, ValueError, KeyError) as fault:
            raise absent("gliner", self._model_name, fault) from None

    def tag(self, sentences: Sequence[str]) -> Iterable[Sequence[Found]]:
        """Ask the model for people, places and organisations, in batches."""
        for low in range(0, len(sentences), _BATCH):
            part = list(sentences[low : low + _BATCH])
            for found in self._gliner.batch_predict_entities(part, _ASKED, threshold=_LEAST):
                yield [Found(f["start"], f["end"], f["label"]) for f in found]
