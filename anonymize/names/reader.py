"""What name models have in common: each distinct sentence is read once, and its names are put where it stands."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from presidio_analyzer import EntityRecognizer, RecognizerResult

from anonymize.findings import in_presidios_form
from anonymize.names.case import believed
from anonymize.names.segments import Segment
from anonymize.spans import Found
from anonymize.view import View

Names = list[tuple[int, int, str, float]]


class NameReader(EntityRecognizer):
    """A recognizer around a model that reads sentences.

    Args:
        language: Language code.
    """

    ENTITIES = ("PERSON", "LOCATION", "ORGANIZATION")

    def __init__(self, language: str) -> None:
        self._found: dict[str, Names] = {}
        self.threshold = 0.0
        name = type(self).__name__
        super().__init__(supported_entities=list(self.ENTITIES), name=name, supported_language=language)

    @abstractmethod
    def segments(self, view: View) -> Iterable[Segment]:
        """The sentences of a text that can hold a name in this language."""

    @abstractmethod
    def read(self, sentences: Sequence[str]) -> Iterator[tuple[str, Names]]:
        """Run the model over distinct sentences: each with its names (start, end, entity, score) in its own offsets."""

    def analyze(self, text: str, entities: list[str], nlp_artifacts: Any = None) -> list[RecognizerResult]:
        """Find names in one text; see `analyze_many`."""
        view = nlp_artifacts if isinstance(nlp_artifacts, View) else View.of(text)
        return in_presidios_form(self.analyze_many([view], entities)[0])

    def analyze_many(self, views: Sequence[View], entities: Iterable[str]) -> list[list[Found]]:
        """Find names in many texts, reading each distinct sentence once.

        Args:
            views: Folded texts.
            entities: Entity types wanted.

        Returns:
            The findings of each text, in offsets of its original.
        """
        wanted = set(entities)
        places: dict[str, list[tuple[int, int]]] = {}
        for number, view in enumerate(views):
            for segment in self.segments(view):
                places.setdefault(segment.text, []).append((number, segment.start))
        # Sorted, so that what stands together in a batch does not depend on the order of the texts.
        self._found.update(self.read(sorted(s for s in places if s not in self._found)))
        results: list[list[Found]] = [[] for _ in views]
        rule = type(self).__name__
        for sentence, where in places.items():
            names = [n for n in self._found[sentence] if n[2] in wanted and n[3] >= self.threshold]
            for number, offset in where if names else ():
                view, found = views[number], results[number]
                as_written = view.text.startswith(sentence, offset)
                if as_written and view.index is None:
                    found += [
                        Found(offset + start, offset + end, kind, score, rule) for start, end, kind, score in names
                    ]
                    continue
                for start, end, entity, score in names:
                    low, high, read = offset + start, offset + end, sentence[start:end]
                    # A model that was given capitals finds more names than there are.
                    if as_written or view.text[low:high] == read or believed(entity, read):
                        found.append(Found(*view.span(low, high), entity, score, rule))
        return results

    def forget(self) -> None:
        """Let go of the sentences read so far. Until then none is read twice: a text is looked at in several passes."""
        self._found.clear()
