"""Names by a token classifier of the transformers library."""

from collections.abc import Iterable, Sequence
from typing import Any

from anonymize.names.tagger import Found, TaggerNameRecognizer, absent

_BATCH = 16
_LEAST = 0.5


class TransformerNameRecognizer(TaggerNameRecognizer):
    """Finds names by a token classifier that is on this machine.

    Raises:
        AnonymizeError: The library or the model is not there.
    """

    def load(self) -> None:
        """Load the model, from this machine only."""
        try:
            from transformers import AutoModelForTokenClassification, AutoTokenizer, pipeline

            tokenizer = AutoTokenizer.from_pretrained(self._model_name, local_files_only=True)
            model = AutoModelForTokenClassification.from_pretrained(self._model_name, local_files_only=True)
            self._run: Any = pipeline(
                "token-classification", model=model, tokenizer=tokenizer, aggregation_strategy="simple", device=-1
            )
        except (ImportError, OSError, ValueError, KeyError) as fault:
            raise absent("transformers", self._model_name, fault) from None

    def tag(self, sentences: Sequence[str]) -> Iterable[Sequence[Found]]:
        """Run the model in batches. Sentences are cut at 400 characters, which a window of 512 tokens holds."""
        if not sentences:
            return
        for found in self._run(list(sentences), batch_size=_BATCH):
            yield [
                Found(f["start"], f["end"], f["entity_group"])
                for f in found
                if f["score"] >= _LEAST and f["start"] is not None
            ]
