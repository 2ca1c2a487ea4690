"""What readers around a model of another library share: sentences by script, labels, and which findings to believe."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from anonymize.names.english import weighed
from anonymize.names.lists import lists
from anonymize.names.reader import NameReader, Names
from anonymize.names.segments import Segment, han_segments, latin_segments, prose
from anonymize.names.words_zh import weighed_han
from anonymize.view import View
from schemas.errors import AnonymizeError

_LABELS = {
    "PERSON": ("PER", "PERSON", "NAME", "NR"),
    "LOCATION": ("LOC", "LOCATION", "GPE", "FAC", "PLACE", "CITY", "ADDRESS", "NS"),
    "ORGANIZATION": ("ORG", "ORGANIZATION", "ORGANISATION", "COMPANY", "NT"),
}
_ENTITY = {label: entity for entity, labels in _LABELS.items() for label in labels}


class Found(NamedTuple):
    """A model's finding: offsets in its sentence, and the model's own label."""

    start: int
    end: int
    label: str


class TaggerNameRecognizer(NameReader):
    """A reader around a model of another library.

    Args:
        language: `en` or `zh`.
        model: Folder or cached name of the model.
    """

    def __init__(self, language: str, model: str) -> None:
        self._model_name, self._language = model, language
        super().__init__(language)

    def segments(self, view: View) -> Iterable[Segment]:
        """Sentences of the language that can hold a name."""
        if self._language == "zh":
            return han_segments(view, prose(view)) if view.has_han else ()
        return latin_segments(view, prose(view))

    def read(self, sentences: Sequence[str]) -> Iterator[tuple[str, Names]]:
        """Run the model, and keep what is believed of its findings."""
        for sentence, found in zip(sentences, self.tag(sentences), strict=True):
            yield sentence, list(self._weigh(sentence, found))

    @abstractmethod
    def tag(self, sentences: Sequence[str]) -> Iterable[Sequence[Found]]:
        """Run the model over sentences."""

    def _weigh(self, sentence: str, found: Iterable[Found]) -> Iterator[tuple[int, int, str, float]]:
        for start, end, label in found:
            entity = _ENTITY.get(label.upper().removeprefix("B-").removeprefix("I-"))
            if entity is None or not 0 <= start < end <= len(sentence):
                continue
            if self._language == "zh":
                name = weighed_han(sentence, start, end, entity, lists())
            else:
                name = weighed(sentence, start, end, entity)
            if name is not None:
                yield name


def absent(library: str, model: str, fault: Exception) -> AnonymizeError:
    """The error for a model or a library that is not on this machine."""
    return AnonymizeError(
        f"The model {model} cannot be loaded by {library} ({type(fault).__name__}).",
        state="Nothing was scanned.",
        then=f"Install {library} and put the model on this machine, or name another in the settings.",
    )
